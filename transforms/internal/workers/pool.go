// Package workers spreads the elements of a bundle over all cores, because a runner may process a
// bundle of many elements in a single thread. It also marks the errors of evaluations, and counts
// progress. It does not know what the work is.
//
//	ProcessElement ─Submit─► task ─► worker 0 ─Share─► part ─► worker 1
//	               ─Submit─► task ─► worker 2
package workers

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Worker is used by a single goroutine of a pool.
type Worker interface {
	comparable
	// Finish is called after the last task.
	Finish() error
	// Abandon removes temporary data that no emitted element refers to.
	Abandon()
}

// Pool is a number of goroutines, each with a worker of its own.
type Pool[W Worker] struct {
	tasks   chan task[W]
	shared  chan task[W]  // parts that tasks share
	open    atomic.Int64  // the number of unfinished tasks, plus 1 while more may be submitted
	done    chan struct{} // closed when open reaches 0
	ended   bool
	waiting chan struct{} // holds an element for each unfinished call of Ahead
	turn    chan struct{} // closed when the most recent call of Ahead has finished
	cancel  context.CancelFunc
	group   *errgroup.Group
	ctx     context.Context
	workers []W
	cores   chan struct{} // holds an element for each running task
}

// cores is shared by the pools of bundles that run at the same time, if they have one goroutine for
// each core. Otherwise more tasks than cores would run, and every task takes memory. It cannot
// cause a deadlock, because no task waits for another.
var cores = make(chan struct{}, runtime.GOMAXPROCS(0))

// task is a unit of work of a worker.
type task[W Worker] func(context.Context, W) error

// newPool returns a pool of size goroutines; 0 means one for each core.
func newPool[W Worker](ctx context.Context, size int, newWorker func() (W, error)) *Pool[W] {
	cores := cores
	if size == 0 {
		size = cap(cores)
	} else {
		cores = make(chan struct{}, size)
	}
	ctx, cancel := context.WithCancel(ctx)
	group, ctx := errgroup.WithContext(ctx)
	p := &Pool[W]{
		tasks: make(chan task[W]), shared: make(chan task[W], size), done: make(chan struct{}),
		waiting: make(chan struct{}, ahead), turn: make(chan struct{}),
		cancel: cancel, group: group, ctx: ctx, workers: make([]W, size), cores: cores,
	}
	p.open.Store(1)
	close(p.turn)
	for i := range p.workers {
		group.Go(func() error {
			w, err := newWorker()
			if err != nil {
				return err
			}
			p.workers[i] = w
			if err := p.work(w); err != nil {
				return err
			}
			return w.Finish()
		})
	}
	return p
}

// work runs tasks until all are done.
func (p *Pool[W]) work(w W) error {
	for {
		t := p.next()
		if t == nil {
			return p.ctx.Err()
		}
		p.cores <- struct{}{}
		err := t(p.ctx, w)
		<-p.cores
		if err != nil {
			return err
		}
		p.finished()
	}
}

// next waits for a task; it returns nil if there will be no more. Parts of running tasks come
// first.
func (p *Pool[W]) next() (t task[W]) {
	select {
	case t = <-p.shared:
		return t
	default:
	}
	select {
	case t = <-p.shared:
	case t = <-p.tasks:
	case <-p.done:
	case <-p.ctx.Done():
	}
	return t
}

// finished counts a task as finished.
func (p *Pool[W]) finished() {
	if p.open.Add(-1) == 0 {
		close(p.done)
	}
}

// Submit waits until a worker is free to run the task. what names the task in messages. If the task
// will not run, Submit returns the first error of the pool.
func (p *Pool[W]) Submit(what string, t func(context.Context, W) error) error {
	p.open.Add(1)
	select {
	case p.tasks <- contained(what, t):
		return nil
	case <-p.ctx.Done():
		return context.Cause(p.ctx)
	}
}

// ahead is the largest number of concurrent calls of Ahead. They wait for storage, not for
// processors.
const ahead = 32

// Ahead prepares tasks in a goroutine of its own while other tasks run. what names them in
// messages. Then it calls submit, which submits them: in the order of the calls of Ahead, so that
// tasks start in the same order as without it. If prepare returns no error, submit is called even
// if the pool has stopped, so that it can clean up.
func (p *Pool[W]) Ahead(what string, prepare func() (submit func() error, err error)) error {
	select {
	case p.waiting <- struct{}{}:
	case <-p.ctx.Done():
	}
	if p.ctx.Err() != nil {
		return context.Cause(p.ctx)
	}
	p.open.Add(1)
	before, mine := p.turn, make(chan struct{})
	p.turn = mine
	p.group.Go(func() (err error) {
		defer Contain(what, &err)
		submit, err := prepare()
		if err != nil {
			return err
		}
		select {
		case <-before:
		case <-p.ctx.Done():
		}
		if err := submit(); err != nil {
			return err
		}
		close(mine)
		<-p.waiting
		p.finished()
		return nil
	})
	return nil
}

// Wanting reports whether an idle worker will soon run a part that is shared.
func (p *Pool[W]) Wanting() bool { return len(p.shared) < cap(p.shared) }

// Share hands a part of a task to whichever worker is free, so that a large task keeps all of them
// busy. If too many parts are waiting already, w, which runs the task, also runs the part.
func (p *Pool[W]) Share(w W, what string, part func(context.Context, W) error) error {
	p.open.Add(1)
	select {
	case p.shared <- contained(what, part):
		return nil
	default:
		defer p.finished()
		return part(p.ctx, w)
	}
}

// contained returns a task that returns an error instead of panicking.
func contained[W Worker](what string, t task[W]) task[W] {
	return func(ctx context.Context, w W) (err error) {
		defer Contain(what, &err)
		return t(ctx, w)
	}
}

// end waits until the goroutines have finished all tasks, or have stopped because of an error.
func (p *Pool[W]) end() error {
	if !p.ended {
		p.ended = true
		p.finished()
	}
	defer p.cancel()
	return p.group.Wait()
}

// abandon stops the goroutines and removes their results.
func (p *Pool[W]) abandon() {
	p.cancel()
	_ = p.end() // the results are not wanted
	var none W
	for _, w := range p.workers {
		if w != none {
			w.Abandon()
		}
	}
}

// UserError is the error for a panic of a function of the user.
type UserError struct{ Err error }

// Contain turns a panic, if it is deferred, into an error that says what was being done. A panic in a
// goroutine that this package started would end the process, whereas runners expect only the bundle
// to fail.
func Contain(what string, err *error) {
	switch p := recover().(type) {
	case nil:
	case UserError:
		*err = fmt.Errorf("%s: %w", what, p.Err)
	default:
		*err = fmt.Errorf("%s: internal error, please report it: %v\n%s", what, p, debug.Stack())
	}
}
