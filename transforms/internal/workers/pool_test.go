package workers

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
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
	require.EqualError(t, err, ErrorMark+"a.parquet: row group 3: internal error, please report it: here"+ErrorEnd)
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
