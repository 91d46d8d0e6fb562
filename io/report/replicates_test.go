package report_test

import (
	"bytes"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/export"
)

type replicate struct {
	Name   string   `parquet:"name"`
	Slice  string   `parquet:"slice"`
	Label  *string  `parquet:"label,optional"`
	Group  int32    `parquet:"group"`
	Value  *float64 `parquet:"value,optional"`
	Weight *float64 `parquet:"weight,optional"`
}

func readReplicates(t *testing.T, f *reporttest.Files, r *report.Report) {
	t.Helper()
	data := f.Bytes(report.ReplicatesParquet)
	require.NoError(t, r.ReadReplicates(reporttest.SourceOf(data)))
}

func TestReplicatesParquet(t *testing.T) {
	got := reporttest.ReadRows[replicate](t, reporttest.Write(t, reporttest.Shuffle(reporttest.ConfidenceReport(), 1)).Bytes(report.ReplicatesParquet))
	require.Len(t, got, 3*4+3*2+2+1+3)
	require.Equal(t, []replicate{
		{"f1_macro", "{}", nil, 0, reporttest.Ptr(0.93), reporttest.Ptr(30.)},
		{"f1_macro", "{}", nil, 1, reporttest.Ptr(0.94), reporttest.Ptr(40.5)},
		{"f1_macro", "{}", nil, 3, reporttest.Ptr(1. / 3), reporttest.Ptr(30.)},
		{"f1_micro", "{}", nil, 0, reporttest.Ptr(0.5), nil},
		{"f1_micro", "{}", nil, 1, nil, nil},
		{"f1_micro", "{}", nil, 3, nil, nil},
		{"lrap", "{}", nil, 0, reporttest.Ptr(0.), nil},
	}, got[:7])
	require.Equal(t, []replicate{
		{"recall", "{}", reporttest.Ptr(`caf\xe9`), 3, reporttest.Ptr(0.75), nil},
		{"subset_accuracy", "{}", nil, 0, reporttest.Ptr(1.), nil},
		{"subset_accuracy", "{}", nil, 1, reporttest.Ptr(1.), nil},
		{"subset_accuracy", "{}", nil, 3, reporttest.Ptr(1.), nil},
		{"f1_macro", `{"caf\\xe9":"\\xff"}`, nil, 3, nil, nil},
		{"f1_macro", `{"country":"de"}`, nil, 0, reporttest.Ptr(0.9), nil},
		{"f1_macro", `{"country":"de"}`, nil, 3, reporttest.Ptr(0.8), nil},
		{"subset_accuracy", `{"country":"de"}`, nil, 0, reporttest.Ptr(1e-5), nil},
		{"subset_accuracy", `{"country":"de"}`, nil, 1, reporttest.Ptr(2e-5), nil},
		{"subset_accuracy", `{"country":"de"}`, nil, 3, reporttest.Ptr(3e-5), nil},
	}, got[14:])
}

func TestReplicatesHaveGroups(t *testing.T) {
	r := reporttest.ConfidenceReport()
	r.Metrics[0].Replicates = []float64{1}
	var f reporttest.Files
	require.ErrorContains(t, export.Write(r, nil, report.Formats(), f.Create), "f1_macro of overall has 1 values of 3 groups")
}

