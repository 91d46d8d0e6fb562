package exact_test

import (
	"fmt"

	"github.com/beameval/beameval/metrics/exact"
)

// A sum is rounded once, whatever the order of the numbers and of the parts.
func ExampleSum() {
	var whole, part exact.Sum
	whole.AddAll([]float64{1e16, 1})
	part.AddAll([]float64{1, -1e16})
	whole.Merge(&part)

	naive := 1e16
	for _, x := range []float64{1, 1, -1e16} {
		naive += x
	}
	fmt.Println(whole.Float64(), naive)
	// Output: 2 0
}
