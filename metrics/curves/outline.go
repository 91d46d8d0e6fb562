package curves

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/metrics/internal/fields"
)

// Outline keeps the points of a curve that a drawing of it needs: all neighbours that lie in
// different squares of a grid. Whether a point is kept depends only on the totals and on its
// neighbours, so a curve can be cut into ranges that are processed separately. Grids have m lines
// per unit. There are two grids, for the two drawings, whose errors are bounded as follows:
//
// The grid of TPR and FPR. A gap, which is a part of the curve without kept points, lies with the
// kept points at its ends within a square of side 1/m. As the curve is monotone, the trapezoid area
// of a gap w wide and h high changes by at most wh/2 <= w/2m, and the area of the curve by at most
// 1/2m.
//
// The grid of k = (TP+FP)/P, the number of predicted positives for each positive. Its coordinate is
// sqrt(k) up to k = 1, and 2 - 1/k from there. In a gap from point a to point b, all precisions
// r/k, where r is the recall, lie between the lines r/k_b and r/k_a. So do the curve and the line
// from a to b that replaces it, which differ by at most the triangle
//
//	e <= dr r_b (1/k_a - 1/k_b) / 2 <= dr (1/k_a - 1/k_b) / 2
//
// where dr is the recall that the gap adds. From k = 1 on, e <= dr/2m, and all gaps together at
// most 1/2m. Up to k = 1, let s = sqrt(k) and s_a >= i/m, s_b <= (i+1)/m. As r <= k, e <=
// (k_b-k_a)²/2k_a = (s_b-s_a)²(s_b+s_a)²/2s_a² <= (2+1/i)²/2m², which is less than 9/2m² for the
// m-1 squares with i >= 1. In the square i = 0, recall is at most 1/m². In all, the area changes by
// at most (1/2 + 9/2)/m: 5/m.
//
// Each grid has 2m lines, each line is crossed once, and each crossing keeps two points. So a
// drawing has at most 4m points plus the first and the last one.
//
// The zero Outline is the neutral element of merging.
type Outline struct {
	totals Totals
	lines  int
	last   Point
	seen   bool    // last is a point of this range that may still have to be kept
	kept   []Point // highest score first, after tidy
}

// NewOutline returns an Outline for a curve with these totals, on grids of m lines per unit. m must
// be at least 1.
func NewOutline(totals Totals, m int) *Outline {
	return &Outline{totals: totals, lines: max(m, 1)}
}

// MoveTo sets the position to the start of a range. p has the weights of all examples above the
// range; its score is not used.
func (o *Outline) MoveTo(p Point) {
	o.keepLast()
	o.last = p
}

// keepLast keeps the last point, because the next one lies in another square, or in another range:
// then its square is not known, and if it turns out to be the same, drawings omit the point.
func (o *Outline) keepLast() {
	if o.seen {
		o.kept = append(o.kept, o.last)
	}
	o.seen = false
}

// skippedPoints is the largest number of points that are skipped at once because no grid line lies
// between them.
const skippedPoints = 256

// Add advances through the points. Each point must add weight to the one before it (see
// Stretch.Moving). Coordinates never decrease along the curve: if no grid line lies between two
// points, then none lies between the points from one to the other.
func (o *Outline) Add(points []Point) {
	for len(points) > 0 {
		n := min(skippedPoints, len(points))
		for n > 1 && !o.inSquare(points[n-1]) {
			n /= 2
		}
		p := points[n-1]
		p.Score += 0
		if o.inSquare(p) {
			o.last, o.seen = p, true
		} else {
			o.keepLast()
			o.kept, o.last = append(o.kept, p), p
		}
		points = points[n:]
	}
}

// inSquare reports whether no grid line lies between the last point and p.
func (o *Outline) inSquare(p Point) bool {
	return o.rocSquare(o.last) == o.rocSquare(p) && o.prSquare(o.last) == o.prSquare(p)
}

// square identifies a square of a grid.
type square struct{ x, y int }

func (o *Outline) rocSquare(p Point) square {
	return square{o.line(p.FP / o.totals.Negatives), o.line(p.TP / o.totals.Positives)}
}

// prSquare has only the coordinate of k; see Outline. All operations are monotone, even when
// rounded.
func (o *Outline) prSquare(p Point) square {
	predicted := p.TP + p.FP
	if predicted <= o.totals.Positives {
		return square{x: o.line(math.Sqrt(predicted / o.totals.Positives))}
	}
	return square{x: o.line(2 - o.totals.Positives/predicted)}
}

