// Package workers spreads the elements of a bundle over all cores: a runner may give a
// bundle of many elements to a single thread. It marks the errors of evaluations, and
// counts progress. What the work is, others know.
package workers

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
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

// Contain is deferred: it turns a panic into an error that says what was being done. In a
// goroutine that we started it would end the process, where a runner expects only the
// bundle to fail.
func Contain(ctx context.Context, what string, err *error) {
	if p := recover(); p != nil {
		log.Errorf(ctx, "%s: panic: %v\n%s", what, p, debug.Stack())
		*err = fmt.Errorf("%s: internal error, please report it: %v", what, p)
	}
}
