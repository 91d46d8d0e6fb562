package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExamples: the examples of help run as they stand, from first to last.
func TestExamples(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(args ...string) {
		t.Helper()
		code, _, stderr := run(t, args...)
		require.Zero(t, code, "%s: %s", strings.Join(args, " "), stderr)
	}
	run("generate", "--rows", "300", "--slices", "country:2", "--files", "1", "--output", "night")
	part, err := os.ReadFile("night/part-00000.parquet")
	require.NoError(t, err)
	for _, name := range []string{"predictions", "lr", "gb"} {
		require.NoError(t, os.WriteFile(name+".parquet", part, 0o644))
	}
	require.NoError(t, os.WriteFile("nightly.yaml", []byte("input: {files: predictions.parquet}\nconfidence: {}"), 0o644))
	for _, dir := range []string{"reports/dt=2026-11-18", "reports/dt=2026-11-19", "reports/dt=2026-11-27", "reports/model=a/dt=2026-11-27", "runs/bm25", "runs/a", "runs/b"} {
		run("evaluate", "--config", "nightly.yaml", "--output", dir)
	}
	run("evaluate", "--task", "binary", "--input", "predictions.parquet", "--set", "input.columns.judged=score", "--set", "confidence={}", "--output", "runs/judged")
	for _, dir := range []string{"sites/site=A", "sites/site=B"} {
		run("evaluate", "--config", "nightly.yaml", "--set", "output.statistics=true", "--output", dir)
	}
	for _, verb := range []string{"evaluate", "compare", "monitor", "merge", "plan", "sample", "report", "metrics", "generate"} {
		help, err := os.ReadFile(filepath.Join(home, "testdata", verb+"-help.txt"))
		require.NoError(t, err)
		_, examples, found := strings.Cut(string(help), "\nExamples:\n")
		require.True(t, found, verb)
		examples, _, _ = strings.Cut(examples, "\n\n")
		for line := range strings.Lines(examples) {
			words := strings.Fields(strings.ReplaceAll(line, "'", ""))
			require.Equal(t, "beameval", words[0])
			run(words[1:]...)
		}
	}
}

// home is the directory of this package.
var home = func() string {
	dir, _ := os.Getwd()
	return dir
}()
