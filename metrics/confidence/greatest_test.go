package confidence

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// around returns replicates of a value with a standard error, and as many degrees of freedom as
// there are.
func around(value, stdError float64) []float64 {
	at := []float64{-1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1}
	se, _ := Jackknife(at)
	for i := range at {
		at[i] = value + at[i]*stdError/se
	}
	return at
}

func TestGreatest(t *testing.T) {
	quantile := func(probability float64) float64 { return TQuantile(1-2*probability, 19) }
	greatest := func(values, stdErrors []float64) (low, high float64) {
		var replicates [][]float64
		for i := range values {
			replicates = append(replicates, around(values[i], stdErrors[i]))
		}
		return Greatest(values, replicates, level)
	}
	for name, c := range map[string]struct {
		values, stdErrors []float64
		low, high         float64
	}{
		"one":                      {[]float64{5}, []float64{0.1}, 5 - 0.1*quantile(0.025), 5 + 0.1*quantile(0.025)},
		"one above all":            {[]float64{1, 5, 2, 3}, []float64{0.1, 0.1, 0.1, 0.1}, 5 - 0.1*quantile(0.025), 5 + 0.1*quantile(0.025)},
		"a number and its reverse": {[]float64{0.1, -0.1}, []float64{0.1, 0.1}, 0.1 - 0.1*quantile(0.025), 0.1 + 0.1*quantile(0.025)},
		"three that may be":        {[]float64{5, 0, 4.9, 4.8}, []float64{0.1, 0.1, 0.1, 0.1}, 5 - 0.1*quantile(0.05/3), 5 + 0.1*quantile(0.025)},
		"one that is unsure":       {[]float64{5, 4.9}, []float64{0.1, 1}, 5 - 0.1*quantile(0.025), 4.9 + quantile(0.025)},
		"the surest gives the low": {[]float64{5, 4.9, 4.9}, []float64{1, 0.1, 1}, 4.9 - 0.1*quantile(0.05/3), 5 + quantile(0.025)},
	} {
		low, high := greatest(c.values, c.stdErrors)
		require.InDelta(t, c.low, low, 1e-12, name)
		require.InDelta(t, c.high, high, 1e-12, name)
	}
	low, high := Greatest([]float64{1, 2}, [][]float64{around(1, 1), append(around(2, 1)[1:], math.NaN())}, level)
	require.True(t, math.IsNaN(low) && math.IsNaN(high))
	e := Estimate{0.5, spread(0.5, 20), Identity, 0, 20, false, 0, nil, false}.Interval(level)
	low, high = Greatest([]float64{0.5}, [][]float64{spread(0.5, 20)}, level)
	require.InDelta(t, e.Low, low, 1e-15, "one value has the usual interval")
	require.InDelta(t, e.High, high, 1e-15)
}

// Quantiles that need not be computed change nothing.
func TestGreatestOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		var values []float64
		var replicates [][]float64
		for range 20 {
			values = append(values, r.Float64())
			var of []float64
			for range 20 {
				of = append(of, r.NormFloat64()*r.Float64()/10)
			}
			replicates = append(replicates, of)
		}
		low, high := Greatest(values, replicates, level)
		bound := func(i, n int, sign float64) float64 {
			se, dof := Jackknife(replicates[i])
			return values[i] + sign*TQuantile(1-2*(1-level)/float64(n), dof)*se
		}
		least := func(n int) (low float64) {
			low = math.Inf(-1)
			for i := range values {
				low = max(low, bound(i, max(n, 2), -1))
			}
			return low
		}
		all, n, most := least(20), 0, math.Inf(-1)
		for i := range values {
			above := bound(i, 2, 1)
			n, most = n+map[bool]int{true: 1}[above >= all], max(most, above)
		}
		require.InDelta(t, least(n), low, 1e-15)
		require.InDelta(t, most, high, 1e-15)
	}
}
