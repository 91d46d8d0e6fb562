package monitor

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/interrupted"
	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/jobs/internal/command"
)

// finish writes a finished report of a night with some metrics in some slices. From a night on, the
// values of the first metric are lower, overall and in the first slice.
func finish(t testing.TB, root string, night, metrics, slices, worse int) {
	t.Helper()
	r := &report.Report{Task: "binary", Examples: 1000, Confidence: &report.Folding{Level: 0.95, Folds: 50}}
	for m := range metrics {
		for s := range slices + 1 {
			row := report.Row{Name: []string{"accuracy", "precision", "recall", "f1", "roc_auc", "average_precision", "mcc", "specificity"}[m], Support: 1000}
			if s > 0 {
				row.Slice = slice.Key{{Column: "shop", Value: slice.Int(int64(s))}}
			}
			row.Value = 0.9 + float64((night*7919+m*131+s*17)%101)/5000
			if night >= worse && m == 0 && s <= 1 {
				row.Value -= 0.1
			}
			row.Confidence = &report.Confidence{Low: row.Value - 0.01, High: row.Value + 0.01, StdError: 0.005, DOF: 49, Folds: 50, Method: "jackknife"}
			r.Metrics = append(r.Metrics, row)
		}
	}
	dir := filepath.Join(root, "dt="+time.Date(2025, 10, 1+night, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, export.Write(r, nil, nil, func(name string) (io.Writer, error) {
		f, err := os.Create(filepath.Join(dir, name))
		t.Cleanup(func() { f.Close() })
		return f, err
	}))
}

// run runs the command.
func run(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errors bytes.Buffer
	code = command.Run(t.Context(), Command(), args, &out, &errors)
	return code, out.String(), errors.String()
}

// nights writes 40 reports in a new working directory. The first metric falls at the 31st.
func nights(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for night := range 40 {
		if night != 20 { // lost
			finish(t, "reports", night, 2, 2, 30)
		}
	}
}

func TestMonitor(t *testing.T) {
	nights(t)
	code, stdout, stderr := run(t, "reports", "--output", "out")
	require.Equal(t, command.GateFailed, code, stderr)
	require.Regexp(t, `^monitor: 2 alarms: accuracy(: shop=1)? since 2025-10-31; accuracy(: shop=1)? since 2025-10-31\n$`, stderr)
	require.Contains(t, stdout, "binary: 2 alarms in 6 series; 39 nights, 2025-10-01 to 2025-11-09\n metric")
	require.Contains(t, stdout, "\nmonitor: out\n")
	for _, name := range []string{monitor.JSON, monitor.CSV, monitor.Parquet, monitor.HTML, monitor.Prometheus, monitor.Summary} {
		require.FileExists(t, filepath.Join("out", name))
	}
	summary, err := os.ReadFile("out/summary.txt")
	require.NoError(t, err)
	require.Equal(t, stdout, string(summary)+"\nmonitor: out\n")

	// Without an output, the summary or monitor.json is printed alone.
	code, stdout, _ = run(t, "reports")
	require.Equal(t, command.GateFailed, code)
	require.Equal(t, string(summary), stdout)
	want, err := os.ReadFile("out/monitor.json")
	require.NoError(t, err)
	for _, args := range [][]string{{"reports", "--json"}, {"reports", "--json", "--output", "again"}} {
		code, stdout, _ = run(t, args...)
		require.Equal(t, command.GateFailed, code)
		require.Equal(t, string(want), stdout)
	}
	require.FileExists(t, "again/monitor.json")

	// Acknowledged alarms are not raised again, and a finished monitor is replaced if that is asked for.
	code, _, stderr = run(t, "reports", "--output", "out", "--since", "2025-11-09")
	require.Equal(t, command.BadUsage, code)
	require.Contains(t, stderr, "--overwrite replaces a finished monitor")
	code, stdout, stderr = run(t, "reports/dt=2025-1*", "--output", "out", "--since", "2025-11-09", "--overwrite")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "binary: no alarm in 6 series")
}

// What is monitored is configured in the file of the evaluation.
func TestConfiguration(t *testing.T) {
	nights(t)
	require.NoError(t, os.WriteFile("m.yaml", []byte("monitor: {metrics: [precision], slices: none, bounds: [{metric: precision, slice: {shop: 2}, min: 0.99}]}"), 0o644))
	code, stdout, stderr := run(t, "reports", "-o", "out", "-c", "m.yaml")
	require.Equal(t, command.GateFailed, code, stderr)
	require.Regexp(t, `^monitor: an alarm: precision: shop=2, min 0\.99, since 2025-1\d-\d\d\n$`, stderr)
	require.Contains(t, stdout, "1 alarm in 1 series and 1 bound;")
}

