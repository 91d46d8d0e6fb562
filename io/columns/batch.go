package columns

import (
	"strings"
)

// Column is the values of one column in a batch.
type Column struct {
	Type    Type
	Offsets []int32   // lists: row i has the values from Offsets[i] to Offsets[i+1]; otherwise nil
	RowNull []bool    // lists: the list itself is null; nil if none is
	Null    []bool    // the value is null; nil if none is
	Ints    []int64   // Bool and Int
	Floats  []float64 // Float
	Codes   []int32   // String: indexes into Dict.Values()
	Dict    *Strings
}

// A null value keeps its slot, with zero in Ints, Floats or Codes; a null list
// has no values.

// Len returns the number of values, nulls included; of a column that is not a
// list, that is the number of rows.
func (c *Column) Len() int {
	switch c.Type {
	case Float:
		return len(c.Floats)
	case String:
		return len(c.Codes)
	}
	return len(c.Ints)
}

// Rows returns the number of rows.
func (c *Column) Rows() int {
	if c.Offsets != nil {
		return len(c.Offsets) - 1
	}
	return c.Len()
}

// Shape returns the type of the values, for messages; that of lists is list<type>.
func (c *Column) Shape() string {
	if c.Offsets != nil {
		return "list<" + c.Type.String() + ">"
	}
	return c.Type.String()
}

// Batch is consecutive rows of some columns, in the order they were asked for.
type Batch struct {
	First   int64 // the first row's number within the row group
	Rows    int
	Columns []Column
}

// Strings gives each distinct string a code, in order of first appearance (the
// whole dictionary of a column chunk appears at once, with strings that no row
// may have). One table may be shared by readers of several columns and files,
// so that their codes can be compared; it is not safe for concurrent use. The
// zero value is ready for use.
type Strings struct {
	codes  map[string]int32
	values []string
}

// Code returns the code of s, which it adds if it is new. It keeps no
// reference to s.
func (t *Strings) Code(s []byte) int32 {
	if code, ok := t.codes[string(s)]; ok {
		return code
	}
	return t.add(string(s))
}

// CodeOf is Code for a string.
func (t *Strings) CodeOf(s string) int32 {
	if code, ok := t.codes[s]; ok {
		return code
	}
	return t.add(strings.Clone(s))
}

func (t *Strings) add(s string) int32 {
	if t.codes == nil {
		t.codes = make(map[string]int32)
	}
	code := int32(len(t.values))
	t.codes[s] = code
	t.values = append(t.values, s)
	return code
}

// Find returns the code of s, if s has one.
func (t *Strings) Find(s string) (int32, bool) {
	code, ok := t.codes[s]
	return code, ok
}

// Len returns the number of distinct strings.
func (t *Strings) Len() int { return len(t.values) }

// Values returns the strings by code. The slice must not be changed; it stays
// valid, and does not grow, when strings are added.
func (t *Strings) Values() []string { return t.values }
