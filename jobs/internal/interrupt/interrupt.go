// Package interrupt catches signals from the first milliseconds of a process on, so that an
// interrupted program ends in the same way at any time. Only programs import it, and what they call to
// be the command; not tests, which have to die of a signal.
//
// Before main runs, a program initializes the packages that it links, which takes tens of
// milliseconds, and a signal that is not caught kills it. Go initializes packages in the order of
// their import paths as soon as what they import is initialized. This one imports the standard
// library alone, so it precedes nearly all others.
package interrupt

import (
	"os"
	"os/signal"
	"syscall"
)

// Signals receives the signals that end a program.
var Signals = make(chan os.Signal, 1)

func init() { signal.Notify(Signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) }
