package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// A crash of the Go runtime, as for want of memory, ends a process with the exit code
// 2, which is that of wrong usage here, and no code of the process can change that. So
// a run is a process of its own, and the one that was started tells how it ended.

// supervisedBy says to a process that it is such a run.
const supervisedBy = "BEAMEVAL_SUPERVISED"

// exitUsageOfRun is what a run ends with in place of exitUsage.
const exitUsageOfRun = 64

// isRun says that this process is supervised.
var isRun bool

// supervise starts this command again, waits for its end and returns its exit code.
// It returns at once, and done is false, in the process of the run, in a worker, and
// where a process cannot start others.
func supervise() (code int, done bool) {
	if os.Getenv(supervisedBy) != "" {
		os.Unsetenv(supervisedBy)
		isRun = true
		go endWithSupervisor()
		return 0, false
	}
	if worker := flag.Lookup("worker"); worker != nil && worker.Value.String() == "true" {
		return 0, false
	}
	state, err := superviseRun()
	if err != nil {
		return 0, false
	}
	switch code := state.ExitCode(); code {
	case 0, exitFailed:
		return code, true
	case exitUsageOfRun:
		return exitUsage, true
	}
	fmt.Fprintf(os.Stderr, "evaluate: the run crashed (%v); if it was killed, there may have been too little memory\n", state)
	return exitFailed, true
}

// superviseRun runs this command as a supervised process, to which it passes signals.
func superviseRun() (*os.ProcessState, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	// The run ends when it can read that no one can write any more.
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
	if err := run.Start(); err != nil {
		return nil, err
	}
	alive.Close()
	go func() {
		for s := range signals {
			_ = run.Process.Signal(s) // it may have ended
		}
	}()
	_ = run.Wait() // the state says it all
	return run.ProcessState, nil
}

// endWithSupervisor ends this process if its supervisor was killed.
func endWithSupervisor() {
	alive := os.NewFile(3, "supervisor") // the first of ExtraFiles
	_, _ = io.Copy(io.Discard, alive)
	os.Exit(exitFailed)
}
