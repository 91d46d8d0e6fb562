package transforms

import (
	"fmt"
	"regexp"

	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/internal/element"
)

// functionName is what names of slice functions look like.
var functionName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// RegisterSlice registers a function that makes values of slices of the values of a column, such
// as the hour of a time or the band of a length, or of several columns, such as whether two are
// equal. A [SliceColumn] names it and the columns, whose values are its arguments. It is called for
// single rows, and by several goroutines at once; it must be pure and not keep the arguments, and few
// values should come of many. Null is slice.Null, in files whatever the type of the column; values of predictions in memory
// and of hive-style folders are text.
//
// Call it in an init function, so that the programs of all workers have the function before they
// need it. Like Beam's registration it panics if that cannot be done, such as for a name that is
// taken.
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
