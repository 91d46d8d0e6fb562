package confidence_test

import (
	"fmt"

	"github.com/beameval/beameval/metrics/confidence"
)

// The replicates of a value without each of ten folds give its standard error and its interval.
func ExampleEstimate_Interval() {
	e := confidence.Estimate{
		Value: 0.80, Scale: confidence.Logit, Rarer: confidence.MinFolds,
		Replicates: []float64{0.79, 0.80, 0.81, 0.80, 0.79, 0.81, 0.80, 0.80, 0.79, 0.81},
	}
	i := e.Interval(0.95)
	fmt.Printf("%.3f to %.3f, standard error %.4f\n", i.Low, i.High, i.StdError)
	// Output: 0.742 to 0.847, standard error 0.0232
}

// Of 20 independent examples, all are right: the accuracy is 1, and may well be 0.9.
func ExampleWilson() {
	low, high := confidence.Wilson(1, 20, 0.95)
	fmt.Printf("%.3f to %.3f\n", low, high)
	// Output: 0.839 to 1.000
}

// Two models on the same examples in the same folds: their replicates vary together, so a small difference is
// significant.
func ExamplePaired() {
	a := []float64{0.79, 0.80, 0.81, 0.80, 0.79, 0.81, 0.80, 0.80, 0.79, 0.81}
	b := []float64{0.80, 0.81, 0.82, 0.81, 0.801, 0.819, 0.81, 0.811, 0.80, 0.82}
	paired, unpaired := confidence.Paired(0.80, 0.81, a, b, 0.95), confidence.Unpaired(0.80, 0.81, a, b, 0.95)
	fmt.Printf("paired p %.4f, unpaired p %.2f\n", paired.PValue, unpaired.PValue)
	// Output: paired p 0.0003, unpaired p 0.76
}

// Three of four p-values are below 0.05, but four tests were made.
func ExampleHolm() {
	fmt.Println(confidence.Holm([]float64{0.01, 0.02, 0.04, 0.6}))
	// Output:
	// [0.04 0.06 0.08 0.6]
}
