package multiplecomparisons_test

import (
	"fmt"

	"github.com/beameval/beameval/metrics/multiplecomparisons"
)

// Three systems, of which only the first is significantly better than the last.
func ExampleRanks() {
	verdict := func(i, j int) int {
		switch {
		case i == 0 && j == 2:
			return 1
		case i == 2 && j == 0:
			return -1
		}
		return 0
	}
	low, high := multiplecomparisons.Ranks(3, verdict)
	for i := range low {
		fmt.Printf("system %d: %d–%d\n", i, low[i], high[i])
	}
	// Output:
	// system 0: 1–2
	// system 1: 1–3
	// system 2: 2–3
}

// Three systems on four data sets. Mean ranks that differ by less than the critical difference do not differ
// significantly.
func ExampleFriedman() {
	ranks, chi2, _, p := multiplecomparisons.Friedman([][]float64{
		{0.90, 0.85, 0.80},
		{0.70, 0.72, 0.60},
		{0.88, 0.80, 0.79},
		{0.95, 0.90, 0.85},
	}, true)
	fmt.Printf("mean ranks %.2f, χ² %.2f, p %.3f\n", ranks, chi2, p)
	// Output:
	// mean ranks [1.25 1.75 3.00], χ² 6.50, p 0.039
}
