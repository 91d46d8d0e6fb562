package jobservice

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// Only a statically linked program runs on every worker.
func TestWorkerBinary(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		_, err := WorkerBinary("")
		require.ErrorContains(t, err, "it is for "+runtime.GOOS)
		t.Skip("no program of this machine is a worker binary")
	}
	require.ErrorContains(t, checkStatic("/bin/sh"), "it is linked to the libraries of this machine")

	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o666))
	build := exec.CommandContext(t.Context(), "go", "build", "-o", "static", "main.go")
	build.Dir, build.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	output, err := build.CombinedOutput()
	require.NoError(t, err, string(output))
	require.NoError(t, checkStatic(filepath.Join(dir, "static")))

	named := filepath.Join(dir, "main.go")
	got, err := WorkerBinary(named)
	require.NoError(t, err)
	require.Equal(t, named, got, "whatever it is: workers may be on other machines")
	_, err = WorkerBinary(dir)
	require.EqualError(t, err, "--worker_binary: there is no file "+dir)
}
