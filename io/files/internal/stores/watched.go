package stores

import (
	"context"
	"io"
	"iter"
	"os"
	"time"
)

// Watched is a store that abandons metadata requests that get no response within Patience,
// including all retries of a request. It also shortens errors.
type Watched struct {
	Store
	Patience time.Duration
}

func (w Watched) Attrs(ctx context.Context, o Object) (Attrs, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, w.Patience, ErrStalled)
	defer cancel()
	a, err := w.Store.Attrs(ctx, o)
	return a, w.said(ctx, err)
}

// List grants each page its own time.
func (w Watched) List(ctx context.Context, prefix Object, pageSize int) iter.Seq2[Attrs, error] {
	return func(yield func(Attrs, error) bool) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		watch := time.AfterFunc(w.Patience, func() { cancel(ErrStalled) })
		defer watch.Stop()
		for a, err := range w.Store.List(ctx, prefix, pageSize) {
			watch.Stop() // the consumer may take its time
			if !yield(a, w.said(ctx, err)) {
				return
			}
			watch.Reset(w.Patience)
		}
	}
}

func (w Watched) MayPut(ctx context.Context, o Object) error {
	ctx, cancel := context.WithTimeoutCause(ctx, w.Patience, ErrStalled)
	defer cancel()
	return w.said(ctx, w.Store.MayPut(ctx, o))
}

// Get has no time limit, nor have Put and Remove.
func (w Watched) Get(ctx context.Context, o Object, id string, off, length int64) (io.ReadCloser, error) {
	body, err := w.Store.Get(ctx, o, id, off, length)
	return body, w.said(ctx, err)
}

func (w Watched) Put(ctx context.Context, o Object, content *os.File, size int64, metadata map[string]string) error {
	return w.said(ctx, w.Store.Put(ctx, o, content, size, metadata))
}

func (w Watched) Remove(ctx context.Context, o Object, id string) error {
	return w.said(ctx, w.Store.Remove(ctx, o, id))
}

// said returns the error to report for a request, or nil.
func (w Watched) said(ctx context.Context, err error) error { return w.Brief(Stalled(ctx, err)) }

// Stalled replaces an error with ErrStalled if the request was abandoned for that reason.
func Stalled(ctx context.Context, err error) error {
	if err != nil && context.Cause(ctx) == ErrStalled {
		return ErrStalled
	}
	return err
}
