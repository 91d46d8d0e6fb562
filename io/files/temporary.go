package files

import (
	"context"
	"errors"
	"io"
	"iter"
	"net"
	"net/http"
	"slices"
	"syscall"
	"time"
)

// Temporary says whether another try may succeed where this error was met: storage gave no
// answer or was overloaded, or a file changed while it was read. What is wrong with a name, a
// permission or the content of a file stays wrong.
func Temporary(err error) bool {
	var t temporary
	return errors.Is(err, ErrChanged) || errors.As(err, &t)
}

// temporary marks an error that another try may not meet.
type temporary struct{ error }

func (t temporary) Unwrap() error { return t.error }

// overloaded says whether a status is that of a service that cannot answer now.
func overloaded(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
}

// ofConnection returns what an error means that came without an answer of the service. A
// certificate that is not accepted, for example, stays so.
func ofConnection(err error) problem {
	var timeout net.Error
	var broken *net.OpError
	var unresolved *net.DNSError
	switch {
	case errors.As(err, &timeout) && timeout.Timeout(),
		errors.As(err, &broken), errors.As(err, &unresolved),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, errStalled):
		return unavailable
	}
	return otherwise
}

// ofMoment are errors of a system that is short of something, or of a disk that is not there now.
var ofMoment = []error{
	syscall.EIO, syscall.ESTALE, syscall.ETIMEDOUT, syscall.EMFILE, syscall.ENFILE, syscall.ENOSPC, syscall.EAGAIN,
}

func isOfMoment(err error) bool {
	return slices.ContainsFunc(ofMoment, func(e error) bool { return errors.Is(err, e) })
}

// watched is a store that gives up a request for metadata that is not answered.
// The time is that of all attempts at one request.
type watched struct {
	store
	patience time.Duration
}

func (w watched) attrs(ctx context.Context, o object) (attrs, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, w.patience, errStalled)
	defer cancel()
	a, err := w.store.attrs(ctx, o)
	return a, stalled(ctx, err)
}

// list gives each page its time.
func (w watched) list(ctx context.Context, prefix object, pageSize int) iter.Seq2[attrs, error] {
	return func(yield func(attrs, error) bool) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		watch := time.AfterFunc(w.patience, func() { cancel(errStalled) })
		defer watch.Stop()
		for a, err := range w.store.list(ctx, prefix, pageSize) {
			watch.Stop() // whoever takes it may take time
			if !yield(a, stalled(ctx, err)) {
				return
			}
			watch.Reset(w.patience)
		}
	}
}

func (w watched) mayPut(ctx context.Context, o object) error {
	ctx, cancel := context.WithTimeoutCause(ctx, w.patience, errStalled)
	defer cancel()
	return stalled(ctx, w.store.mayPut(ctx, o))
}

// stalled returns the error of a request, which is errStalled if that is why it was given up.
func stalled(ctx context.Context, err error) error {
	if err != nil && context.Cause(ctx) == errStalled {
		return errStalled
	}
	return err
}
