package rows

import (
	"github.com/beameval/beameval/io/columns"
)

// Table is rows in columns, at most 2³¹-1 of them. The zero value is empty. Its
// columns are there to be read, until the next change of the table. Every column of
// strings has a dictionary of its own.
type Table struct {
	Rows    int
	Columns []columns.Column

	work      []work // by column
	rowSpans  []span // scratch of Append
	listSpans []span
}

// work is what a table keeps of a column besides its values.
type work struct {
	memory  columns.Column   // slices to use again, each of them empty
	remap   []int32          // by code of source: the table's, plus one; 0: not met yet
	source  *columns.Strings // the dictionary that the last rows came with
	strings int              // bytes that the column's dictionary takes
}

// stringOverhead is about what a dictionary takes for a string besides its text:
// two headers of strings and a code, in a map that is not full.
const stringOverhead = 64

// Reset empties the table, which may then take rows of any columns. It keeps its
// memory, except dictionaries: they would only ever grow.
func (t *Table) Reset() {
	for i := range t.Columns {
		c, memory := &t.Columns[i], &t.work[i].memory
		keep(&memory.Offsets, c.Offsets)
		keep(&memory.RowNull, c.RowNull)
		keep(&memory.Null, c.Null)
		keep(&memory.Ints, c.Ints)
		keep(&memory.Floats, c.Floats)
		keep(&memory.Codes, c.Codes)
	}
	t.Rows, t.Columns = 0, t.Columns[:0]
}

func keep[T any](memory *[]T, used []T) {
	if used != nil {
		*memory = used[:0]
	}
}

// settle makes empty columns of the shapes of others.
func (t *Table) settle(from []*columns.Column) {
	for i, f := range from {
		if i == len(t.work) {
			t.work = append(t.work, work{})
		}
		w := &t.work[i]
		w.source, w.strings = nil, 0
		c := columns.Column{Type: f.Type}
		if f.Offsets != nil {
			c.Offsets = append(w.memory.Offsets, 0)
		}
		switch f.Type {
		case columns.Float:
			c.Floats = w.memory.Floats
		case columns.String:
			c.Codes, c.Dict = w.memory.Codes, new(columns.Strings)
		default:
			c.Ints = w.memory.Ints
		}
		t.Columns = append(t.Columns, c)
	}
}

// Size is about how many bytes of memory the rows take.
func (t *Table) Size() int {
	size := 0
	for i := range t.Columns {
		c := &t.Columns[i]
		size += 8*len(c.Ints) + 8*len(c.Floats) + 4*len(c.Codes) + 4*len(c.Offsets) + len(c.RowNull) + len(c.Null)
		size += t.work[i].strings
	}
	return size
}

// rowsOf returns the number of rows of a column.
func rowsOf(c *columns.Column) int {
	if c.Offsets != nil {
		return len(c.Offsets) - 1
	}
	return c.Len()
}
