package element

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/io/slice"
)

// SliceFunctions are the functions that programs have registered, by their names: each makes a
// value of slices of the values of some columns.
var SliceFunctions = make(map[string]func(...slice.Value) slice.Value)

// Columns returns the columns that the values are made of.
func (c *SliceColumn) Columns() []string { return append([]string{c.Column}, c.Others...) }

// Name is what a slice column is called in reports.
func (c *SliceColumn) Name() string {
	if c.Function != "" {
		return c.Function
	}
	return c.Column
}

// checkFunctions returns an error if this program lacks a function of the slices.
func (j *Job) checkFunctions() error {
	for _, c := range slices.Concat(j.SliceSets...) {
		if c.Function != "" && SliceFunctions[c.Function] == nil {
			return fmt.Errorf("the program of this worker has no slice function %q: all workers must run a program that registers it, in an init function", c.Function)
		}
	}
	return nil
}
