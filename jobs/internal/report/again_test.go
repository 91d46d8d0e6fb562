package report

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/evaluate"
)

// TestAgain: with --metrics and --set, statistics are evaluated again.
func TestAgain(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	text := "id,label,score\n"
	for i := range 200 {
		text += fmt.Sprintf("%d,%d,%.4f\n", i, i*i%7%2, float64(i*37%101)/101)
	}
	require.NoError(t, os.WriteFile("night.csv", []byte(text), 0o644))
	run := func(verb *cobra.Command, args ...string) (code int, stdout, stderr string) {
		var out, errors bytes.Buffer
		code = command.Run(t.Context(), verb, args, &out, &errors)
		return code, out.String(), errors.String()
	}
	of := func(output string, more ...string) {
		code, _, stderr := run(evaluate.Command(), append([]string{"--input", "night.csv", "--output", output, "--set", "curves.mode=bounded", "--quiet"}, more...)...)
		require.Contains(t, []int{0, command.GateFailed}, code, stderr)
	}
	gates := []string{"--metrics", "f1,recall", "--set", "gates=[{metric: f1, min: 0.99}]", "--set", "zero_division=1"}
	of("first", "--set", "output.statistics=true")
	of("wanted", gates...)
	code, stdout, stderr := run(Command(), append([]string{"first", "--output", "again"}, gates...)...)
	require.Equal(t, command.GateFailed, code, stderr)
	require.Contains(t, stdout, "report: again")
	for _, name := range []string{"metrics.json", "metrics.parquet", "report.html", "report.md", "curves.parquet"} {
		want, wanted := os.ReadFile("wanted/" + name)
		made, err := os.ReadFile("again/" + name)
		require.Equal(t, wanted == nil, err == nil, name)
		require.Equal(t, string(want), string(made), name)
	}
	for want, args := range map[string][]string{
		"report: no output: set --output to the directory of the new report":                         {"first", "--metrics", "f1"},
		"report: --output: ./first is the report whose statistics are evaluated":                     {"first", "--output", "./first", "--metrics", "f1"},
		"report: wanted has no statistics.bin":                                                       {"wanted", "--output", "new", "--metrics", "f1"},
		"report: curves.bins cannot be set for statistics that exist":                                {"first", "--output", "new", "--set", "curves.bins=5"},
		"report: --metrics: metrics[0]: unknown metric \"f\" of task binary":                         {"first", "--output", "new", "--metrics", "f"},
		"report: again: output exists and is not empty":                                              {"first", "--output", "again", "--metrics", "f1"},
		"report: --overwrite, --json and --quiet are for a report that is evaluated again":           {"first", "--json"},
		"report: expected one directory with a finished report, found 0: report DIR --output NEW --": {"--metrics", "f1"},
	} {
		code, _, stderr := run(Command(), args...)
		require.Equal(t, command.BadUsage, code, args)
		require.Contains(t, stderr, want)
		require.NoDirExists(t, "new")
	}
}