// TestReplicatesOfAnotherReport: replicates of another report, or of no report, are rejected.
func TestReplicatesOfAnotherReport(t *testing.T) {
	of := func(rows ...replicate) []byte {
		var b bytes.Buffer
		require.NoError(t, parquet.Write(&b, rows))
		return b.Bytes()
	}
	row := func(name string, group int32) replicate {
		return replicate{Name: name, Slice: "{}", Group: group, Value: reporttest.Ptr(1.)}
	}
	other := &bytes.Buffer{}
	require.NoError(t, parquet.Write(other, []struct {
		Name string `parquet:"name"`
	}{{"f1"}}))
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"no Parquet", "replicates", []byte("PAR1")},
		{"other columns", `no column "slice"`, other.Bytes()},
		{"an unknown metric", `g of overall is not in metrics.json, or in another place`, of(row("g", 0))},
		{"another order", `f1_macro of overall is not in metrics.json, or in another place`, of(row("f1_micro", 0), row("f1_macro", 0))},
		{"a group that is too high", "f1_macro of overall: group 4 is out of order, or there is none", of(row("f1_macro", 4))},
		{"a group that is negative", "f1_macro of overall: group -1 is out of order, or there is none", of(row("f1_macro", -1))},
		{"a group twice", "f1_macro of overall: group 1 is out of order, or there is none", of(row("f1_macro", 1), row("f1_macro", 1))},
	} {
		r, err := report.Read(reporttest.Write(t, reporttest.ConfidenceReport()).Bytes(report.MetricsJSON))
		require.NoError(t, err)
		err = r.ReadReplicates(reporttest.SourceOf(c.data))
		require.ErrorContains(t, err, c.want, c.name)
	}
	r := &report.Report{}
	require.ErrorContains(t, r.ReadReplicates(reporttest.SourceOf(nil)), "no confidence in metrics.json")
}

// TestReplicatesDamaged: a truncated or modified file results in an error or in other numbers,
// never in a panic.
func TestReplicatesDamaged(t *testing.T) {
	f := reporttest.Write(t, reporttest.ConfidenceReport())
	data := f.Bytes(report.ReplicatesParquet)
	read := func(data []byte) error {
		r, err := report.Read(f.Bytes(report.MetricsJSON))
		require.NoError(t, err)
		return r.ReadReplicates(reporttest.SourceOf(data))
	}
	for cut := range data {
		require.Error(t, read(data[:cut]))
	}
	for at := range data {
		damaged := bytes.Clone(data)
		damaged[at] ^= []byte{0x01, 0x80, 0xff}[at%3]
		_ = read(damaged)
	}
}

func TestMetricsParquetWithConfidence(t *testing.T) {
	type row struct {
		Name       string   `parquet:"name"`
		Slice      string   `parquet:"slice"`
		Value      *float64 `parquet:"value,optional"`
		Low        *float64 `parquet:"ci_low,optional"`
		High       *float64 `parquet:"ci_high,optional"`
		StdError   *float64 `parquet:"std_error,optional"`
		DOF        *float64 `parquet:"dof,optional"`
		Groups     *int32   `parquet:"groups,optional"`
		Method     *string  `parquet:"ci_method,optional"`
		NoInterval *string  `parquet:"no_interval,optional"`
	}
	data := reporttest.Write(t, reporttest.ConfidenceReport()).Bytes(report.MetricsParquet)
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	var names []string
	for _, f := range file.Schema().Fields() {
		names = append(names, f.Name())
	}
	require.Equal(t, []string{"name", "slice", "label", "value", "low", "high", "undefined", "support",
		"ci_low", "ci_high", "std_error", "dof", "groups", "ci_method", "no_interval", "ci_warning", `slice_caf\xe9`, "slice_country"}, names)
	got := reporttest.ReadRows[row](t, data)
	require.Len(t, got, 14)
	require.Equal(t, row{"average_precision_macro", "{}", reporttest.Ptr(0.5), reporttest.Ptr(0.4), reporttest.Ptr(0.6), reporttest.Ptr(0.05), reporttest.Ptr(2.5), reporttest.Ptr(int32(3)), reporttest.Ptr("jackknife"), nil}, got[0])
	require.Equal(t, row{Name: "ece", Slice: "{}", Value: reporttest.Ptr(0.04), StdError: reporttest.Ptr(0.01), Groups: reporttest.Ptr(int32(1)), NoInterval: reporttest.Ptr("biased")}, got[1])
	require.Equal(t, row{Name: "tp", Slice: `{"country":"de"}`, Value: reporttest.Ptr(7.)}, got[13])
}

func TestReplicatesOnlyWithConfidence(t *testing.T) {
	require.NotContains(t, reporttest.Write(t, reporttest.MultilabelReport()).Created, report.ReplicatesParquet)
	var f reporttest.Files
	require.NoError(t, export.Write(reporttest.ConfidenceReport(), nil, []report.Format{report.CSV}, f.Create))
	require.NotContains(t, f.Created, report.ReplicatesParquet)
}
