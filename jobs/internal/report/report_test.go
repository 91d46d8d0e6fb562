package report

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/transforms"
)

// finished writes a report of 60 classes, whose confusion is in confusion.parquet alone, to a
// new directory.
func finished(t *testing.T) string {
	t.Helper()
	r := &report.Report{Task: "multiclass", Metrics: []report.Row{{Name: "accuracy", Value: 0.5, Support: 100}}}
	for i := range 60 {
		class := string(rune('A' + i))
		r.Labels = append(r.Labels, class)
		r.Confusion = append(r.Confusion, report.Cell{True: class, Predicted: "A", TrueIndex: i, Count: int64(i), Weight: float64(i)})
		for _, x := range []float64{0, 0.5, 1} {
			r.Curves = append(r.Curves, report.CurvePoint{Label: &class, Curve: report.CurveROC, X: x * x, Y: x, Threshold: 1 - x})
		}
	}
	transforms.Explain(r)
	return write(t, r)
}

// write writes a report to a new directory.
func write(t *testing.T, r *report.Report) string {
	t.Helper()
	dir := t.TempDir()
	var open []*os.File
	require.NoError(t, report.Write(r, nil, report.Formats(), func(name string) (io.Writer, error) {
		f, err := os.Create(filepath.Join(dir, name))
		open = append(open, f)
		return f, err
	}))
	for _, f := range open {
		require.NoError(t, f.Close())
	}
	return dir
}

func do(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = command.Run(t.Context(), Command(), args, &out, &err)
	return code, out.String(), err.String()
}

func TestReportDrawsTheSamePage(t *testing.T) {
	dir := finished(t)
	page := filepath.Join(dir, report.ReportHTML)
	want, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(want), "Most confused classes")
	require.Contains(t, string(want), "share of examples whose predicted class is the true one")
	require.NoError(t, os.Remove(page))

	code, stdout, stderr := do(t, dir)
	require.Equal(t, 0, code, stderr)
	require.Equal(t, page+"\n", stdout)
	got, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))

	elsewhere := filepath.Join(t.TempDir(), "page.html")
	code, _, stderr = do(t, dir, "--output", elsewhere)
	require.Equal(t, 0, code, stderr)
	got, err = os.ReadFile(elsewhere)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

// An older report has only what metrics.json has.
func TestReportWithoutOtherFiles(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, report.MetricsJSON), []byte(
		`{"schema":"beameval.report/v1","task":"binary","metrics":[{"name":"accuracy","slice":{},"label":null,"value":0.5,"support":2},`+
			`{"name":"of another version","slice":{},"label":null,"value":1,"support":2}]}`), 0o600))
	code, _, stderr := do(t, dir)
	require.Equal(t, 0, code, stderr)
	page, err := os.ReadFile(filepath.Join(dir, report.ReportHTML))
	require.NoError(t, err)
	require.Contains(t, string(page), "of another version")
}

func TestReportFails(t *testing.T) {
	empty, broken := t.TempDir(), finished(t)
	require.NoError(t, os.WriteFile(filepath.Join(broken, report.CurvesParquet), []byte("PAR1"), 0o600))
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{nil, command.BadUsage, "report: expected one directory with a finished report, found 0: report DIR\n"},
		{[]string{"a", "b"}, command.BadUsage, "found 2"},
		{[]string{"--outptu", "x"}, command.BadUsage, "unknown flag --outptu; did you mean --output? --help lists all"},
		{[]string{"gs://bucket/report"}, command.BadUsage, "gs://bucket/report is not local: set --output to a local file for the page"},
		{[]string{empty, "--output", "s3://bucket/page.html"}, command.BadUsage, "--output: s3://bucket/page.html is not a local file"},
		{[]string{empty}, command.Failed, "report: there is no finished report in " + empty},
		{[]string{broken}, command.Failed, "curves.parquet: "},
	} {
		code, _, stderr := do(t, test.args...)
		require.Equal(t, test.code, code, stderr)
		require.Contains(t, stderr, test.want)
	}
	left, err := os.ReadDir(empty)
	require.NoError(t, err)
	require.Empty(t, left)
}
