// Package workers spreads the elements of a bundle over all cores: a runner may give a
// bundle of many elements to a single thread. It marks the errors of evaluations, and
// counts progress. What the work is, others know.
package workers

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Worker belongs to one goroutine of a pool.
type Worker interface {
	comparable
	// Finish is called after the last task.
	Finish() error
	// Abandon removes temporary data that no element tells of.
	Abandon()
}

// Pool is some goroutines, each with a worker of its own.
type Pool[W Worker] struct {
	tasks   chan func(context.Context, W) error
	cancel  context.CancelFunc
	group   *errgroup.Group
	ctx     context.Context
	workers []W
}

// newPool returns a pool of size goroutines; 0 is one for each core.
func newPool[W Worker](ctx context.Context, size int, newWorker func() (W, error)) *Pool[W] {
	if size == 0 {
		size = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancel(ctx)
	group, ctx := errgroup.WithContext(ctx)
	tasks := make(chan func(context.Context, W) error)
	p := &Pool[W]{tasks: tasks, cancel: cancel, group: group, ctx: ctx, workers: make([]W, size)}
	for i := range p.workers {
		group.Go(func() error {
			w, err := newWorker()
			if err != nil {
				return err
			}
			p.workers[i] = w
			for t := range tasks {
				if err := t(ctx, w); err != nil {
					return err
				}
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			return w.Finish()
		})
	}
	return p
}

// Submit waits until a worker is free to begin the task, which messages call what. If the
// task will not begin, Submit returns the first error of the pool.
func (p *Pool[W]) Submit(what string, task func(context.Context, W) error) error {
	contained := func(ctx context.Context, w W) (err error) {
		defer Contain(ctx, what, &err)
		return task(ctx, w)
	}
	select {
	case p.tasks <- contained:
		return nil
	case <-p.ctx.Done():
		if err := p.end(); err != nil {
			return err
		}
		return p.ctx.Err()
	}
}

// end waits until the goroutines have done all tasks, or have stopped for an error.
func (p *Pool[W]) end() error {
	if p.tasks != nil {
		close(p.tasks)
		p.tasks = nil
	}
	defer p.cancel()
	return p.group.Wait()
}

// abandon stops the goroutines, and removes what they have done.
func (p *Pool[W]) abandon() {
	p.cancel()
	_ = p.end() // the work is not wanted
	var none W
	for _, w := range p.workers {
		if w != none {
			w.Abandon()
		}
	}
}

// Bundle is the part of a DoFn that has a pool for each bundle.
type Bundle[W Worker] struct {
	Progress Progress `json:"-"`
	pool     *Pool[W]
}

// Setup makes the counters.
func (b *Bundle[W]) Setup() { b.Progress = newProgress() }

// Teardown forgets what a failed bundle left, if it was the last.
func (b *Bundle[W]) Teardown() {
	if b.pool != nil {
		b.pool.abandon()
		b.pool = nil
	}
}

// Do has the pool of the bundle do something. Before the first time it makes the pool,
// of size goroutines; 0 is one for each core.
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

// Finish waits for the workers and emits what they have.
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
