// Package curves computes what is read off ROC and precision-recall curves:
// areas, operating points, and the points of a drawing.
//
// A curve arrives as a stream of [Point] values, one for each distinct score,
// highest first. An [Accumulator] adds up exact sums of terms, each a function
// of two neighbouring points and of the totals alone. A curve may therefore be
// cut into ranges of scores that are processed apart: merged, they give the
// same bits. An [Outline] keeps the points of a drawing likewise.
//
// A [Histogram] needs no sorted scores. It holds a bounded number of bins, and
// its [Bounds] are intervals that contain the values of the scores that it met.
//
// [DCG] and [Pairs] are for two measures that need more than a curve: NDCG of
// one ranking of all rows, and the one-vs-one ROC AUC of several classes.
//
// Weights are finite and not negative, and scores are not NaN. A class whose
// weights total zero counts as absent.
package curves

import "math"

// Point is a point of a curve: the weights of the positives (TP) and of the
// negatives (FP) among the examples with this score or a higher one. Both are
// exact sums that were rounded once, so that equal points have equal bits.
type Point struct {
	Score  float64
	TP, FP float64
}

// Totals are the weights of all positives and of all negatives of a curve,
// rounded once: those of its last point.
type Totals struct{ Positives, Negatives float64 }

// totalsOf returns those of a whole curve.
func totalsOf(points []Point) Totals {
	if len(points) == 0 {
		return Totals{}
	}
	last := points[len(points)-1]
	return Totals{last.TP, last.FP}
}

// missing returns why a measure of the curve is undefined, or "".
func (t Totals) missing(needsNegatives bool) string {
	switch {
	case !(t.Positives >= 0 && t.Negatives >= 0 && t.Positives+t.Negatives <= math.MaxFloat64):
		return tooLarge
	case t.Positives == 0:
		return noPositives
	case needsNegatives && t.Negatives == 0:
		return noNegatives
	}
	return ""
}

// moves says whether the curve goes on from p to next: points that add no
// weight change nothing, and are passed over.
func (p Point) moves(next Point) bool { return p.TP != next.TP || p.FP != next.FP }

// precision is TP/(TP+FP). It is 1 before the first point: where the recall is
// 0, scikit-learn's precision_recall_curve ends with precision 1.
func (p Point) precision() float64 {
	if p.TP == 0 && p.FP == 0 {
		return 1
	}
	return p.TP / (p.TP + p.FP)
}

// scale brings weights to a common size, so that products of two neither
// overflow nor underflow, and stay where exact sums are fastest.
type scale struct {
	positive, negative float64 // powers of two
	totals             Totals  // scaled into [64, 128), unless 0 or denormal
}

func newScale(t Totals) scale {
	s := scale{positive: power(t.Positives), negative: power(t.Negatives)}
	s.totals = Totals{t.Positives * s.positive, t.Negatives * s.negative}
	return s
}

// power returns the power of two that takes x into [64, 128).
func power(x float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		return 1
	}
	_, exp := math.Frexp(x)
	return math.Ldexp(1, min(7-exp, 1023))
}

// area is that of the whole unit square.
func (s *scale) area() float64 { return s.totals.Positives * s.totals.Negatives }

// Value is a number or, where Undefined says why there is none, NaN.
type Value struct {
	Number    float64
	Undefined string
}

// Why values are undefined.
const (
	noPositives  = "no positive examples"
	noNegatives  = "no negative examples"
	tooLarge     = "weights are too large"
	noPoint      = "no threshold meets the condition"
	onlyWithout  = "met only by predicting no positives"
	noPairs      = "fewer than two classes have examples"
	notLookedFor = "the criterion is not one of those asked for"
)

func defined(x float64) Value { return Value{Number: x} }

func undefined(reason string) Value { return Value{Number: math.NaN(), Undefined: reason} }

// share is num/den within [0, 1], which rounding alone can take it out of.
func share(num, den float64) Value { return defined(min(max(num/den, 0), 1)) }
