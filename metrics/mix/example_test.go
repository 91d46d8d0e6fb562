package mix_test

import (
	"fmt"

	"github.com/beameval/beameval/metrics/mix"
)

// More of the examples are of the second slice, where few are right.
func ExampleDivide() {
	of := func(shares, accuracy []float64) mix.Side {
		return mix.Side{Shares: shares, Metric: func(shares []float64) float64 {
			return shares[0]*accuracy[0] + shares[1]*accuracy[1]
		}}
	}
	parts := mix.Divide(of([]float64{0.8, 0.2}, []float64{0.9, 0.5}), of([]float64{0.6, 0.4}, []float64{0.88, 0.5}))
	fmt.Printf("mix %+.3f, performance %+.3f\n", parts.Mix, parts.Performance)
	// Output: mix -0.078, performance -0.014
}
