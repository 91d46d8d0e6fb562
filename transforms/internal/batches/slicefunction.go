package batches

import (
	"fmt"

	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// functionOf returns a registered slice function, whose panics name it; nil for "".
func functionOf(name string) func(slice.Value) slice.Value {
	f := element.SliceFunctions[name]
	if f == nil {
		return nil
	}
	return func(v slice.Value) slice.Value {
		defer func() {
			if p := recover(); p != nil {
				panic(workers.UserError{Err: fmt.Errorf("slice function %q panics for %s: %v", name, slice.Key{{Column: name, Value: v}}, p)})
			}
		}()
		return f(v)
	}
}
