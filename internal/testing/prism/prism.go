// Package prism works around a fault of prism, Beam's runner in this process.
package prism

import (
	"errors"
	"strings"
)

// attempts is how often a run is tried.
const attempts = 3

// Try calls run, and again if prism failed by its own fault: Beam 2.77 asks for the progress of
// every stage after 0.1 s, and dereferences nil if the stage is prism's own (a GroupByKey or a
// Flatten). Such stages take no time, but on a busy machine they may have to wait for it.
func Try(run func() error) error {
	for range attempts - 1 {
		if err := run(); !atFault(err) {
			return err
		}
	}
	return run()
}

// atFault says whether prism panicked where it asks for progress.
func atFault(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if text := err.Error(); strings.Contains(text, "panic in stage.Execute") && strings.Contains(text, "worker.(*B).Progress") {
			return true
		}
	}
	return false
}
