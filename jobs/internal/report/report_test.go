package report

import (
	"bytes"
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/transforms"
)

// finished writes a report of 60 classes, whose confusion is only in confusion.parquet, to a new
// directory.
func finished(t *testing.T) string {
	t.Helper()
	r := &report.Report{Task: "multiclass", Metrics: []report.Row{{Name: "accuracy", Value: 0.5, Support: 100}}}
	for i := range 60 {
		class := string(rune('A' + i))
		r.Labels = append(r.Labels, class)
		r.Confusion = append(r.Confusion, report.ConfusionCell{True: class, Predicted: "A", TrueIndex: i, Count: int64(i), Weight: float64(i)})
		c := report.Curve{Label: &class, Name: report.CurveROC}
		for _, x := range []float64{0, 0.5, 1} {
			c.Points = append(c.Points, report.CurvePoint{X: x * x, Y: x, Threshold: 1 - x})
		}
		r.Curves = append(r.Curves, c)
	}
	transforms.Explain(r)
	return write(t, r)
}

// write writes a report to a new directory.
func write(t *testing.T, r *report.Report) string {
	t.Helper()
	dir := t.TempDir()
	var open []*os.File
	require.NoError(t, export.Write(r, nil, report.Formats(), func(name string) (io.Writer, error) {
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

// drawnAgain removes the page of a directory, regenerates it, and returns it; it must be identical.
func drawnAgain(t *testing.T, page string) string {
	t.Helper()
	want, err := os.ReadFile(page)
	require.NoError(t, err)
	require.NoError(t, os.Remove(page))
	code, stdout, stderr := do(t, filepath.Dir(page))
	require.Equal(t, 0, code, stderr)
	require.Equal(t, page+"\n", stdout)
	got, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
	return string(got)
}

func TestReportDrawsTheSamePage(t *testing.T) {
	dir := finished(t)
	want := drawnAgain(t, filepath.Join(dir, report.ReportHTML))
	require.Contains(t, want, "Most confused classes")
	require.Contains(t, want, "share of examples whose predicted class is the true one")

	elsewhere := filepath.Join(t.TempDir(), "page.html")
	code, _, stderr := do(t, dir, "-o", "file://"+elsewhere)
	require.Equal(t, 0, code, stderr)
	got, err := os.ReadFile(elsewhere)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
}

// TestReportDrawsRowsOfParquet: the page shows all rows, although metrics.json omits some.
func TestReportDrawsRowsOfParquet(t *testing.T) {
	r := &report.Report{Task: "binary", JSONRows: 1}
	for _, key := range []slice.Key{nil, {{Column: "day", Value: slice.Int(7)}}} {
		r.Metrics = append(r.Metrics, report.Row{Name: "accuracy", Slice: key, Value: 0.5, Support: 100})
	}
	transforms.Explain(r)
	page := drawnAgain(t, filepath.Join(write(t, r), report.ReportHTML))
	require.Contains(t, page, "day=7")
	require.Contains(t, page, "metrics.parquet has all results")
}

// TestReportWithMetricsOfAnotherProgram: the report itself describes metrics that this program
// lacks. Its page must be identical.
func TestReportWithMetricsOfAnotherProgram(t *testing.T) {
	r := &report.Report{Task: "binary", Metrics: []report.Row{{Name: "profit", Value: 0.5, Support: 100}}}
	r.Meanings = map[string]report.Meaning{"profit": {Definition: "what we gain by an example", Better: "higher", Own: true}}
	r.Gates = []report.GateResult{{Metric: "profit", Limits: report.Limits{Min: new(float64)}, Value: 0.5, Low: math.NaN(), High: math.NaN(), Difference: math.NaN(), PAdjusted: math.NaN(), Verdict: report.Pass}}
	transforms.Explain(r)
	page := drawnAgain(t, filepath.Join(write(t, r), report.ReportHTML))
	require.Contains(t, page, "what we gain by an example")
}

// An older report has only the contents of metrics.json.
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

// compared writes a comparison of two models, with curves and queries, to a new directory.
func compared(t *testing.T) string {
	t.Helper()
	var sides [2]*report.Report
	c := &comparison.Comparison{Task: "binary", Level: 0.95, Adjust: comparison.Holm, Pairing: comparison.Untested}
	for i := range sides {
		r := &report.Report{Task: "binary", Queries: &report.Queries{Names: []string{"accuracy"}}}
		roc := report.Curve{Name: report.CurveROC}
		for j := range 5 {
			x := float64(j) / 4
			roc.Points = append(roc.Points, report.CurvePoint{X: x, Y: x + float64(i)*x*(1-x), Threshold: 1 - x})
			r.Queries.List = append(r.Queries.List, report.Query{ID: slice.Int(int64(j)), Values: []float64{float64(i) * x}})
		}
		r.Curves = []report.Curve{roc}
		sides[i] = r
	}
	c.Changes = []comparison.Change{{Name: "accuracy", A: 0.5, B: 0.75, Difference: 0.25, Pairing: comparison.Untested, Verdict: comparison.NoSignificantChange}}
	c.Options = []comparison.OptionChange{{Key: "report.model", B: []byte(`"b"`)}}
	c.Show(sides[0], sides[1])
	return writeComparison(t, c)
}

// writeComparison writes a comparison to a new directory.
func writeComparison(t *testing.T, c *comparison.Comparison) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]*bytes.Buffer{}
	require.NoError(t, comparison.Write(c, func(name string) (io.Writer, error) {
		files[name] = new(bytes.Buffer)
		return files[name], nil
	}))
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content.Bytes(), 0o600))
	}
	return dir
}

