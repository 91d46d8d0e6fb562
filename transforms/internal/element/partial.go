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

// Merge adds what from holds, and does not change from.
func (p *Partial) Merge(from *Partial) {
	p.Stats.Merge(from.Stats)
	p.Counts.Merge(&from.Counts)
	p.Queries = append(p.Queries, from.Queries...)
}

// MergePartials merges the partials of a slice. Bundles emit one partial for each slice. So
// there is nothing to combine before the shuffle, which would decode and encode them again.
func MergePartials(key []byte, partials func(*Partial) bool) ([]byte, Partial) {
	sum := NewPartial()
	var p Partial
	for partials(&p) {
		sum.Merge(&p)
	}
	return key, sum
}

func init() {
	Register(partialFields)
	register.Function2x2(MergePartials)
	register.Iter1[Partial]()
	register.Emitter2[[]byte, Partial]()
}
