package cluster

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// A keeper is a process that starts another one and ends it, with all that it has started,
// when the tests end: even if they are killed. It then removes their files.
//
// Processes that belong together are a process group: a worker stays in the group of the
// TaskManager that started it, also when that has ended.

// keeps is the environment variable that tells a process that it is a keeper. It names the
// directory of what the keeper starts.
const keeps = "CLUSTER_KEEPS"

// Main returns, unless this process is a keeper. A test binary calls it before anything else.
func Main() {
	dir := os.Getenv(keeps)
	if dir == "" {
		return
	}
	os.Unsetenv(keeps)
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	err := keep(dir, exec.Command(os.Args[1], os.Args[2:]...), os.Stdin, os.Stdout)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// logFile is where the output of a process goes, in its directory.
const logFile = "log"

// keep starts a process and ends it at the end of input. It prints its number and, if the
// process ends earlier, how.
func keep(dir string, cmd *exec.Cmd, input io.Reader, output io.Writer) error {
	log, err := os.Create(filepath.Join(dir, logFile))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.SysProcAttr = ofItsOwn()
	if err := cmd.Start(); err != nil {
		return err
	}
	fmt.Fprintln(output, cmd.Process.Pid)
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
		fmt.Fprintln(output, cmd.ProcessState)
	}()
	_, _ = io.Copy(io.Discard, input)
	group := -cmd.Process.Pid
	for deadline := time.Now().Add(time.Minute); kill(group) == nil && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond) // until init has reaped the orphans
	}
	<-ended
	return os.RemoveAll(dir)
}
