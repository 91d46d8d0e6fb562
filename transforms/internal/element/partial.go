package element

import (
	"encoding/json"
	"fmt"

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
	Stats   *metrics.Partial
	Counts  RowCounts
	Queries []Spilled
}

// NewPartial returns the partial of no examples.
func NewPartial() Partial { return Partial{Stats: new(metrics.Partial)} }

func partialFields(c *wire.Coder, p *Partial) {
	countsField(c, &p.Counts)
	wire.List(c, &p.Queries, SpilledFields)
	var stats []byte
	if !c.Reading() {
		stats = p.Stats.Append(nil)
	}
	if c.Rest(&stats); c.Reading() {
		var err error
		if p.Stats, err = metrics.DecodePartial(stats); err != nil {
			c.Fail("%w", err)
		}
	}
}

// countsField is the counts as JSON: they are few.
func countsField(c *wire.Coder, counts *RowCounts) {
	c.Embed(func([]byte) ([]byte, error) { return json.Marshal(counts) }, func(data []byte) error {
		if err := json.Unmarshal(data, counts); err != nil {
			return fmt.Errorf("decoding row counts: %w", err)
		}
		return nil
	})
}

// Encode returns the encoding of the partial.
func (p *Partial) Encode() ([]byte, error) { return wire.Encode(p, partialFields) }

// DecodePartial decodes what Encode returned.
func DecodePartial(data []byte) (p Partial, err error) {
	err = wire.Decode(data, &p, partialFields)
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

// MergeFn merges the partials of a slice.
type MergeFn struct{}

// CreateAccumulator returns an empty partial for the others to be merged into: an input
// may have other readers, and must stay as it is.
func (MergeFn) CreateAccumulator() Partial { return NewPartial() }

// AddInput merges a partial into an accumulator.
func (MergeFn) AddInput(into, from Partial) Partial { return merge(into, from) }

// MergeAccumulators merges the second accumulator into the first.
func (MergeFn) MergeAccumulators(into, from Partial) Partial { return merge(into, from) }

func merge(into, from Partial) Partial {
	into.Stats.Merge(from.Stats)
	into.Counts.Merge(&from.Counts)
	into.Queries = append(into.Queries, from.Queries...)
	return into
}

func init() {
	Register(partialFields)
	register.Combiner1[Partial](&MergeFn{})
	register.Emitter2[[]byte, Partial]()
}
