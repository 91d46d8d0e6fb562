package columns

import "slices"

// Column holds the values of a column in a batch. A null value occupies an entry, which is zero in
// Ints, Floats or Codes. A null list has no entries.
type Column struct {
	Type    Type
	Offsets []int32   // for lists: row i has the values Offsets[i] to Offsets[i+1]; otherwise nil
	RowNull []bool    // for lists: whether the list itself is null; nil if none is
	Null    []bool    // whether the value is null; nil if none is
	Ints    []int64   // Bool and Int
	Floats  []float64 // Float
	Codes   []int32   // String: indexes into Dict.Values()
	Dict    *Strings
}

// Len returns the number of values, including nulls. For a column without lists, that is the number
// of rows.
func (c *Column) Len() int {
	switch c.Type {
	case Float:
		return len(c.Floats)
	case String:
		return len(c.Codes)
	}
	return len(c.Ints)
}

// IsNull reports whether value i is null.
func (c *Column) IsNull(i int) bool { return c.Null != nil && c.Null[i] }

// IsNullList reports whether row i of a column of lists is null.
func (c *Column) IsNullList(i int) bool { return c.RowNull != nil && c.RowNull[i] }

// Number returns value i of a column of numbers; null is 0.
func (c *Column) Number(i int) float64 {
	if c.Type == Float {
		return c.Floats[i]
	}
	return float64(c.Ints[i])
}

// Rows returns the number of rows.
func (c *Column) Rows() int {
	if c.Offsets != nil {
		return len(c.Offsets) - 1
	}
	return c.Len()
}

// Shape returns the type of the rows for messages: list<type> for lists.
func (c *Column) Shape() string {
	if c.Offsets != nil {
		return "list<" + c.Type.String() + ">"
	}
	return c.Type.String()
}

// newColumn returns an empty column of a type. Strings are coded by tables[index] or, if there is
// no such table, by a new one.
func newColumn(t Type, tables []*Strings, index int) Column {
	c := Column{Type: t}
	if t == String {
		if c.Dict = new(Strings); index < len(tables) && tables[index] != nil {
			c.Dict = tables[index]
		}
	}
	return c
}

// OfPage reports whether a loose table has the dictionary page of a row group: codes of strings that were read one
// by one ascend.
func (c *Column) OfPage() bool { return c.Dict.Loose() && !slices.IsSorted(c.Codes) }

// Clear removes all values and keeps the memory.
func (c *Column) Clear() { c.Ints, c.Floats, c.Codes = c.Ints[:0], c.Floats[:0], c.Codes[:0] }

// Append appends value i of another column of the same type.
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

// AppendZero appends zero, the placeholder of a null.
func (c *Column) AppendZero() { c.Append(&zero, 0) }

var zero = Column{Ints: []int64{0}, Floats: []float64{0}, Codes: []int32{0}}

// ZeroNulls sets the values to zero that are null according to Null.
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

// Copy makes c a copy of from. They share no memory except the strings. The copied table does not
// change when strings are added to that of from.
func (c *Column) Copy(from *Column) {
	c.Type = from.Type
	c.Offsets = copyOf(c.Offsets, from.Offsets)
	c.RowNull, c.Null = copyOf(c.RowNull, from.RowNull), copyOf(c.Null, from.Null)
	c.Ints, c.Floats, c.Codes = copyOf(c.Ints, from.Ints), copyOf(c.Floats, from.Floats), copyOf(c.Codes, from.Codes)
	if c.Dict = nil; from.Dict != nil {
		c.Dict = from.Dict.asNow()
	}
}

// copyOf returns a copy of from that reuses the memory of buf if it suffices. The copy of nil is
// nil.
func copyOf[T any](buf, from []T) []T {
	if from == nil {
		return nil
	}
	return append(slices.Grow(buf[:0], max(len(from), 1)), from...)
}

// Batch is a run of consecutive rows. Its columns are in the order in which they were requested.
type Batch struct {
	Numbers
	Rows    int
	Columns []Column
}
