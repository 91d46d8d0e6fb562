package batches

import (
	"fmt"

	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// functionOf returns the registered function of a slice column, or nil if it has none. Panics of
// the function name it.
func functionOf(c input.SliceColumn) func(...slice.Value) slice.Value {
	f := shuffle.SliceFunctions[c.Function]
	if f == nil {
		return nil
	}
	return func(values ...slice.Value) slice.Value {
		defer func() {
			if p := recover(); p != nil {
				var key slice.Key
				for i, column := range c.Columns() {
					key = append(key, slice.Pair{Column: column, Value: values[i]})
				}
				panic(workers.UserError{Err: fmt.Errorf("slice function %q panics for %s: %v", c.Function, key, p)})
			}
		}()
		return f(values...)
	}
}
