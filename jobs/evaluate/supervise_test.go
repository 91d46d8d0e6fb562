package main

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A worker ends when the program has ended that started it, as Beam's boot does, and removes the
// copy that boot has made. The
// listener is the runner that the worker connects to. The pipe ends with the last of both.
func TestWorkerEndsWithBoot(t *testing.T) {
	runner, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer runner.Close()
	alive, end, err := os.Pipe()
	require.NoError(t, err)
	worker := command(t.Context(), "", t.TempDir())
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
