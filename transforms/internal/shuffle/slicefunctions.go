package shuffle

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/io/slice"
)

// SliceFunctions are the functions that the program has registered, by name. Each computes a slice
// value from the values of some columns.
var SliceFunctions = make(map[string]func(...slice.Value) slice.Value)

// checkFunctions returns an error if this program lacks a function of the slices.
func (j *Job) checkFunctions() error {
	for _, c := range slices.Concat(j.Slices...) {
		if c.Function != "" && SliceFunctions[c.Function] == nil {
			return fmt.Errorf("the program of this worker has no slice function %q: all workers must run a program that registers it, in an init function", c.Function)
		}
	}
	return nil
}
