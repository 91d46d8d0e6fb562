package curves

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

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
