package curves

import (
	"github.com/beameval/beameval/metrics/exact"
)

// BinnedCurve is a curve that is known only at the ends of bins of scores: there it has the points
// of the exact curve, and none in between. That is enough for replicates, the values without one
// fold, because they only show how much a value varies: with [Bins], standard errors of areas are
// within 0.5 % of the standard errors from exact curves.
type BinnedCurve struct {
	Positives, Negatives exact.Tally

	points  []Point // at the lower ends of the bins, highest first
	several []bool  // by bin, whether it holds several scores
}

// Empty reports whether there are no examples.
func (c *BinnedCurve) Empty() bool { return len(c.points) == 0 }

// Accumulator returns an Accumulator that has gone through the whole curve. For operating points at
// a bound, such as the recall at a false positive rate, it considers one more point: where the
// straight line between the ends of a bin with several scores reaches the bound. With the ends
// alone, such a value would stay the same when most folds are left out, and jump for the others. It knows
// PRAUC and PRAUCInterpolated only if these are wanted.
func (c *BinnedCurve) Accumulator(prAUC, interpolated bool, criteria ...Criterion) *Accumulator {
	a := New(totalsOf(c.points), criteria...)
	a.noPRAUC, a.interpolates = !prAUC, interpolated
	for i, criterion := range criteria {
		if a.totals.missing(criterion.needsNegatives()) == "" {
			c.considerBound(a, i, criterion)
		}
	}
	if c.Positives.Ones() && c.Negatives.Ones() {
		a.Add(c.points, true)
	} else {
		a.Add(moving(Point{}, c.points), false)
	}
	return a
}

// considerBound considers the point at the bound of a criterion, if the criterion has a bound.
func (c *BinnedCurve) considerBound(a *Accumulator, number int, of Criterion) {
	var bound float64
	var at func(*Point) float64
	switch of.Objective {
	case PrecisionAtRecall, SpecificityAtSensitivity:
		bound, at = of.At*a.totals.Positives, func(p *Point) float64 { return p.TP }
	case RecallAtFPR:
		bound, at = of.At*a.totals.Negatives, func(p *Point) float64 { return p.FP }
	case SensitivityAtSpecificity:
		bound, at = (1-of.At)*a.totals.Negatives, func(p *Point) float64 { return p.FP }
	default:
		return
	}
	from := &Point{}
	for i := range c.points {
		to := &c.points[i]
		if x0, x1 := at(from), at(to); x0 <= bound && bound < x1 {
			if c.several[i] {
				share := (bound - x0) / (x1 - x0)
				p := Point{to.Score, from.TP + float64(share*(to.TP-from.TP)), from.FP + float64(share*(to.FP-from.FP))}
				a.bests[number].consider(valueAtBound(a, of.Objective, p), p.Score)
			}
			return
		}
		from = to
	}
}

// valueAtBound returns the value of a point at the bound. It does not check the condition, which
// the point meets up to rounding.
func valueAtBound(a *Accumulator, of Objective, p Point) float64 {
	r := a.scale.rates(p, a.totals)
	switch of {
	case PrecisionAtRecall:
		return r.precision()
	case SpecificityAtSensitivity:
		return r.tnr()
	}
	return r.tpr()
}
