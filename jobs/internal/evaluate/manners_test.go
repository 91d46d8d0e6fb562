//go:build unix

package evaluate

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/jobs/internal/command"
)

// A killed run leaves temporary files, which the next run removes.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir, temp := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "preds"), 0o777))
	writeSynthetic(t, filepath.Join(dir, "preds"), "n:1000")
	writeTable(t, filepath.Join(dir, "people.parquet"), people)
	start := func(output string) *exec.Cmd {
		cmd := process(t.Context(), dir, temp, "--quiet", "--config", "preds/_evaluate.yaml", "--input", "preds", "--output", output)
		require.NoError(t, cmd.Start())
		return cmd
	}
	killed := start("killed")
	appears(t, filepath.Join(temp, "evaluate-*", "shuffle-*"), 1)
	require.NoError(t, killed.Process.Kill())
	require.Error(t, killed.Wait())
	left, err := filepath.Glob(filepath.Join(temp, "evaluate-*"))
	require.NoError(t, err)
	require.Len(t, left, 1)
	foreign := filepath.Join(temp, "evaluate-foreign")
	require.NoError(t, os.Mkdir(foreign, 0o777))

	alive := start("alive")
	require.Eventually(t, func() bool { _, err := os.Stat(left[0]); return err != nil }, 90*time.Second, time.Millisecond)
	appears(t, filepath.Join(temp, "evaluate-*", "shuffle-*"), 1)
	require.NoError(t, alive.Process.Signal(syscall.SIGSTOP))
	code, _, stderr := finish(t, process(t.Context(), dir, temp, "--quiet", "--input", "people.parquet", "--output", "out"))
	require.Zero(t, code, stderr)
	require.NoError(t, alive.Process.Signal(syscall.SIGCONT))
	require.NoError(t, alive.Wait(), "its files are its own while it lives")
	readReport(t, filepath.Join(dir, "alive"))
	require.Equal(t, []string{"", "/evaluate-foreign"}, tree(t, temp))
	require.NoDirExists(t, filepath.Join(dir, "killed"))
}

// A run that is killed while it is writing leaves files next to the output. A later run with
// another output in the same place removes them, but not the files of a live run.
func TestKilledWhileWriting(t *testing.T) {
	t.Parallel()
	dir, temp := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "preds"), 0o777))
	writeSynthetic(t, filepath.Join(dir, "preds"), "n:2000")
	writeTable(t, filepath.Join(dir, "people.parquet"), people)
	stopWriting := func(output string) (*exec.Cmd, string) {
		cmd := process(t.Context(), dir, temp, "--quiet", "--config", "preds/_evaluate.yaml", "--input", "preds", "--output", "reports/"+output)
		require.NoError(t, cmd.Start())
		beside := filepath.Join(dir, "reports", "."+output+".tmp-*")
		appears(t, filepath.Join(beside, "*", "*.*"), 1)
		require.NoError(t, cmd.Process.Signal(syscall.SIGSTOP))
		left, err := filepath.Glob(beside)
		require.NoError(t, err)
		require.Len(t, left, 1)
		return cmd, left[0]
	}
	killed, left := stopWriting("dt=1")
	require.NoError(t, killed.Process.Kill())
	require.Error(t, killed.Wait())
	alive, own := stopWriting("dt=2")
	code, _, stderr := finish(t, process(t.Context(), dir, temp, "--quiet", "--input", "people.parquet", "--output", "reports/dt=3"))
	require.Zero(t, code, stderr)
	require.NoDirExists(t, left)
	require.DirExists(t, own)
	require.NoError(t, alive.Process.Signal(syscall.SIGCONT))
	require.NoError(t, alive.Wait())
	readReport(t, filepath.Join(dir, "reports/dt=2"))
	require.Equal(t, []string{"", "/dt=2", "/dt=3"}, filesIn(t, filepath.Join(dir, "reports")))
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeTable(t, filepath.Join(dir, "bad.parquet"), "label:int64 score:double\n3 0.5")
	for args, want := range map[string]int{"--inptu x": command.BadUsage, "--output out": command.BadUsage, "--input bad.parquet --output out": command.Failed} {
		code, stdout, stderr := finish(t, process(t.Context(), dir, t.TempDir(), strings.Fields(args)...))
		require.Equal(t, want, code, stderr)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "evaluate: ")
	}
}

// If nobody reads the summary, the report is written nevertheless.
func TestClosedStdout(t *testing.T) {
	for _, test := range []struct{ name, redirect, stderr string }{
		{"closed", ">&-", ""},
		{"pipe without a reader", "| true", ""},
		{"full", ">/dev/full", "the report is written; its summary could not be printed: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, err := os.Stat("/dev/full"); err != nil {
				t.Skip(err)
			}
			dir := t.TempDir()
			writeTable(t, filepath.Join(dir, "preds.parquet"), people)
			cmd := process(t.Context(), dir, t.TempDir())
			cmd.Args = []string{"bash", "-c", `"$0" --quiet ` + flagsOf + " " + test.redirect + "; exit ${PIPESTATUS[0]}", cmd.Path}
			cmd.Path = "/bin/bash"
			code, _, stderr := finish(t, cmd)
			require.Zero(t, code)
			require.True(t, strings.HasPrefix(stderr, test.stderr), stderr)
			require.Equal(t, test.stderr == "", stderr == "", stderr)
			readReport(t, filepath.Join(dir, "out"))
		})
	}
}

// Where standard output is what was asked for, and not a summary of it, a part of it is a failure.
func TestDocumentOnFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	for name, args := range map[string]string{
		"metrics": flagsOf + " --json", "metrics without an output": strings.ReplaceAll(flagsOf, "--output out", "") + " --json",
		"configuration": "--print_config", "configuration of a plan": flagsOf + " --validate --print_config",
	} {
		for _, redirect := range []string{">/dev/full", "| true"} {
			t.Run(name+redirect, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				writeTable(t, filepath.Join(dir, "preds.parquet"), people)
				cmd := process(t.Context(), dir, t.TempDir())
				cmd.Args = []string{"bash", "-c", `(sleep 0.2; exec "$0" --quiet ` + args + ") " + redirect + "; exit ${PIPESTATUS[0]}", cmd.Path}
				cmd.Path = "/bin/bash"
				code, _, stderr := finish(t, cmd)
				require.Equal(t, command.Failed, code, stderr)
				require.Contains(t, stderr, "evaluate: standard output, which lacks a part of the document: ")
				require.NotContains(t, stderr, "is written")
			})
		}
	}
}

// A crash of the Go runtime ends with its exit code, 2, and a stack trace.
func TestCrash(t *testing.T) {
	t.Parallel()
	dir, temp := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "preds"), 0o777))
	writeSynthetic(t, filepath.Join(dir, "preds"), "n:4000")
	cmd := process(t.Context(), dir, temp, "--quiet", "--config", "preds/_evaluate.yaml", "--input", "preds", "--output", "out")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	appears(t, filepath.Join(temp, "evaluate-*", "shuffle-*"), 1)
	require.NoError(t, cmd.Process.Signal(syscall.SIGQUIT)) // for which Go dies as of a crash
	require.Error(t, cmd.Wait())
	require.Equal(t, 2, cmd.ProcessState.ExitCode())
	require.Contains(t, stderr.String(), "goroutine ")
	require.NoDirExists(t, filepath.Join(dir, "out"))
}
