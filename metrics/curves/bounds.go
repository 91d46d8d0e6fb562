package curves

import (
	"slices"

	"github.com/beameval/beameval/metrics/exact"
)

// Interval states that an exact value lies between Low and High. Value is an estimate of it, also
// between Low and High. An undefined value has no interval.
type Interval struct {
	Value
	Low, High float64
}

// Bounds holds an interval for each measure of the curve whose scores a histogram holds. If the
// histogram is exact, Value, Low and High all equal the measure that an Accumulator computes.
//
// The lower end of each bin is a point of the curve. Let T0 and F0 be the weights at the
// lower end of the bin above, and T1 and F1 those at its own. Between these two points, all that is
// known of the curve is that neither TP nor FP falls. With p = T1-T0, n = F1-F0:
//
// ROC AUC. The positives with a higher score than a negative of the bin weigh between T0 and T1. So
// the negatives of the bin add between n T0 and n T1 in total: these are the pessimistic and the
// optimistic area of the known points.
//
// Average precision. A step to (t, f) adds dt t/(t+f). As t/(t+f) grows with t and falls with f,
// the steps to t <= T1 at f >= F0 add at most p T1/(T1+F0), and exactly that if all positives are
// tied and rank above the negatives. As f <= F1, the steps add at least the integral of t/(t+F1)
// over [T0, T1]. This function is concave, and therefore the integral is at least p (T0/(T0+F1) +
// T1/(T1+F1))/2.
//
// PR AUC. Points (t, t/(t+f)) of the curve lie above the concave function t/(t+F1), and therefore
// above the straight line between its ends. So do the lines that connect the points: the lower
// bound of average precision also holds for this area. The points lie below the concave function
// t/(t+F0), and so do the lines. The integral of a concave function is at most p times its value in
// the middle. (At the start, F0 = 0, and the function is 1, as is the first precision of the
// curve.)
//
// Interpolated PR AUC. FP at t lies between F0 and F1, also between two points of the curve. So the
// precision lies between t/(t+F1) and t/(t+F0), and the bounds of PR AUC hold.
//
// Operating points. All points lie in the rectangle from T0 to T1 and from F0 to F1. As
// Criterion.value explains, none is better than the better of the corners (T1, F0) and (T0, F1).
//
// ROC AUC up to a false positive rate. The same holds as for the whole area, for the negatives up to the bound.
//
// Recall at a share. If the share ends in the bin, with a weight of x in it, its positives there weigh
// at least x - n, and at most both x and p.
type Bounds struct {
	known    *Accumulator // of the known points
	exact    bool
	corners  []best          // by criterion
	floors   []float64       // by criterion, the least recall at a share
	partials []partialBounds // by criterion

	low, stepsHigh, trapezoidsHigh exact.Sum // in scaled weights
}

// slack widens intervals to allow for rounding, of the bounds and of the measure itself. Let u =
// 2^-53. Each weight has a relative error of u. These errors telescope, so that areas are off by at
// most 3u of the whole. Each term is positive and has at most 8 rounding errors. 64u is more than
// enough for both.
const slack = 0x1p-47

// Bounds returns the intervals of all measures, including operating points by these criteria.
func (h *Histogram) Bounds(criteria ...Criterion) *Bounds {
	points := h.Points()
	b := &Bounds{known: New(totalsOf(points), criteria...).Interpolating(), exact: h.dropped == 0}
	b.corners, b.floors = slices.Repeat([]best{none}, len(criteria)), make([]float64, len(criteria))
	b.partials = make([]partialBounds, len(criteria))
	if !b.exact {
		wider := make([]Criterion, len(criteria))
		for i, c := range criteria {
			wider[i] = c.relaxed()
		}
		for bin, key := range h.keys.all() {
			i, before := h.keys.n-1-bin, Point{}
			if i > 0 {
				before = points[i-1]
			}
			b.addBin(before, points[i], wider, h.highest(key))
		}
	}
	b.known.Add(moving(Point{}, points), false)
	return b
}

