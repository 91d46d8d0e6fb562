package curves

import "slices"

// ROCAUC is the interval of Accumulator.ROCAUC. It is that of ROCAUCOptimistic
// and ROCAUCPessimistic too: ties are among what is not known.
func (b *Bounds) ROCAUC() Interval { return b.pairs(b.known.ROCAUC()) }

// ROCAUCOptimistic is the interval of Accumulator.ROCAUCOptimistic.
func (b *Bounds) ROCAUCOptimistic() Interval { return b.pairs(b.known.ROCAUCOptimistic()) }

// ROCAUCPessimistic is the interval of Accumulator.ROCAUCPessimistic.
func (b *Bounds) ROCAUCPessimistic() Interval { return b.pairs(b.known.ROCAUCPessimistic()) }

// Gini is the interval of Accumulator.Gini.
func (b *Bounds) Gini() Interval {
	v := b.ROCAUC()
	v.Value = b.known.Gini()
	v.Low, v.High = 2*v.Low-1, 2*v.High-1
	return v
}

// AveragePrecision is the interval of Accumulator.AveragePrecision.
func (b *Bounds) AveragePrecision() Interval {
	return b.around(b.known.AveragePrecision(),
		b.known.shareOfPositives(b.low.Float64()).Number, b.known.shareOfPositives(b.stepsHigh.Float64()).Number)
}

// PRAUC is the interval of Accumulator.PRAUC.
func (b *Bounds) PRAUC() Interval {
	return b.around(b.known.PRAUC(),
		b.known.shareOfPositives(b.low.Float64()).Number, b.known.shareOfPositives(b.trapezoidsHigh.Float64()).Number)
}

// Operating is the interval of the value of Accumulator.Operating. Its Number is
// the value at Threshold.
func (b *Bounds) Operating(c Criterion) Interval {
	v := b.known.Operating(c).Value
	i := slices.Index(b.known.criteria, c)
	if b.exact || i < 0 || v.Undefined != "" { // undefined for known points is so for all
		return Interval{v, v.Number, v.Number}
	}
	high := b.corners[i].score
	if c.Kind != ThresholdAtRecall {
		high = min(b.corners[i].value+slack, 1)
	}
	return Interval{v, v.Number, max(v.Number, high)}
}

// Threshold is the best threshold among the lower ends of the bins: the
// threshold of Accumulator.Operating for the points known.
func (b *Bounds) Threshold(c Criterion) Value { return b.known.Operating(c).Threshold }

func (b *Bounds) pairs(v Value) Interval {
	return b.around(v, b.known.ROCAUCPessimistic().Number, b.known.ROCAUCOptimistic().Number)
}

// around is the interval from low to high, widened for rounding, or just the
// value if that is exact or undefined.
func (b *Bounds) around(v Value, low, high float64) Interval {
	if b.exact {
		low, high = v.Number, v.Number
	} else {
		low, high = max(low-slack, 0), min(high+slack, 1)
	}
	return Interval{v, low, high}
}
