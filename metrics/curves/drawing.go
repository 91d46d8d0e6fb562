package curves

import "math"

// ROCPoint is a point of a ROC curve. Examples with a score of Threshold or
// higher are predicted positive.
type ROCPoint struct{ FPR, TPR, Threshold float64 }

// PRPoint is a point of a precision-recall curve, likewise.
type PRPoint struct{ Recall, Precision, Threshold float64 }

// ROC returns the points of a drawing of the ROC curve, from (0, 0), whose
// threshold is +Inf as in scikit-learn's roc_curve, to (1, 1). It has none if a
// class is absent.
func (o *Outline) ROC() []ROCPoint {
	if o.totals.missing(true) != "" {
		return nil
	}
	list := []ROCPoint{{0, 0, math.Inf(1)}}
	for _, p := range o.crossing(o.rocCell) {
		list = append(list, ROCPoint{p.FP / o.totals.Negatives, p.TP / o.totals.Positives, p.Score})
	}
	return list
}

// PR returns the points of a drawing of the precision-recall curve, from recall
// 0 and precision 1, with the threshold +Inf, to recall 1. It has none if there
// are no positives.
func (o *Outline) PR() []PRPoint {
	if o.totals.missing(false) != "" {
		return nil
	}
	list := []PRPoint{{0, 1, math.Inf(1)}}
	for _, p := range o.crossing(o.prCell) {
		list = append(list, PRPoint{p.TP / o.totals.Positives, p.precision(), p.Score})
	}
	return list
}

// crossing returns the last point, and those with a neighbour in another cell. A
// point whose neighbour on the curve is in another cell was kept, and so was
// that neighbour: other points that were kept change nothing.
func (o *Outline) crossing(cellOf func(Point) cell) []Point {
	o.tidy()
	var list []Point
	before := cellOf(Point{})
	for i, p := range o.kept {
		here := cellOf(p)
		if i == len(o.kept)-1 || here != before || here != cellOf(o.kept[i+1]) {
			list = append(list, p)
		}
		before = here
	}
	return list
}
