package files

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// remote is a file that counts the bytes fetched from it.
type remote struct {
	content         string
	requests, bytes atomic.Int64
}

func (r *remote) fetch(p []byte, off int64) error {
	r.requests.Add(1)
	r.bytes.Add(int64(len(p)))
	if n := copy(p, r.content[off:]); n < len(p) {
		return errors.New("beyond the end")
	}
	return nil
}

func newRemote(size int) (*remote, *readAhead) {
	r := &remote{content: pattern(size)}
	return r, &readAhead{size: int64(size), fetch: r.fetch}
}

func (r *remote) check(t *testing.T, ahead *readAhead, off, length int) {
	t.Helper()
	p := make([]byte, length)
	require.NoError(t, ahead.readAt(p, int64(off)))
	require.True(t, r.content[off:off+length] == string(p), "wrong content at %d", off)
}

// Columns that are read in parallel each continue where they stopped.
func TestReadAheadStreams(t *testing.T) {
	const streams, length, step = 6, 4 << 20, 32 << 10
	r, ahead := newRemote(streams * length)
	for off := 0; off < length; off += step {
		for s := range streams {
			r.check(t, ahead, s*length+off, step)
		}
	}
	require.LessOrEqual(t, r.requests.Load(), int64(4*streams))
	require.LessOrEqual(t, r.bytes.Load(), int64(streams*length*3/2))
}

// Random reads do not cost megabytes.
func TestReadAheadJumps(t *testing.T) {
	r, ahead := newRemote(100 << 20)
	for off := 0; off < 90<<20; off += 9 << 20 {
		r.check(t, ahead, off, 100)
	}
	require.EqualValues(t, 10*firstWindow, r.bytes.Load())
}

func TestReadAheadSmallGaps(t *testing.T) {
	r, ahead := newRemote(20 << 20)
	for off := 0; off < 20<<20-1000; off += 70_000 { // reads 1000, skips the rest
		r.check(t, ahead, off, 1000)
	}
	require.LessOrEqual(t, r.requests.Load(), int64(6))
}

func TestReadAheadMemory(t *testing.T) {
	r, ahead := newRemote(100 << 20)
	for off := 0; off < len(r.content); off += 1 << 20 {
		r.check(t, ahead, off, 1<<20)
		require.LessOrEqual(t, ahead.held, int64(2*maxWindow), "one stream needs no more than two windows")
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		r.check(t, ahead, random.IntN(len(r.content)-1000), 1000)
		held := int64(0)
		for _, w := range ahead.windows {
			held += w.size()
		}
		require.Equal(t, held, ahead.held)
		require.LessOrEqual(t, held, int64(windowsBudget))
	}
}

func TestReadAheadSharesRequests(t *testing.T) {
	r, ahead := newRemote(1 << 20)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			p := make([]byte, 1000)
			if err := ahead.readAt(p, 0); err != nil || r.content[:1000] != string(p) {
				t.Error("wrong content", err)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 1, r.requests.Load())
}

func TestReadAheadFailure(t *testing.T) {
	r, ahead := newRemote(1 << 20)
	failure := errors.New("failure")
	ahead.fetch = func([]byte, int64) error { return failure }
	require.ErrorIs(t, ahead.readAt(make([]byte, 10), 0), failure)
	ahead.fetch = r.fetch
	r.check(t, ahead, 0, 10)
	require.Len(t, ahead.windows, 1)
}
