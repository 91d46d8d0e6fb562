package reporttest

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/io/slice"
)

// Files is an in-memory object store.
type Files struct {
	Created []string
	Content map[string]*bytes.Buffer
}

func (f *Files) Create(name string) (io.Writer, error) {
	if f.Content == nil {
		f.Content = map[string]*bytes.Buffer{}
	}
	f.Created = append(f.Created, name)
	f.Content[name] = &bytes.Buffer{}
	return f.Content[name], nil
}

func (f *Files) Bytes(name string) []byte { return f.Content[name].Bytes() }

func Write(t testing.TB, r *report.Report) *Files {
	t.Helper()
	f := &Files{}
	require.NoError(t, export.Write(r, ExampleRun(), report.Formats(), f.Create))
	return f
}

func ExampleRun() *report.Run {
	started := time.Date(2026, 11, 19, 3, 0, 0, 0, time.UTC)
	run := &report.Run{
		Started:  started,
		Runner:   "prism",
		Versions: report.Versions{Go: "go1.26.0", Beam: "2.77.0", Beameval: "v0.1.0"},
		Files:    report.ListFiles([]string{"gs://bucket/preds/dt=2026-11-19/0.parquet", "gs://bucket/preds/a&b.parquet"}),
		Output:   "out",
		SkippedSample: []report.SkippedRow{
			{File: "gs://bucket/preds/a&b.parquet", RowGroup: 1, Row: 17, Column: "scores", Value: "[0.1, NaN]", Reason: "NaN score"},
			{File: "preds.csv", Line: 6, Column: "a<b", Value: "1.7", Reason: "probability outside [0, 1]"},
		},
	}
	run.Finish(started.Add(90*time.Second), 9000)
	return run
}

func Ptr[T any](v T) *T { return &v }

func Key(columnsAndValues ...any) slice.Key {
	var s slice.Key
	for i := 0; i < len(columnsAndValues); i += 2 {
		s = append(s, slice.Pair{
			Column: columnsAndValues[i].(string),
			Value:  columnsAndValues[i+1].(slice.Value),
		})
	}
	return s
}

func ReadRows[T any](t *testing.T, b []byte) []T {
	t.Helper()
	rows, err := parquet.Read[T](bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	return rows
}

// source is an in-memory file.
type source struct{ *bytes.Reader }

func (s source) Name() string { return "replicates" }

// SourceOf returns an in-memory file.
func SourceOf(data []byte) columns.Source { return source{bytes.NewReader(data)} }

// Failing is a writer that always fails.
type Failing struct{ Err error }

func (f Failing) Write([]byte) (int, error) { return 0, f.Err }

// RequireWidth requires that no line is wider than the given number of columns or ends with a
// space.
func RequireWidth(t *testing.T, columns int, summary string) {
	t.Helper()
	for line := range strings.Lines(summary) {
		line = strings.TrimSuffix(line, "\n")
		require.LessOrEqual(t, text.StringWidthWithoutEscSequences(line), columns, line)
		require.Equal(t, strings.TrimRight(line, " "), line)
	}
}

// LimitOf and PercentOf return limits of how much a metric may change.
func LimitOf(x float64) *report.Limit { return &report.Limit{Value: x} }

func PercentOf(x float64) *report.Limit { return &report.Limit{Value: x, Percent: true} }

func WithoutNaN(gates []report.GateResult) (list []report.GateResult) {
	for _, g := range gates {
		for _, x := range []*float64{&g.Value, &g.Low, &g.High, &g.Difference, &g.PAdjusted} {
			if math.IsNaN(*x) || math.IsInf(*x, 0) {
				*x = -1
			}
		}
		list = append(list, g)
	}
	return list
}
