package parquet

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSparesAreUsedAgain: there are never more values than were in use at the same time.
func TestSparesAreUsedAgain(t *testing.T) {
	var s spares[[64]int]
	s.get() // some value is always used, so that none is collected
	a, b := s.get(), s.get()
	require.NotSame(t, a, b)
	s.put(a)
	require.Same(t, a, s.get())
	s.put(b)
	s.put(a)
	again := map[*[64]int]bool{s.get(): true, s.get(): true}
	require.Equal(t, map[*[64]int]bool{a: true, b: true}, again)
}

// TestSparesAreCollected: nothing keeps values alive while none is in use.
func TestSparesAreCollected(t *testing.T) {
	var s spares[[64]int]
	a, b := s.get(), s.get()
	a[0], b[0] = 1, 1
	s.put(a)
	runtime.GC()
	require.Equal(t, 1, s.get()[0], "kept while another is used")
	s.put(a)
	s.put(b)
	a, b = nil, nil
	runtime.GC()
	require.Zero(t, s.get()[0])
}
