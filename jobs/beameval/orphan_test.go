package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/jobs/internal/command"
)

// TestOrphaned: a command ends with the parent that asks for it, whatever it is doing, and leaves nothing.
func TestOrphaned(t *testing.T) {
	dir := t.TempDir()
	asked := make(chan bool, 100)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- true
		<-r.Context().Done()
	}))
	defer silent.Close()
	self, err := os.Executable()
	require.NoError(t, err)
	run := exec.CommandContext(t.Context(), self, "evaluate", "--quiet", "--input", "gs://bucket/x.parquet", "--output", filepath.Join(dir, "out"))
	run.Env = append(os.Environ(), role+"=command", "BEAMEVAL_PARENT=stdin", "TMPDIR="+dir, "STORAGE_EMULATOR_HOST="+silent.URL)
	var stderr bytes.Buffer
	run.Stderr = &stderr
	parent, err := run.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, run.Start())
	<-asked
	require.NoError(t, parent.Close())
	_ = run.Wait()
	require.Equal(t, command.Failed, run.ProcessState.ExitCode())
	require.Equal(t, "evaluate: interrupted; nothing was written\n", stderr.String())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestStandardInputOfParent: without the variable, standard input may end at once; with it, it is no input.
func TestStandardInputOfParent(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	for variable, code := range map[string]int{"": 0, "BEAMEVAL_PARENT=stdin": command.BadUsage} {
		run := exec.CommandContext(t.Context(), self, "evaluate", "--quiet", "--input", "-", "--output", filepath.Join(dir, "out"))
		run.Env = append(os.Environ(), role+"=command", "TMPDIR="+dir)
		if variable == "" {
			run.Stdin = bytes.NewReader([]byte("label,score\n0,0.1\n1,0.7\n"))
		} else {
			run.Env = append(run.Env, variable)
			parent, err := run.StdinPipe()
			require.NoError(t, err)
			defer parent.Close()
		}
		out, _ := run.CombinedOutput()
		require.Equal(t, code, run.ProcessState.ExitCode(), "%s", out)
	}
}
