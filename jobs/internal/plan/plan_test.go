package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/jobs/internal/command"
)

// write writes a report of 1,000 examples to a directory, with a metric in two slices. Its replicates vary.
func write(t *testing.T, dir string, value, spread float64) {
	t.Helper()
	r := &report.Report{Task: "binary", Examples: 1000, Config: json.RawMessage(`{"confidence": {"groups": 20}}`), Confidence: &report.Folding{
		Level: 0.95, Folds: 20, By: "id", Digests: []report.FoldDigest{{Rows: 1000, Digest: 7}},
	}}
	for _, key := range []slice.Key{nil, {{Column: "country", Value: slice.String("de")}}} {
		row := report.Row{Name: "roc_auc", Slice: key, Value: value, Support: 1000}
		for i := range int32(20) {
			row.Folds, row.Replicates = append(row.Folds, i), append(row.Replicates, value+spread*float64(i%5-2))
		}
		row.Confidence = &report.Confidence{Low: value - 0.02, High: value + 0.02, StdError: 0.01, DOF: 19, Folds: 20, Method: "jackknife"}
		r.Metrics = append(r.Metrics, row)
	}
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, export.Write(r, nil, report.Formats(), func(name string) (io.Writer, error) {
		f, err := os.Create(filepath.Join(dir, name))
		t.Cleanup(func() { f.Close() })
		return f, err
	}))
}

// run runs the command beside ten nights.
func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for night := range 10 {
		write(t, fmt.Sprintf("reports/dt=2026-11-%02d", night+1), 0.8+0.002*float64(night%3), 1e-3*float64(1+night%2))
	}
	require.NoError(t, os.Mkdir("bare", 0o755))
	require.NoError(t, export.Write(&report.Report{Task: "binary", Metrics: []report.Row{{Name: "roc_auc", Value: 0.5}}}, nil, nil, func(name string) (io.Writer, error) {
		return os.Create(filepath.Join("bare", name))
	}))
	var out, errors bytes.Buffer
	code = command.Run(t.Context(), Command(), args, &out, &errors)
	return code, out.String(), errors.String()
}

func TestPlan(t *testing.T) {
	code, stdout, stderr := run(t, "reports/dt=2026-11-10", "--metric", "auc", "--drop", "0.01")
	require.Zero(t, code, stderr)
	require.Empty(t, stderr)
	require.Equal(t, `binary: what reports/dt=2026-11-10 can show
 differences from another, independent report of equal size; --baseline names
 one that is there

 metric   slice        value   rows   visible  power  rows for 0.01
────────────────────────────────────────────────────────────────────
 roc_auc  overall     0.8000  1,000  -0.04067   0.10         16,538
 roc_auc  country=de  0.8000  1,000  -0.04067   0.10         16,538
 visible: the smallest change for the worse that is shown with a power of 80%,
 at a level of 95%. power: the probability with which a change of 0.01 is shown,
 which takes so many rows or clusters in each report.
`, stdout)
}

// TestNights: several earlier reports say how many nights a monitor takes. The newest of them is the baseline.
func TestNights(t *testing.T) {
	code, stdout, stderr := run(t, "reports/dt=2026-11-10", "--drop", "0.01", "--baseline", "reports", "--json")
	require.Zero(t, code, stderr)
	var p struct {
		Baseline, Pairing string
		Nights            int
		Metrics           []map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &p))
	require.Equal(t, "reports/dt=2026-11-09", p.Baseline)
	require.Equal(t, "paired", p.Pairing)
	require.Equal(t, 9, p.Nights)
	require.Len(t, p.Metrics, 2)
	require.Greater(t, p.Metrics[0]["nights"], 1.0)
	require.Less(t, p.Metrics[0]["nights"], 50.0)

	code, stdout, stderr = run(t, "reports/dt=2026-11-10", "--drop", "0.01", "--baseline", "reports/dt=2026-11-0*")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "differences from reports/dt=2026-11-09, paired: both are of the same examples")
	require.Regexp(t, `as values vary\s+in\s+9\s+nights\.`, stdout)
}

// TestMisuse: what is wrong is said in one line, with exit code 2.
func TestMisuse(t *testing.T) {
	const today = "reports/dt=2026-11-10"
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "expected one report, found none: "},
		{[]string{today, "bare"}, "expected one report, found reports/dt=2026-11-10, bare: "},
		{[]string{"nowhere"}, "there is no report in nowhere: "},
		{[]string{"bare"}, "bare: the report has no standard errors: evaluate it with confidence in the configuration"},
		{[]string{today, "--drop", "0"}, "--drop: 0: expected a size above 0, such as 0.01, also where lower values are better"},
		{[]string{today, "--drop=-0.01"}, "--drop: -0.01: expected a size above 0"},
		{[]string{today, "--drop=NaN"}, "--drop: NaN: expected a size above 0"},
		{[]string{today, "--power", "1"}, "--power: 1: expected a number between 0 and 1, such as 0.8"},
		{[]string{today, "--power", "0.04"}, "the power is 0.04: a test of level 0.95 shows a difference by chance with a probability of 0.05"},
		{[]string{today, "--level", "95"}, "--level: 95: expected a number between 0 and 1, such as 0.95"},
		{[]string{today, "--metric", "roc_uac"}, `--metric: unknown metric "roc_uac" of task binary; did you mean "roc_auc"?`},
		{[]string{today, "--metric", "f1"}, `--metric: "f1" is not computed: add it to metrics`},
		{[]string{today, "--half_width", "0.01"}, "no planned metric is an estimate from labels and judgements: half_width, label_cost and judge_cost are about prediction_powered_mean and prediction_powered_accuracy of a report that was evaluated with input.columns.judged"},
		{[]string{today, "--label_cost", "2", "--judge_cost", "1"}, "no planned metric is an estimate from labels and judgements"},
		{[]string{today, "--half_width", "0"}, "--half_width: 0: expected a number above 0"},
		{[]string{today, "--half_width", "NaN"}, "--half_width: NaN: expected a number above 0"},
		{[]string{today, "--label_cost=-1", "--judge_cost", "1"}, "--label_cost: -1: expected a number above 0"},
		{[]string{today, "--label_cost=1", "--judge_cost", "Inf"}, "--judge_cost: +Inf: expected a number above 0"},
		{[]string{today, "--label_cost", "1"}, "--label_cost: the cheapest share of labels follows from two costs: give --judge_cost, too"},
		{[]string{today, "--judge_cost", "1"}, "--judge_cost: the cheapest share of labels follows from two costs: give --label_cost, too"},
		{[]string{today, "--slice", "device"}, `the report has no slices by "device": it has slices by "country"`},
		{[]string{today, "--baseline", "bare"}, "a has no replicates, so no difference is tested"},
		{[]string{today, "--baseline", "nowhere"}, `--baseline: there is no finished report in "nowhere" that is earlier than reports/dt=2026-11-10`},
		{[]string{today, "--baseline", today}, `--baseline: there is no finished report in "reports/dt=2026-11-10" that is earlier than reports/dt=2026-11-10`},
	} {
		code, stdout, stderr := run(t, c.args...)
		require.Equal(t, command.BadUsage, code, "%s: %s", c.args, stderr)
		require.Empty(t, stdout)
		require.Contains(t, stderr, c.want)
	}
}
