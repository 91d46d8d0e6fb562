package report

import (
	"cmp"
	"io"
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

// Curve is a curve of one slice and label.
type Curve struct {
	Slice  slice.Key
	Label  *string // nil for a curve of all labels together
	Name   string  // CurveCalibration, CurvePR or CurveROC
	Points []CurvePoint
}

// CurvePoint is a point of a curve.
//
//	curve        X                           Y                    Threshold
//	calibration  mean predicted probability  share of positives   lower edge of the bin
//	pr           recall                      precision            lowest score that counts as positive
//	roc          false positive rate         true positive rate   lowest score that counts as positive
//
// Numbers that are not finite are written as null, such as X and Y of a bin without
// examples.
type CurvePoint struct {
	X, Y float64
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

// parquet adds the points of a curve.
func (c *Curve) parquet(add func(pointParquet)) {
	label, name := labelText(c.Label), quote.Valid(c.Name)
	for _, p := range c.Points {
		row := pointParquet{label, name, finiteOrNil(p.X), finiteOrNil(p.Y), finiteOrNil(p.Threshold), nil}
		if c.Name == CurveCalibration {
			row.Weight = finiteOrNil(p.Weight)
		}
		add(row)
	}
}

func (r *Report) writeCurves(w io.Writer) error {
	return writeParquet(w, r.Curves, func(c *Curve, add func(curveParquet)) {
		slice := string(c.Slice.AppendJSON(nil))
		c.parquet(func(p pointParquet) { add(curveParquet{slice, p}) })
	})
}

func compareCurves(a, b *ranked[Curve]) int {
	return cmp.Or(cmp.Compare(a.slice, b.slice), cmp.Compare(a.label, b.label), strings.Compare(a.item.Name, b.item.Name))
}

// curveList has curves of all examples.
type curveList []*Curve

// overallCurves returns the curves of all examples.
func overallCurves(curves []Curve) (list curveList) {
	for i := range curves {
		if len(curves[i].Slice) == 0 {
			list = append(list, &curves[i])
		}
	}
	return list
}

// find returns the curve of a label, or nil.
func (l curveList) find(name string, label *string) *Curve {
	for _, c := range l {
		if c.Name == name && sameLabel(c.Label, label) {
			return c
		}
	}
	return nil
}
