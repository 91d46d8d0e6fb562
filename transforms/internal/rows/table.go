// Package rows gathers rows of columns, groups them by key and encodes them for
// a shuffle. It does not know what the columns mean.
//
// Rows whose groups lie in several places travel together, many in one element,
// as a [Table]. A [Hasher] says where a row has to go, and a [Grouper] finds the
// groups of what has arrived.
//
// # Encoding
//
// A byte through a shuffle costs more than the work of saving it. The numbers of a
// column (values, codes of strings, offsets of lists) are split into their bytes: the
// lowest byte of each number, then the next of each, as many as the largest needs, as
// Parquet's BYTE_STREAM_SPLIT does. Floats are split by their bits, of which those that
// were float32 leave the lowest bytes zero. All of it, with the dictionaries, is then
// one block of Snappy.
package rows

import "github.com/beameval/beameval/io/columns"

// Table holds rows in columns, at most 2³¹-1 of them. The zero value is empty. Its
// columns may be read until the table changes. Every column of strings has a
// dictionary of its own.
type Table struct {
	Rows    int
	Columns []columns.Column

	work      []work // by column
	rowSpans  []span // scratch of Append
	listSpans []span
}

// work is what a table keeps for a column besides its values.
type work struct {
	memory  columns.Column   // empty slices, for reuse
	source  *columns.Strings // the dictionary that the last rows came with
	remap   []int32          // for each code of source, the table's code plus one; 0: not met yet
	strings int              // bytes that the column's dictionary takes
}

// stringOverhead is about how many bytes a dictionary takes for a string besides its
// text: two string headers and a code, in a map that is not full.
const stringOverhead = 64

// Reset empties the table, which may then take rows of any columns. It keeps its
// memory for reuse, except dictionaries, which would only ever grow.
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

// Size returns about how many bytes of memory the rows take.
func (t *Table) Size() int {
	size := 0
	for i := range t.Columns {
		c := &t.Columns[i]
		size += 8*len(c.Ints) + 8*len(c.Floats) + 4*len(c.Codes) + 4*len(c.Offsets) + len(c.RowNull) + len(c.Null)
		size += t.work[i].strings
	}
	return size
}
