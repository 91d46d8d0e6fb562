// Package curves computes what is read off ROC and precision-recall curves:
// areas, operating points, and the points of a drawing.
//
// A [Sweep] goes through sorted scores and finds the curve of each slice: its [Point] values,
// one for each distinct score, highest first. An [Accumulator] adds up exact sums of terms, each of which is a function of two
// neighbouring points and of the totals alone. Therefore a curve may be cut into ranges of
// scores that are processed apart: merged, they give the same bits. An [Outline] keeps the
// points of a drawing in the same way.
//
// A [Histogram] needs no sorted scores. It holds them in a bounded number of bins, and its
// [Bounds] are intervals that contain the exact values. [Pairs] is for the one-vs-one ROC AUC
// of several classes, which needs more than a curve.
//
// Weights are finite and not negative, and scores are not NaN. A class whose weights total
// zero counts as absent. The package does not sort scores: package runs does.
package curves

import "math"

// Point is a point of a curve: the weights of the positives (TP) and of the
// negatives (FP) among the examples with this score or a higher one. Both are
// exact sums that were rounded once, so that equal points have equal bits.
type Point struct {
	Score  float64
	TP, FP float64
}

// Totals are the weights of all positives and of all negatives of a curve, rounded once.
// They are those of its last point.
type Totals struct{ Positives, Negatives float64 }

// totalsOf returns the totals of a curve, from all of its points.
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

// moves reports whether next adds weight to p. Points that do not are passed over, as they
// change nothing.
func (p Point) moves(next Point) bool { return p.TP != next.TP || p.FP != next.FP }

// moving drops points that add no weight to the point before them; before the first is
// from. It overwrites points and returns a part of them.
func moving(from Point, points []Point) []Point {
	n := 0
	for _, p := range points {
		if from.moves(p) {
			points[n], from = p, p
			n++
		}
	}
	return points[:n]
}

// precision returns TP/(TP+FP). Before the first point it is 1, as at the end of
// scikit-learn's precision_recall_curve, where recall is 0.
func (p Point) precision() float64 {
	if p.TP == 0 && p.FP == 0 {
		return 1
	}
	return p.TP / (p.TP + p.FP)
}

// scale brings weights to a common size, so that products of two of them neither overflow
// nor underflow, and exact sums of them are fast.
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

// area returns the scaled area of the whole unit square.
func (s *scale) area() float64 { return s.totals.Positives * s.totals.Negatives }

// Value is a number. It is NaN if Undefined, which says why there is none, is not "".
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

// share returns num/den within [0, 1], outside of which only rounding can take it.
func share(num, den float64) Value { return defined(min(max(num/den, 0), 1)) }
