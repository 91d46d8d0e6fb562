package compare

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/interrupted"
	"github.com/beameval/beameval/jobs/internal/command"
)

// rank runs the command in a directory with the reports runs/bm25, runs/dense and runs/sparse, and
// with reports of two systems on two data sets in sets.
func rank(t *testing.T, config string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for i, name := range []string{"bm25", "dense", "sparse"} {
		write(t, filepath.Join("runs", name), "binary", 0.75+float64(i)/8, float64(i)*1e-3)
	}
	for i, dir := range []string{"trec/bm25", "trec/dense", "beir/bm25", "beir/dense"} {
		write(t, filepath.Join("sets", dir), "binary", 0.75+float64(i)/16, float64(i)*1e-3)
	}
	write(t, "other", "multiclass", 0.5, 1e-3)
	require.NoError(t, os.WriteFile("gates.yaml", []byte(config), 0o644))
	if config != "" {
		args = append(args, "--config", "gates.yaml")
	}
	var out, errors bytes.Buffer
	code = command.Run(t.Context(), Command(), args, &out, &errors)
	return code, out.String(), errors.String()
}

// leaderboards are the files of a comparison of several systems.
var leaderboards = []string{"comparison.json", "comparison.csv", "comparison.parquet", "comparison.md", "comparison.html", "leaderboard.csv", "leaderboard.md", "leaderboard.tex"}

func TestSystems(t *testing.T) {
	code, stdout, stderr := rank(t, "", "runs/*", "--output", "out", "--adjust=holm", "--reference", "dense")
	require.Zero(t, code, stderr)
	require.Empty(t, stderr)
	require.Equal(t, `binary, 3 systems compared with dense
 8 differences: 2 worse, 2 better, 0 with no significant change, 4 unknown.

 system      accuracy            f1
────────────────────────────────────
 sparse  1.0000 (1) ▲  0.5000 (1–3)
 dense     0.8750 (2)  0.5000 (1–3)
 bm25    0.7500 (3) ▼  0.5000 (1–3)

comparison: out
`, stdout)
	for _, name := range leaderboards {
		require.FileExists(t, filepath.Join("out", name))
	}
	require.NoFileExists(t, "out/comparison_curves.parquet")

	// It replaces a comparison of two reports, and is replaced by one.
	run := func(args ...string) (int, string) {
		var out, errors bytes.Buffer
		return command.Run(t.Context(), Command(), append(args, "--output", "out"), &out, &errors), errors.String()
	}
	code, stderr = run("runs")
	require.Equal(t, command.BadUsage, code)
	require.Contains(t, stderr, "--overwrite replaces a finished comparison")
	for _, reports := range [][]string{{"runs/bm25", "runs/dense"}, {"runs"}, {"runs", "--all-pairs", "--adjust-over", "systems,metrics", "--adjust", "maxt"}} {
		code, stderr = run(append(reports, "--overwrite")...)
		require.Zero(t, code, stderr)
		_, err := os.Stat("out/leaderboard.csv")
		require.Equal(t, reports[0] == "runs", err == nil)
	}
	content, err := os.ReadFile("out/comparison.json")
	require.NoError(t, err)
	require.Contains(t, string(content), `"a":"dense","b":"sparse"`)
}

// TestTwoOfMany: a pattern that stands for two reports compares these as if they were named.
func TestTwoOfMany(t *testing.T) {
	code, stdout, stderr := rank(t, "", "sets/trec", "--output", "out")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "binary: dense compared with bm25\n a: bm25, sets/trec/bm25, 100 examples\n")
}

func TestDataSets(t *testing.T) {
	code, stdout, stderr := rank(t, "", "sets/*/*", "--output", "out", "--by-dataset", "--reference", "bm25")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "binary, 2 systems compared with bm25, on 2 data sets\n")
	require.Contains(t, stdout, " accuracy: Friedman χ² = 2.0000 with 1 degrees of freedom")
	content, err := os.ReadFile("out/comparison.html")
	require.NoError(t, err)
	require.Contains(t, string(content), "Mean ranks: accuracy")
}

// TestGatesOfSystems: each system is judged against the reference.
func TestGatesOfSystems(t *testing.T) {
	code, stdout, stderr := rank(t, "gates: [{metric: accuracy, max_drop: 0.1, sure: true}]", "runs", "--output", "out", "--reference", "runs/dense")
	require.Equal(t, command.GateFailed, code)
	require.Equal(t, "compare: a gate failed: 1 of 2, see the comparison\n", stderr)
	require.Contains(t, stdout, `
 fail  bm25: accuracy    overall  max drop 0.1, sure  0.7500 (-0.1250)
 pass  sparse: accuracy  overall  max drop 0.1, sure  1.0000 (+0.1250)
`)
}

// TestInterruptedRanking: the command can be interrupted at any time until the comparison is complete.
func TestInterruptedRanking(t *testing.T) {
	code, _, stderr := rank(t, "", "runs", "--output", "first")
	require.Zero(t, code, stderr)
	for looks := int32(0); ; looks++ {
		ctx := interrupted.After(t.Context(), looks)
		var stdout, stderr bytes.Buffer
		code := command.Run(ctx, Command(), []string{"runs", "--output", "out"}, &stdout, &stderr)
		if code == 0 {
			require.Greater(t, looks, int32(10), "it is looked at while systems are compared")
			return
		}
		require.Equal(t, command.Failed, code, looks)
		require.Equal(t, "compare: interrupted; nothing was written\n", stderr.String(), looks)
		require.NoDirExists(t, "out")
	}
}

func TestRefusedSystems(t *testing.T) {
	for want, args := range map[string][]string{
		`--reference: there is no system "sprse"; did you mean "sparse"? The systems are "bm25", "dense", "sparse"`: {"runs", "--reference", "sprse"},
		"runs/bm25/ is given twice":                                                                           {"runs/bm25", "runs/dense", "runs/bm25/"},
		"there is no report in none/*; as predictions: ":                                                      {"runs", "none/*"},
		"the reports are of different tasks: runs/bm25 is binary, other is multiclass":                        {"runs", "other"},
		`--adjust-over: unknown "slices": expected systems or systems,metrics`:                                {"runs", "--adjust-over", "slices"},
		`system "sparse" has no report on data set "beir": every system needs one on each of the 3 data sets`: {"sets", "runs", "--by-dataset"},
		`all reports are of data set "runs": --by-dataset needs at least two`:                                 {"runs", "--by-dataset"},
	} {
		code, stdout, stderr := rank(t, "", append(args, "--output", "out")...)
		require.Equal(t, command.BadUsage, code)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "compare: "+want)
		require.NoDirExists(t, "out")
	}
	t.Chdir(t.TempDir())
	for i := range 51 {
		write(t, fmt.Sprintf("runs/%02d", i), "binary", 0.5, 1e-3)
	}
	var stdout, stderr bytes.Buffer
	require.Equal(t, command.BadUsage, command.Run(t.Context(), Command(), []string{"runs", "--output", "out"}, &stdout, &stderr))
	require.Equal(t, "compare: there are 51 reports: at most 50 systems can be compared at once\n", stderr.String())
}
