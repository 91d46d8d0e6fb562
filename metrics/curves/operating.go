package curves

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/beameval/beameval/metrics/internal/fields"
)

// Objective says what an operating point is optimized for. Among equally good points, the one with
// the highest threshold is chosen. Thresholds are scores that occur, and an example is predicted
// positive if its score is the threshold or higher. Predicting no positives at all counts as one
// more point, with recall 0, false positive rate 0, precision 1 and no threshold.
type Objective byte

const (
	// KolmogorovSmirnov is the highest |TPR - FPR|: the two-sample
	// Kolmogorov-Smirnov statistic of the scores of positives and negatives.
	KolmogorovSmirnov Objective = iota + 1
	// Youden is the highest TPR - FPR (Youden 1950), at least 0.
	Youden
	// FBeta is the highest F-beta, with At as beta: (1+b²)TP / (TP + FP + b²P).
	FBeta
	// RecallAtPrecision is the highest recall where the precision is at least At; 0 if there is no
	// such point.
	RecallAtPrecision
	// PrecisionAtRecall is the highest precision where the recall is at least At.
	PrecisionAtRecall
	// RecallAtFPR is the highest recall where the false positive rate is at most At.
	RecallAtFPR
	// SpecificityAtSensitivity is the highest true negative rate where the recall is at least At.
	SpecificityAtSensitivity
	// SensitivityAtSpecificity is the highest recall where the true negative rate is at least At.
	SensitivityAtSpecificity
	// ThresholdAtRecall is the highest threshold where the recall is at least At.
	ThresholdAtRecall
	// RecallAtShare is the recall among the examples with the highest scores, as many as make up
	// the share At of the total weight. If the share ends within equal scores, these examples count
	// in proportion. At is positive; the threshold is the lowest of their scores.
	RecallAtShare
	// NetBenefit is the highest TP/P - FP/P / At, at least 0, where a true positive is worth At false
	// positives: the net benefit of Vickers & Elkin 2006 as a share of the highest possible one.
	// Its threshold has the least cost. If At is not a whole number, rounding may decide between
	// thresholds that are equally good.
	NetBenefit
	// ROCAUCAtFPR is not a point, and has no threshold: it is the area under the ROC curve up to the false
	// positive rate At, which is positive, with straight lines between its points, standardized to be ½ for
	// scores that say nothing and 1 for perfect ones (McClish 1989): ½ (1 + (A - At²/2) / (At - At²/2)).
	ROCAUCAtFPR

	endOfObjectives
)

// hasArea reports whether the criterion is about an area.
func (c Criterion) hasArea() bool { return c.Objective == ROCAUCAtFPR }

// Criterion is an Objective with its argument. At is the beta of FBeta, what a true positive is worth
// in NetBenefit, and the bound, within [0, 1], of the objectives with "At" in their names. The others ignore it.
type Criterion struct {
	Objective Objective
	At        float64
}

// Check returns an error if c is not a valid criterion.
func (c Criterion) Check() error {
	switch {
	case c.Objective == 0 || c.Objective >= endOfObjectives:
		return fmt.Errorf("unknown objective of an operating point: %d", c.Objective)
	case math.IsNaN(c.At) || math.IsInf(c.At, 0):
		return fmt.Errorf("operating point at %v: it must be finite", c.At)
	case c.Objective == FBeta && c.At <= 0:
		return fmt.Errorf("beta of %v: it must be positive", c.At)
	case c.Objective == RecallAtShare && c.At == 0:
		return errors.New("share of 0: it must be positive")
	case c.hasArea():
		return errors.New("an area has no operating point")
	case c.Objective == NetBenefit && !(c.At >= 1e-100 && c.At <= 1e100): // its product with a weight is finite
		return fmt.Errorf("true positives worth %v false ones: it must be within 1e-100 and 1e100", c.At)
	case c.Objective > FBeta && c.Objective != NetBenefit && (c.At < 0 || c.At > 1):
		return fmt.Errorf("operating point at %v: it must be within 0 and 1", c.At)
	}
	return nil
}

func (c *Criterion) code(v *fields.Visitor) {
	objective := uint64(c.Objective)
	v.Uint(&objective)
	v.Float(&c.At)
	if objective == 0 || objective >= uint64(endOfObjectives) || math.IsNaN(c.At) {
		v.Fail("no such criterion: %v at %v", objective, c.At)
	}
	c.Objective = Objective(objective)
}