// addBin adds the extremes that the curve can reach between two points. highest is the highest
// score between them.
func (b *Bounds) addBin(from, to Point, criteria []Criterion, highest float64) {
	a := b.known
	top, bottom := Point{TP: to.TP, FP: from.FP}, Point{TP: from.TP, FP: to.FP}
	if p := (to.TP - from.TP) * a.scale.positive; p != 0 {
		middle := Point{TP: from.TP + float64((to.TP-from.TP)/2), FP: from.FP}
		b.low.Add(float64(p * ((bottom.precision() + to.precision()) / 2)))
		b.stepsHigh.Add(float64(p * top.precision()))
		b.trapezoidsHigh.Add(float64(p * middle.precision()))
	}
	for i, c := range criteria {
		if c.hasArea() {
			b.addPartial(i, from, to)
		}
		if x := a.left(c.At, from); c.Objective == RecallAtShare && x > 0 && a.left(c.At, to) <= 0 {
			b.floors[i] = (from.TP + max(x-(to.FP-from.FP), 0)) / a.totals.Positives
			b.corners[i] = best{(from.TP + min(x, to.TP-from.TP)) / a.totals.Positives, highest}
		}
	}
	for _, corner := range [...]Point{top, bottom} {
		r := a.scale.rates(corner, a.totals)
		for i, c := range criteria {
			if value, ok := c.value(&r); ok {
				b.corners[i].consider(value, highest)
			}
		}
	}
}

// relaxed returns a criterion that also accepts points that fail c only because of rounding.
func (c Criterion) relaxed() Criterion {
	switch c.Objective {
	case FBeta, RecallAtShare, NetBenefit, ROCAUCAtFPR:
	case RecallAtFPR:
		c.At += slack
	default:
		c.At -= slack
	}
	return c
}

// Area returns the interval of Accumulator.Area. All three kinds of ROC AUC have the same interval,
// because the histogram does not know which scores are tied.
func (b *Bounds) Area(m Area) Interval {
	known := b.known
	switch m {
	case Gini:
		v := b.Area(ROCAUC)
		return Interval{known.Area(Gini), 2*v.Low - 1, 2*v.High - 1}
	case AveragePrecision:
		return b.around(known.Area(m), known.shareOfPositives(b.low.Float64()), known.shareOfPositives(b.stepsHigh.Float64()))
	case PRAUC, PRAUCInterpolated:
		return b.around(known.Area(m), known.shareOfPositives(b.low.Float64()), known.shareOfPositives(b.trapezoidsHigh.Float64()))
	}
	return b.around(known.Area(m), known.Area(ROCAUCPessimistic), known.Area(ROCAUCOptimistic))
}

// Operating returns the interval of the value of Accumulator.Operating. Its Number is the
// value at the threshold that Threshold returns.
func (b *Bounds) Operating(c Criterion) Interval {
	if c.hasArea() {
		return b.partialInterval(c)
	}
	v := b.known.Operating(c).Value
	i := slices.Index(b.known.criteria, c)
	if b.exact || i < 0 || v.Undefined != "" { // if it is undefined for the known points, it is undefined for all
		return Interval{v, v.Number, v.Number}
	}
	low, high := v.Number, b.corners[i].score
	if c.Objective != ThresholdAtRecall {
		high = min(b.corners[i].value+slack, 1)
	}
	if c.Objective == RecallAtShare {
		low = min(low, max(b.floors[i]-slack, 0))
	}
	return Interval{v, low, max(v.Number, high)}
}

// Threshold returns the best threshold among the lower ends of the bins.
func (b *Bounds) Threshold(c Criterion) Value { return b.known.Operating(c).Threshold }

// around returns the interval from low to high, widened by slack. If the histogram is exact, both
// ends are v.
func (b *Bounds) around(v, low, high Value) Interval {
	if b.exact {
		return Interval{v, v.Number, v.Number}
	}
	return Interval{v, max(low.Number-slack, 0), min(high.Number+slack, 1)}
}
