package curves

import (
	"math"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

func (t Totals) append(dst []byte) []byte {
	return wire.AppendFloat(wire.AppendFloat(dst, t.Positives), t.Negatives)
}

func (t *Totals) decode(d *wire.Decoder) {
	*t = Totals{d.Float(), d.Float()}
	if math.IsNaN(t.Positives) || math.IsNaN(t.Negatives) || math.Signbit(t.Positives) || math.Signbit(t.Negatives) {
		d.Fail("%v positives and %v negatives", t.Positives, t.Negatives)
		*t = Totals{}
	}
}

func (a *Accumulator) sums() [4]*exact.Sum {
	return [...]*exact.Sum{&a.optimistic, &a.pessimistic, &a.steps, &a.trapezoids}
}

// Append appends the canonical encoding: equal accumulators have equal bytes.
// Where on the curve they are is not part of it.
func (a *Accumulator) Append(dst []byte) []byte {
	dst = a.totals.append(dst)
	dst = wire.AppendUint(dst, uint64(len(a.criteria)))
	for i, c := range a.criteria {
		dst = wire.AppendFloat(append(dst, byte(c.Kind)), c.At)
		dst = a.bests[i].append(dst)
	}
	for _, s := range a.sums() {
		dst = s.Append(dst)
	}
	return dst
}

// Decode replaces a by what Append wrote, at the top of the curve.
func (a *Accumulator) Decode(d *wire.Decoder) {
	var totals Totals
	totals.decode(d)
	*a = *New(totals)
	for range d.Elements() {
		c := Criterion{Kind: Kind(d.Byte()), At: d.Float()}
		if c.Kind == 0 || c.Kind >= endOfKinds || math.IsNaN(c.At) {
			d.Fail("no such criterion: %v", c)
		}
		var b best
		b.decode(d)
		if d.Err() != nil {
			return
		}
		a.criteria, a.bests = append(a.criteria, c), append(a.bests, b)
	}
	for _, s := range a.sums() {
		s.Decode(d)
		if a.neutral() && !s.Empty() {
			d.Fail("sums over a curve of nothing")
		}
	}
}
