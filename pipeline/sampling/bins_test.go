package sampling

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics/curves"
)

func distributionOf(numbers ...float64) *curves.Histogram {
	d := &distributions(1)[0]
	for _, x := range numbers {
		d.Add(x, true, 1)
	}
	return d
}

func namesOf(b *bins) []string { return collections.Map(b.names, slice.Value.String) }

func TestBins(t *testing.T) {
	var hundred, tied []float64
	for i := range 100 {
		hundred = append(hundred, float64(i)/100)
		tied = append(tied, max(0, float64(i-80)/20))
	}
	for _, c := range []struct {
		name    string
		numbers []float64
		n       int
		want    []string
	}{
		{"quantiles", hundred, 5, []string{"< 0.2", "[0.2, 0.4)", "[0.4, 0.6)", "[0.6, 0.8)", ">= 0.8"}},
		{"one", hundred, 1, []string{"any"}},
		{"few numbers", []float64{3, 1, 3, 3}, 5, []string{"1", "3"}},
		{"a number that most have", tied, 5, []string{"< 0.05", ">= 0.05"}},
		{"negative numbers", []float64{-3, -2, -1, 0, 1, 2}, 3, []string{"< -1", "[-1, 1)", ">= 1"}},
		{"close numbers", []float64{0.99991, 0.99992, 0.99993, 0.99994}, 2, []string{"< 0.99993", ">= 0.99993"}},
	} {
		b := divide(distributionOf(c.numbers...), c.n, slice.Float)
		require.Equal(t, c.want, namesOf(b), c.name)
		for _, x := range c.numbers {
			i := b.of(x)
			require.True(t, b.starts[i] <= x && (i+1 == len(b.starts) || x < b.starts[i+1]), c.name)
		}
	}
	require.Equal(t, []string{"false", "true"}, namesOf(divide(distributionOf(1, 0), 5, func(x float64) slice.Value { return slice.Bool(x == 1) })))
}

// TestDistributions: of more numbers than there are cells, bins are still about equal, and neither order nor division
// changes them.
func TestDistributions(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const n = 3 * mostCells
	numbers := make([]float64, n)
	for i := range numbers {
		numbers[i] = math.Exp(3 * random.NormFloat64())
	}
	whole := distributionOf(numbers...)
	cells := newCounts(whole)
	require.NotEqual(t, cells.least, cells.greatest)
	require.LessOrEqual(t, len(cells.least), mostCells)
	merged := &distributions(1)[0]
	random.Shuffle(n, func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
	for _, part := range [][]float64{numbers[:10], numbers[10:1000], numbers[1000:]} {
		require.NoError(t, merged.Merge(distributionOf(part...)))
	}
	require.Equal(t, whole.Append(nil), merged.Append(nil))
	b := divide(whole, 8, slice.Float)
	sizes := make([]float64, 8)
	for _, x := range numbers {
		sizes[b.of(x)]++
	}
	for _, size := range sizes {
		require.InEpsilon(t, n/8, size, 0.11)
	}
}
