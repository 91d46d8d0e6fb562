package power_test

import (
	"fmt"
	"math"

	"github.com/beameval/beameval/metrics/power"
)

// Two models are compared on 1,000 examples, in 50 folds. The standard error of the difference of their
// accuracies is 0.008.
func ExampleTest() {
	test := power.Test{Level: 0.95, DOF: 49}
	fmt.Printf("shown with a probability of 80 %%: %.3f\n", test.Effect(0.008, power.Usual))
	fmt.Printf("a difference of 0.01 is shown with a probability of %.0f %%\n", 100*test.Power(0.01, 0.008))
	fmt.Printf("and takes %.0f examples\n", math.Ceil(test.Examples(1000, 0.008, 0.01, power.Usual)))
	// Output:
	// shown with a probability of 80 %: 0.023
	// a difference of 0.01 is shown with a probability of 23 %
	// and takes 5230 examples
}

// How many patients, and as many others, does a study take that expects an area of 0.75?
func ExampleCasesForAUC() {
	fmt.Println(math.Ceil(power.CasesForAUC(0.75, 1, 0.95, power.Usual)))
	// Output: 19
}
