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

	"github.com/beameval/beameval/jobs/internal/command"
)

// A worker ends when the program that started it, like Beam's boot, has ended, and removes the copy
// that boot made. The listener is the runner to which the worker connects. The pipe closes when
// both have ended.
func TestWorkerEndsWithBoot(t *testing.T) {
	runner, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer runner.Close()
	alive, end, err := os.Pipe()
	require.NoError(t, err)
	worker := process(t.Context(), "", t.TempDir())
	program, err := os.ReadFile(worker.Path)
	require.NoError(t, err)
	copies, err := os.MkdirTemp("/tmp", "bin")
	require.NoError(t, err)
	defer os.RemoveAll(copies)
	worker.Path = filepath.Join(copies, "worker")
	require.NoError(t, os.WriteFile(worker.Path, program, 0o777))
	boot := exec.Command("sh", "-c", `"$0" --worker --id=1 --logging_endpoint="$1" --control_endpoint="$1" & read end`, worker.Path, runner.Addr().String())
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
	require.NoError(t, alive.SetReadDeadline(time.Now().Add(time.Minute)))
	_, err = io.Copy(io.Discard, alive)
	require.NoError(t, err, "the worker goes on")
	require.NoDirExists(t, copies)
}

// A program that a runner starts in order to start workers is replaced by boot, which is in the
// same directory.
func TestBecomesBoot(t *testing.T) {
	dir := t.TempDir()
	start := func(args ...string) (code int, stdout, stderr string) {
		cmd := process(t.Context(), dir, dir, args...)
		program, err := os.ReadFile(cmd.Path)
		require.NoError(t, err)
		cmd.Path = filepath.Join(dir, "program")
		require.NoError(t, os.WriteFile(cmd.Path, program, 0o777))
		return finish(t, cmd)
	}
	code, stdout, stderr := start("--id=1", "--provision_endpoint=localhost:1")
	require.Equal(t, command.Failed, code)
	require.Empty(t, stdout)
	require.Equal(t, "beameval: starting workers: "+dir+"/boot: no such file or directory; put boot of make dist there\n", stderr)

	text("boot", "#!/bin/sh\necho $0 \"$@\"\n")(t, dir)
	require.NoError(t, os.Chmod(filepath.Join(dir, "boot"), 0o777))
	for _, args := range [][]string{{"--id=1", "--provision_endpoint=localhost:1"}, {"--worker_pool"}, {"-id", "1", "-provision_endpoint", "x"}} {
		code, stdout, stderr = start(args...)
		require.Zero(t, code, stderr)
		require.Equal(t, dir+"/boot "+strings.Join(args, " ")+"\n", stdout)
	}
}

func TestIsWorker(t *testing.T) {
	for args, want := range map[string]bool{
		"": false, "--worker=true --id=1": true, "--id=1 --worker": true, "-worker": true, "--id=1 --worker=false": false,
		"evaluate --worker": false, "--input worker": false, "--worker_binary x": false,
	} {
		require.Equal(t, want, isWorker(strings.Fields(args)), args)
	}
}
