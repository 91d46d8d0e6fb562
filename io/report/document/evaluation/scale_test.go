package evaluation

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// mostSpans is the maximum number of bins.
const mostSpans = 40

// Every bin of a histogram is inside a bin of the picture, or outside the picture, and pictures
// have enough bins to show something.
func TestScale(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		side := math.Ldexp(1, r.IntN(40)-20)
		shift, spread := math.Floor(100*r.NormFloat64()), 1+r.IntN(1000)
		var all []span
		total, outside := 0.0, 0.0
		for range 1 + r.IntN(2000) {
			from := (shift + math.Floor(float64(spread)*r.NormFloat64())) * side
			w := float64(1 + r.IntN(3))
			all = append(all, span{from, from + side, w})
			total += w
		}
		s := newScale(all, mostSpans)
		require.LessOrEqual(t, s.n, mostSpans, "seed %d", seed)
		fraction, _ := math.Frexp(s.width)
		require.Equal(t, 0.5, fraction, "a power of two")
		for _, of := range all {
			i := s.place(of.from)
			if i < 0 || i == s.n {
				outside += of.weight
				continue
			}
			require.True(t, s.border(i) <= of.from && of.to <= s.border(i+1), "seed %d: %v in [%v, %v)", seed, of, s.border(i), s.border(i+1))
		}
		require.LessOrEqual(t, outside, 2*tails*total, "seed %d", seed)
		if s.width > side {
			require.Greater(t, s.n, mostSpans/4, "seed %d", seed)
		}
	}
}

func TestScaleOfFewValues(t *testing.T) {
	ones := func(values ...float64) (all []span) {
		for _, x := range values {
			all = append(all, span{x, x + 0x1p-1000, 1})
		}
		return all
	}
	for _, test := range []struct {
		of         []span
		low, width float64
		n          int
	}{
		{ones(0), 0, 1, 1},
		{ones(5), 5, 1, 1},
		{ones(1, 2, 3, 3, 5), 1, 1, 5},
		{ones(-2, 4), -2, 2, 4},
		{ones(0.25, 0.5), 0.25, 0.25, 2},
		{ones(-0.1), -0x1.9999ap-4, 0x1p-24, 1},
		{ones(-0.1, 0.3), -0.109375, 0.015625, 27},
	} {
		s := newScale(test.of, mostSpans)
		require.Equal(t, []float64{test.low, test.width, float64(test.n)}, []float64{s.border(0), s.width, float64(s.n)}, "%v", test.of)
	}
	// An outlier is left out.
	var all []span
	for i := range 1000 {
		all = append(all, span{float64(i), float64(i + 1), 1})
	}
	s := newScale(append(all, span{1 << 40, 1<<40 + 1, 1}), mostSpans)
	require.Equal(t, s.n, s.place(1<<40))
	require.Equal(t, 32., s.width)
}

// A number at a border is in the bin that begins there, although most borders are rounded.
func TestEven(t *testing.T) {
	s := evenScale(20)
	for i := range 101 {
		require.Equal(t, i/5, s.place(float64(i)/100), "%d/100", i)
	}
	for i := range 21 {
		require.Equal(t, float64(i)/20, s.border(i))
	}
}
