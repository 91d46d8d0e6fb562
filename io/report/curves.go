package report

import (
	"cmp"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// Names of the curves.
const (
	CurveCalibration = "calibration"
	CurvePR          = "pr"
	CurveROC         = "roc"
)

// CurvePoint is one point of a curve of one slice and label.
//
//	curve        X                           Y                    Threshold
//	calibration  mean predicted probability  share of positives   lower edge of the bin
//	pr           recall                      precision            lowest score that counts as positive
//	roc          false positive rate         true positive rate   lowest score that counts as positive
//
// Numbers that are not finite are written as null, such as X and Y of a bin without
// examples.
type CurvePoint struct {
	Slice slice.Key
	Label *string // nil for a curve of all labels together
	Curve string  // CurveCalibration, CurvePR or CurveROC
	X, Y  float64
	// Threshold is NaN or infinite at the start of a curve, where nothing counts as
	// positive.
	Threshold float64
	// Weight is the total weight of a calibration bin. For points of other curves, null is
	// written.
	Weight float64
}

// curveParquet is a row of curves.parquet.
type curveParquet struct {
	Slice string `parquet:"slice"` // JSON
	pointParquet
}

// pointParquet are the columns of a point in curves.parquet and in comparison_curves.parquet.
type pointParquet struct {
	Label     *string  `parquet:"label,optional"`
	Curve     string   `parquet:"curve"`
	X         *float64 `parquet:"x,optional"`
	Y         *float64 `parquet:"y,optional"`
	Threshold *float64 `parquet:"threshold,optional"`
	Weight    *float64 `parquet:"weight,optional"`
}

func (p *CurvePoint) parquet() pointParquet {
	out := pointParquet{labelText(p.Label), quote.Valid(p.Curve), finiteOrNil(p.X), finiteOrNil(p.Y), finiteOrNil(p.Threshold), nil}
	if p.Curve == CurveCalibration {
		out.Weight = finiteOrNil(p.Weight)
	}
	return out
}

func (r *Report) writeCurves(w io.Writer) error {
	var slice sliceText
	return writeParquet(w, r.Curves, func(p *CurvePoint, add func(curveParquet)) { add(curveParquet{slice.json(p.Slice), p.parquet()}) })
}

// eachCurve yields the points of each curve. There may be millions of points, but few
// curves to sort.
func eachCurve(points []CurvePoint) iter.Seq[[]CurvePoint] {
	return func(yield func([]CurvePoint) bool) {
		for first := 0; first < len(points); {
			end := first + 1
			for end < len(points) && sameCurve(&points[first], &points[end]) {
				end++
			}
			if !yield(points[first:end:end]) {
				return
			}
			first = end
		}
	}
}

func sameCurve(p, q *CurvePoint) bool {
	sameLabel := p.Label == q.Label || p.Label != nil && q.Label != nil && *p.Label == *q.Label
	return sameLabel && p.Curve == q.Curve && slices.Equal(p.Slice, q.Slice)
}

// sortCurves returns the points sorted by slice, label and curve. The points of
// one curve keep their order.
func sortCurves(points []CurvePoint, rank *ranks) []CurvePoint {
	var curves []ranked[[]CurvePoint]
	for curve := range eachCurve(points) {
		curves = append(curves, ranked[[]CurvePoint]{rank.slice(curve[0].Slice), rank.label(curve[0].Label), &curve})
	}
	compare := func(a, b ranked[[]CurvePoint]) int {
		return cmp.Or(
			cmp.Compare(a.slice, b.slice),
			cmp.Compare(a.label, b.label),
			strings.Compare((*a.item)[0].Curve, (*b.item)[0].Curve),
		)
	}
	if slices.IsSortedFunc(curves, compare) {
		return points
	}
	slices.SortStableFunc(curves, compare)
	sorted := make([]CurvePoint, 0, len(points))
	for _, curve := range curves {
		sorted = append(sorted, *curve.item...)
	}
	return sorted
}
