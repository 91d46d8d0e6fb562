package quantiles

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/curves"
)

func tallyOf(values ...float64) *curves.Histogram {
	t := newTallies(1)
	for _, x := range values {
		t.add(0, x, 1)
	}
	return &t.list[0]
}

func TestBounds(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		values []float64
		n      int
		want   []float64
	}{
		"equal parts":             {[]float64{8, 1, 7, 2, 6, 3, 5, 4}, 4, []float64{3, 5, 7}},
		"median":                  {[]float64{3, 1, 2, 4}, 2, []float64{3}},
		"more than values":        {[]float64{1, 2, 3}, 10, []float64{2, 3}},
		"equal numbers stay":      {[]float64{0, 0, 0, 0, 0, 0, 1, 2, 3, 4}, 4, []float64{1, 2}},
		"one number":              {[]float64{5, 5, 5}, 4, []float64{5}},
		"none":                    {nil, 4, []float64{0}},
		"NaN and infinite":        {[]float64{1, math.NaN(), 2, inf, -inf}, 2, []float64{2}},
		"zeros are one":           {[]float64{math.Copysign(0, -1), 0, 1, 1}, 2, []float64{1}},
		"few digits":              {[]float64{0.12345, 0.4999, 0.51111, 0.98765}, 2, []float64{0.5}},
		"few digits, if negative": {[]float64{-0.98765, -0.51111, -0.4999, 0.12345}, 2, []float64{-0.5}},
		"whole numbers stay":      {[]float64{17, 39, 41, 66}, 2, []float64{41}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, bounds(tallyOf(c.values...), c.n)) })
	}
}

// encoded returns a tally as it travels.
func encoded(t *testing.T, of *curves.Histogram) []byte {
	data, err := wire.Encode(&Tallies{[]curves.Histogram{*of}}, talliesFields)
	require.NoError(t, err)
	return data
}

// A tally follows from the set of numbers, not from how it was divided, and not from the order.
func TestTalliesOfParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, 3*maxCounts)
	for i := range values {
		values[i] = math.Exp(3 * rng.NormFloat64())
	}
	all := tallyOf(values...)
	require.Less(t, len(all.Points()), maxCounts)
	want := encoded(t, all)
	for _, parts := range []int{2, 7} {
		rng.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		sum := newTallies(1)
		for part := range slices.Chunk(values, len(values)/parts) {
			data := encoded(t, tallyOf(part...))
			var read Tallies
			require.NoError(t, wire.Decode(data, &read, talliesFields))
			sum.merge(0, &read.list[0])
		}
		require.Equal(t, want, encoded(t, &sum.list[0]))
	}
	// The parts are equal but for the rounding of the images.
	list := bounds(all, 4)
	slices.Sort(values)
	for i, bound := range list {
		at, _ := slices.BinarySearch(values, bound)
		require.InDelta(t, float64(i+1)/4, float64(at)/float64(len(values)), 1e-4)
	}
}

// A narrow range far from 0, as of times, is divided as finely as any other.
func TestNarrowRange(t *testing.T) {
	times := newTallies(1)
	for i := range 4 * maxCounts {
		times.add(0, 1.7e9+float64(i), 1)
	}
	for i, bound := range bounds(&times.list[0], 4) {
		require.InDelta(t, 1.7e9+float64((i+1)*maxCounts), bound, 8)
	}
}
