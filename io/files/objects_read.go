package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// rangeReader reads one version of an object.
type rangeReader struct {
	ctx    context.Context
	store  store
	object object
	id     string // of the version
	stall  time.Duration
}

var errStalled = errors.New("no data has come for a while")

// fetch fills p. Stores repeat requests that failed. fetch resumes responses that stalled or
// ended early.
func (r *rangeReader) fetch(p []byte, off int64) error {
	const patience = 3 // attempts in a row that return nothing
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
		resumable := errors.Is(err, errStalled) || errors.Is(err, io.ErrUnexpectedEOF)
		if !resumable || idle == patience {
			return err
		}
	}
	return nil
}

// attempt makes one request for p and returns how many bytes it got.
func (r *rangeReader) attempt(p []byte, off int64) (int, error) {
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	watch := time.AfterFunc(r.stall, func() { cancel(errStalled) })
	defer watch.Stop()
	body, err := r.store.get(ctx, r.object, r.id, off, int64(len(p)))
	if err != nil {
		return 0, stalled(ctx, err)
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
			return n, stalled(ctx, err)
		}
	}
	return n, nil
}

// rangeOf returns the body of an answer to a request for a range. Its connection may break:
// libraries repeat requests only until they are answered.
func rangeOf(body io.ReadCloser, contentRange *string, off, length int64) (io.ReadCloser, error) {
	if contentRange == nil || !strings.HasPrefix(*contentRange, fmt.Sprintf("bytes %d-", off)) {
		body.Close()
		return nil, fmt.Errorf("the store was asked for %d bytes from byte %d on and returned others; it must support Range", length, off)
	}
	return resumable{body}, nil
}

type resumable struct{ io.ReadCloser }

func (r resumable) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	}
	return n, err
}
