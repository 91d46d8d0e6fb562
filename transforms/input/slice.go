package input

import (
	"cmp"

	"github.com/beameval/beameval/io/slice"
)

// Slice is a set of slices: one for each combination of values of its columns.
type Slice []SliceColumn

// SliceColumn is a column of a Slice.
//
// If there are Values, the slices are limited to these. If there are Bins, which must ascend,
// numbers are divided into the intervals between them; if Quantiles is at least 2, into that many
// intervals with about the same number of rows. Values that are not numbers, such as null and NaN,
// are slices of their own. If there is a Function, the values are the results of the function with
// this name for the values of the column and, as further arguments, of Others, and reports call the
// column by the name of the function; see RegisterSlice in package transforms.
type SliceColumn struct {
	Column    string
	Values    []SliceValue
	Bins      []float64
	Quantiles int
	Function  string
	Others    []string
}

// Name returns the name of the column in reports.
func (c *SliceColumn) Name() string { return cmp.Or(c.Function, c.Column) }

// Columns returns the columns from which the values are computed.
func (c *SliceColumn) Columns() []string { return append([]string{c.Column}, c.Others...) }

// SliceValue is a value as text ("de", "3", "true"), or null. It matches a row whose value it
// equals in the type of the column: see [slice.Constant].
type SliceValue struct {
	Text string
	Null bool
}

// Constant returns the value in the form that is compared with a column's values.
func (v SliceValue) Constant() slice.Constant { return v.Key().Written() }

// Key returns the value in the form that it has in the key of a slice.
func (v SliceValue) Key() slice.Value {
	if v.Null {
		return slice.Null()
	}
	return slice.String(v.Text)
}
