package files

import (
	"context"
	"io"
	"iter"
	"os"
	"time"
)

// watched is a store that gives up a request for metadata that is not answered, and whose errors
// are brief. The time is that of all attempts at one request.
type watched struct {
	store
	patience time.Duration
}

func (w watched) attrs(ctx context.Context, o object) (attrs, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, w.patience, errStalled)
	defer cancel()
	a, err := w.store.attrs(ctx, o)
	return a, w.said(ctx, err)
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
			if !yield(a, w.said(ctx, err)) {
				return
			}
			watch.Reset(w.patience)
		}
	}
}

func (w watched) mayPut(ctx context.Context, o object) error {
	ctx, cancel := context.WithTimeoutCause(ctx, w.patience, errStalled)
	defer cancel()
	return w.said(ctx, w.store.mayPut(ctx, o))
}

// get, put and remove take the time that they need.
func (w watched) get(ctx context.Context, o object, id string, off, length int64) (io.ReadCloser, error) {
	body, err := w.store.get(ctx, o, id, off, length)
	return body, w.said(ctx, err)
}

func (w watched) put(ctx context.Context, o object, content *os.File, size int64, metadata map[string]string) error {
	return w.said(ctx, w.store.put(ctx, o, content, size, metadata))
}

func (w watched) remove(ctx context.Context, o object, id string) error {
	return w.said(ctx, w.store.remove(ctx, o, id))
}

// said returns what to say of the error of a request, or nil.
func (w watched) said(ctx context.Context, err error) error { return w.brief(stalled(ctx, err)) }

// stalled returns the error of a request, which is errStalled if that is why it was given up.
func stalled(ctx context.Context, err error) error {
	if err != nil && context.Cause(ctx) == errStalled {
		return errStalled
	}
	return err
}