// The page of a monitor is regenerated without the reports.
func TestPageOfMonitor(t *testing.T) {
	dir := t.TempDir()
	m := &monitor.Monitor{Task: "binary", Level: 0.95, Metrics: []string{"f1"}, Nights: []monitor.Night{{Date: "2026-11-19", At: time.Date(2026, 11, 19, 0, 0, 0, 0, time.UTC)}}}
	m.Series = []monitor.Series{{Metric: "f1", Evidence: 400, Threshold: 365, Alarm: true, Since: "2026-11-19", Change: -0.5, Values: []monitor.Value{{Value: 0.5, Low: 0.25, High: 0.75, P: 0.001, Evidence: 400}}}}
	require.NoError(t, monitor.Write(m, func(name string) (io.Writer, error) {
		f, err := os.Create(filepath.Join(dir, name))
		t.Cleanup(func() { f.Close() })
		return f, err
	}))
	page := filepath.Join(dir, monitor.HTML)
	want, err := os.ReadFile(page)
	require.NoError(t, err)
	require.NoError(t, os.Remove(page))
	var stdout, stderr bytes.Buffer
	require.Zero(t, command.Run(t.Context(), Command(), []string{dir}, &stdout, &stderr), stderr.String())
	got, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
	require.NoError(t, os.WriteFile(filepath.Join(dir, monitor.JSON), []byte(`{"schema":"beameval.monitor/v2"}`), 0o600))
	require.Equal(t, command.BadUsage, command.Run(t.Context(), Command(), []string{dir}, &stdout, &stderr))
	require.Contains(t, stderr.String(), `the schema is "beameval.monitor/v2", not "beameval.monitor/v1"`)
}

// The index of several monitors is regenerated without them.
func TestPageOfEachMonitor(t *testing.T) {
	dir := t.TempDir()
	e := &monitor.Each{Key: "model", NightsToFalseAlarm: 365}
	e.Add("a b", &monitor.Monitor{Task: "binary"})
	require.NoError(t, monitor.WriteEach(e, func(name string) (io.Writer, error) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		f, err := os.Create(filepath.Join(dir, name))
		t.Cleanup(func() { f.Close() })
		return f, err
	}))
	want := drawnAgain(t, filepath.Join(dir, monitor.EachHTML))
	require.Contains(t, want, `<a href="model=a~20b/monitor.html">a b</a>`)
	require.NoError(t, os.WriteFile(filepath.Join(dir, monitor.EachJSON), []byte(`{"schema":"beameval.monitors/v2"}`), 0o600))
	var stdout, stderr bytes.Buffer
	require.Equal(t, command.BadUsage, command.Run(t.Context(), Command(), []string{dir}, &stdout, &stderr))
	require.Contains(t, stderr.String(), `the schema is "beameval.monitors/v2", not "beameval.monitors/v1"`)
}

