package transforms

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// pool works on every core, each with a worker of its own: a runner may give a
// bundle of many shards to a single thread.
type pool[W worker] struct {
	tasks   chan func(context.Context, W) error
	cancel  context.CancelFunc
	group   *errgroup.Group
	ctx     context.Context
	workers []W
}

// worker belongs to one goroutine of a pool.
type worker interface {
	comparable
	// finish is called after the last task.
	finish() error
	// abandon removes temporary data that nobody was told of.
	abandon()
}

func newPool[W worker](ctx context.Context, newWorker func() (W, error)) *pool[W] {
	ctx, cancel := context.WithCancel(ctx)
	group, ctx := errgroup.WithContext(ctx)
	tasks := make(chan func(context.Context, W) error)
	p := &pool[W]{tasks: tasks, cancel: cancel, group: group, ctx: ctx, workers: make([]W, runtime.GOMAXPROCS(0))}
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
			return w.finish()
		})
	}
	return p
}

// submit queues a task. It returns true when that has begun, or false and the
// first error of the pool.
func (p *pool[W]) submit(t func(context.Context, W) error) (begun bool, err error) {
	select {
	case p.tasks <- t:
		return true, nil
	case <-p.ctx.Done():
		if err := p.end(); err != nil {
			return false, err
		}
		return false, p.ctx.Err()
	}
}

// end waits for the goroutines to empty the queue, or to stop for an error.
func (p *pool[W]) end() error {
	if p.tasks != nil {
		close(p.tasks)
		p.tasks = nil
	}
	defer p.cancel()
	return p.group.Wait()
}

// abandon stops the goroutines, whatever they have done.
func (p *pool[W]) abandon() {
	p.cancel()
	_ = p.end() // what they did is not wanted
	var none W
	for _, w := range p.workers {
		if w != none {
			w.abandon()
		}
	}
}

// readShard opens a shard and has each of its row groups read by a worker. It
// returns when the last is being read, or with the first error of the pool.
func readShard[W worker](ctx context.Context, p *pool[W], s Shard, read func(ctx context.Context, w W, s *openShard, group int) error) error {
	shard, file, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer func() {
		go func() {
			shard.pending.Wait()
			file.Close()
		}()
	}()
	for g := s.First; g < s.First+s.Groups; g++ {
		shard.pending.Add(1)
		begun, err := p.submit(func(ctx context.Context, w W) error {
			defer shard.pending.Done()
			return read(ctx, w, shard, g)
		})
		if !begun {
			shard.pending.Done()
			return err
		}
	}
	return nil
}

// bundled is the part of a DoFn that has a pool for each bundle.
type bundled[W worker] struct {
	progress progress
	pool     *pool[W]
}

// Setup makes the counters.
func (b *bundled[W]) Setup() { b.progress = newProgress() }

// Teardown forgets what a failed bundle left, if it was the last.
func (b *bundled[W]) Teardown() { b.abandon() }

func (b *bundled[W]) abandon() {
	if b.pool != nil {
		b.pool.abandon()
		b.pool = nil
	}
}

// do gives work to the pool of the bundle.
func (b *bundled[W]) do(ctx context.Context, newWorker func() (W, error), give func(*pool[W]) error) error {
	if b.pool == nil {
		b.progress.begin(ctx)
		b.pool = newPool(ctx, newWorker)
	}
	if err := give(b.pool); err != nil {
		b.abandon()
		return marked(err)
	}
	return nil
}

// finish waits for the workers and emits what they have.
func (b *bundled[W]) finish(emit func(workers []W) error) error {
	if b.pool == nil {
		return nil
	}
	defer b.abandon()
	if err := b.pool.end(); err != nil {
		return marked(err)
	}
	return marked(emit(b.pool.workers))
}
