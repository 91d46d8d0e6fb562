//go:build unix

package evaluate

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/cluster"
	"github.com/beameval/beameval/jobs/internal/command"
)

// A worker ends when the process that started it has ended. The listener is the runner to which the
// worker connects. The pipe closes when both have ended.
func TestWorkerEndsWithBoot(t *testing.T) {
	runner, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer runner.Close()
	alive, end, err := os.Pipe()
	require.NoError(t, err)
	worker := process(t.Context(), "", t.TempDir())
	boot := exec.Command("sh", "-c", `"$0" --worker --id=1 --logging_endpoint="$1" --control_endpoint="$1" & read end`,
		worker.Path, runner.Addr().String())
	boot.Env, boot.ExtraFiles, boot.SysProcAttr = worker.Env, []*os.File{end}, &syscall.SysProcAttr{Setpgid: true}
	stdin, err := boot.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, boot.Start())
	defer syscall.Kill(-boot.Process.Pid, syscall.SIGKILL)
	require.NoError(t, end.Close())
	_, err = runner.Accept()
	require.NoError(t, err)

	require.NoError(t, stdin.Close())
	require.Error(t, boot.Wait(), "there is no line to read")
	require.NoError(t, alive.SetReadDeadline(time.Now().Add(3*time.Minute)))
	_, err = io.Copy(io.Discard, alive)
	require.NoError(t, err, "the worker goes on")
}

// A prism server starts workers as processes. The second job finds the worker binary of the first, and
// that binary is all that is left.
func TestPrismProcess(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	temp := t.TempDir()
	config := cluster.Script(t, program, role+"="+commandFor, "TMPDIR="+temp)
	runner := []string{"--runner", "universal", "--endpoint", cluster.Prism(t), "--environment_type", "PROCESS",
		"--environment_config", config, "--worker_binary", program}
	bundled[0].run(t, runner...)
	kept := entries(t, temp)
	require.Len(t, kept, 1)
	require.Equal(t, []string{"worker"}, entries(t, filepath.Join(temp, kept[0])))
	info, err := os.Stat(filepath.Join(temp, kept[0], "worker"))
	require.NoError(t, err)
	bundled[1].run(t, runner...)
	require.Equal(t, kept, entries(t, temp))
	again, err := os.Stat(filepath.Join(temp, kept[0], "worker"))
	require.NoError(t, err)
	require.True(t, os.SameFile(info, again), "it was fetched again")
}

// A program that cannot start a worker says why.
func TestStartsNoWorker(t *testing.T) {
	code, stdout, stderr := finish(t, process(t.Context(), "", t.TempDir(), "--id=1", "--provision_endpoint=localhost:1", "--x"))
	require.Equal(t, command.Failed, code)
	require.Empty(t, stdout)
	require.Equal(t, "beameval: starting workers: flag provided but not defined: -x\n", stderr)
}

// entries returns the names in a directory.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	names := make([]string, len(list))
	for i, entry := range list {
		names[i] = entry.Name()
	}
	return names
}

func TestIsWorker(t *testing.T) {
	for args, want := range map[string]bool{
		"": false, "--worker=true --id=1": true, "--id=1 --worker": true, "-worker": true, "--id=1 --worker=false": false,
		"evaluate --worker": false, "--input worker": false, "--worker_binary x": false,
	} {
		require.Equal(t, want, isWorker(strings.Fields(args)), args)
	}
}