// The page of a comparison is regenerated without the compared reports.
func TestReportDrawsTheSamePageOfComparison(t *testing.T) {
	dir := compared(t)
	page := filepath.Join(dir, comparison.HTML)
	want := drawnAgain(t, page)
	for _, part := range []string{"ROC", "Queries: accuracy", "report.model"} {
		require.Contains(t, want, part)
	}

	// An older comparison has neither curves nor queries.
	require.NoError(t, os.Remove(filepath.Join(dir, comparison.CurvesParquet)))
	require.NoError(t, os.Remove(filepath.Join(dir, comparison.QueriesParquet)))
	code, _, stderr := do(t, dir)
	require.Equal(t, 0, code, stderr)
	got, err := os.ReadFile(page)
	require.NoError(t, err)
	require.NotContains(t, string(got), "ROC")
	require.Contains(t, string(got), "Differences at a glance")
}

// The page of a comparison of several systems is regenerated from comparison.json alone.
func TestReportDrawsTheSamePageOfSystems(t *testing.T) {
	l := &comparison.Leaderboard{Task: "binary", Level: 0.95, Adjust: comparison.MaxT, Reference: "x", Headline: []string{"accuracy"}, Warnings: []string{"a warning"}}
	var list []comparison.Difference
	for i, name := range []string{"x", "y\xff", "z"} {
		l.Systems = append(l.Systems, comparison.System{Name: name, Path: "runs/" + name, Examples: 10, Groups: 10})
		l.Ranks = append(l.Ranks, comparison.Rank{Metric: "accuracy", System: name, Value: 0.5, ValueLow: math.NaN(), ValueHigh: math.Inf(1), Low: 1, High: 3 - i, TiedForFirst: true})
		if i > 0 {
			list = append(list, comparison.Difference{
				Change: comparison.Change{Name: "accuracy", A: 0.5, B: 0.5 + 1e-17, Low: -0.1, High: 0.1, PAdjusted: 0.5, Pairing: comparison.Paired, Verdict: comparison.NoSignificantChange}, SystemA: "x", SystemB: name,
			})
		}
	}
	l.Differences = tabular.ListOf(list)
	dir := t.TempDir()
	require.NoError(t, comparison.Write(l, func(name string) (io.Writer, error) { return os.Create(filepath.Join(dir, name)) }))
	page := filepath.Join(dir, comparison.HTML)
	require.Contains(t, drawnAgain(t, page), "Differences: accuracy")

	written, err := os.ReadFile(filepath.Join(dir, comparison.JSON))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, comparison.JSON), bytes.Replace(written, []byte(`"level": 0.95`), []byte(`"level": 2`), 1), 0o600))
	code, _, stderr := do(t, dir)
	require.Equal(t, command.BadUsage, code)
	require.Contains(t, stderr, "comparison.json: leaderboard: level: 2: expected a number between 0 and 1")
}

