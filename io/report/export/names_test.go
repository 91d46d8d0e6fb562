package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/io/slice"
)

// Names that differ, whether in a byte that is not UTF-8 or in the escape of one, remain different
// in every file.
func TestNamesStayApart(t *testing.T) {
	names := reporttest.HostileNames()
	r := &report.Report{Task: "multilabel", Labels: names}
	for i, name := range names {
		label := name
		s := slice.Key{{Column: name, Value: slice.String(name)}}
		r.Metrics = append(r.Metrics,
			report.Row{Name: "f1", Slice: s, Label: &label, Support: int64(i)}, report.Row{Name: "f1", Label: &label}, report.Row{Name: "f1", Slice: s})
		r.Confusion = append(r.Confusion, report.ConfusionCell{Slice: s, Label: &label, True: name, Predicted: name, Count: 1, Weight: 1})
	}
	files := map[string]*bytes.Buffer{}
	require.NoError(t, export.Write(r, nil, report.Formats(), func(name string) (io.Writer, error) {
		files[name] = new(bytes.Buffer)
		return files[name], nil
	}))

	back, err := report.Read(files[report.MetricsJSON].Bytes())
	require.NoError(t, err)
	require.Equal(t, r.Labels, back.Labels)
	require.Equal(t, r.Metrics, back.Metrics)

	records, err := csv.NewReader(files["metrics.csv"]).ReadAll()
	require.NoError(t, err)
	inCSV := map[string]bool{}
	for _, record := range records[1:] {
		inCSV[record[1]+"\x00"+record[2]] = true
	}
	require.Len(t, inCSV, 3*len(names))

	type cell struct {
		Slice string `parquet:"slice"`
		Label string `parquet:"label"`
		True  string `parquet:"true"`
	}
	rows, err := parquet.Read[cell](bytes.NewReader(files[report.ConfusionParquet].Bytes()), int64(files[report.ConfusionParquet].Len()))
	require.NoError(t, err)
	inParquet := map[cell]bool{}
	for _, row := range rows {
		inParquet[row] = true
	}
	require.Len(t, inParquet, len(names))

	forPeople := map[string]bool{} // report.md and the summary
	for _, name := range names {
		forPeople[slice.Key{{Column: "c", Value: slice.String(name)}}.String()] = true
	}
	require.Len(t, forPeople, len(names))
}

// A spreadsheet does not execute any cell of the CSV file.
func TestCSVHasNoFormulas(t *testing.T) {
	r := &report.Report{Task: "multilabel"}
	for _, label := range []string{"=1+1", "+1+1", "-1-1", "@SUM(A1)", "\tx", "\rx", "'x", "＝1", "-0.5", "1e-9", "+3", "a=b"} {
		r.Metrics = append(r.Metrics, report.Row{Name: "f1", Label: &label, Value: -0.5})
		r.Labels = append(r.Labels, label)
	}
	var file bytes.Buffer
	require.NoError(t, export.Write(r, nil, []report.Format{report.CSV}, func(name string) (io.Writer, error) {
		if name == "metrics.csv" {
			return &file, nil
		}
		return io.Discard, nil
	}))
	records, err := csv.NewReader(&file).ReadAll()
	require.NoError(t, err)
	var labels []string
	for _, record := range records[1:] {
		labels = append(labels, record[2])
		require.Equal(t, "-0.5", record[3])
	}
	require.Equal(t, []string{"'=1+1", "'+1+1", "'-1-1", "'@SUM(A1)", "'\tx", "'\rx", "''x", "'＝1", "-0.5", "1e-9", "+3", "a=b"}, labels)
}

// Nothing in report.md affects how the text around it is displayed.
func TestMarkdownEscapesTheConfiguration(t *testing.T) {
	config, err := json.Marshal(map[string]string{"label": "a\u202eb\u0000\U000e0041\u00a0\nc"})
	require.NoError(t, err)
	var file bytes.Buffer
	require.NoError(t, export.Write(&report.Report{Task: "binary", Config: config}, nil, []report.Format{report.Markdown}, func(name string) (io.Writer, error) {
		if name == report.ReportMarkdown {
			return &file, nil
		}
		return io.Discard, nil
	}))
	require.Contains(t, file.String(), `"label": "a\u202eb\u0000\udb40\udc41\u00a0\nc"`)
}
