package columns

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
