package export_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
)

func TestMetricsParquet(t *testing.T) {
	type row struct {
		Name      string   `parquet:"name"`
		Slice     string   `parquet:"slice"`
		Label     *string  `parquet:"label,optional"`
		Value     *float64 `parquet:"value,optional"`
		Low       *float64 `parquet:"low,optional"`
		High      *float64 `parquet:"high,optional"`
		Undefined *string  `parquet:"undefined,optional"`
		Support   int64    `parquet:"support"`
	}
	r := reporttest.MultilabelReport()
	got := reporttest.ReadRows[row](t, reporttest.Write(t, r).Bytes(report.MetricsParquet))
	require.Len(t, got, len(r.Metrics))
	for i, want := range r.Metrics {
		g := got[i]
		require.Equal(t, want.Name, g.Name)
		text, err := want.Slice.MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, string(text), g.Slice)
		require.Equal(t, want.Label, g.Label)
		require.Equal(t, want.Support, g.Support)
		switch {
		case math.IsNaN(want.Value) || math.IsInf(want.Value, 0):
			require.Nil(t, g.Value)
			require.NotEmpty(t, *g.Undefined)
		case want.Undefined == "":
			require.Equal(t, &want.Value, g.Value)
			require.Nil(t, g.Undefined)
		default:
			require.Equal(t, &want.Value, g.Value)
			require.Equal(t, &want.Undefined, g.Undefined)
		}
		require.Nil(t, g.Low)
		require.Nil(t, g.High)
	}

	want := map[string]row{
		"roc_auc_macro": {Low: reporttest.Ptr(0.91199), High: reporttest.Ptr(0.9126)},
		"pr_auc_macro":  {Low: reporttest.Ptr(0.0), High: reporttest.Ptr(3e-5)},
		"lrap":          {Low: reporttest.Ptr(0.25)},
	}
	for _, g := range reporttest.ReadRows[row](t, reporttest.Write(t, reporttest.CurvesReport()).Bytes(report.MetricsParquet)) {
		if w, ok := want[g.Name]; ok {
			require.Equal(t, w.Low, g.Low)
			require.Equal(t, w.High, g.High)
		}
		require.False(t, g.Low != nil && math.Signbit(*g.Low), "negative zero")
	}
}

func TestConfusionParquet(t *testing.T) {
	type row struct {
		Slice     string  `parquet:"slice"`
		Label     *string `parquet:"label,optional"`
		True      string  `parquet:"true"`
		Predicted string  `parquet:"predicted"`
		Count     int64   `parquet:"count"`
		Weight    float64 `parquet:"weight"`
	}
	r := reporttest.MulticlassReport()
	got := reporttest.ReadRows[row](t, reporttest.Write(t, r).Bytes(report.ConfusionParquet))
	require.Len(t, got, 8, "of nine cells one is zero")
	require.Equal(t, row{Slice: "{}", True: "setosa", Predicted: "virginica", Count: 1, Weight: 0.3}, got[0])
	require.Equal(t, row{Slice: "{}", True: "versicolor", Predicted: "versicolor", Count: 2002, Weight: 2002 * 0.3}, got[7])

	got = reporttest.ReadRows[row](t, reporttest.Write(t, reporttest.MultilabelReport()).Bytes(report.ConfusionParquet))
	require.Len(t, got, 2*6*3)
	require.Equal(t, row{Slice: "{}", Label: reporttest.Ptr("sunset"), True: "0", Predicted: "0", Count: 8000, Weight: 8000}, got[0])
	require.Equal(t, row{Slice: `{"country":"de"}`, Label: reporttest.Ptr(""), True: "1", Predicted: "1", Count: 65, Weight: 65}, got[35])
}

func TestParquetFileShape(t *testing.T) {
	b := reporttest.Write(t, largeReport(140_000)).Bytes(report.MetricsParquet)
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	require.Equal(t, "beameval version 1.0.0(build report)", f.Metadata().CreatedBy)
	require.Equal(t, int64(140_000), f.NumRows())
	var rows []int64
	for _, group := range f.RowGroups() {
		rows = append(rows, group.NumRows())
	}
	require.Equal(t, []int64{128 << 10, 140_000 - 128<<10}, rows)

	b = reporttest.Write(t, &report.Report{Task: "regression"}).Bytes(report.MetricsParquet)
	f, err = parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	require.Zero(t, f.NumRows())
	require.Len(t, f.Schema().Fields(), len(fixedColumns))
}

func TestSliceColumnIsJSON(t *testing.T) {
	type row struct {
		Slice string `parquet:"slice"`
	}
	for _, row := range reporttest.ReadRows[row](t, reporttest.Write(t, reporttest.MultilabelReport()).Bytes(report.MetricsParquet)) {
		require.True(t, json.Valid([]byte(row.Slice)), row.Slice)
	}
}
