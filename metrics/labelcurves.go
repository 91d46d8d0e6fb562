package metrics

import (
	"math"

	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/wire"
)

// labelCurves holds, for each label, what the metrics of its ROC and
// precision-recall curves are functions of. They come of sweeping all scores of
// the label in order (see Params.Sweep), not of folding examples.
type labelCurves struct {
	cells[curve, *curve]
}

// curveKey is the cell of a label; pooled and TopClass are after all labels.
func (p *Params) curveKey(label int) uint64 {
	switch label {
	case pooled:
		return uint64(p.scored())
	case TopClass:
		return uint64(p.scored()) + 1
	}
	return uint64(label)
}

// curve is the curve of the scores of one label, or of several pooled. What the
// metrics do not need is empty.
type curve struct {
	positive, negative exact.Tally
	areas              curves.Accumulator
	outline            curves.Outline
	gain               curves.DCG
	pairs              curves.Pairs
	quantiles          cells[bin, *bin]
	median             median
}

func (c *curve) Empty() bool { return c.positive.Empty() && c.negative.Empty() }

func (c *curve) Merge(from *curve) {
	c.positive.Merge(&from.positive)
	c.negative.Merge(&from.negative)
	// Curves of the same Params and examples have the same totals.
	_ = c.areas.Merge(&from.areas)
	_ = c.outline.Merge(&from.outline)
	c.gain.Merge(&from.gain)
	c.pairs.Merge(&from.pairs)
	c.quantiles.mergeCells(&from.quantiles)
	c.median.merge(from.median)
}

func (c *curve) Append(dst []byte) []byte {
	dst = c.negative.Append(c.positive.Append(dst))
	dst = c.outline.Append(c.areas.Append(dst))
	dst = c.pairs.Append(c.gain.Append(dst))
	dst = c.quantiles.append(dst)
	return wire.AppendFloat(wire.AppendFloat(dst, c.median.lower), c.median.upper)
}

func (c *curve) Decode(d *wire.Decoder) {
	c.positive.Decode(d)
	c.negative.Decode(d)
	c.areas.Decode(d)
	c.outline.Decode(d)
	c.gain.Decode(d)
	c.pairs.Decode(d)
	c.quantiles.decode(d)
	c.median = median{d.Float(), d.Float()}
}

// median is the lower and the upper median of numbers that are not negative.
type median struct{ lower, upper float64 }

func (m *median) merge(from median) {
	m.lower, m.upper = max(m.lower, from.lower), max(m.upper, from.upper)
}

// add goes on to the next lower number, with the weight of all that are no less.
func (m *median) add(x, weight, total float64) {
	if weight >= total/2 {
		m.upper = max(m.upper, x)
	}
	if weight > total/2 {
		m.lower = max(m.lower, x)
	}
}

func (m *median) value() float64 { return m.lower + (m.upper-m.lower)/2 }

func (s *labelCurves) fold(*Batch, []int32) {} // see Params.Sweep

func (s *labelCurves) merge(from statistic) { s.mergeCells(&from.(*labelCurves).cells) }

func (s *labelCurves) fits(p *Params) bool { return s.below(uint64(p.scored()) + 2) }

// quantileBins returns the bins of equal weight.
func (c *curve) quantileBins(n int) []bin {
	bins := make([]bin, n)
	for i := range bins {
		if b := c.quantiles.get(uint64(i)); b != nil {
			bins[i].Merge(b)
		}
	}
	return bins
}

// quantile returns the bin of equal weight for scores that so much weight is
// above: tied scores stay together.
func quantile(above, total float64, bins int) uint64 {
	i := int(math.Floor(float64(bins) * (above / total)))
	return uint64(min(max(i, 0), bins-1))
}
