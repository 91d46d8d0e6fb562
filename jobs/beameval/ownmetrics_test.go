package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOwnMetrics: a program of three lines with a metric of its own is a complete command.
func TestOwnMetrics(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "ownmetrics")
	built, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./testdata/ownmetrics").CombinedOutput()
	require.NoError(t, err, "%s", built)
	data, err := filepath.Abs("../../testdata/breast_cancer/*.parquet")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "eval.yaml"), []byte(`
task: binary
input: {columns: {label: label, score: score}}
positive_label: malignant
metrics: [cost, f1]
gates:
  - {metric: cost, max: 1}
output: {formats: [json, html, parquet]}
`), 0o666))
	own := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	for _, output := range []string{"a", "b"} {
		require.Contains(t, own("evaluate", "--config", "eval.yaml", "--input", data, "--output", output), "cost")
	}
	require.Contains(t, own("compare", "a", "b", "--output", "compared"), "cost")
	page := filepath.Join(dir, "a", "report.html")
	first, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(first), "10 if a positive is missed")
	require.NoError(t, os.Remove(page))
	own("report", "a")
	again, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, string(first), string(again))

	code, _, stderr := run(t, "evaluate", "--config", filepath.Join(dir, "eval.yaml"), "--input", data, "--output", filepath.Join(dir, "c"))
	require.Equal(t, 2, code)
	require.Contains(t, stderr, `"cost"`, "beameval itself has no such metric")
}
