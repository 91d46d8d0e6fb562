package report

import (
	"cmp"
	"errors"
	"io"
	"strings"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// Names of the curves.
const (
	CurveCalibration   = "calibration"
	CurveCost          = "expected_cost"
	CurveIsotonic      = "isotonic"
	CurveIsotonicLower = "isotonic_lower"
	CurveIsotonicUpper = "isotonic_upper"
	CurvePR            = "pr"
	CurveROC           = "roc"
)

// Curve is a curve of one slice and label.
type Curve struct {
	Slice  slice.Key
	Label  *string // nil for a curve of all labels together
	Name   string  // CurveCalibration or another of the names of curves
	Points []CurvePoint
}

// CurvePoint is a point of a curve.
//
//	curve           X                           Y                      Threshold
//	calibration     mean predicted probability  share of positives     lower edge of the bin
//	expected_cost   threshold                   mean cost of examples  lowest score that counts as positive
//	isotonic        probability                 share of positives     lowest score of the block
//	isotonic_lower  probability                 lower end of the band  none
//	isotonic_upper  probability                 upper end of the band  none
//	pr              recall                      precision              lowest score that counts as positive
//	roc             false positive rate         true positive rate     lowest score that counts as positive
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
	PointParquet
}

// PointParquet are the columns of a point in curves.parquet and in comparison_curves.parquet.
type PointParquet struct {
	Label     *string  `parquet:"label,optional"`
	Curve     string   `parquet:"curve"`
	X         *float64 `parquet:"x,optional"`
	Y         *float64 `parquet:"y,optional"`
	Threshold *float64 `parquet:"threshold,optional"`
	Weight    *float64 `parquet:"weight,optional"`
}

// Parquet adds the points of a curve.
func (c *Curve) Parquet(add func(PointParquet)) {
	label, name := tabular.LabelText(c.Label), quote.Valid(c.Name)
	for _, p := range c.Points {
		row := PointParquet{label, name, numbers.OrNil(p.X), numbers.OrNil(p.Y), numbers.OrNil(p.Threshold), nil}
		if c.Name == CurveCalibration {
			row.Weight = numbers.OrNil(p.Weight)
		}
		add(row)
	}
}

// WriteCurves writes curves.parquet.
func (r *Report) WriteCurves(w io.Writer) error {
	return tabular.WriteRows(w, r.Curves, func(c *Curve, add func(curveParquet)) {
		slice := string(c.Slice.AppendJSON(nil))
		c.Parquet(func(p PointParquet) { add(curveParquet{slice, p}) })
	})
}

func compareCurves(a, b *ranked[Curve]) int {
	return cmp.Or(cmp.Compare(a.slice, b.slice), cmp.Compare(a.label, b.label), strings.Compare(a.item.Name, b.item.Name))
}

// CurveList has curves of all examples.
type CurveList []*Curve

// OverallCurves returns the curves of all examples.
func OverallCurves(curves []Curve) CurveList {
	return lists.Select(curves, func(c *Curve) bool { return len(c.Slice) == 0 })
}

// Find returns the curve of a label, or nil.
func (l CurveList) Find(name string, label *string) *Curve {
	for _, c := range l {
		if c.Name == name && SameLabel(c.Label, label) {
			return c
		}
	}
	return nil
}

// overallSlice is the slice of all examples in Parquet files.
const overallSlice = "{}"

// ReadCurves reads what report.html shows of the curves.parquet of r, which [Read] returned: the
// curves of all examples. Numbers that are null become NaN.
func (r *Report) ReadCurves(file columns.Source) error {
	r.Curves = nil
	return tabular.ReadRows[curveParquet](file, "report: "+CurvesParquet, func(batch []columns.Column, i int) error {
		slice := tabular.TextAt(&batch[0], i)
		switch {
		case slice == nil:
			return errors.New("a slice is null")
		case *slice != overallSlice:
			return nil
		}
		return ReadPoint(&r.Curves, batch[1:], i)
	})
}

// ReadPoint adds the PointParquet in row i to the last curve, or to a new one.
func ReadPoint(curves *[]Curve, batch []columns.Column, i int) error {
	label, name := tabular.NameAt(&batch[0], i), tabular.TextAt(&batch[1], i)
	if name == nil {
		return errors.New("a curve is null")
	}
	n := len(*curves)
	if n == 0 || (*curves)[n-1].Name != *name || !SameLabel((*curves)[n-1].Label, label) {
		*curves = append(*curves, Curve{Label: label, Name: *name})
		n++
	}
	p := CurvePoint{X: tabular.NumberAt(&batch[2], i), Y: tabular.NumberAt(&batch[3], i), Threshold: tabular.NumberAt(&batch[4], i)}
	if *name == CurveCalibration {
		p.Weight = tabular.NumberAt(&batch[5], i)
	}
	c := &(*curves)[n-1]
	c.Points = append(c.Points, p)
	return nil
}
