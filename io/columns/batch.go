package columns

import "slices"

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

// newColumn returns an empty column for the values of a type. Texts are coded by the table at its
// index of tables, or by one of its own if there is none.
func newColumn(t Type, tables []*Strings, index int) Column {
	c := Column{Type: t}
	if t == String {
		if c.Dict = new(Strings); index < len(tables) && tables[index] != nil {
			c.Dict = tables[index]
		}
	}
	return c
}

// Clear makes the column one without values, and keeps its memory.
func (c *Column) Clear() { c.Ints, c.Floats, c.Codes = c.Ints[:0], c.Floats[:0], c.Codes[:0] }

// Append appends a value of another column of the same type.
func (c *Column) Append(from *Column, i int) {
	switch c.Type {
	case Float:
		c.Floats = append(c.Floats, from.Floats[i])
	case String:
		c.Codes = append(c.Codes, from.Codes[i])
	default:
		c.Ints = append(c.Ints, from.Ints[i])
	}
}

// AppendZero appends zero, as in place of null.
func (c *Column) AppendZero() { c.Append(&zero, 0) }

var zero = Column{Ints: []int64{0}, Floats: []float64{0}, Codes: []int32{0}}

// ZeroNulls puts zeros where Null says that a value is null.
func (c *Column) ZeroNulls() {
	for i, null := range c.Null {
		switch {
		case !null:
		case c.Type == Float:
			c.Floats[i] = 0
		case c.Type == String:
			c.Codes[i] = 0
		default:
			c.Ints[i] = 0
		}
	}
}

// Copy makes the column a copy of another that shares no memory with it, but for strings. Its
// table does not change when strings are added to that of the other.
func (c *Column) Copy(from *Column) {
	c.Type = from.Type
	c.Offsets = copyOf(c.Offsets, from.Offsets)
	c.RowNull, c.Null = copyOf(c.RowNull, from.RowNull), copyOf(c.Null, from.Null)
	c.Ints, c.Floats, c.Codes = copyOf(c.Ints, from.Ints), copyOf(c.Floats, from.Floats), copyOf(c.Codes, from.Codes)
	if c.Dict = nil; from.Dict != nil {
		c.Dict = from.Dict.asNow()
	}
}

// copyOf returns a copy of from in the memory of buf if it suffices; nil of nil.
func copyOf[T any](buf, from []T) []T {
	if from == nil {
		return nil
	}
	return append(slices.Grow(buf[:0], max(len(from), 1)), from...)
}

// Batch is some consecutive rows. The columns have the order in which they were asked for.
type Batch struct {
	Numbers
	Rows    int
	Columns []Column
}
