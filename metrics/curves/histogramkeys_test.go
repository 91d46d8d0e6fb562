package curves

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/scoreruns"
)

// TestPlacesKeepTheOrder: places are in the order of scores, and scoreAt returns a score near the
// place.
func TestPlacesKeepTheOrder(t *testing.T) {
	scores := []float64{math.Inf(-1), -math.MaxFloat64, -2, -1, -1 + 0x1p-53, -0.5, -1e-30, 0, 5e-324, 1e-60, 1e-30, 0.5, 1 - 0x1p-53, 1, 2, math.MaxFloat64, math.Inf(1)}
	r := source(1)
	for range 1000 {
		scores = append(scores, r.NormFloat64()*math.Pow(10, r.Float64()*200-190))
	}
	slices.Sort(scores)
	last := uint64(0)
	for _, s := range scores {
		at := place(scoreruns.Image(s))
		require.GreaterOrEqual(t, at, last)
		require.InDelta(t, float64(at), float64(place(scoreruns.Image(scoreAt(at)))), 0x1p12, s)
		last = at
	}
	for range 1000 {
		require.False(t, math.IsNaN(scoreAt(r.Uint64())))
		place(r.Uint64()) // of no score
	}
	require.False(t, math.Signbit(scoreAt(1<<63-1)))
}

// TestEvenHistograms: even histograms are exact while there are enough bins. After that, their bins
// are fine where scores are high.
func TestEvenHistograms(t *testing.T) {
	h := NewEvenHistogram(256)
	for i := range 256 {
		h.Add(math.Pow(10, -float64(i)), i%2 == 0, 1)
	}
	require.True(t, isExact(h))
	require.Equal(t, 1.0, h.Points()[0].Score)
	bins := NewEvenHistogram(256)
	for i := range 100_000 {
		bins.Add(math.Pow(10, -float64(i)/350), i%2 == 0, 1)
	}
	high := 0
	for _, p := range bins.Points() {
		if p.Score >= 0.5 {
			high++
		}
	}
	require.Greater(t, high, 16)
	require.ErrorIs(t, merge(NewEvenHistogram(1), NewHistogram(1)), errDifferent)
}

// TestNoFinerBins: merging into Histogram.Bins makes no finer bins than the histogram has.
func TestNoFinerBins(t *testing.T) {
	for _, h := range []*Histogram{NewHistogram(64), NewEvenHistogram(64)} {
		few := h.Bins()
		for i := range 1000 {
			h.Add(float64(i)/1000, true, 1)
		}
		few.Add(0.5, true, 1)
		require.True(t, few.Bins().dropped == 0 && h.Bins().Empty())
		bins := h.Bins()
		require.NoError(t, merge(bins, few))
		require.Equal(t, h.dropped, bins.dropped)
		require.Len(t, bins.Points(), 1)
	}
}
