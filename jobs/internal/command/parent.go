package command

import (
	"io"
	"os"
	"time"
)

// parentVariable is set to parentStdin by a process that starts this one and should not leave it behind: it holds the other
// end of standard input and never writes to it. However that process ends, the system then closes the pipe.
const (
	parentVariable = "BEAMEVAL_PARENT"
	parentStdin    = "stdin"
)

// orphanTime is how long a command whose parent has ended may clean up. Nobody is left to send it a second signal.
const orphanTime = time.Minute

// orphaned returns a channel that is closed when the parent has ended; it never is, unless the parent asks for that. What
// this process starts is none of the parent's: it does not get the variable, nor the pipe as standard input.
func orphaned() <-chan struct{} {
	ended := make(chan struct{})
	if os.Getenv(parentVariable) != parentStdin {
		return ended
	}
	os.Unsetenv(parentVariable)
	pipe := os.Stdin
	if nothing, err := os.Open(os.DevNull); err == nil {
		os.Stdin = nothing
	}
	go func() {
		_, _ = io.Copy(io.Discard, pipe)
		close(ended)
	}()
	return ended
}
