package element

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
)

// Overall is the key of the slice of all examples.
var Overall = string(slice.Key{}.AppendBinary(nil))

// Partial is what some examples contribute to one slice. Only the overall slice has
// counts of rows and, if they are reported, the metrics of single queries.
type Partial struct {
	Stats   *metrics.Partial // with groups: only what the sweep of curves adds
	Groups  []Group          // ascending
	Counts  RowCounts
	Queries []Spilled
}

// Group is what the examples of a slice contribute that are in a group, and those that are not.
// Nil is nothing.
type Group struct {
	Number int32
	Stats  *metrics.Partial // of those in the group, as folded; and the bins of curves, as swept
	Curves *metrics.Partial // of those that are not, as swept
}

// NewPartial returns the partial of no examples.
func NewPartial() Partial { return Partial{Stats: new(metrics.Partial)} }

// PartialFields lists the fields of a partial for a coder.
func PartialFields(c *wire.Coder, p *Partial) {
	countsField(c, &p.Counts)
	wire.List(c, &p.Queries, SpilledFields)
	if c.Reading() {
		p.Stats = new(metrics.Partial)
	}
	statsFields(c, p.Stats)
	wire.List(c, &p.Groups, func(c *wire.Coder, g *Group) {
		if GroupField(c, &g.Number); g.Number == NoGroup {
			c.Fail("a group without a number")
		}
		wire.Optional(c, &g.Stats, statsFields)
		wire.Optional(c, &g.Curves, statsFields)
	})
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

// countsField is the counts as JSON: they are few.
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
func (p *Partial) Encode() ([]byte, error) { return wire.Encode(p, PartialFields) }

// DecodePartial decodes what Encode returned.
func DecodePartial(data []byte) (p Partial, err error) {
	err = wire.Decode(data, &p, PartialFields)
	return p, err
}

// DecodeCounts decodes only the counts of what Encode returned.
func DecodeCounts(data []byte) (counts RowCounts, err error) {
	err = wire.Decode(data, &counts, func(c *wire.Coder, counts *RowCounts) {
		var others []byte
		countsField(c, counts)
		c.Rest(&others)
	})
	return counts, err
}

// Merge adds what from holds, and does not change from.
func (p *Partial) Merge(from *Partial) {
	p.Stats.Merge(from.Stats)
	for _, g := range from.Groups {
		into := p.group(g.Number)
		into.Stats, into.Curves = merged(into.Stats, g.Stats), merged(into.Curves, g.Curves)
	}
	p.Counts.Merge(&from.Counts)
	p.Queries = append(p.Queries, from.Queries...)
}

// group returns the group with a number, new if need be. It is valid until the next call.
func (p *Partial) group(number int32) *Group {
	i, found := p.find(number)
	if !found {
		p.Groups = slices.Insert(p.Groups, i, Group{Number: number})
	}
	return &p.Groups[i]
}

// find returns where the group with a number is, or would be.
func (p *Partial) find(number int32) (i int, found bool) {
	return slices.BinarySearchFunc(p.Groups, number, func(g Group, n int32) int { return cmp.Compare(g.Number, n) })
}

// Curves returns the curves of the examples that are not in a group or, for NoGroup, of all. It is nil if
// there are none.
func (p *Partial) Curves(group int32) *metrics.Partial {
	if group == NoGroup {
		return p.Stats
	}
	if i, found := p.find(group); found {
		return p.Groups[i].Curves
	}
	return nil
}

// NewCurves is Curves, but adds an empty Partial if there is none.
func (p *Partial) NewCurves(group int32) *metrics.Partial {
	if group == NoGroup {
		return p.Stats
	}
	of := p.group(group)
	if of.Curves == nil {
		of.Curves = new(metrics.Partial)
	}
	return of.Curves
}

// NewStats returns what is known of the examples of a group, to which more can be added.
func (p *Partial) NewStats(group int32) *metrics.Partial {
	of := p.group(group)
	if of.Stats == nil {
		of.Stats = new(metrics.Partial)
	}
	return of.Stats
}

// merged returns what two partials hold, of which each may be nil, in the first.
func merged(into, from *metrics.Partial) *metrics.Partial {
	switch {
	case from == nil:
		return into
	case into == nil:
		into = new(metrics.Partial)
	}
	into.Merge(from)
	return into
}

// MergeFn is the CombineFn that merges partials, such as those of a slice.
type MergeFn struct{}

// CreateAccumulator returns the partial of no examples.
func (MergeFn) CreateAccumulator() Partial { return NewPartial() }

// AddInput adds a partial, and does not change it.
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
