package transforms

import (
	"fmt"
	"regexp"

	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/internal/element"
)

// functionName matches valid names of slice functions.
var functionName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// RegisterSlice registers a function that computes a slice value from the value of a column, such
// as the hour of a time or the band of a length, or from the values of several columns, such as
// whether two are equal. A [SliceColumn] names the function and the columns, whose values are its
// arguments. It is called for single rows, by several goroutines at once: it must be pure and must
// not retain its arguments, and it should return few distinct values. Null is slice.Null. In files
// that is so whatever the type of the column; values of predictions in memory and of hive-style
// folders are text.
//
// Call RegisterSlice in an init function, so that the programs of all workers have the function
// before they need it. Like Beam's registration, it panics if the function cannot be registered,
// for example because its name is taken.
func RegisterSlice(name string, of func(...slice.Value) slice.Value) {
	switch {
	case !functionName.MatchString(name):
		panic(fmt.Sprintf("transforms.RegisterSlice: %q: a name has lower-case letters, digits and _, a letter first", name))
	case element.SliceFunctions[name] != nil:
		panic(fmt.Sprintf("transforms.RegisterSlice: there is a slice function %q already", name))
	case of == nil:
		panic(fmt.Sprintf("transforms.RegisterSlice: %q: no function", name))
	}
	element.SliceFunctions[name] = of
}
