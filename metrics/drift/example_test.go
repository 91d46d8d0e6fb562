package drift_test

import (
	"fmt"

	"github.com/beameval/beameval/metrics/drift"
)

// Scores in three bins, last month and today.
func ExampleJensenShannon() {
	before, now := []float64{500, 300, 200}, []float64{300, 300, 400}
	fmt.Printf("JS %.4f, PSI %.4f\n", drift.JensenShannon(before, now), drift.PSI(before, now))
	// Output: JS 0.2067, PSI 0.2361
}

// Predictions of the positive class became more frequent. How much more frequent the class itself is follows from the
// confusion matrix of a reference, without labels of today.
func ExampleLabelShift() {
	confusion := [][]float64{ // by predicted, then true class
		{80, 5},
		{10, 5},
	}
	weights, err := drift.LabelShift(confusion, []float64{80, 20})
	fmt.Printf("%.2f %v\n", weights, err)
	// Output: [0.86 2.29] <nil>
}