// needsNegatives reports whether the criterion depends on the false positive rate.
func (c Criterion) needsNegatives() bool {
	switch c.Objective {
	case FBeta, RecallAtPrecision, PrecisionAtRecall, ThresholdAtRecall, RecallAtShare, NetBenefit:
		return false
	}
	return true
}

// rates computes the rates of a point. It is lazy, because each criterion needs only some of them.
type rates struct {
	Point
	totals Totals
	scale  *scale
}

func (s *scale) rates(p Point, t Totals) rates { return rates{p, t, s} }

func (r *rates) tpr() float64 { return r.TP / r.totals.Positives }
func (r *rates) fpr() float64 { return r.FP / r.totals.Negatives }
func (r *rates) tnr() float64 { return (r.totals.Negatives - r.FP) / r.totals.Negatives }

// distance returns TPR - FPR.
func (r *rates) distance() float64 {
	s := r.scale
	return differenceOfProducts(r.TP*s.positive, s.totals.Negatives, r.FP*s.negative, s.totals.Positives) / s.area()
}

// differenceOfProducts returns ab - cd to about one unit in the last place (Kahan; Jeannerod,
// Louvet, Muller 2013). For counts it is exact, so rounding never favours one of several points at
// the same distance.
func differenceOfProducts(a, b, c, d float64) float64 {
	cd := float64(c * d)
	return math.FMA(a, b, -cd) + math.FMA(-c, d, cd)
}

// value returns the value of a point, and whether the point meets the condition. With more TP or
// less FP, a point never becomes worse, and never fails a condition that it met. For
// KolmogorovSmirnov, where TPR < FPR, the same holds for less TP and more FP.
func (c Criterion) value(r *rates) (value float64, ok bool) {
	switch c.Objective {
	case KolmogorovSmirnov:
		return math.Abs(r.distance()), true
	case Youden:
		return r.distance(), true
	case FBeta:
		b := float64(c.At * c.At)
		value = float64((1+b)*r.TP) / (r.TP + r.FP + float64(b*r.totals.Positives))
		return value, !math.IsNaN(value)
	case RecallAtPrecision:
		return r.tpr(), r.precision() >= c.At
	case PrecisionAtRecall:
		return r.precision(), r.tpr() >= c.At
	case RecallAtFPR:
		return r.tpr(), r.fpr() <= c.At
	case SpecificityAtSensitivity:
		return r.tnr(), r.tpr() >= c.At
	case SensitivityAtSpecificity:
		return r.tpr(), r.tnr() >= c.At
	case ThresholdAtRecall:
		return 0, r.tpr() >= c.At // all points that meet it are equally good: the highest threshold wins
	case NetBenefit:
		return differenceOfProducts(c.At, r.TP, 1, r.FP) / float64(c.At*r.totals.Positives), true
	}
	return 0, false
}

// Operating is an operating point: the best value by its criterion, and the threshold at which it
// occurs.
type Operating struct{ Value, Threshold Value }

// best is the best point found so far by a criterion.
type best struct{ value, score float64 }

// none is worse than every point.
var none = best{math.Inf(-1), math.Inf(-1)}

// consider replaces the best point by one that is better, or as good with a higher score.
func (b *best) consider(value, score float64) {
	if value > b.value || value == b.value && score > b.score {
		*b = best{value, score}
	}
}

// Bests holds the best points of a curve found so far, by criterion.
type Bests []best

// Bests returns a copy of the best points found so far.
func (a *Accumulator) Bests() Bests { return slices.Clone(a.bests) }

// Know takes account of the best points of other ranges of the curve: worse points need not be
// found.
func (a *Accumulator) Know(others Bests) {
	for i, b := range others[:min(len(others), len(a.bests))] {
		a.bests[i].consider(b.value, b.score)
	}
}

func (b *best) code(v *fields.Visitor) {
	v.Float(&b.value)
	v.Float(&b.score)
	if math.IsNaN(b.value) || math.IsNaN(b.score) {
		v.Fail("the best value or its score is NaN")
	}
}

// addBests searches points for the operating points.
func (a *Accumulator) addBests(points []Point) {
	if len(points) == 0 {
		return
	}
	for i, c := range a.criteria {
		if a.totals.missing(c.needsNegatives()) != "" {
			continue // the value will be undefined
		}
		switch {
		case c.hasArea():
			a.addPartial(i, points)
			continue
		case c.Objective == RecallAtShare:
			a.addShare(i, points)
			continue
		}
		a.consider(i, &points[len(points)-1])
		a.search(i, c.relaxed(), a.last, points)
	}
}

