package merge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/evaluate"
)

// run runs a command.
func run(t *testing.T, verb *cobra.Command, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errors bytes.Buffer
	code = command.Run(t.Context(), verb, args, &out, &errors)
	return code, out.String(), errors.String()
}

// nights evaluates three nights in a new working directory.
func nights(t *testing.T, more ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	for night := 1; night <= 3; night++ {
		text := "id,label,score,country\n"
		for i := range 100 * night {
			text += fmt.Sprintf("%d-%d,%d,%.4f,%s\n", night, i, i*i%7%2, float64(i*37%101)/101, []string{"de", "fr"}[i%2])
		}
		require.NoError(t, os.WriteFile("night.csv", []byte(text), 0o644))
		args := append([]string{"--input", "night.csv", "--slice", "country", "--output", fmt.Sprintf("reports/dt=2026-11-0%d", night), "--set", "output.statistics=true", "--quiet"}, more...)
		code, _, stderr := run(t, evaluate.Command(), args...)
		require.Contains(t, []int{0, command.GateFailed}, code, stderr)
	}
}

// TestMerge: the summary, the report, and what is left out.
func TestMerge(t *testing.T) {
	nights(t, "--set", "worst_examples=5", "--set", "confidence={}")
	code, stdout, stderr := run(t, Command(), "reports/dt=2026-11-*", "--output", "week")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "binary: 600 of 600 rows evaluated")
	require.Contains(t, stdout, "report: week")
	leftOut := []string{"check duplicate_examples, which needs ids", "exact curves, in whose place there are bounded ones: values within low and high", "metric ace, which needs exact curves"}
	const start = "left out, because it cannot be merged: "
	require.Equal(t, start+strings.Join(leftOut, "\n"+start)+"\n", stderr)
	var ran struct {
		Merged struct {
			Reports []string
			LeftOut []string `json:"left_out"`
		}
	}
	data, err := os.ReadFile("week/run.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &ran))
	require.Equal(t, []string{"reports/dt=2026-11-01", "reports/dt=2026-11-02", "reports/dt=2026-11-03"}, ran.Merged.Reports)
	require.Equal(t, leftOut, ran.Merged.LeftOut)

	code, _, stderr = run(t, Command(), "reports", "--output", "week")
	require.Equal(t, command.BadUsage, code)
	require.Contains(t, stderr, "merge: week: output exists and is not empty")
	code, stdout, stderr = run(t, Command(), "reports", "--output", "reports/week", "--json", "--quiet")
	require.Zero(t, code, stderr)
	require.Empty(t, stderr)
	require.True(t, json.Valid([]byte(stdout)))
	code, again, stderr := run(t, Command(), "reports", "--output", "reports/week", "--json", "--quiet", "--overwrite")
	require.Zero(t, code, stderr)
	require.Equal(t, stdout, again) // the report that is replaced is none of the parts
}

// TestMergeGates: a gate that fails is exit code 3.
func TestMergeGates(t *testing.T) {
	nights(t, "--set", "gates=[{metric: accuracy, min: 0.99}]")
	code, stdout, stderr := run(t, Command(), "reports", "--output", "week", "--quiet")
	require.Equal(t, command.GateFailed, code)
	require.Contains(t, stderr, "merge: a gate failed: 1 of 1, see the report")
	require.Contains(t, stdout, "report: week")
}

// TestMergeErrors: what is wrong with the arguments.
func TestMergeErrors(t *testing.T) {
	nights(t)
	require.NoError(t, os.Remove("reports/dt=2026-11-02/statistics.bin"))
	for want, args := range map[string][]string{
		"merge: no reports: merge REPORTS... --output DIR":                                      {"--output", "week"},
		"merge: no output: set --output to the directory of the merged report":                  {"reports"},
		"merge: there is no report in nowhere":                                                  {"nowhere", "--output", "week"},
		"merge: reports/dt=2026-11-02 has no statistics.bin, which reports are merged from":     {"reports", "--output", "week"},
		"merge: reports/dt=2026-11-01 has no folder site=VALUE, whose value would be its slice": {"reports/dt=2026-11-01", "--output", "week", "--slice", "site"},
	} {
		code, _, stderr := run(t, Command(), args...)
		require.Equal(t, command.BadUsage, code)
		require.Contains(t, stderr, want)
		require.NoDirExists(t, "week")
	}
	data, err := os.ReadFile("reports/dt=2026-11-01/statistics.bin")
	require.NoError(t, err)
	data[len(data)-20]++
	require.NoError(t, os.WriteFile("reports/dt=2026-11-01/statistics.bin", data, 0o644))
	code, _, stderr := run(t, Command(), "reports/dt=2026-11-01", "--output", "week")
	require.Equal(t, command.Failed, code)
	require.Contains(t, stderr, "merge: reports/dt=2026-11-01/statistics.bin is damaged: block ")
	require.NoDirExists(t, "week")
}
