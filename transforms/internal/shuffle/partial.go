package shuffle

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
)

// Overall is the key of the slice of all examples.
var Overall = slice.Key{}.Encoded()

// ofBaseline, appended to the key of a slice, makes the key of the baseline's statistics. No key is
// a prefix of another, so no slice has such a key.
const ofBaseline = "baseline"

// OfBaseline returns the key for the statistics of a baseline in a slice.
func OfBaseline(slice string) string { return slice + ofBaseline }

// InputKey returns the key of partials that hold inputs of a task for a further pass, given its lane.
func InputKey(lane int) []byte { return binary.AppendUvarint([]byte{0xff}, uint64(lane)) }

// Key decodes the key of a slice, and reports whether it is for the statistics of a baseline.
func Key(encoded []byte) (key slice.Key, baseline bool, err error) {
	key, rest, err := slice.Decode(encoded)
	return key, string(rest) == ofBaseline, err
}

// Partial is the contribution of some examples to one slice. Only the overall slice has counts of
// rows and, if they are reported, the metrics of single queries.
type Partial struct {
	Stats   *metrics.Partial // if there are folds, only what traced curves add
	Folds   []Fold           // ascending
	Counts  RowCounts
	Queries []Spilled
	Totals  ScoreTotals // until the ranges of scores know them
	Worst   *Worst      // nil if worst examples are not listed, or not of this slice
	Changed *Worst      // likewise for those that changed since a baseline, by ChangeOf
	Search  *Searched   // nil if there is no search, or not for the overall slice
	IDs     *IDs        // nil if they are not counted, or not for the overall slice
	Met     *Met        // nil if ids are not kept, or not for the overall slice
	// Again holds inputs of a task for a further pass. Nothing else is in such a partial, whose key is no slice's.
	Again []TaskInput
}

// Fold is the contribution to a slice of the examples in a fold, and of the examples not in it.
// Nil means none.
type Fold struct {
	Number int32
	Stats  *metrics.Partial // of the examples in the fold: folded statistics, and the bins of traced curves
	Curves *metrics.Partial // of the examples not in the fold: traced curves
}

// NewPartial returns the partial of no examples.
func NewPartial() Partial { return Partial{Stats: new(metrics.Partial)} }

// PartialFields lists the fields of a partial for a coder.
func PartialFields(c *wire.Coder, p *Partial) {
	countsField(c, &p.Counts)
	wire.List(c, &p.Queries, SpilledFields)
	scoreTotalsFields(c, &p.Totals)
	if c.Reading() {
		p.Stats = new(metrics.Partial)
	}
	statsFields(c, p.Stats)
	wire.List(c, &p.Folds, func(c *wire.Coder, g *Fold) {
		if FoldField(c, &g.Number); g.Number == NoFold {
			c.Fail("a fold without a number")
		}
		wire.Optional(c, &g.Stats, statsFields)
		wire.Optional(c, &g.Curves, statsFields)
	})
	wire.Optional(c, &p.Worst, worstFields)
	wire.Optional(c, &p.Changed, worstFields)
	wire.Optional(c, &p.Search, searchedFields)
	wire.List(c, &p.Again, taskInputFields)
	wire.Optional(c, &p.IDs, idsFields)
	wire.Optional(c, &p.Met, metFields)
}

// KeptFields lists the fields of a partial that are kept in files, from which reports are merged. All of them are
// merged exactly, and none says where a row is.
func KeptFields(c *wire.Coder, p *Partial) {
	if countsField(c, &p.Counts); c.Reading() && (p.Counts.Sample != nil || p.Counts.Failed != nil) {
		c.Fail("counts of rows with places of rows")
	}
	if c.Reading() {
		p.Stats = new(metrics.Partial)
	}
	statsFields(c, p.Stats)
	last := int32(NoFold)
	wire.List(c, &p.Folds, func(c *wire.Coder, g *Fold) {
		if c.Reading() {
			g.Stats = new(metrics.Partial)
		}
		if FoldField(c, &g.Number); g.Number <= last {
			c.Fail("fold %d follows fold %d", g.Number, last)
		}
		last = g.Number
		statsFields(c, g.Stats)
	})
	wire.Optional(c, &p.Worst, keptWorstFields)
	wire.Optional(c, &p.Changed, keptWorstFields)
}

func statsFields(c *wire.Coder, p *metrics.Partial) {
	c.Embed(func(dst []byte) ([]byte, error) { return p.Append(dst), nil }, func(data []byte) error {
		decoded, err := metrics.DecodePartial(data)
		if err == nil {
			*p = *decoded
		}
		return err
	})
}

