// Package exactcurve holds what metrics of an exact curve are computed from. A [Curve] is a commutative
// monoid: ranges of scores can be traced separately. A [Builder] fills it, stretch by stretch.
package exactcurve

import (
	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/dcg"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/isotonic"
	"github.com/beameval/beameval/metrics/internal/reliability"
)

// Curve is the curve of the scores of a label, or of all labels pooled. Parts that no metric needs
// are empty.
type Curve struct {
	Positive, Negative exact.Tally
	Areas              curves.Accumulator
	Outline            curves.Outline
	Gain               dcg.DCG
	Pairs              curves.Pairs
	Quantiles          fields.Keyed[reliability.Bin, *reliability.Bin]
	Median             Median
	Fit                isotonic.Fit
}

// Empty reports whether the curve has no examples.
func (c *Curve) Empty() bool { return c.Positive.Empty() && c.Negative.Empty() }

// Fields lists the fields. What is merged must be a curve of the same examples, for the same metrics.
func (c *Curve) Fields(v *fields.Visitor, from *Curve) {
	fields.Visit(v, &c.Positive, &from.Positive)
	fields.Visit(v, &c.Negative, &from.Negative)
	c.Areas.Fields(v, &from.Areas)
	c.Outline.Fields(v, &from.Outline)
	c.Gain.Fields(v, &from.Gain)
	c.Pairs.Fields(v, &from.Pairs)
	c.Quantiles.Fields(v, &from.Quantiles)
	v.Largest(&c.Median.lower, from.Median.lower)
	v.Largest(&c.Median.upper, from.Median.upper)
	if m := c.Median; v.Decodes() && !(m.upper >= m.lower) {
		v.Fail("curve: %v and %v are no median", m.lower, m.upper)
	}
	if c.Fit.Fields(v, &from.Fit); v.Merges() {
		c.Fit.Bound(c.Positive.Ones() && c.Negative.Ones())
	}
}

// QuantileBins returns the n calibration bins of equal weight.
func (c *Curve) QuantileBins(n int) []reliability.Bin {
	bins := make([]reliability.Bin, n)
	for i := range bins {
		if b := c.Quantiles.Lookup(uint64(i)); b != nil {
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

// Median is the lower and the upper median of numbers that are not negative.
type Median struct{ lower, upper float64 }

// add adds the next lower number, x. weight is the weight of all numbers of at least x.
func (m *Median) add(x, weight, total float64) {
	if weight >= total/2 {
		m.upper = max(m.upper, x)
	}
	if weight > total/2 {
		m.lower = max(m.lower, x)
	}
}

// Value returns the mean of the lower and the upper median.
func (m *Median) Value() float64 {
	if m.lower == m.upper { // both may be infinite
		return m.lower
	}
	return m.lower + float64((m.upper-m.lower)/2)
}
