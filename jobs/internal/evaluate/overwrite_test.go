package evaluate

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/jobs/internal/command"
)

// A finished report is replaced, including files that only it has. A run that fails, or that would
// replace anything else, leaves it unchanged.
func TestOverwrite(t *testing.T) {
	t.Parallel()
	dir, temp := t.TempDir(), t.TempDir()
	writeTable(t, filepath.Join(dir, "preds.parquet"), people)
	writeTable(t, filepath.Join(dir, "bad.parquet"), "label:int64 score:double\n3 0.5")
	evaluate := func(args string) (code int, stderr string) {
		code, _, stderr = call{dir, temp, append([]string{"--quiet"}, strings.Fields(args)...)}.run(t)
		return code, stderr
	}
	content := func() string {
		var all strings.Builder
		for _, name := range tree(t, filepath.Join(dir, "out"))[1:] {
			all.WriteString(name + "\n" + contentOf(t, filepath.Join(dir, "out"), name))
		}
		return all.String()
	}
	code, stderr := evaluate(flagsOf + " --overwrite --set output.formats=[json,prometheus]")
	require.Zero(t, code, stderr)
	first := content()
	require.Contains(t, first, "/metrics.prom\n")

	for _, args := range []string{flagsOf, flagsOf + " --set output.overwrite=false", flagsOf + " --overwrite --set bad_rows=fial", "--input bad.parquet --output out --overwrite"} {
		code, stderr = evaluate(args)
		require.NotZero(t, code)
		require.Equal(t, first, content(), stderr)
	}
	require.Equal(t, command.Failed, code)
	require.Contains(t, stderr, "bad.parquet: row group 0, row 0")

	code, stderr = evaluate(flagsOf + " --set output.overwrite=true")
	require.Zero(t, code, stderr)
	require.NotContains(t, content(), "/metrics.prom\n")
	require.Contains(t, content(), "/report.html\n")
	require.Equal(t, []string{"", "/bad.parquet", "/out", "/preds.parquet"}, filesIn(t, dir))

	text("out/notes.txt", "mine")(t, dir)
	code, stderr = evaluate(flagsOf + " --overwrite")
	require.Equal(t, command.BadUsage, code)
	require.Equal(t, "evaluate: out: output exists and holds notes.txt, which is not of a finished report and would be lost; move it away, or choose another directory\n",
		strings.ReplaceAll(stderr, dir+"/", ""))
	require.NoError(t, os.Remove(filepath.Join(dir, "out/run.json")))
	code, stderr = evaluate(flagsOf + " --overwrite")
	require.Equal(t, command.BadUsage, code)
	require.Contains(t, stderr, "out: output exists and is not a finished report, which alone is replaced: it has no run.json, but confusion.parquet; choose another directory, or remove this one\n")
	require.Contains(t, content(), "mine")
}

// filesIn are the entries of a directory.
func filesIn(t *testing.T, dir string) []string {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	names := []string{""}
	for _, e := range entries {
		names = append(names, "/"+e.Name())
	}
	return names
}

// An interrupted run does not mistake an existing report for its own.
func TestInterruptedOverwrite(t *testing.T) {
	t.Parallel()
	dir, temp := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "preds"), 0o777))
	writeSynthetic(t, filepath.Join(dir, "preds"), "n:4000")
	writeTable(t, filepath.Join(dir, "preds.parquet"), people)
	code, _, stderr := call{dir, temp, strings.Fields("--quiet " + flagsOf)}.run(t)
	require.Zero(t, code, stderr)
	before := contentOf(t, dir, "out/run.json")
	cmd := process(t.Context(), dir, temp, strings.Fields("--quiet --config preds/_evaluate.yaml --input preds --output out --overwrite")...)
	require.NoError(t, cmd.Start())
	appears(t, filepath.Join(temp, "evaluate-*", "shuffle-*"), 1)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	if cmd.Wait() == nil {
		t.Skip("the report was complete before the signal arrived")
	}
	require.Equal(t, command.Failed, cmd.ProcessState.ExitCode())
	require.Equal(t, before, contentOf(t, dir, "out/run.json"))
}
