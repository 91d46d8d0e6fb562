package evaluate

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/jobs/internal/command"
)

// A worker removes the copies of the program that Beam's boot made as it starts, so that none is left
// if it is killed, and ends when boot has ended. The listener is the runner to which the worker connects. The pipe closes when
// both have ended.
func TestWorkerEndsWithBoot(t *testing.T) {
	runner, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer runner.Close()
	alive, end, err := os.Pipe()
	require.NoError(t, err)
	temp := t.TempDir()
	worker := process(t.Context(), "", temp)
	staging := filepath.Join(temp, "beameval-worker-1")
	text("staged/worker", "")(t, staging)
	program, err := os.ReadFile(worker.Path)
	require.NoError(t, err)
	copies, err := os.MkdirTemp("/tmp", "bin")
	require.NoError(t, err)
	defer os.RemoveAll(copies)
	worker.Path = filepath.Join(copies, "worker")
	require.NoError(t, os.WriteFile(worker.Path, program, 0o777))
	boot := exec.Command("sh", "-c", `"$0" --worker --id=1 --logging_endpoint="$1" --control_endpoint="$1" --semi_persist_dir="$2" & read end`,
		worker.Path, runner.Addr().String(), staging)
	boot.Env, boot.ExtraFiles, boot.SysProcAttr = worker.Env, []*os.File{end}, &syscall.SysProcAttr{Setpgid: true}
	stdin, err := boot.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, boot.Start())
	defer syscall.Kill(-boot.Process.Pid, syscall.SIGKILL)
	require.NoError(t, end.Close())
	_, err = runner.Accept()
	require.NoError(t, err)
	require.NoDirExists(t, copies)
	require.NoDirExists(t, staging)

	require.NoError(t, stdin.Close())
	require.Error(t, boot.Wait(), "there is no line to read")
	require.NoError(t, alive.SetReadDeadline(time.Now().Add(time.Minute)))
	_, err = io.Copy(io.Discard, alive)
	require.NoError(t, err, "the worker goes on")
}

// Staging folders in other places than the temporary directory, and with other names, are kept.
func TestRemoveCopies(t *testing.T) {
	temp, other := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	for dir, kept := range map[string]bool{temp + "/beameval-worker-1": false, temp + "/staging": true, other + "/beameval-worker-1": true} {
		text("staged/worker", "")(t, dir)
		removeCopies(dir)
		_, err := os.Stat(dir)
		require.Equal(t, kept, err == nil, dir)
	}
}

// A program that a runner starts in order to start workers is replaced by boot, which is in the
// same directory.
func TestBecomesBoot(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	start := func(args ...string) (code int, stdout, stderr string) {
		cmd := process(t.Context(), dir, temp, args...)
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
	require.Empty(t, entries(t, temp))

	text("boot", "#!/bin/sh\necho $0 \"$@\"\n")(t, dir)
	require.NoError(t, os.Chmod(filepath.Join(dir, "boot"), 0o777))
	for _, args := range [][]string{{"--worker_pool"}, {"--id=1", "--provision_endpoint=x", "--semi_persist_dir=/var"}} {
		code, stdout, stderr = start(args...)
		require.Zero(t, code, stderr)
		require.Equal(t, dir+"/boot "+strings.Join(args, " ")+"\n", stdout)
		require.Empty(t, entries(t, temp))
	}

	// A boot that was killed before its worker started has left its staging folder.
	killed, young := filepath.Join(temp, "beameval-worker-1"), filepath.Join(temp, "beameval-worker-2")
	text("staged/worker", "")(t, killed)
	text("staged/worker", "")(t, young)
	ago := time.Now().Add(-2 * time.Hour)
	require.NoError(t, os.Chtimes(killed, ago, ago))
	for _, args := range [][]string{{"--id=1", "--provision_endpoint=localhost:1"}, {"-id", "1", "-provision_endpoint", "x"}} {
		before := entries(t, temp)
		code, stdout, stderr = start(args...)
		require.Zero(t, code, stderr)
		var staging []string
		for _, name := range entries(t, temp) {
			if !slices.Contains(before, name) {
				staging = append(staging, filepath.Join(temp, name))
			}
		}
		require.Len(t, staging, 1, "each boot has a folder of its own")
		require.Equal(t, dir+"/boot "+strings.Join(args, " ")+" --semi_persist_dir="+staging[0]+"\n", stdout)
	}
	require.NoDirExists(t, killed)
	require.DirExists(t, young)
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
