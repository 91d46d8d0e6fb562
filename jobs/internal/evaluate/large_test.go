package evaluate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/jobs/internal/command"
)

// TestLargeReports: whether the rows are in metrics.json or in metrics.parquet, the
// gates on a baseline are the same.
func TestLargeReports(t *testing.T) {
	dir := t.TempDir()
	rows, _ := night(0, 3)
	writeTable(t, filepath.Join(dir, "preds.parquet"), rows)
	config := "slices: [label]\nmetrics: [accuracy, f1]\ngates: [{metric: accuracy, slice: {label: 1}, max_drop: 0.01}]\nbaseline: base\nbaseline_missing: unknown"
	evaluate := func(out, limit string) string {
		code, stdout, stderr := evaluated(t, dir, config, "-i", "preds.parquet", "-o", out, "--set", "output.json_rows="+limit)
		require.Zero(t, code, stderr)
		return stdout
	}
	evaluate("base", "1")
	_, err := report.Read(contents(t, dir, "base", report.MetricsJSON))
	require.ErrorContains(t, err, "omits metric rows")
	whole, part := evaluate("whole", "0"), evaluate("part", "1")
	const warning = "metrics.json has only"
	require.NotContains(t, whole, warning)
	require.Contains(t, part, warning)
	got := readReport(t, filepath.Join(dir, "part"))
	require.Equal(t, readReport(t, filepath.Join(dir, "whole")).Metrics, got.Metrics)
	require.Equal(t, report.Pass, got.Gates[0].Verdict)
	require.Equal(t, contents(t, dir, "whole", report.MetricsParquet), contents(t, dir, "part", report.MetricsParquet))
}

// TestValidateKnowsTheLimitsOfRunners: what a runner would refuse is not called valid.
func TestValidateKnowsTheLimitsOfRunners(t *testing.T) {
	dir := t.TempDir()
	rows := "query_id:string label:int64 score:double" + strings.Repeat("\n"+strings.Repeat("q", 1<<20)+" 1 0.5", 20)
	writeTable(t, filepath.Join(dir, "preds.parquet"), rows)
	const config = "task: ranking\nmetrics: [mrr]\ninput: {max_name_kib: 2048}"
	const want = "evaluate: runner %s: preds.parquet: row group 0 has 20 rows, of which about 166 MB would be shuffled; Beam's job server takes at most 150 MB of a row group: "
	for _, runner := range []string{"flink", "spark"} {
		for _, printed := range []string{"--print_config=false", "--print_config"} {
			code, stdout, stderr := evaluated(t, dir, config, "-i", "preds.parquet", "-o", "out", "--validate", "--runner", runner, "--endpoint", "localhost:1", printed)
			require.Equal(t, command.BadUsage, code, stdout)
			require.Empty(t, stdout)
			require.Contains(t, stderr, fmt.Sprintf(want, runner))
			require.Contains(t, stderr, "write row groups of at most 18 rows")
		}
	}
	code, stdout, stderr := evaluated(t, dir, config, "-i", "preds.parquet", "-o", "out", "--validate", "--runner", "prism")
	require.Zero(t, code, stderr)
	require.Equal(t, "valid: files 1, row groups 1, rows 20\n", stdout)
}

// contents returns the bytes of a file of a report.
func contents(t *testing.T, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return data
}
