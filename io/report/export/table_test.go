package export_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// fixedColumns are in metrics.csv and metrics.parquet of every report.
var fixedColumns = []string{"name", "slice", "label", "value", "low", "high", "undefined", "support",
	"ci_low", "ci_high", "std_error", "dof", "groups", "ci_method", "no_interval", "ci_warning"}

func TestColumnsAreTheSameInEachReport(t *testing.T) {
	for name, build := range reporttest.Reports {
		f := reporttest.Write(t, build())
		records, err := csv.NewReader(bytes.NewReader(f.Bytes("metrics.csv"))).ReadAll()
		require.NoError(t, err)
		header := records[0]
		require.Equal(t, fixedColumns, header[:len(fixedColumns)], name)
		for _, column := range header[len(fixedColumns):] {
			require.True(t, strings.HasPrefix(column, "slice_"), column)
		}
		data := f.Bytes(report.MetricsParquet)
		file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
		require.NoError(t, err)
		var columns []string
		for _, field := range file.Schema().Fields() {
			columns = append(columns, field.Name())
		}
		require.Equal(t, header, columns, name)
	}
}

// Each value of a slice has its own text, even in a column with the name of a fixed one, and the
// columns exist even without rows.
func TestPlainColumnsOfSlices(t *testing.T) {
	r := &report.Report{Task: "binary", SliceColumns: []string{"value", "device", "country"}}
	add := func(k slice.Key) { r.Metrics = append(r.Metrics, report.Row{Name: "f1", Slice: k, Value: 1}) }
	add(nil)
	for _, v := range []slice.Value{slice.Null(), slice.String(""), slice.String("null"), slice.String(`"null"`), slice.String("de")} {
		add(reporttest.Key("country", v))
	}
	add(reporttest.Key("value", slice.Int(3)))
	add(reporttest.Key("country", slice.String("=1+1"), "value", slice.Bool(true)))
	f := reporttest.Write(t, r)
	records, err := csv.NewReader(bytes.NewReader(f.Bytes("metrics.csv"))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"slice_country", "slice_device", "slice_value"}, records[0][len(fixedColumns):])
	var got []string
	for _, record := range records[1:] {
		got = append(got, strings.Join(record[len(fixedColumns):], "|"))
	}
	require.Equal(t, []string{"||", "null||", `""||`, `""null""||`, "de||", `"null"||`, "||3", "'=1+1||true"}, got)

	type row struct {
		Slice   string  `parquet:"slice"`
		Country *string `parquet:"slice_country,optional"`
		Device  *string `parquet:"slice_device,optional"`
		Value   *string `parquet:"slice_value,optional"`
	}
	rows := reporttest.ReadRows[row](t, f.Bytes(report.MetricsParquet))
	require.Equal(t, row{Slice: "{}"}, rows[0])
	require.Equal(t, row{Slice: `{"country":null}`, Country: reporttest.Ptr("null")}, rows[1])
	require.Equal(t, row{Slice: `{"country":"=1+1","value":true}`, Country: reporttest.Ptr("=1+1"), Value: reporttest.Ptr("true")}, rows[7])
}
