package evaluate

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/jobs/internal/command"
)

// nightly is what a job runs each night.
const nightly = `
confidence: {groups: 20, by: id}
metrics: [accuracy, f1, roc_auc]
checks: {off: [inverted_scores, no_better_than_chance]}
gates:
  - {metric: accuracy, max_drop: 0.2}
  - {metric: accuracy, max_drop: 0.01, sure: true}
  - {metric: f1, max_drop: 5%, sure: true}
baseline: reports/dt=*`

// night returns the predictions of a night, some of them wrong, and the name of its folder. Each
// night has other examples.
func night(i, wrong int) (rows, day string) {
	lines := []string{"id:string label:int64 score:double"}
	for n := range 200 + i {
		label := n % 2
		score := 0.6 + float64(n%7)/100
		if right := n*7%40 >= wrong; right == (label == 0) {
			score = 1 - score
		}
		lines = append(lines, fmt.Sprintf("%d-%d %d %v", i, n, label, score))
	}
	return strings.Join(lines, "\n"), "dt=" + time.Date(2026, 10, 28+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// evaluateNight evaluates a night into reports, and returns the directories that it was compared
// with.
func evaluateNight(t *testing.T, dir, day string, code int, args ...string) (baseline []string, stdout string) {
	t.Helper()
	got, stdout, stderr := evaluated(t, dir, nightly, append([]string{"--input", "predictions/" + day, "--output", "reports/" + day}, args...)...)
	require.Equal(t, code, got, "%s: %s%s", day, stdout, stderr)
	var run struct{ Baseline []string }
	data, err := os.ReadFile(filepath.Join(dir, "reports", day, report.RunJSON))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &run))
	return run.Baseline, stdout
}

// TestNights is a month of a nightly job: the first night has no baseline, one night is missing,
// one model is bad, and one night is evaluated again.
func TestNights(t *testing.T) {
	const nights, missing, bad, again = 30, 12, 20, 8
	dir, days := t.TempDir(), []string(nil)
	for i := range nights {
		wrong := 3 + i%2
		if i == bad {
			wrong = 30
		}
		rows, day := night(i, wrong)
		days = append(days, day)
		if i == missing {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "reports", day), 0o777)) // it did not finish
			continue
		}
		writeTable(t, filepath.Join(dir, "predictions", day, "p.parquet"), rows)
		code, want, before := 0, report.Pass, i-1
		switch i {
		case bad:
			code, want = command.GateFailed, report.Fail
		case missing + 1:
			before--
		}
		baseline, stdout := evaluateNight(t, dir, day, code)
		r := readReport(t, filepath.Join(dir, "reports", day))
		require.Len(t, r.Gates, 3)
		if i == 0 {
			require.Empty(t, baseline)
			require.Equal(t, []string{"there is no baseline, so max_drop and max_rise are not judged (gates: 3)"}, r.Warnings())
			require.Equal(t, 3, report.CountVerdicts(r.Gates)[report.Unknown])
			continue
		}
		require.Equal(t, []string{"reports/" + days[before]}, baseline)
		require.Empty(t, r.Warnings())
		require.Equal(t, 3, report.CountVerdicts(r.Gates)[want])
		require.Equal(t, 1, strings.Count(stdout, "unpaired"), stdout)
		require.Equal(t, 1, r.Baseline.Reports)
		require.Regexp(t, "^the baseline, a, and this report, b: the examples differ: a has [0-9]+, b has [0-9]+: differences are unpaired", r.Baseline.Note)
	}

	t.Run("again", func(t *testing.T) {
		file := filepath.Join(dir, "reports", days[again], report.MetricsJSON)
		old, err := os.ReadFile(file)
		require.NoError(t, err)
		baseline, _ := evaluateNight(t, dir, days[again], 0, "--overwrite")
		require.Equal(t, []string{"reports/" + days[again-1]}, baseline, "neither its own report nor that of a later night")
		now, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(old), string(now))
	})
	t.Run("first again", func(t *testing.T) {
		baseline, _ := evaluateNight(t, dir, days[0], 0, "--overwrite")
		require.Empty(t, baseline)
	})
	t.Run("without an output", func(t *testing.T) {
		temp := filepath.Join(t.TempDir(), "2026-10-01") // older than all nights, but the date of no report
		require.NoError(t, os.MkdirAll(temp, 0o777))
		cmd := process(t.Context(), dir, temp, "-c", "eval.yaml", "-i", "predictions/"+days[nights-1], "--json")
		code, _, stderr := finish(t, cmd)
		require.Zero(t, code, stderr)
		require.Contains(t, stderr, "baseline: reports/"+days[nights-1]+"\n")
	})
	t.Run("window", func(t *testing.T) {
		const last = nights - 1
		gates := "[{metric: accuracy, max_drop: 0.05}, {metric: f1, max_rise: 1%, min: 0.5}]"
		_, stdout := evaluateNight(t, dir, days[last], 0, "--overwrite", "--baseline-window", "7", "--set", "gates="+gates)
		var want []string
		var accuracy []float64
		for i := last - 1; i >= last-7; i-- {
			want = append(want, "reports/"+days[i])
			accuracy = append(accuracy, accuracyOf(t, dir, days[i]))
		}
		baseline, _ := evaluateNight(t, dir, days[last], 0, "--overwrite", "--baseline-window", "7", "--set", "gates="+gates)
		require.Equal(t, want, baseline)
		slices.Sort(accuracy)
		r := readReport(t, filepath.Join(dir, "reports", days[last]))
		require.InDelta(t, accuracyOf(t, dir, days[last])-accuracy[3], r.Gates[0].Difference, 1e-15)
		require.Contains(t, stdout, "differences are from the medians of 7 reports")
		require.Equal(t, 7, r.Baseline.Reports)
		require.Empty(t, r.Baseline.Note)
		require.Empty(t, r.Warnings())
	})
}

// accuracyOf returns the accuracy in the report of a night.
func accuracyOf(t *testing.T, dir, day string) float64 {
	for _, row := range readReport(t, filepath.Join(dir, "reports", day)).Metrics {
		if row.Name == "accuracy" && len(row.Slice) == 0 && row.Label == nil {
			return row.Value
		}
	}
	t.Fatal("no accuracy")
	return 0
}
