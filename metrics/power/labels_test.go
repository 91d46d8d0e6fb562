package power

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestJudgeByHand: of 1,000 judged rows, 100 have labels that correlate with judgements by 0.8.
func TestJudgeByHand(t *testing.T) {
	j := Judge{Rows: 1000, Correlation: 0.8, Spread: 1}
	require.InDelta(t, (1-0.64*0.9)/100, j.Variance(100), 1e-15)
	require.InDelta(t, 1./1000, j.Variance(1000), 1e-15)
	require.InDelta(t, 1./100, Judge{Rows: 1000, Correlation: -0.8, Spread: 1}.Variance(100), 1e-15)
	require.InDelta(t, math.Sqrt(0.36*0.01/(0.64*2)), j.CheapestShare(2, 0.01), 1e-15)
	require.InDelta(t, 0.0530, j.CheapestShare(2, 0.01), 1e-4)
	require.Equal(t, 1.0, j.CheapestShare(1, 2), "judgements that cost more than labels")
	require.Equal(t, 1.0, Judge{Rows: 1000, Correlation: 0}.CheapestShare(1, 1e-9), "a judge that guesses")
	require.Equal(t, 0.1, ByChance(102))
	require.Equal(t, 1.0, ByChance(2))

	// Judgements that vary half as much as the labels and would be trusted by 0.8 · 0.9 / 0.5 = 1.44, but are by 1.
	narrow := Judge{Rows: 1000, Correlation: 0.8, Spread: 0.5}
	require.InDelta(t, (1+0.25-2*0.8*0.5)/100+0.25/900, narrow.Variance(100), 1e-15)
	require.Equal(t, j.Variance(700), narrow.Variance(700), "λ is 0.48")
}

// TestJudgeLaws: every label narrows the interval, the judge never widens it, and the share of labels that is the cheapest
// costs least for the same width.
func TestJudgeLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		j := Judge{Rows: float64(10 + r.IntN(1000)), Correlation: 2*r.Float64() - 1, Spread: math.Exp(r.NormFloat64())}
		for n := 2.0; n < j.Rows; n++ {
			require.Less(t, j.Variance(n+1), j.Variance(n), "%+v, %v labels", j, n)
			require.LessOrEqual(t, j.Variance(n), 1/n)
		}
		if j.Correlation <= 0 {
			continue
		}
		n := 1 + float64(r.IntN(int(j.Rows)-1))
		lambda, narrowing := min(1, j.Correlation*(j.Rows-n)/(j.Spread*j.Rows)), n*j.Variance(n)
		require.InEpsilon(t, j.Spread, Spread(j.Correlation, j.Rows, n, lambda, narrowing), 1e-6, "%+v, %v labels", j, n)

		j.Spread, j.Rows = 10, 1e6 // λ is below 1
		label, judgement := r.ExpFloat64(), r.ExpFloat64()/10
		share := j.CheapestShare(label, judgement)
		price := func(share float64) float64 { return j.Variance(share*j.Rows) * (label*share + judgement) }
		for range 20 {
			require.LessOrEqual(t, price(share), price(r.Float64())*(1+1e-12))
		}
	}
}
