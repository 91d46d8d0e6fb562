package lanes

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRangeScores: a cluster has many ranges of many scores, and few if there are many curves, because
// every range gets the totals of each.
func TestRangeScores(t *testing.T) {
	cluster := &Division{Lanes: 100}
	ranges := func(d *Division, scores, curves int) int { return scores / d.RangeScores(scores, curves, 4<<20) }
	require.Equal(t, 1024, ranges(cluster, 1<<30, 1))
	require.Equal(t, 512, ranges(new(Division), 1<<30, 1))
	require.Equal(t, 4, ranges(cluster, 1<<20, 1))
	require.Equal(t, 4, ranges(cluster, 20_000_000, 100_000), "a range has as many scores as it may have")
	require.Equal(t, 238, ranges(cluster, 1_000_000_000, 100_000))
	require.Equal(t, 10, new(Division).RangeScores(1000, 1, 10))
}
