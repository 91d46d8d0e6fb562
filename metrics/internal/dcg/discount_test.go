package dcg

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// addedUp is the sum of discounts with more precision than it needs.
func addedUp(from, to int64) float64 {
	sum := new(big.Float).SetPrec(200)
	for place := from + 1; place <= to; place++ {
		sum.Add(sum, big.NewFloat(math.Ln2/math.Log(float64(place+1))))
	}
	f, _ := sum.Float64()
	return f
}

func TestDiscounts(t *testing.T) {
	for _, from := range []int64{0, 1, 7, 3000, 4000, 4095, 4096, 5000, 100_000, 1_000_000_000} {
		for _, n := range []int64{0, 1, 2, 255, 256, 257, 1000, 4097, 70_000} {
			want, got := addedUp(from, from+n), DiscountSum(from, from+n)
			require.InDelta(t, want, got, 1e-15*want, "%d places from %d", n, from)
		}
	}
	for _, c := range longDiscounts {
		require.InEpsilon(t, c.sum, DiscountSum(c.from, c.to), 1e-15)
	}
}

// longDiscounts are from testdata/discounts.py.
var longDiscounts = []struct {
	from, to int64
	sum      float64
}{
	{0, 1000000, 54500.37067174311192293},
	{0, 1000000000, 35246003.72564770250633},
	{0, 1000000000000, 26067844703.64752477876},
	{1000, 1000000000, 35245880.63411472750486},
	{1000000, 2000000, 48816.46975385504115754},
	{100000000, 100000300, 11.28862390897282610976},
	{999999500, 1000000000, 16.72388884854104739761},
}

func TestTable(t *testing.T) {
	var table DiscountTable
	for _, from := range []int{0, 3, 7, 100, 4094, 4095, 4096, 5000, 1_000_000} {
		for _, n := range []int{0, 1, 2, 50, 4096, 9000} {
			want := addedUp(int64(from), int64(from+n))
			require.InDelta(t, want, table.Between(from, from+n), 1e-13*max(want, 1), "%d places from %d", n, from)
		}
		require.InEpsilon(t, addedUp(0, int64(from+1)), table.First(from+1), 1e-13)
		require.Equal(t, DiscountSum(int64(from), int64(from+1)), table.Between(from, from+1))
	}
	require.Zero(t, table.First(0))
}

// TestNDCGAveragesTies compares with all orders of tied rows at once: the mean
// over them is the mean discount.
func TestNDCGAveragesTies(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
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
		var decoded DCG
		require.NoError(t, wire.Decode(encoded(t, &left), &decoded, code))
		fields.Merge(&right, &decoded)
		require.Equal(t, encoded(t, &whole), encoded(t, &right))
		if gain > 0 {
			require.InEpsilon(t, gain/DiscountSum(0, positives), whole.NDCG(positives), 1e-12)
		}
	}
}

func TestNDCGOfTheBestRankingIsOne(t *testing.T) {
	var g DCG
	g.Add(0, 1e9, 1e9)
	g.Add(1e9, 1e9, 0)
	require.Equal(t, 1.0, g.NDCG(1e9))
}

func TestDCGOfNoRows(t *testing.T) {
	var g DCG
	for _, n := range []int64{math.MinInt64, -1, 0, math.MaxInt64} {
		g.Add(n, 0, 1)
		g.Add(-1, n, 1)
		g.Add(math.MaxInt64, max(n, 1), 1)
	}
	require.Equal(t, encoded(t, new(DCG)), encoded(t, &g))
	require.Equal(t, DiscountSum(0, math.MaxInt64), DiscountSum(0, math.MaxInt64))
}

func code(c *wire.Coder, g *DCG) { g.Fields(fields.Coding(c), g) }

func encoded(t *testing.T, g *DCG) []byte {
	data, err := wire.Encode(g, code)
	require.NoError(t, err)
	return data
}
