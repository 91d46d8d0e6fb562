package files

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/beameval/beameval/io/files/internal/stores"
)

// rangeReader reads one version of an object.
type rangeReader struct {
	ctx    context.Context
	store  stores.Store
	object stores.Object
	id     string // of the version
	stall  time.Duration
}

// fetch fills p. Stores retry failed requests; fetch resumes responses that stalled or were cut
// off.
func (r *rangeReader) fetch(p []byte, off int64) error {
	const patience = 3 // consecutive attempts without any bytes
	for idle := 0; len(p) > 0; {
		n, err := r.attempt(p, off)
		p, off = p[n:], off+int64(n)
		if len(p) == 0 {
			return nil
		}
		if n > 0 {
			idle = 0
		} else {
			idle++
		}
		resumable := errors.Is(err, stores.ErrStalled) || errors.Is(err, io.ErrUnexpectedEOF)
		if !resumable || idle == patience {
			return err
		}
	}
	return nil
}

// attempt makes one request for p and returns the number of bytes received.
func (r *rangeReader) attempt(p []byte, off int64) (int, error) {
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	watch := time.AfterFunc(r.stall, func() { cancel(stores.ErrStalled) })
	defer watch.Stop()
	body, err := r.store.Get(ctx, r.object, r.id, off, int64(len(p)))
	if err != nil {
		return 0, stores.Stalled(ctx, err)
	}
	defer body.Close()
	n := 0
	for n < len(p) {
		m, err := body.Read(p[n:])
		n += m
		if m > 0 {
			watch.Reset(r.stall)
		}
		switch {
		case n == len(p):
		case err == io.EOF:
			return n, io.ErrUnexpectedEOF
		case err != nil:
			return n, stores.Stalled(ctx, err)
		}
	}
	return n, nil
}
