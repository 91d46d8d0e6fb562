package mix_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/mix"
)

// mean returns a side whose metric is a mean over examples.
func mean(shares, values []float64) mix.Side {
	return mix.Side{Shares: shares, Metric: func(shares []float64) float64 {
		sum := 0.0
		for i, share := range shares {
			sum += float64(share * values[i])
		}
		return sum
	}}
}

// The rates of four groups in two years.
var (
	before, after = []float64{.762, .111, .087, .040}, []float64{.785, .098, .084, .033}
	low, high     = []float64{39.33, 13.25, 63.55, 54.25}, []float64{24.94, 8.33, 75.20, 61.63}
)

// TestKitagawa: a published decomposition of rates.
func TestKitagawa(t *testing.T) {
	a, b := mean(before, low), mean(after, high)
	parts := mix.Divide(a, b)
	require.InDelta(t, -0.0149, parts.Mix, 5e-5)
	require.InDelta(t, -10.3794, parts.Performance, 5e-5)
	require.InDelta(t, -10.3942, parts.Mix+parts.Performance, 5e-5)
	require.InDelta(t, b.Metric(b.Shares)-a.Metric(a.Shares), parts.Mix+parts.Performance, 1e-13)

	// With the rates of A only, the other way does not count.
	require.InDelta(t, 0.162, a.Metric(b.Shares)-a.Metric(a.Shares), 5e-4)
	require.InDelta(t, -10.556, b.Metric(b.Shares)-a.Metric(b.Shares), 5e-4)
}

// TestSlicesAddUp: the parts of the slices add up to the parts of the difference, whatever they are measured from.
func TestSlicesAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	shares := func() []float64 {
		list, sum := make([]float64, 5), 0.0
		for i := range list {
			list[i] = r.Float64()
			sum += list[i]
		}
		for i := range list {
			list[i] /= sum
		}
		return list
	}
	for range 100 {
		sharesA, sharesB := shares(), shares()
		a, b := make([]float64, 5), make([]float64, 5)
		for i := range a {
			a[i], b[i] = r.NormFloat64(), r.NormFloat64()
		}
		whole := mix.Divide(mean(sharesA, a), mean(sharesB, b))
		var sum mix.Parts
		for _, part := range mix.OfMeans(sharesA, sharesB, a, b, r.NormFloat64()) {
			sum.Mix += part.Mix
			sum.Performance += part.Performance
		}
		require.InDelta(t, whole.Mix, sum.Mix, 1e-14)
		require.InDelta(t, whole.Performance, sum.Performance, 1e-14)
	}
}

// TestRatio: precision is no mean over examples. Where more is predicted positive, but the examples are the same, all
// is performance, although the slices have other shares of what precision is a mean over.
func TestRatio(t *testing.T) {
	precision := func(predicted, right []float64) mix.Side {
		return mix.Side{Shares: []float64{0.5, 0.5}, Metric: func(shares []float64) float64 {
			n, tp := 0.0, 0.0
			for i, share := range shares {
				n += float64(share * predicted[i])
				tp += float64(share * right[i])
			}
			return tp / n
		}}
	}
	parts := mix.Divide(precision([]float64{100, 100}, []float64{80, 60}), precision([]float64{300, 100}, []float64{240, 60}))
	require.Zero(t, parts.Mix)
	require.InDelta(t, 0.05, parts.Performance, 1e-15)
	require.False(t, math.Signbit(parts.Mix))
}

// TestOtherwise: parts that are all of a difference.
func TestOtherwise(t *testing.T) {
	mixOnly := mix.Divide(mean(before, low), mean(after, low))
	require.Zero(t, mixOnly.Performance)
	require.InDelta(t, 0.162, mixOnly.Mix, 5e-4)
	same := mix.Divide(mean(before, low), mean(before, high))
	require.Zero(t, same.Mix)
	back := mix.Divide(mean(after, high), mean(before, low))
	require.InDelta(t, 0.0149, back.Mix, 5e-5, "both ways count alike")
}
