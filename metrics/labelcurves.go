package metrics

import (
	"errors"
	"math"

	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/discount"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// labelCurves holds what metrics of the exact ROC and precision-recall curves of each label are
// computed from. It comes from sweeping all scores of a label in order (see Sweeper.Sweep), and not
// from folding examples.
type labelCurves struct {
	fields.Keyed[labelCurve, *labelCurve]
	wrong bool // curves with different totals, or for different metrics, were merged
}

// curveKey returns the key of a label. PooledLabel and TopClass come after all labels.
func (p *Params) curveKey(label int) uint64 {
	switch label {
	case pooled:
		return uint64(p.scored())
	case TopClass:
		return uint64(p.scored()) + 1
	}
	return uint64(label)
}

// curve is the curve of the scores of a label, or of all labels pooled. Parts that no metric needs
// are empty.
type curve struct {
	positive, negative exact.Tally
	areas              curves.Accumulator
	outline            curves.Outline
	gain               discount.DCG
	pairs              curves.Pairs
	quantiles          fields.Keyed[bin, *bin]
	median             median
}

// labelCurve is nil if there are no examples. It is a pointer because curves are large and most
// sweeps are of a single label: the labels below it should not take their memory.
type labelCurve struct{ *curve }

func (c *labelCurve) Empty() bool { return c.curve == nil || c.curve.Empty() }

// join adds a curve. It returns an error if the curves have different Params or examples.
func (c *labelCurve) join(from *labelCurve) error {
	if from.curve == nil {
		return nil
	}
	if c.curve == nil {
		c.curve = new(curve)
	}
	return c.curve.join(from.curve)
}

func (c *labelCurve) Fields(v *fields.Visitor, _ *labelCurve) {
	if c.curve == nil {
		c.curve = new(curve)
	}
	c.curve.code(v)
}

func (c *curve) Empty() bool { return c.positive.Empty() && c.negative.Empty() }

// restart empties the curve. The tallies and the areas keep their memory, because the curves of
// groups may be many and consist of nothing else.
func (c *curve) restart() {
	c.positive.Reset()
	c.negative.Reset()
	*c = curve{positive: c.positive, negative: c.negative, areas: c.areas}
}

func (c *curve) join(from *curve) error {
	c.positive.Merge(&from.positive)
	c.negative.Merge(&from.negative)
	err := errors.Join(c.areas.Merge(&from.areas), c.outline.Merge(&from.outline))
	c.gain.Merge(&from.gain)
	c.pairs.Merge(&from.pairs)
	fields.Merge(&c.quantiles, &from.quantiles)
	c.median.merge(from.median)
	return err
}

// code lists the encoded fields.
func (c *curve) code(v *fields.Visitor) {
	v.Value(&c.positive)
	v.Value(&c.negative)
	v.Value(&c.areas)
	v.Value(&c.outline)
	v.Value(&c.gain)
	v.Value(&c.pairs)
	c.quantiles.Fields(v, &c.quantiles)
	v.Float(&c.median.lower)
	v.Float(&c.median.upper)
	if m := c.median; !(m.lower >= 0 && m.upper >= m.lower) || math.Signbit(m.lower) || math.Signbit(m.upper) {
		v.Fail("label curves: %v and %v are no median", m.lower, m.upper)
	}
}

// median is the lower and the upper median of numbers that are not negative.
type median struct{ lower, upper float64 }

func (m *median) merge(from median) {
	m.lower, m.upper = max(m.lower, from.lower), max(m.upper, from.upper)
}

// add adds the next lower number, x. weight is the weight of all numbers of at least x.
func (m *median) add(x, weight, total float64) {
	if weight >= total/2 {
		m.upper = max(m.upper, x)
	}
	if weight > total/2 {
		m.lower = max(m.lower, x)
	}
}

// value returns the mean of the lower and the upper median.
func (m *median) value() float64 {
	if m.lower == m.upper { // both may be infinite
		return m.lower
	}
	return m.lower + float64((m.upper-m.lower)/2)
}

func (s *labelCurves) Fold(*Batch, []int32) {} // see Sweeper.Sweep

func (s *labelCurves) visit(v *fields.Visitor, from statistic) {
	f := from.(*labelCurves)
	if !v.Merges() {
		s.Keyed.Fields(v, &f.Keyed)
		return
	}
	s.wrong = s.wrong || f.wrong
	for key, c := range f.All() {
		s.add(key, c)
	}
}

// add adds c to the curve of a label.
func (s *labelCurves) add(key uint64, c *labelCurve) {
	if s.Value(key).join(c) != nil {
		s.wrong = true
	}
}

func (s *labelCurves) fits(p *Params) bool { return !s.wrong && s.Below(uint64(p.scored())+2) }

// quantileBins returns the n calibration bins of equal weight.
func (c *curve) quantileBins(n int) []bin {
	bins := make([]bin, n)
	for i := range bins {
		if b := c.quantiles.Lookup(uint64(i)); b != nil {
			fields.Merge(&bins[i], b)
		}
	}
	return bins
}

// quantile returns the bin of equal weight for the examples of a score. above is the weight of
// higher scores. Tied examples stay together, in the bin of the first of them. The product is
// computed first, because it is exact for counts: a full bin gets no more examples.
func quantile(above, total float64, bins int) uint64 {
	place := float64(bins) * above / total
	if !(place < float64(bins)) {
		return uint64(bins - 1) // all remaining rows have no weight
	}
	return uint64(place)
}