// line returns the last grid line up to x. It is 0 if x is NaN because a class is absent.
func (o *Outline) line(x float64) int {
	if !(x <= 2) {
		return 0
	}
	return int(x * float64(o.lines))
}

// tidy sorts the kept points and drops duplicates.
func (o *Outline) tidy() {
	o.keepLast()
	slices.SortFunc(o.kept, Point.compare)
	o.kept = slices.Compact(o.kept)
}

// compare orders points as they follow each other on a curve.
func (p Point) compare(q Point) int {
	return cmp.Or(cmp.Compare(q.Score, p.Score), cmp.Compare(p.TP, q.TP), cmp.Compare(p.FP, q.FP))
}

// Fields encodes or decodes the outline, or merges from into it: both must belong to the same curve
// and have the same grids.
func (o *Outline) Fields(v *fields.Visitor, from *Outline) {
	switch {
	case v.Codes():
		o.totals.code(v)
		if dst, d := v.Direct(); d != nil {
			o.decode(d)
		} else {
			*dst = o.append(*dst)
		}
		return
	case from.lines == 0:
		return
	case o.lines == 0:
		o.totals, o.lines = from.totals, from.lines
	}
	if o.totals != from.totals || o.lines != from.lines {
		v.Fail("%w", errDifferent)
		return
	}
	o.kept = append(o.kept, from.kept...)
	if from.seen {
		o.kept = append(o.kept, from.last)
	}
}

// ROCPoint is a point of a ROC curve. Examples with a score of at least Threshold are predicted
// positive.
type ROCPoint struct{ FPR, TPR, Threshold float64 }

// PRPoint is a point of a precision-recall curve. Threshold is as in ROCPoint.
type PRPoint struct{ Recall, Precision, Threshold float64 }

// ROC returns the points of a drawing of the ROC curve, from (0, 0), whose threshold is +Inf as in
// scikit-learn's roc_curve, to (1, 1). There are none if a class is absent.
func (o *Outline) ROC() []ROCPoint {
	var list []ROCPoint
	for _, p := range o.Points() {
		list = append(list, ROCPoint{p.FP / o.totals.Negatives, p.TP / o.totals.Positives, p.Score})
	}
	return list
}

// Points returns the points of a drawing of the ROC curve as totals of weights. There are none if a class
// is absent.
func (o *Outline) Points() []Point {
	if o.totals.missing(true) != "" {
		return nil
	}
	return append([]Point{{Score: math.Inf(1)}}, o.crossing(o.rocSquare)...)
}

// PR returns the points of a drawing of the precision-recall curve, from recall 0 and
// precision 1, whose threshold is +Inf, to recall 1. There are none without positives.
func (o *Outline) PR() []PRPoint {
	if o.totals.missing(false) != "" {
		return nil
	}
	list := []PRPoint{{0, 1, math.Inf(1)}}
	for _, p := range o.crossing(o.prSquare) {
		list = append(list, PRPoint{p.TP / o.totals.Positives, p.precision(), p.Score})
	}
	return list
}

// Span is a part of a curve: the examples with scores from Low up to High, which no longer belongs to it.
// High is +Inf for the highest scores. Some example has the score Low; if Tied, all have.
type Span struct {
	Low, High            float64
	Positives, Negatives float64 // weights
	Tied                 bool
}

// Spans cuts the curve at all points of the two drawings, and returns the parts from the highest scores to
// the lowest. There are none if a class is absent.
func (o *Outline) Spans() (spans []Span) {
	if o.totals.missing(true) != "" {
		return nil
	}
	squareOf := func(p Point) square {
		roc := o.rocSquare(p)
		return square{roc.x*(2*o.lines+1) + roc.y, o.prSquare(p).x}
	}
	from, high := Point{}, math.Inf(1)
	for _, p := range o.crossing(squareOf) {
		// Neighbours in different squares are both kept.
		tied := squareOf(from) != squareOf(p)
		spans = append(spans, Span{p.Score, high, p.TP - from.TP, p.FP - from.FP, tied})
		from, high = p, p.Score
	}
	return spans
}

// crossing returns the last point, and all points with a neighbour in another square. Both of two
// neighbours on the curve in different squares were kept. Any other points that were kept have no
// effect.
func (o *Outline) crossing(squareOf func(Point) square) []Point {
	o.tidy()
	var list []Point
	before := squareOf(Point{})
	for i, p := range o.kept {
		here := squareOf(p)
		if i == len(o.kept)-1 || here != before || here != squareOf(o.kept[i+1]) {
			list = append(list, p)
		}
		before = here
	}
	return list
}
