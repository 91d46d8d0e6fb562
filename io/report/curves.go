package report

import (
	"io"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/columns"
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

// PointRow is a point of a curve as a row of a table.
type PointRow struct {
	Curve // without its points
	CurvePoint
}

// ColumnsOfPoints returns the columns of points.
func ColumnsOfPoints() []tabular.Column[PointRow] {
	return []tabular.Column[PointRow]{
		tabular.Label(func(p *PointRow) **string { return &p.Label }),
		tabular.Text("curve", func(p *PointRow) *string { return &p.Name }),
		tabular.Number("x", func(p *PointRow) *float64 { return &p.X }),
		tabular.Number("y", func(p *PointRow) *float64 { return &p.Y }),
		tabular.Number("threshold", func(p *PointRow) *float64 { return &p.Threshold }),
		tabular.Number("weight", func(p *PointRow) *float64 { return &p.Weight }).If(func(p *PointRow) bool { return p.Name == CurveCalibration }),
	}
}

// Row returns point i as a row.
func (c *Curve) Row(i int) PointRow {
	return PointRow{Curve{Slice: c.Slice, Label: c.Label, Name: c.Name}, c.Points[i]}
}

// AddTo adds the point to the last curve of a list, or to a new one.
func (p *PointRow) AddTo(curves *[]Curve) {
	n := len(*curves)
	if n == 0 || (*curves)[n-1].Name != p.Name || !SameLabel((*curves)[n-1].Label, p.Label) {
		*curves = append(*curves, p.Curve)
		n++
	}
	if p.Name != CurveCalibration {
		p.Weight = 0
	}
	(*curves)[n-1].Points = append((*curves)[n-1].Points, p.CurvePoint)
}

func curvesTable() table {
	t := itemsOf("curves", func(r *Report) *[]Curve { return &r.Curves },
		func(c *Curve) (slice.Key, *string) { return c.Slice, c.Label }, func(c *Curve) int { return len(c.Points) },
		tabular.Order[Curve]{Then: func(a, b *Curve) int { return strings.Compare(a.Name, b.Name) }})
	t.parquet, t.show = (*Report).writeCurves, (*Report).ReadCurves
	return t
}

func columnsOfCurves() []tabular.Column[PointRow] {
	return tabular.Keyed(func(p *PointRow) *slice.Key { return &p.Slice }, nil, ColumnsOfPoints()...)
}

func (r *Report) writeCurves(w io.Writer) error {
	points := tabular.Flatten(r.Curves, func(c *Curve) int { return len(c.Points) }, func(c *Curve, i int, room *PointRow) { *room = c.Row(i) })
	return points.WriteParquet(w, "curveParquet", columnsOfCurves())
}

// CurveList has curves of all examples.
type CurveList []*Curve

// OverallCurves returns the curves of all examples.
func OverallCurves(curves []Curve) CurveList {
	return collections.Select(curves, func(c *Curve) bool { return len(c.Slice) == 0 })
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

// ReadCurves reads what report.html shows of the curves.parquet of r, which [Read] returned: the
// curves of all examples. Numbers that are null become NaN.
func (r *Report) ReadCurves(file columns.Source) error {
	r.Curves = nil
	return tabular.Read(file, "report: "+CurvesParquet, columnsOfCurves(), func(p *PointRow) bool { return len(p.Slice) == 0 }, func(p *PointRow) error {
		p.AddTo(&r.Curves)
		return nil
	})
}
