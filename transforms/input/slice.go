package input

import (
	"cmp"

	"github.com/beameval/beameval/io/slice"
)

// Slice is a set of slices: one for each combination of values of its columns.
type Slice []SliceColumn

// SliceColumn is a column of a Slice. If there are Values, the slices are limited to these. If
// there are Bins, which ascend, numbers are divided into the intervals between these; if
// Quantiles is 2 or more, into so many intervals of about equally many rows. Values that are no
// numbers, such as null and NaN, are slices of their own. If there is a Function, its values are
// those that the function with this name makes of the column's and, as further arguments, of those of
// Others, and reports call the column by the name of the function; see RegisterSlice in package transforms.
type SliceColumn struct {
	Column    string
	Values    []SliceValue
	Bins      []float64
	Quantiles int
	Function  string
	Others    []string
}

// Name is what reports call the column.
func (c *SliceColumn) Name() string { return cmp.Or(c.Function, c.Column) }

// Columns returns the columns that the values are made of.
func (c *SliceColumn) Columns() []string { return append([]string{c.Column}, c.Others...) }

// SliceValue is a value as text ("de", "3", "true"), or null.
type SliceValue struct {
	Text string
	Null bool
}

// Key returns the value as it is in the key of a slice.
func (v SliceValue) Key() slice.Value {
	if v.Null {
		return slice.Null()
	}
	return slice.String(v.Text)
}