// A damaged report is left out, unless --strict is set.
func TestStrict(t *testing.T) {
	nights(t)
	broken := "reports/dt=2025-10-05/metrics.json"
	require.NoError(t, os.WriteFile(broken, []byte("{"), 0o644))
	code, stdout, _ := run(t, "reports", "-o", "out")
	require.Equal(t, command.GateFailed, code)
	require.Contains(t, stdout, "1 report left out, see monitor.json")
	data, err := os.ReadFile("out/monitor.json")
	require.NoError(t, err)
	require.Contains(t, string(data), `{"report":"reports/dt=2025-10-05","reason":"`)
	code, _, stderr := run(t, "reports", "-o", "strict", "--strict")
	require.Equal(t, command.BadUsage, code)
	require.Contains(t, stderr, broken)
	require.NoDirExists(t, "strict")
}

// TestRefused: errors are reported on a line, and nothing is written.
func TestRefused(t *testing.T) {
	nights(t)
	require.NoError(t, os.WriteFile("typo.yaml", []byte("monitor: {metrcs: []}"), 0o644))
	require.NoError(t, os.WriteFile("metric.yaml", []byte("monitor: {metrics: [acuracy]}"), 0o644))
	for _, c := range []struct {
		want string
		args []string
	}{
		{"no reports: monitor REPORTS..., where each of REPORTS is a directory of reports or a glob", []string{"-o", "out"}},
		{`--since: "yesterday" is no date: expected one such as 2026-11-19`, []string{"reports", "-o", "out", "--since", "yesterday"}},
		{"there is no finished report in", []string{"none", "-o", "out"}},
		{"the reference: there is no report in none", []string{"reports", "-o", "out", "--reference", "none"}},
		{"reports: output exists and is not empty", []string{"reports", "-o", "reports"}},
		{"--config: ", []string{"reports", "-o", "out", "-c", "none.yaml"}},
		{`typo.yaml:1:11: unknown key "metrcs" in monitor (did you mean "metrics"?)`, []string{"reports", "-o", "out", "-c", "typo.yaml"}},
		{`metric.yaml:1:21: monitor.metrics[0]: unknown metric "acuracy" of task binary; did you mean "accuracy"?`, []string{"reports", "-o", "out", "-c", "metric.yaml"}},
		{"unknown flag --sinse; did you mean --since?", []string{"reports", "-o", "out", "--sinse", "x"}},
	} {
		code, stdout, stderr := run(t, c.args...)
		require.Equal(t, command.BadUsage, code, c.want)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "monitor: "+c.want)
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		require.NoDirExists(t, "out")
	}
}

// The message names a few alarms and counts the others.
func TestMessage(t *testing.T) {
	m := &monitor.Monitor{}
	for i := range 5 {
		m.Series = append(m.Series, monitor.Series{Metric: fmt.Sprintf("m%d", i), Alarm: true, Since: "2026-11-19"})
	}
	require.Equal(t, "5 alarms: m0 since 2026-11-19; m1 since 2026-11-19; m2 since 2026-11-19; and 2 more", message(m.Alarms(), m.Alarmed()))
}

// BenchmarkMonitor looks at 400 reports of eight metrics in 100 slices.
func BenchmarkMonitor(b *testing.B) {
	dir := b.TempDir()
	for night := range 400 {
		finish(b, dir, night, 8, 100, 390)
	}
	for i := 0; b.Loop(); i++ {
		code, _, stderr := run(b, dir, "--output", filepath.Join(b.TempDir(), fmt.Sprint(i)))
		require.Equal(b, command.GateFailed, code, stderr)
	}
}

// TestInterrupted: the command can be interrupted at any time until the result is complete, and
// leaves nothing.
func TestInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	for night := range 3 {
		finish(t, "reports", night, 1, 1, 30)
	}
	for looks := int32(0); ; looks++ {
		ctx := interrupted.After(t.Context(), looks)
		var stdout, stderr bytes.Buffer
		code := command.Run(ctx, Command(), []string{"reports", "--output", "out"}, &stdout, &stderr)
		left, err := filepath.Glob("*") // hidden ones as well
		require.NoError(t, err)
		if code == 0 {
			require.Equal(t, []string{"out", "reports"}, left)
			require.Greater(t, looks, int32(10), "it is looked at while it is written")
			return
		}
		require.Equal(t, command.Failed, code, "%d: %s", looks, stderr.String())
		require.Equal(t, "monitor: interrupted; nothing was written\n", stderr.String(), looks)
		require.Empty(t, stdout.String(), looks)
		require.Equal(t, []string{"reports"}, left, looks)
	}
}
