package report_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

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
	r := multilabelReport()
	got := readParquet[row](t, write(t, r).bytes(report.MetricsParquet))
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
		"roc_auc_macro": {Low: ptr(0.91199), High: ptr(0.9126)},
		"pr_auc_macro":  {Low: ptr(0.0), High: ptr(3e-5)},
		"lrap":          {Low: ptr(0.25)},
	}
	for _, g := range readParquet[row](t, write(t, curvesReport()).bytes(report.MetricsParquet)) {
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
	r := multiclassReport()
	got := readParquet[row](t, write(t, r).bytes(report.ConfusionParquet))
	require.Len(t, got, 8, "of nine cells one is zero")
	require.Equal(t, row{Slice: "{}", True: "setosa", Predicted: "virginica", Count: 1, Weight: 0.3}, got[0])
	require.Equal(t, row{Slice: "{}", True: "versicolor", Predicted: "versicolor", Count: 2002, Weight: 2002 * 0.3}, got[7])

	got = readParquet[row](t, write(t, multilabelReport()).bytes(report.ConfusionParquet))
	require.Len(t, got, 2*6*3)
	require.Equal(t, row{Slice: "{}", Label: ptr("sunset"), True: "0", Predicted: "0", Count: 8000, Weight: 8000}, got[0])
	require.Equal(t, row{Slice: `{"country":"de"}`, Label: ptr(""), True: "1", Predicted: "1", Count: 65, Weight: 65}, got[35])
}

func TestParquetFileShape(t *testing.T) {
	b := write(t, largeReport(140_000)).bytes(report.MetricsParquet)
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	require.Equal(t, "beameval version 1.0.0(build report)", f.Metadata().CreatedBy)
	require.Equal(t, int64(140_000), f.NumRows())
	var rows []int64
	for _, group := range f.RowGroups() {
		rows = append(rows, group.NumRows())
	}
	require.Equal(t, []int64{128 << 10, 140_000 - 128<<10}, rows)

	b = write(t, &report.Report{Task: "regression"}).bytes(report.MetricsParquet)
	f, err = parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	require.Zero(t, f.NumRows())
	require.Len(t, f.Schema().Fields(), len(fixedColumns))
}

func TestSliceColumnIsJSON(t *testing.T) {
	type row struct {
		Slice string `parquet:"slice"`
	}
	for _, row := range readParquet[row](t, write(t, multilabelReport()).bytes(report.MetricsParquet)) {
		require.True(t, json.Valid([]byte(row.Slice)), row.Slice)
	}
}

func readParquet[T any](t *testing.T, b []byte) []T {
	t.Helper()
	rows, err := parquet.Read[T](bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	return rows
}
