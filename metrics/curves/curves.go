// Package curves computes what is read off ROC and precision-recall curves: areas, operating
// points, and the points of a drawing.
//
// A [Tracer] goes through sorted scores and finds the curve of each slice: its [Point] values, one
// for each distinct score, highest first. It emits them in batches, each a [Stretch]. An
// [Accumulator] adds up exact sums of terms. A term depends only on two neighbouring points and on
// the totals. So a curve can be cut into ranges of scores that are processed separately: merged,
// they give the same bits. An [Outline] keeps the points of a drawing in the same way. From [Bins],
// the curve without one fold is computed, at the ends of the bins: a [BinnedCurve].
//
// A [Histogram] needs no sorted scores. It holds them in a bounded number of bins, and its [Bounds]
// are intervals that contain the exact values. [Pairs] computes the one-vs-one ROC AUC of several
// classes, which needs more than a curve.
//
// Weights are finite and not negative, and scores are not NaN. A class whose total weight is zero
// counts as absent. The package does not sort scores: package scoreruns does.
package curves

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// Point is a point of a curve: the weights of the positives (TP) and of the negatives (FP) among
// the examples with this score or a higher one. Both are exact sums, rounded once, so that equal
// points have equal bits.
type Point struct {
	Score  float64
	TP, FP float64
}

// Totals holds the total weights of the positives and of the negatives of a curve, rounded once.
// They are the weights of its last point.
type Totals struct{ Positives, Negatives float64 }

func (t *Totals) code(v *fields.Visitor) {
	v.Float(&t.Positives)
	v.Float(&t.Negatives)
	if math.IsNaN(t.Positives) || math.IsNaN(t.Negatives) || math.Signbit(t.Positives) || math.Signbit(t.Negatives) {
		v.Fail("%v positives and %v negatives", t.Positives, t.Negatives)
		*t = Totals{} // NaN would differ from itself
	}
}

// totalsOf returns the totals of a curve, given all of its points.
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

// moves reports whether next adds weight to p. Points that add none are skipped, because they
// change nothing.
func (p Point) moves(next Point) bool { return p.TP != next.TP || p.FP != next.FP }

// moving drops the points that add no weight to their predecessor; from is the predecessor of the
// first. It overwrites points and returns a prefix of it.
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

// meanPrecision returns the mean of the precision over the true positives between p and to, which has
// more of them, if the false positives grow linearly with them: the mean over x from 0 to dTP of (TP +
// x)/(TP + FP + x dN/dTP), where dN is the weight of all examples between them.
func (p Point) meanPrecision(to *Point) float64 {
	dTP, dFP, above := to.TP-p.TP, to.FP-p.FP, p.TP+p.FP
	slope := dTP / (dTP + dFP)
	if above == 0 {
		return slope
	}
	growth := (dTP + dFP) / above
	// The mean of (TP + x)/(above (1 + growth x/dTP)). With little growth, its two parts cancel,
	// and the mean is nearly the mean over a straight line.
	if growth < 0x1p-26 {
		return (p.TP + float64(dTP/2)) / (above + float64((dTP+dFP)/2))
	}
	start := p.TP / above
	return slope + float64((start-slope)*(elementary.Log1p(growth)/growth))
}

// scale scales weights so that products of two of them neither overflow nor underflow, and exact
// sums of them are fast.
type scale struct {
	positive, negative float64 // powers of two
	totals             Totals  // scaled into [64, 128), unless 0 or denormal
}

func newScale(t Totals) scale {
	s := scale{positive: power(t.Positives), negative: power(t.Negatives)}
	s.totals = Totals{t.Positives * s.positive, t.Negatives * s.negative}
	return s
}

// power returns the power of two by which x has to be multiplied to lie in [64, 128).
func power(x float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		return 1
	}
	_, exp := math.Frexp(x)
	return math.Ldexp(1, min(7-exp, 1023))
}

// area returns the scaled area of the whole unit square.
func (s *scale) area() float64 { return s.totals.Positives * s.totals.Negatives }

// Value is a number. If Undefined is not empty, it says why there is no number, and Number is NaN.
type Value struct {
	Number    float64
	Undefined string
}

// The reasons for which values are undefined.
const (
	noPositives  = "no positive examples"
	noNegatives  = "no negative examples"
	tooLarge     = "weights are too large"
	noThreshold  = "an area has no threshold"
	noPoint      = "no threshold meets the condition"
	onlyWithout  = "met only by predicting no positives"
	noPairs      = "fewer than two classes have examples"
	notLookedFor = "the criterion is not one of those asked for"
)

func defined(x float64) Value { return Value{Number: x} }

func undefined(reason string) Value { return Value{Number: math.NaN(), Undefined: reason} }

// share returns num/den, clamped to [0, 1]: only rounding can exceed these limits.
func share(num, den float64) Value { return defined(min(max(num/den, 0), 1)) }
