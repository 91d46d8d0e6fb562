// Package workers spreads the elements of a bundle over all cores: a runner may give a
// bundle of many elements to a single thread. It marks the errors of evaluations, and
// counts progress. What the work is, others know.
package workers

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"

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
	tasks   chan task[W]
	shared  chan task[W]  // by tasks
	open    atomic.Int64  // tasks that are not done, and 1 if more may be submitted
	done    chan struct{} // closed when none is open
	ended   bool
	waiting chan struct{} // holds an element for each call of Ahead that is not done
	turn    chan struct{} // closed when the last call of Ahead is done
	cancel  context.CancelFunc
	group   *errgroup.Group
	ctx     context.Context
	workers []W
	cores   chan struct{} // holds an element for each task that is being done
}

// cores is shared by the pools of bundles that run at once, if they have a goroutine for each core: otherwise there
// would be more tasks at once than cores, all of which take memory. No task waits for another.
var cores = make(chan struct{}, runtime.GOMAXPROCS(0))

// task is what a worker does.
type task[W Worker] func(context.Context, W) error

// newPool returns a pool of size goroutines; 0 is one for each core.
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

// work does tasks until all are done.
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

// next waits for a task; nil if no more will come. Parts of a task that was begun come first.
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

// finished counts a task as done.
func (p *Pool[W]) finished() {
	if p.open.Add(-1) == 0 {
		close(p.done)
	}
}

// Submit waits until a worker is free to begin the task, which messages call what. If the
// task will not begin, Submit returns the first error of the pool.
func (p *Pool[W]) Submit(what string, t func(context.Context, W) error) error {
	p.open.Add(1)
	select {
	case p.tasks <- contained(what, t):
		return nil
	case <-p.ctx.Done():
		return context.Cause(p.ctx)
	}
}

// ahead is how many calls of Ahead are under way at once. They wait for storage, not for
// processors.
const ahead = 32

// Ahead prepares tasks, which messages call what, in a goroutine of its own while others are
// done. Then it calls submit, which submits them: in the order of the calls of Ahead, so that
// tasks begin in the order in which they would without it. If prepare returns no error, submit
// is called even if the pool has stopped, so that it can clean up.
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
		defer Contain(p.ctx, what, &err)
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

// Wanting says whether a task that is shared will soon be begun by a worker without another.
func (p *Pool[W]) Wanting() bool { return len(p.shared) < cap(p.shared) }

// Share leaves a part of a task to whichever worker is free, so that a task which is large
// keeps all of them busy. If too many parts wait already, w, which does the task, does this
// one too.
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

// contained is a task that returns an error instead of a panic.
func contained[W Worker](what string, t task[W]) task[W] {
	return func(ctx context.Context, w W) (err error) {
		defer Contain(ctx, what, &err)
		return t(ctx, w)
	}
}

// end waits until the goroutines have done all tasks, or have stopped for an error.
func (p *Pool[W]) end() error {
	if !p.ended {
		p.ended = true
		p.finished()
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

// UserError is what a panic of a function of the user is turned into.
type UserError struct{ Err error }

// Contain is deferred: it turns a panic into an error that says what was being done. In a
// goroutine that we started it would end the process, where a runner expects only the
// bundle to fail.
func Contain(ctx context.Context, what string, err *error) {
	switch p := recover().(type) {
	case nil:
	case UserError:
		*err = fmt.Errorf("%s: %w", what, p.Err)
	default:
		log.Errorf(ctx, "%s: panic: %v\n%s", what, p, debug.Stack())
		*err = fmt.Errorf("%s: internal error, please report it: %v", what, p)
	}
}
