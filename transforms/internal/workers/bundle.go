package workers

import (
	"context"

	"github.com/beameval/beameval/internal/nobody"
	"github.com/beameval/beameval/internal/secret"
)

func init() { nobody.Restore() } // Beam is initialized

// Bundle is the part of a DoFn that has one pool for each bundle.
type Bundle[W Worker] struct {
	Progress Progress `json:"-"`
	pool     *Pool[W]
}

// Setup creates the counters.
func (b *Bundle[W]) Setup() { b.Progress = NewProgress() }

// Teardown discards the remains of a failed bundle, if it was the last one.
func (b *Bundle[W]) Teardown() {
	if b.pool != nil {
		b.pool.abandon()
		b.pool = nil
	}
}

// Do calls do with the pool of the bundle. The first call makes the pool, with size goroutines; 0
// means one for each core.
func (b *Bundle[W]) Do(ctx context.Context, size int, newWorker func() (W, error), do func(*Pool[W]) error) error {
	if b.pool == nil {
		b.Progress.begin(ctx)
		b.pool = newPool(ctx, size, newWorker)
	}
	if err := do(b.pool); err != nil {
		b.Teardown()
		return Mark(err)
	}
	return nil
}

// Finish waits for the workers and emits their results.
func (b *Bundle[W]) Finish(emit func(workers []W) error) error {
	if b.pool == nil {
		return nil
	}
	defer b.Teardown()
	if err := b.pool.end(); err != nil {
		return Mark(err)
	}
	return Mark(emit(b.pool.workers))
}

// ErrorMark and ErrorEnd enclose the text of errors that an evaluation itself reports, to tell it
// apart from what a runner writes around it.
const (
	ErrorMark = "⟪beameval: "
	ErrorEnd  = "⟫"
)

// failure is a marked error of an evaluation.
type failure struct{ err error }

// Error returns the text between marks. Secrets are masked, because runners log it.
func (f failure) Error() string { return ErrorMark + secret.Mask(f.err.Error()) + ErrorEnd }

// Unwrap returns the error itself.
func (f failure) Unwrap() error { return f.err }

// Mark marks an error, unless it is nil.
func Mark(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}
