// Package interrupt catches signals from the first milliseconds of a process, so that an interrupted
// program always ends in the same way. Only programs, and the packages that run as their main
// function, import it; tests do not, because a signal must kill them.
//
// Before main runs, a program initializes the packages that it links. That takes tens of
// milliseconds, during which an uncaught signal kills it. Go initializes packages in the order of
// their import paths as soon as their imports are initialized. This package imports only the
// standard library, so it precedes nearly all others.
package interrupt

import (
	"os"
	"os/signal"
	"syscall"
)

// Signals receives the signals that end a program.
var Signals = make(chan os.Signal, 1)

func init() { signal.Notify(Signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) }
