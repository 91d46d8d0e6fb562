package curves

import (
	"slices"

	"github.com/beameval/beameval/metrics/exact"
)

// Interval holds a value that is known to lie between two numbers, Low and
// High; Value is one of them or a number between. An undefined value has none.
type Interval struct {
	Value
	Low, High float64
}

// Bounds has, of the curve of the scores that a histogram met, an interval for
// each measure. If the histogram is exact, all three numbers are the measure
// itself, as an Accumulator computes it.
//
// The lower end of each bin is a point of the curve. Between that of the bin
// above, with weights T0 and F0, and its own, with T1 and F1, nothing is known
// of the curve but that neither TP nor FP ever falls. With p = T1-T0, n = F1-F0:
//
// ROC AUC. The negatives of the bin lose against T0 to T1 positives: n T0 to
// n T1, the pessimistic and the optimistic area of the points known.
//
// Average precision. A step to (t, f) adds dt t/(t+f). As t/(t+f) grows with t
// and falls with f, steps to t <= T1 at f >= F0 add at most p T1/(T1+F0); all
// positives tied and above the negatives add just that. With f <= F1, they add
// at least the integral of t/(t+F1) over [T0, T1]. That function is concave, and
// so the integral at least p (T0/(T0+F1) + T1/(T1+F1))/2.
//
// PR AUC. Points (t, t/(t+f)) of the curve lie above the concave t/(t+F1), and
// therefore above the straight line between its ends; so do the lines that
// connect them, and the area is at least that of average precision. They lie
// below the concave t/(t+F0), and so do the lines; the integral of a concave
// function is at most p times its value in the middle. (At the start, F0 = 0,
// and the function is 1, as is the curve's first precision.)
//
// Operating points. All points lie in the rectangle of T0 to T1 and F0 to F1. By
// what is said of Criterion.of, none is better than one of the corners (T1, F0)
// and (T0, F1).
type Bounds struct {
	known   *Accumulator // of the points known
	exact   bool
	corners []best // by criterion

	low, stepsHigh, trapezoidsHigh exact.Sum // in scaled weights
}

// slack widens intervals for the rounding, in them and in the measure itself.
// Where u = 2^-53: a weight is off by u of itself, and the areas thereby, as
// these errors telescope, by at most some 3u of the whole; the terms, all
// positive, by at most 8 roundings each. 64u is more than for both.
const slack = 0x1p-47

// Bounds returns the intervals of all measures, with these criteria.
func (h *Histogram) Bounds(criteria ...Criterion) *Bounds {
	points := h.Points()
	b := &Bounds{known: New(totalsOf(points), criteria...), exact: h.dropped == 0}
	b.corners = slices.Repeat([]best{none}, len(criteria))
	wider := relaxed(criteria)
	for i, p := range points {
		before := b.known.last
		b.known.Add(p)
		if !b.exact {
			b.addBin(before, p, wider, h.highest(len(points)-1-i))
		}
	}
	return b
}

// addBin accounts for what the curve may do between two points, at scores up to
// highest.
func (b *Bounds) addBin(from, to Point, criteria []Criterion, highest float64) {
	a := b.known
	top, bottom := Point{TP: to.TP, FP: from.FP}, Point{TP: from.TP, FP: to.FP}
	if p := (to.TP - from.TP) * a.scale.positive; p != 0 {
		middle := Point{TP: from.TP + (to.TP-from.TP)/2, FP: from.FP}
		b.low.Add(float64(p * ((bottom.precision() + to.precision()) / 2)))
		b.stepsHigh.Add(float64(p * top.precision()))
		b.trapezoidsHigh.Add(float64(p * middle.precision()))
	}
	for _, corner := range [...]Point{top, bottom} {
		r := a.scale.rates(corner, a.totals)
		considerAll(criteria, b.corners, &r, highest)
	}
}

// relaxed returns criteria that points meet even if rounding is to blame for
// their not meeting the original ones.
func relaxed(criteria []Criterion) []Criterion {
	list := slices.Clone(criteria)
	for i := range list {
		switch c := &list[i]; c.Objective {
		case FBeta:
		case RecallAtFPR:
			c.At += slack
		default:
			c.At -= slack
		}
	}
	return list
}

// Area is the interval of Accumulator.Area. Measures of pairs of a positive and a
// negative have the same one: ties are among what is not known.
func (b *Bounds) Area(m Area) Interval {
	known := b.known
	switch m {
	case Gini:
		v := b.Area(ROCAUC)
		return Interval{known.Area(Gini), 2*v.Low - 1, 2*v.High - 1}
	case AveragePrecision:
		return b.around(known.Area(m), known.shareOfPositives(b.low.Float64()), known.shareOfPositives(b.stepsHigh.Float64()))
	case PRAUC:
		return b.around(known.Area(m), known.shareOfPositives(b.low.Float64()), known.shareOfPositives(b.trapezoidsHigh.Float64()))
	}
	return b.around(known.Area(m), known.Area(ROCAUCPessimistic), known.Area(ROCAUCOptimistic))
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
	if c.Objective != ThresholdAtRecall {
		high = min(b.corners[i].value+slack, 1)
	}
	return Interval{v, v.Number, max(v.Number, high)}
}

// Threshold is the best threshold among the lower ends of the bins: the
// threshold of Accumulator.Operating for the points known.
func (b *Bounds) Threshold(c Criterion) Value { return b.known.Operating(c).Threshold }

// around is the interval from low to high, widened for rounding, or just the
// value if that is exact or undefined.
func (b *Bounds) around(v, low, high Value) Interval {
	if b.exact {
		return Interval{v, v.Number, v.Number}
	}
	return Interval{v, max(low.Number-slack, 0), min(high.Number+slack, 1)}
}
