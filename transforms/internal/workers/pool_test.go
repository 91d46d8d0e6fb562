package workers

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

// idler has nothing to do at the end.
type idler struct{ _ int }

func (*idler) Finish() error { return nil }
func (*idler) Abandon()      {}

func TestPanicsBecomeErrors(t *testing.T) {
	var b Bundle[*idler]
	b.Setup()
	err := b.Do(t.Context(), 2, func() (*idler, error) { return &idler{}, nil }, func(p *Pool[*idler]) error {
		return p.Submit("a.parquet: row group 3", func(context.Context, *idler) error { panic("here") })
	})
	require.NoError(t, err)
	err = b.Finish(nil)
	require.ErrorContains(t, err, ErrorMark+"a.parquet: row group 3: internal error, please report it: here\n")
	require.ErrorContains(t, err, "pool_test.go:", "the stack")
}

// TestSharedPartsOccupyAllWorkers has one task share parts that wait for each other: they end
// only if all workers are at work at once, and the pool only if all parts have ended.
func TestSharedPartsOccupyAllWorkers(t *testing.T) {
	const size = 4
	var met sync.WaitGroup
	met.Add(size)
	var done atomic.Int32
	part := func(context.Context, *idler) error {
		met.Done()
		met.Wait()
		done.Add(1)
		return nil
	}
	p := newPool(t.Context(), size, func() (*idler, error) { return &idler{}, nil })
	require.NoError(t, p.Submit("", func(ctx context.Context, w *idler) error {
		for range size - 1 {
			if err := p.Share(w, "", part); err != nil {
				return err
			}
		}
		return part(ctx, w)
	}))
	require.NoError(t, p.end())
	require.EqualValues(t, size, done.Load())
}

// TestWorkersThatAreBusyShareNothing has the only worker share more than can wait.
func TestWorkersThatAreBusyShareNothing(t *testing.T) {
	p := newPool(t.Context(), 1, func() (*idler, error) { return &idler{}, nil })
	parts := 0
	require.NoError(t, p.Submit("", func(_ context.Context, w *idler) error {
		for range 10 {
			if err := p.Share(w, "", func(context.Context, *idler) error { parts++; return nil }); err != nil {
				return err
			}
		}
		require.Equal(t, 9, parts)
		require.False(t, p.Wanting())
		return nil
	}))
	require.NoError(t, p.end())
	require.Equal(t, 10, parts)
}

func TestErrorOfSharedPartStopsPool(t *testing.T) {
	failed := errors.New("failed")
	p := newPool(t.Context(), 2, func() (*idler, error) { return &idler{}, nil })
	require.NoError(t, p.Submit("", func(ctx context.Context, w *idler) error {
		for ctx.Err() == nil {
			if err := p.Share(w, "", func(context.Context, *idler) error { return failed }); err != nil {
				return err
			}
		}
		return ctx.Err()
	}))
	require.ErrorIs(t, p.end(), failed)
}

// TestAhead: many calls of Ahead prepare at once, and their tasks begin in order.
func TestAhead(t *testing.T) {
	p := newPool(t.Context(), 1, func() (*idler, error) { return &idler{}, nil })
	var preparing sync.WaitGroup
	preparing.Add(ahead)
	var order, want []int
	for i := range 2 * ahead {
		want = append(want, i)
		err := p.Ahead("", func() (submit func() error, err error) {
			if i < ahead {
				preparing.Done()
				preparing.Wait() // for all of them
			}
			return func() error {
				return p.Submit("", func(context.Context, *idler) error {
					order = append(order, i)
					return nil
				})
			}, nil
		})
		require.NoError(t, err)
	}
	require.NoError(t, p.end())
	require.Equal(t, want, order)
}

// TestAheadFails: an error of Ahead stops the pool, and the pool cleans up what others have
// prepared.
func TestAheadFails(t *testing.T) {
	failed := errors.New("failed")
	p := newPool(t.Context(), 1, func() (*idler, error) { return &idler{}, nil })
	var prepared, submitted atomic.Int64
	var err error
	for i := 0; i < 10*ahead && err == nil; i++ {
		err = p.Ahead("", func() (submit func() error, err error) {
			if i == 5 {
				return nil, failed
			}
			prepared.Add(1)
			return func() error {
				submitted.Add(1)
				return p.Submit("", func(ctx context.Context, _ *idler) error { return nil })
			}, nil
		})
	}
	require.ErrorIs(t, cmp.Or(err, p.end()), failed)
	require.ErrorIs(t, p.end(), failed)
	require.Equal(t, prepared.Load(), submitted.Load())

	panics := newPool(t.Context(), 1, func() (*idler, error) { return &idler{}, nil })
	require.NoError(t, panics.Ahead("x.parquet", func() (func() error, error) { panic("here") }))
	require.ErrorContains(t, panics.end(), "x.parquet: internal error, please report it: here\n")
}

// TestErrorStopsPool: after an error of one task, others begin with a context that is done,
// and soon none begins.
func TestErrorStopsPool(t *testing.T) {
	failed := errors.New("failed")
	p := newPool(t.Context(), 4, func() (*idler, error) { return &idler{}, nil })
	err := p.Submit("", func(context.Context, *idler) error { return failed })
	require.NoError(t, err)
	<-p.ctx.Done()
	for range 5 {
		if err = p.Submit("", func(ctx context.Context, _ *idler) error { return ctx.Err() }); err != nil {
			break
		}
	}
	require.ErrorIs(t, err, failed)
	p.abandon()
}

// TestPoolsShareCores: of pools that have a goroutine for each core, no more tasks are done at once
// than there are cores.
func TestPoolsShareCores(t *testing.T) {
	var now, most atomic.Int32
	task := func(context.Context, *idler) error {
		n := now.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		runtime.Gosched()
		now.Add(-1)
		return nil
	}
	var pools errgroup.Group
	for range 3 {
		pools.Go(func() error {
			p := newPool(t.Context(), 0, func() (*idler, error) { return &idler{}, nil })
			for range 1000 {
				if err := p.Submit("", task); err != nil {
					return err
				}
			}
			return p.end()
		})
	}
	require.NoError(t, pools.Wait())
	require.LessOrEqual(t, int(most.Load()), runtime.GOMAXPROCS(0))
	require.Zero(t, now.Load())
}