func TestReportFails(t *testing.T) {
	empty, broken, other := t.TempDir(), finished(t), compared(t)
	require.NoError(t, os.WriteFile(filepath.Join(other, comparison.QueriesParquet), []byte("PAR1"), 0o600))
	newer := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(newer, comparison.JSON), []byte(`{"schema":"beameval.comparison/v2"}`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(broken, report.CurvesParquet), []byte("PAR1"), 0o600))
	edited := compared(t)
	written, err := os.ReadFile(filepath.Join(edited, comparison.JSON))
	require.NoError(t, err)
	written = bytes.Replace(written, []byte(`"verdict":"no significant change"`), []byte(`"verdict":""`), 1)
	require.NoError(t, os.WriteFile(filepath.Join(edited, comparison.JSON), written, 0o600))
	long := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(long, report.MetricsJSON), []byte(`{"schema":"beameval.report/v1","examples":1`+strings.Repeat("0", 1_000_000)+"}"), 0o600))
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{long}, command.BadUsage, "000… (1000001 bytes) into Go struct field"},
		{nil, command.BadUsage, "report: expected one directory with a finished report, comparison or monitor, found 0: report DIR\n"},
		{[]string{"a", "b"}, command.BadUsage, "found 2"},
		{[]string{"--outptu", "x"}, command.BadUsage, "unknown flag --outptu; did you mean --output? --help lists all"},
		{[]string{"gs://bucket/report"}, command.BadUsage, "gs://bucket/report is not local: set --output to a local file for the page"},
		{[]string{empty, "--output", "s3://bucket/page.html"}, command.BadUsage, "--output: s3://bucket/page.html is not a local file"},
		{[]string{filepath.Join(empty, "nope")}, command.BadUsage, "nope does not exist: expected the directory of a finished report, comparison or monitor\n"},
		{[]string{"file://" + empty + "/nope"}, command.BadUsage, "nope does not exist: expected the directory of a finished report, comparison or monitor\n"},
		{[]string{edited}, command.BadUsage, `difference 1: verdict: "": expected one of ["worse" "better" "no significant change" "unknown"]`},
		{[]string{other, "--output", filepath.Join(empty, "page.html")}, command.BadUsage, "comparison_queries.parquet"},
		{[]string{finished(t), "--output", filepath.Join(empty, "no", "page.html")}, command.BadUsage, "page.html does not exist: create it, or choose another file\n"},
		{[]string{finished(t), "--output", other}, command.Failed, other},
		{[]string{empty}, command.BadUsage, "report: " + empty + " is no finished report, comparison or monitor: it has no metrics.json, no comparison.json, no monitor.json and no monitors.json\n"},
		{[]string{broken}, command.BadUsage, broken + ": report: curves.parquet: "},
		{[]string{other}, command.BadUsage, other + ": comparison: comparison_queries.parquet: "},
		{[]string{newer}, command.BadUsage, `the schema is "beameval.comparison/v2", not "beameval.comparison/v1"`},
	} {
		code, _, stderr := do(t, test.args...)
		require.Equal(t, test.code, code, stderr)
		require.Contains(t, stderr, test.want)
		require.Less(t, len(stderr), 1000)
	}
	left, err := os.ReadDir(empty)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestReportInterrupted: a signal arrives while the reports are read, or while the page is written.
func TestReportInterrupted(t *testing.T) {
	dir := finished(t)
	before, err := os.ReadFile(filepath.Join(dir, report.ReportHTML))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	require.Equal(t, command.Failed, command.Run(ctx, Command(), []string{dir}, &stdout, &stderr))
	require.Equal(t, "report: interrupted; nothing was written\n", stderr.String())
	require.Empty(t, stdout.String())
	after, err := os.ReadFile(filepath.Join(dir, report.ReportHTML))
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestReportAfterAKilledOne: the leftovers of a killed run are removed, but not the files of a live
// one.
func TestReportAfterAKilledOne(t *testing.T) {
	dir := finished(t)
	killed := filepath.Join(dir, ".report.html.tmp-ID-00000000")
	require.NoError(t, os.MkdirAll(filepath.Join(killed, "new"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(killed, ".owner"), nil, 0o666))
	require.NoError(t, files.Replace(t.Context(), filepath.Join(dir, "other.html"), func(io.Writer) error {
		atWork, err := filepath.Glob(filepath.Join(dir, ".*"))
		require.NoError(t, err)
		require.Len(t, atWork, 1)
		drawnAgain(t, filepath.Join(dir, report.ReportHTML))
		require.DirExists(t, atWork[0])
		return nil
	}))
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
