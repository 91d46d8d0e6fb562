package workers

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// ErrorMark and ErrorEnd enclose the text of errors that an evaluation itself found, so
// that it can be told from what a runner writes around it.
const (
	ErrorMark = "⟪beameval: "
	ErrorEnd  = "⟫"
)

// failure is an error of an evaluation, marked.
type failure struct{ err error }

// Error is the text between marks.
func (f failure) Error() string { return ErrorMark + f.err.Error() + ErrorEnd }

// Unwrap returns the error itself.
func (f failure) Unwrap() error { return f.err }

// Mark marks an error, unless it is nil.
func Mark(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}

// Contain, deferred, turns a panic into an error that says what was being done. In a
// goroutine that we started it would end the process, where a runner expects only the
// bundle to fail.
func Contain(ctx context.Context, what string, err *error) {
	if p := recover(); p != nil {
		log.Errorf(ctx, "%s: panic: %v\n%s", what, p, debug.Stack())
		*err = fmt.Errorf("%s: internal error, please report it: %v", what, p)
	}
}
