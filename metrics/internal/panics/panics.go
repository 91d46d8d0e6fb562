// Package panics says where panics come from: it makes panics of functions that are not from this module name the function.
package panics

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// foreign is a panic of a function of a metric or statistic that a program has registered.
type foreign struct{ error }

// In makes a panic name the function that it came from, such as metric "mine" or method Fold of
// statistic "mine". Defer it.
func In(kind, name, method string) {
	switch p := recover().(type) {
	case nil:
	case foreign:
		panic(p)
	default:
		panic(foreign{fmt.Errorf("%s %q%s panics at %s: %v", kind, name, method, place(), p)})
	}
}

// Caught returns the panic that a deferred function has recovered, or nil if there was none. A
// panic that does not name a function goes on.
func Caught(recovered any) error {
	switch p := recovered.(type) {
	case nil:
		return nil
	case foreign:
		return p.error
	default:
		panic(p)
	}
}

// place returns the file and line of the function that panicked. Only deferred functions may call
// it.
func place() string {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers[:])])
	panicking := false
	for {
		frame, more := frames.Next()
		ofRuntime := strings.HasPrefix(frame.Function, "runtime.")
		if panicking && !ofRuntime {
			return fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)
		}
		panicking = panicking || frame.Function == "runtime.gopanic"
		if !more {
			return "an unknown place"
		}
	}
}