// countsField encodes or decodes the counts as JSON: there is only one of them.
func countsField(c *wire.Coder, counts *RowCounts) {
	c.Embed(func(dst []byte) ([]byte, error) {
		data, err := json.Marshal(counts)
		return append(dst, data...), err
	}, func(data []byte) error {
		if err := json.Unmarshal(data, counts); err != nil {
			return fmt.Errorf("decoding row counts: %w", err)
		}
		return nil
	})
}

// Encode returns the encoding of the partial.
func (p *Partial) Encode() ([]byte, error) { return p.Append(nil) }

// Append appends the encoding of the partial.
func (p *Partial) Append(dst []byte) ([]byte, error) { return wire.Append(dst, p, PartialFields) }

// DecodePartial decodes what Encode encoded.
func DecodePartial(data []byte) (p Partial, err error) {
	err = wire.Decode(data, &p, PartialFields)
	return p, err
}

// DecodeCounts decodes only the counts of what Encode encoded.
func DecodeCounts(data []byte) (counts RowCounts, err error) {
	err = wire.Decode(data, &counts, func(c *wire.Coder, counts *RowCounts) {
		var others []byte
		countsField(c, counts)
		c.Rest(&others)
	})
	return counts, err
}

// Merge adds the contribution of from and leaves from unchanged. From then on, nobody may change the
// statistics of from: p shares some of them instead of copying them.
func (p *Partial) Merge(from *Partial) {
	p.Stats.MergeShared(from.Stats)
	for _, g := range from.Folds {
		into := p.fold(g.Number)
		if g.Stats != nil {
			made(&into.Stats).MergeShared(g.Stats)
		}
		if g.Curves != nil {
			made(&into.Curves).MergeShared(g.Curves)
		}
	}
	p.Counts.Merge(&from.Counts)
	p.Queries = append(p.Queries, from.Queries...)
	p.Again = append(p.Again, from.Again...)
	p.Totals.Merge(&from.Totals)
	if from.Worst != nil {
		made(&p.Worst).Merge(from.Worst)
	}
	if from.Changed != nil {
		made(&p.Changed).Merge(from.Changed)
	}
	if from.IDs != nil {
		made(&p.IDs).Merge(from.IDs)
	}
	if from.Met != nil {
		made(&p.Met).Merge(from.Met)
	}
	switch {
	case from.Search == nil:
	case p.Search == nil:
		p.Search = from.Search.clone()
	default:
		p.Search.Merge(from.Search)
	}
}

// Refold makes each fold a part of the fold that to returns for its number.
func (p *Partial) Refold(to func(fold int32) int32) {
	folds := p.Folds
	p.Folds = nil
	for _, g := range folds {
		if g.Stats != nil {
			p.NewStats(to(g.Number)).MergeShared(g.Stats)
		}
	}
}

// fold returns the fold with a number, and adds it if necessary. It is valid until the next call.
func (p *Partial) fold(number int32) *Fold {
	i, found := p.find(number)
	if !found {
		p.Folds = slices.Insert(p.Folds, i, Fold{Number: number})
	}
	return &p.Folds[i]
}

// find returns the index at which the fold with a number is, or would have to be.
func (p *Partial) find(number int32) (i int, found bool) {
	return slices.BinarySearchFunc(p.Folds, number, func(g Fold, n int32) int { return cmp.Compare(g.Number, n) })
}

// Curves returns the curves of the examples that are not in a fold or, for NoFold, of all
// examples. It is nil if there are none.
func (p *Partial) Curves(fold int32) *metrics.Partial {
	if fold == NoFold {
		return p.Stats
	}
	if i, found := p.find(fold); found {
		return p.Folds[i].Curves
	}
	return nil
}

// NewCurves does the same as Curves, but adds an empty Partial if there is none.
func (p *Partial) NewCurves(fold int32) *metrics.Partial {
	if fold == NoFold {
		return p.Stats
	}
	return made(&p.fold(fold).Curves)
}

// NewStats returns the statistics of the examples in a fold, and adds them if there are none.
func (p *Partial) NewStats(fold int32) *metrics.Partial {
	return made(&p.fold(fold).Stats)
}

// made returns the partial at p, and makes an empty one if there is none.
func made[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}

// MergeFn is the CombineFn that merges partials, for example all of a slice.
type MergeFn struct{}

// CreateAccumulator returns the partial of no examples.
func (MergeFn) CreateAccumulator() Partial { return NewPartial() }

// AddInput merges a partial and leaves it unchanged.
func (MergeFn) AddInput(sum, p Partial) Partial {
	sum.Merge(&p)
	return sum
}

// MergeAccumulators merges two sums.
func (f MergeFn) MergeAccumulators(a, b Partial) Partial { return f.AddInput(a, b) }

func init() {
	Register(PartialFields)
	register.Combiner1[Partial](&MergeFn{})
	register.Iter1[Partial]()
	register.Emitter2[[]byte, Partial]()
}