// addShare sets the value of RecallAtShare if the share ends among points. It ends between only two
// points of a curve, on the straight line from one to the other.
func (a *Accumulator) addShare(i int, points []Point) {
	from, share := a.last, a.criteria[i].At
	k := sort.Search(len(points), func(k int) bool { return a.left(share, points[k]) <= 0 })
	if k == len(points) || !(a.left(share, from) > 0) {
		return
	}
	if k > 0 {
		from = points[k-1]
	}
	to, left := points[k], a.left(share, from)
	tp := from.TP + float64((to.TP-from.TP)*(left/(left-a.left(share, to))))
	a.bests[i].consider(tp/a.totals.Positives, to.Score+0) // the threshold -0 is 0
}

// left returns the weight of a share of all examples, less the weight that a point predicts
// positive.
func (a *Accumulator) left(share float64, p Point) float64 {
	return float64(share*(a.totals.Positives+a.totals.Negatives)) - (p.TP + p.FP)
}

// fewPoints is the largest number of points that are considered one by one.
const fewPoints = 8

// search finds the best of points; from is the point before them. Every criterion improves with
// more TP and with less FP. So none of the points is better than (TP of the last, FP of from) or,
// for KolmogorovSmirnov, than (TP of from, FP of the last). If that bound is not better than the
// best point so far, search skips all of them; otherwise it searches both halves.
func (a *Accumulator) search(i int, wider Criterion, from Point, points []Point) {
	switch n := len(points); {
	case !a.mayImprove(i, wider, from, points[n-1], points[0].Score):
	case n <= fewPoints:
		for j := range points {
			a.consider(i, &points[j])
		}
	default:
		middle := points[n/2-1]
		a.consider(i, &middle)
		a.search(i, wider, from, points[:n/2])
		a.search(i, wider, middle, points[n/2:])
	}
}

// consider presents a point to criterion i, and returns its value.
func (a *Accumulator) consider(i int, p *Point) float64 {
	value, ok := a.valueOf(i, p)
	if !ok {
		return math.Inf(-1)
	}
	a.bests[i].consider(value, p.Score+0) // the threshold -0 is 0
	return value
}

// valueOf returns the value of a point by criterion i, and whether the point meets the condition.
func (a *Accumulator) valueOf(i int, p *Point) (value float64, ok bool) {
	r := a.scale.rates(*p, a.totals)
	return a.criteria[i].value(&r)
}

// mayImprove reports whether any of the points that end with to may be better, by criterion i, than
// the best one so far. from is the point before them, and highest is their highest score. wider is
// the criterion, relaxed.
func (a *Accumulator) mayImprove(i int, wider Criterion, from, to Point, highest float64) bool {
	r := a.scale.rates(Point{TP: to.TP, FP: from.FP}, a.totals)
	bound, ok := wider.value(&r)
	switch wider.Objective {
	case KolmogorovSmirnov:
		r = a.scale.rates(Point{TP: from.TP, FP: to.FP}, a.totals)
		other, _ := wider.value(&r)
		bound = max(bound, other) * (1 + slack)
	case Youden, PrecisionAtRecall, NetBenefit: // rounding may break the order of their values
		bound += float64(math.Abs(bound) * slack)
	case FBeta:
		if !ok { // 0/0
			return true
		}
		bound *= 1 + slack
	}
	b := a.bests[i]
	return ok && !(bound < b.value || bound == b.value && highest <= b.score)
}

// operating returns the operating point of the criterion if b is the best point.
func (c Criterion) operating(b best, s *scale, t Totals) Operating {
	if reason := t.missing(c.needsNegatives()); reason != "" {
		return Operating{undefined(reason), undefined(reason)}
	}
	found := b != none
	if c.Objective == ThresholdAtRecall {
		v := undefined(noPoint)
		if found {
			v = defined(b.score)
		}
		return Operating{v, v}
	}
	nothing := s.rates(Point{}, t) // no positives are predicted
	without, ok := c.value(&nothing)
	switch {
	case found && !(ok && without > b.value):
		return Operating{defined(min(b.value, 1)), defined(b.score)} // rounding may exceed 1
	case ok:
		return Operating{defined(without), undefined(onlyWithout)}
	}
	return Operating{undefined(noPoint), undefined(noPoint)}
}
