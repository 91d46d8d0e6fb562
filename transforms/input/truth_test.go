package input

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSplit: slice columns come from the predictions unless the truth has them.
func TestSplit(t *testing.T) {
	truth := &Truth{Slices: []string{"b", "c"}}
	own, ofTruth := truth.Split([]string{"a", "b", "d"})
	require.Equal(t, []string{"a", "d"}, own)
	require.Equal(t, []string{"b"}, ofTruth)
	require.True(t, truth.Has("c", "b"))
	require.False(t, truth.Has("c", "a"))

	truth = nil
	own, ofTruth = truth.Split([]string{"a"})
	require.Equal(t, []string{"a"}, own)
	require.Empty(t, ofTruth)
	require.False(t, truth.Has("a"))
	require.False(t, truth.Long())
}
