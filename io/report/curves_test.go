package report_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

type curveRow struct {
	Slice     string   `parquet:"slice"`
	Label     *string  `parquet:"label,optional"`
	Curve     string   `parquet:"curve"`
	X         *float64 `parquet:"x,optional"`
	Y         *float64 `parquet:"y,optional"`
	Threshold *float64 `parquet:"threshold,optional"`
	Weight    *float64 `parquet:"weight,optional"`
}

func TestCurvesParquet(t *testing.T) {
	got := readParquet[curveRow](t, write(t, shuffle(curvesReport(), 1)).bytes(report.CurvesParquet))
	require.Len(t, got, 2*3*7)
	require.Equal(t, []curveRow{
		{"{}", nil, "calibration", ptr(0.0), ptr(0.0), ptr(0.0), ptr(12.5)},
		{"{}", nil, "calibration", nil, nil, ptr(0.5), ptr(0.0)},
		{"{}", nil, "pr", ptr(0.0), ptr(1.0), ptr(0.25), nil},
		{"{}", nil, "roc", ptr(0.0), ptr(0.0), nil, nil},
		{"{}", nil, "roc", ptr(0.0), ptr(1. / 3), ptr(0.75), nil},
		{"{}", nil, "roc", ptr(0.0), ptr(2. / 3), ptr(0.75), nil},
		{"{}", nil, "roc", ptr(0.0), ptr(1.0), nil, nil},
		{"{}", ptr("sunset"), "calibration", ptr(0.125), ptr(0.125), ptr(0.0), ptr(12.5)},
	}, got[:8])
	require.Equal(t, curveRow{`{"country":"de"}`, ptr("beach"), "roc", ptr(0.25), ptr(1.0), nil, nil}, got[41])
	for _, row := range got {
		for _, f := range []*float64{row.X, row.Y, row.Threshold, row.Weight} {
			require.False(t, f != nil && math.Signbit(*f), "negative zero")
		}
	}
}

func TestCurvesOfHostileNames(t *testing.T) {
	zero := make([]report.CurvePoint, 1)
	r := &report.Report{Task: "multilabel", Curves: []report.Curve{
		{Name: "c\xff", Label: ptr("caf\xe9"), Slice: key("\xfe", slice.Float(math.NaN())), Points: zero},
		{Name: "", Label: ptr(""), Points: zero},
	}}
	got := readParquet[curveRow](t, write(t, r).bytes(report.CurvesParquet))
	require.Equal(t, []curveRow{
		{"{}", ptr(""), "", ptr(0.0), ptr(0.0), ptr(0.0), nil},
		{`{"\\xfe":"NaN"}`, ptr(`caf\xe9`), `c\xff`, ptr(0.0), ptr(0.0), ptr(0.0), nil},
	}, got)
}

func TestSortCurves(t *testing.T) {
	de := key("country", slice.String("de"))
	var want []report.Curve
	for _, s := range []slice.Key{nil, de} {
		for _, label := range []*string{nil, ptr("z"), ptr("a"), ptr("not listed")} {
			for _, name := range []string{report.CurveCalibration, report.CurvePR, report.CurveROC} {
				want = append(want, report.Curve{Slice: s, Label: label, Name: name, Points: []report.CurvePoint{{X: 0}, {X: -1}, {X: 0}}})
			}
		}
	}
	for seed := range uint64(20) {
		r := &report.Report{Labels: []string{"z", "a"}, Curves: slices.Clone(want)}
		shuffle(r, seed).Sort()
		require.Equal(t, want, r.Curves)
	}
}
