package evaluate

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/beameval/beameval/jobs/internal/command"
)

// A crash of the Go runtime, for example because memory runs out, ends a process with exit
// code 2, and nothing in the process can change that. Here, 2 means wrong usage. So the run is
// a process of its own, and the process that was started says how the run ended.

// supervisedBy is the environment variable that tells a process that it is the run.
const supervisedBy = "BEAMEVAL_SUPERVISED"

// exitUsageOfRun is the exit code of a run for command.BadUsage.
const exitUsageOfRun = 64

// isRun says whether this process is supervised.
var isRun bool

// supervise starts this command again as the run, waits for it and returns the exit code. In
// the process of the run, and where a process cannot start others, it returns at once, and done
// is false.
func supervise(ctx context.Context) (code int, done bool) {
	if os.Getenv(supervisedBy) != "" {
		os.Unsetenv(supervisedBy)
		isRun = true
		go endWithSupervisor()
		return 0, false
	}
	state, err := superviseRun(ctx)
	if err != nil {
		return 0, false
	}
	switch code := state.ExitCode(); code {
	case 0, command.Failed, command.GateFailed:
		return code, true
	case exitUsageOfRun:
		return command.BadUsage, true
	}
	fmt.Fprintf(os.Stderr, "evaluate: the run crashed (%v); if it was killed, there may have been too little memory\n", state)
	return command.Failed, true
}

// superviseRun runs this command as a supervised process and passes signals on to it. The context
// has ended if there was a signal before.
func superviseRun(ctx context.Context) (*os.ProcessState, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	// The run ends when it reads the end of this pipe: when this process has ended.
	alive, end, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer end.Close()
	run := exec.Command(self, os.Args[1:]...)
	run.Env = append(os.Environ(), supervisedBy+"=1")
	run.Stdin, run.Stdout, run.Stderr = os.Stdin, os.Stdout, os.Stderr
	run.ExtraFiles = []*os.File{alive}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(signals)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := run.Start(); err != nil {
		return nil, err
	}
	alive.Close()
	go func() {
		for s := range signals {
			_ = run.Process.Signal(s) // the run may have ended
		}
	}()
	_ = run.Wait() // the state says everything
	return run.ProcessState, nil
}

// endWithSupervisor ends this process when its supervisor has ended.
func endWithSupervisor() {
	alive := os.NewFile(3, "supervisor") // the first of ExtraFiles
	_, _ = io.Copy(io.Discard, alive)
	os.Exit(command.Failed)
}
