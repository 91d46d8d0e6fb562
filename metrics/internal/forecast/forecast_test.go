package forecast_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/internal/forecast"
)

func source() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// TestCRPS compares with the definition, and with the mean loss of all quantiles, to which it tends.
func TestCRPS(t *testing.T) {
	r := source()
	for n := 1; n < 30; n++ {
		members, y := make([]float64, n), r.NormFloat64()
		for i := range members {
			members[i] = r.NormFloat64()
		}
		distance, spread := 0.0, 0.0
		for _, a := range members {
			distance += math.Abs(a - y)
			for _, b := range members {
				spread += math.Abs(a - b)
			}
		}
		want := distance/float64(n) - spread/float64(2*n*n)
		got := forecast.CRPS(y, slices.Clone(members))
		require.InDelta(t, want, got, 1e-14)
		r.Shuffle(n, func(i, j int) { members[i], members[j] = members[j], members[i] })
		require.Equal(t, got, forecast.CRPS(y, members))
	}
	require.Equal(t, 2.0, forecast.CRPS(3, []float64{5}), "the absolute error of a single member")
	require.Zero(t, forecast.CRPS(3, []float64{3, 3, 3}))
}

// TestQuantileScoreIsWeightedIntervalScore: twice the mean loss of 2K + 1 quantiles is the weighted
// interval score of Bracher et al. (2021).
func TestQuantileScoreIsWeightedIntervalScore(t *testing.T) {
	r, levels := source(), forecast.Levels{0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99}
	require.Equal(t, []float64{0.5, 0.9, 0.98}, levels.Intervals())
	for range 100 {
		quantiles, y := make([]float64, len(levels)), 2*r.NormFloat64()
		for i := range quantiles {
			quantiles[i] = r.NormFloat64()
		}
		slices.Sort(quantiles)
		want := math.Abs(y-quantiles[3]) / 2
		for _, level := range levels.Intervals() {
			lower, upper := forecast.Tails(level)
			want += (1 - level) / 2 * forecast.Interval(y, quantiles[levels.Index(lower)], quantiles[levels.Index(upper)], level)
		}
		require.InDelta(t, want/3.5, 2*forecast.MeanPinball(y, quantiles, levels), 1e-14)
	}
}

func TestLevels(t *testing.T) {
	levels := forecast.Levels{0.05, 0.3, 0.95}
	require.Equal(t, 0, levels.Index((1-0.9)/2))
	require.Equal(t, -1, levels.Index(0.31))
	require.Equal(t, -1, levels.Index(0.99))
	require.Equal(t, []float64{0.9}, levels.Intervals())
	require.Equal(t, []float64{0.5}, levels.Missing(0.3, 0.5))
	require.Empty(t, forecast.Levels{0.5}.Intervals())
	for _, valid := range []forecast.Levels{nil, {0.5}, {1e-9, 0.5}, levels} {
		require.True(t, valid.Valid(), valid)
	}
	for _, invalid := range []forecast.Levels{{0}, {1}, {math.NaN()}, {0.5, 0.5}, {0.5, 0.5 + 1e-7}, {0.9, 0.1}} {
		require.False(t, invalid.Valid(), invalid)
	}
}

func TestHuber(t *testing.T) {
	for r, want := range map[float64]float64{0: 0, 1: 0.5, -1: 0.5, 2: 2, 3: 4, -3: 4} {
		require.Equal(t, want, forecast.Huber(r, 2), r)
	}
}

// TestTweedieDeviance: the formula, which loses digits where y is close to p, the limits at powers
// 1 and 2, and the cases that are undefined.
func TestTweedieDeviance(t *testing.T) {
	r := source()
	for _, a := range []float64{-3, -0.5, 1.1, 1.5, 1.9, 2.5, 3, 4} {
		for range 100 {
			y, p := r.ExpFloat64(), r.ExpFloat64()
			want := 2 * (math.Pow(y, 2-a)/((1-a)*(2-a)) - y*math.Pow(p, 1-a)/(1-a) + math.Pow(p, 2-a)/(2-a))
			require.InEpsilon(t, want, forecast.TweedieDeviance(y, p, a), 1e-6, "%v %v %v", y, p, a)
			require.Zero(t, forecast.TweedieDeviance(p, p, a))
		}
	}
	for _, power := range []float64{1, 2} {
		require.InEpsilon(t, forecast.TweedieDeviance(3, 2, power), forecast.TweedieDeviance(3, 2, power+1e-7), 1e-6)
	}
	for _, c := range []struct{ y, p, power, want float64 }{
		{-1, 2, 0, 9}, {-1, 2, -1, 28.0 / 3}, {0, 2, 1, 4}, {0, 2, 1.5, 4 * math.Sqrt2},
	} {
		require.InDelta(t, c.want, forecast.TweedieDeviance(c.y, c.p, c.power), 1e-14, fmt.Sprint(c))
	}
	for _, c := range []struct{ y, p, power float64 }{{-1, 2, 1}, {0, 2, 2}, {0, 2, 3}, {-1, 2, 1.5}, {1, 0, 1.5}, {1, -1, -1}} {
		require.True(t, math.IsNaN(forecast.TweedieDeviance(c.y, c.p, c.power)), fmt.Sprint(c))
	}
	for d := 1e-9; d < 0.5; d *= 1.3 { // the series goes over into the logarithm
		want := 2 * ((1+d)*math.Log1p(d) - d)
		require.InDelta(t, want, forecast.TweedieDeviance(1+d, 1, 1), 2e-16+1e-14*want)
	}
}
