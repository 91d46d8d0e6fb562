package scoreruns

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/exact"
)

// TestCut: pieces are not negative, and add up to the number that was cut, even if it is beyond
// float64.
func TestCut(t *testing.T) {
	for seed := range uint64(300) {
		r := source(seed)
		var sum, again exact.Sum
		for range r.IntN(200) {
			sum.Add(math.Abs(pick(r, r.Float64(), 5e-324, math.MaxFloat64, 1, 0.1, 1e-300, math.Ldexp(r.Float64(), r.IntN(2000)-1000))))
		}
		want := sum.Append(nil)
		pieces := cut(nil, &sum)
		require.True(t, sum.Empty())
		for i, piece := range pieces {
			require.Positive(t, piece)
			require.True(t, i == 0 || piece <= pieces[i-1])
			again.Add(piece)
		}
		require.Equal(t, want, again.Append(nil))
	}
}

// TestJoinCounts beyond what an entry can count.
func TestJoinCounts(t *testing.T) {
	const most = math.MaxUint32
	for _, weight := range []float64{1, 2} {
		j := joiner[entry]{hash: entry.hash}
		c := entries{list: make([]entry, 4), weights: []float64{weight, weight, weight, weight}, counts: []uint32{most, most - 1, 7, 0}}
		j.join(&c)
		require.Equal(t, []uint32{most, most, 6}, c.counts)
		require.Equal(t, []float64{weight, weight, weight}, c.weights)
	}
}
