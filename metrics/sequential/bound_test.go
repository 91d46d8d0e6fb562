package sequential_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/heap"
	"github.com/beameval/beameval/metrics/sequential"
)

// between is the estimate of DerSimonian & Laird (1986) as it is defined, from all nights at once.
func between(nights []sequential.Measured) float64 {
	weights, squares, sum, q := 0.0, 0.0, 0.0, 0.0
	for _, n := range nights {
		w := 1 / (n.StdError * n.StdError)
		weights, squares, sum = weights+w, squares+w*w, sum+w*n.Value
	}
	for _, n := range nights {
		q += (n.Value - sum/weights) * (n.Value - sum/weights) / (n.StdError * n.StdError)
	}
	return max(0, (q-float64(len(nights)-1))/(weights-squares/weights))
}

// TestMeanAsDefined: sums that grow night by night give what all nights so far give.
func TestMeanAsDefined(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 1))
		all := make([]sequential.Measured, 40)
		spread := math.Pow(10, 4*random.Float64()-3)
		for i := range all {
			all[i] = sequential.Measured{Value: 1000 + spread*random.NormFloat64(), StdError: 0.1 + random.Float64()}
		}
		from := random.IntN(30)
		for i, got := range sequential.Mean(all, 2, from, 0.05) {
			if i < max(from, 1) {
				require.True(t, math.IsNaN(got.Mean))
				continue
			}
			v, sum, n := 0.0, 0.0, float64(i+1-from)
			for _, night := range all[from : i+1] {
				v += night.StdError*night.StdError + between(all[:i+1])
				sum += night.Value
			}
			require.InEpsilon(t, sum/n, got.Mean, 1e-12)
			require.InEpsilon(t, sequential.NormalMixture(v, 30*v/n, 0.05)/n, (got.High-got.Low)/2, 1e-6, "%d: night %d", seed, i)
		}
	}
}

// TestMeanIsLinear: the nights so far are not summed up anew every night.
func TestMeanIsLinear(t *testing.T) {
	for _, stdError := range []float64{0.1, math.NaN()} {
		t.Run(fmt.Sprint(stdError), func(t *testing.T) {
			took := func(n int) float64 {
				all := make([]sequential.Measured, n)
				for i := range all {
					all[i] = sequential.Measured{Value: float64(i % 7), StdError: stdError}
				}
				return float64(heap.Allocated(func() { sequential.Mean(all, 2, 0, 0.05) }))
			}
			few, many := took(1000), took(4000)
			require.Less(t, many, 6*few, "%.0f bytes, and %.0f for four times the nights", few, many)
		})
	}
}
