package report_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
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
	got := reporttest.ReadRows[curveRow](t, reporttest.Write(t, reporttest.Shuffle(reporttest.CurvesReport(), 1)).Bytes(report.CurvesParquet))
	require.Len(t, got, 2*3*7)
	require.Equal(t, []curveRow{
		{"{}", nil, "calibration", reporttest.Ptr(0.0), reporttest.Ptr(0.0), reporttest.Ptr(0.0), reporttest.Ptr(12.5)},
		{"{}", nil, "calibration", nil, nil, reporttest.Ptr(0.5), reporttest.Ptr(0.0)},
		{"{}", nil, "pr", reporttest.Ptr(0.0), reporttest.Ptr(1.0), reporttest.Ptr(0.25), nil},
		{"{}", nil, "roc", reporttest.Ptr(0.0), reporttest.Ptr(0.0), nil, nil},
		{"{}", nil, "roc", reporttest.Ptr(0.0), reporttest.Ptr(1. / 3), reporttest.Ptr(0.75), nil},
		{"{}", nil, "roc", reporttest.Ptr(0.0), reporttest.Ptr(2. / 3), reporttest.Ptr(0.75), nil},
		{"{}", nil, "roc", reporttest.Ptr(0.0), reporttest.Ptr(1.0), nil, nil},
		{"{}", reporttest.Ptr("sunset"), "calibration", reporttest.Ptr(0.125), reporttest.Ptr(0.125), reporttest.Ptr(0.0), reporttest.Ptr(12.5)},
	}, got[:8])
	require.Equal(t, curveRow{`{"country":"de"}`, reporttest.Ptr("beach"), "roc", reporttest.Ptr(0.25), reporttest.Ptr(1.0), nil, nil}, got[41])
	for _, row := range got {
		for _, f := range []*float64{row.X, row.Y, row.Threshold, row.Weight} {
			require.False(t, f != nil && math.Signbit(*f), "negative zero")
		}
	}
}

func TestCurvesOfHostileNames(t *testing.T) {
	zero := make([]report.CurvePoint, 1)
	r := &report.Report{Task: "multilabel", Curves: []report.Curve{
		{Name: "c\xff", Label: reporttest.Ptr("caf\xe9"), Slice: reporttest.Key("\xfe", slice.Float(math.NaN())), Points: zero},
		{Name: "", Label: reporttest.Ptr(""), Points: zero},
	}}
	got := reporttest.ReadRows[curveRow](t, reporttest.Write(t, r).Bytes(report.CurvesParquet))
	require.Equal(t, []curveRow{
		{"{}", reporttest.Ptr(""), "", reporttest.Ptr(0.0), reporttest.Ptr(0.0), reporttest.Ptr(0.0), nil},
		{`{"\\xfe":"NaN"}`, reporttest.Ptr(`caf\xe9`), `c\xff`, reporttest.Ptr(0.0), reporttest.Ptr(0.0), reporttest.Ptr(0.0), nil},
	}, got)
}

func TestSortCurves(t *testing.T) {
	de := reporttest.Key("country", slice.String("de"))
	var want []report.Curve
	for _, s := range []slice.Key{nil, de} {
		for _, label := range []*string{nil, reporttest.Ptr("z"), reporttest.Ptr("a"), reporttest.Ptr("not listed")} {
			for _, name := range []string{report.CurveCalibration, report.CurvePR, report.CurveROC} {
				want = append(want, report.Curve{Slice: s, Label: label, Name: name, Points: []report.CurvePoint{{X: 0}, {X: -1}, {X: 0}}})
			}
		}
	}
	for seed := range uint64(20) {
		r := &report.Report{Labels: []string{"z", "a"}, Curves: slices.Clone(want)}
		reporttest.Shuffle(r, seed).Sort()
		require.Equal(t, want, r.Curves)
	}
}
