package curves

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/internal/discount"
)

// TestNDCGAveragesTies compares with all orders of tied rows at once: the mean
// over them is the mean discount.
func TestNDCGAveragesTies(t *testing.T) {
	for seed := range uint64(200) {
		r := source(seed)
		var whole, left, right DCG
		above, positives, gain := int64(0), int64(0), 0.0
		for range 1 + r.IntN(20) {
			rows := int64(1 + r.IntN(600)*r.IntN(2))
			hits := r.Int64N(rows + 1)
			whole.Add(above, rows, hits)
			[]*DCG{&left, &right}[r.IntN(2)].Add(above, rows, hits)
			for i := range rows {
				gain += float64(hits) / float64(rows) / math.Log2(float64(above+i+2))
			}
			above += rows
			positives += hits
		}
		right.Merge(throughBytes(t, &left, new(DCG)))
		require.Equal(t, whole.Append(nil), right.Append(nil))
		if positives > 0 {
			agree(t, gain/discount.Sum(0, positives), whole.NDCG(positives).Number)
		} else {
			require.Equal(t, noPositives, whole.NDCG(0).Undefined)
		}
	}
}

func TestNDCGOfTheBestRankingIsOne(t *testing.T) {
	var g DCG
	g.Add(0, 1e9, 1e9)
	g.Add(1e9, 1e9, 0)
	require.Equal(t, defined(1), g.NDCG(1e9))
}

func TestDCGOfNoRows(t *testing.T) {
	var g DCG
	for _, n := range []int64{math.MinInt64, -1, 0, math.MaxInt64} {
		g.Add(n, 0, 1)
		g.Add(-1, n, 1)
		g.Add(math.MaxInt64, max(n, 1), 1)
	}
	require.Equal(t, new(DCG).Append(nil), g.Append(nil))
	require.Equal(t, discount.Sum(0, math.MaxInt64), discount.Sum(0, math.MaxInt64))
}
