package preference_test

import (
	"fmt"

	"github.com/beameval/beameval/metrics/preference"
)

// Citations among journals of statistics (Stigler 1994): a journal wins where another cites it.
func ExampleFit() {
	journals := []string{"Biometrika", "Comm Statist", "JASA", "JRSS-B"}
	pairs := []preference.Pair{
		{A: 0, B: 1, WinsA: 730, WinsB: 33}, {A: 0, B: 2, WinsA: 498, WinsB: 320}, {A: 0, B: 3, WinsA: 221, WinsB: 284},
		{A: 1, B: 2, WinsA: 68, WinsB: 813}, {A: 1, B: 3, WinsA: 17, WinsB: 276}, {A: 2, B: 3, WinsA: 142, WinsB: 325},
	}
	model := preference.Fit(len(journals), pairs, preference.Options{Reference: 0})
	for i, name := range journals {
		fmt.Printf("%-12s %7.4f ± %.4f\n", name, model.Strength[i], model.StdError[i])
	}
	// Output:
	// Biometrika    0.0000 ± 0.0000
	// Comm Statist -2.9491 ± 0.1025
	// JASA         -0.4796 ± 0.0606
	// JRSS-B        0.2690 ± 0.0708
}
