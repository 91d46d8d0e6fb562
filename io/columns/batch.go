package columns

import (
	"strings"
)

// Column holds the values of a column in a batch. A null value keeps its place, with zero
// in Ints, Floats or Codes. A null list has no values.
type Column struct {
	Type    Type
	Offsets []int32   // lists: row i has the values from Offsets[i] to Offsets[i+1]; otherwise nil
	RowNull []bool    // lists: whether the list itself is null; nil if none is
	Null    []bool    // whether the value is null; nil if none is
	Ints    []int64   // Bool and Int
	Floats  []float64 // Float
	Codes   []int32   // String: indexes into Dict.Values()
	Dict    *Strings
}

// Len returns the number of values, including nulls. If the column is not a list, it is the
// number of rows.
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

// Shape returns the type of the values for messages, list<type> for lists.
func (c *Column) Shape() string {
	if c.Offsets != nil {
		return "list<" + c.Type.String() + ">"
	}
	return c.Type.String()
}

// Batch is some consecutive rows. The columns have the order in which they were asked for.
type Batch struct {
	First   int64 // the number of the first row within the row group
	Rows    int
	Columns []Column
}

// Strings gives each distinct string a code, in order of appearance. The dictionary of a
// column chunk appears as a whole, including strings that no row has. Readers of several
// columns and files may share a table, so that their codes can be compared. It is not safe
// for concurrent use. The zero value is an empty table.
type Strings struct {
	codes  map[string]int32
	values []string
}

// Code returns the code of s, and adds s if it is new. It keeps no reference to s.
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

// Values returns the strings by code. The caller must not change the slice. It stays valid,
// and does not grow, when strings are added.
func (t *Strings) Values() []string { return t.values }
