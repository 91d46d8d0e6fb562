// Package rows gathers rows of columns, groups them by key and encodes them for
// a shuffle. It does not know what the columns mean.
//
// Rows whose groups lie in several places travel together, many in one element,
// as a [Table]. [Hash] says where a row has to go, and a [Grouper] finds the
// groups of what has arrived. Each row is copied three times: to the table of a worker, where
// the rows of a bucket are near each other, to a piece that is encoded, and from that to the
// table of the bucket.
//
// # Encoding
//
// A number of a column (a value, the code of a string, an offset of a list) is encoded by how
// much it exceeds the least of them, in as few bytes as the largest needs: see pack. Floats
// are numbers by their bits, of which those that were float32 leave the lowest zero. All of
// it, with the dictionaries, is then one block of Snappy.
package rows

import "github.com/beameval/beameval/io/columns"

// Table holds rows in columns, at most 2³¹-1 of them. The zero value is empty. Its
// columns may be read until the table changes. Every column of strings has a
// dictionary of its own, unless it shares it with a column of another table: see Share.
type Table struct {
	Rows    int
	Columns []columns.Column

	work   []work  // by column
	values []int32 // scratch of Append
	codec  codec
}

// work is what a table keeps for a column besides its values.
type work struct {
	memory      columns.Column   // empty slices, for reuse
	ints        []int64          // scratch of Append
	source      *columns.Strings // the dictionary that the last rows came with
	codes       []translated     // for each code of source
	translation uint32           // the current one, of source to the column's dictionary
	strings     int              // bytes that the column's dictionary takes
}

// translated is the table's code of a string, if it is of the current translation: so none
// need be cleared for the next.
type translated struct {
	translation uint32
	code        int32
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
		w.translation++
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

// Refs returns the columns, as Append takes them.
func (t *Table) Refs() []*columns.Column {
	refs := make([]*columns.Column, len(t.Columns))
	for i := range refs {
		refs[i] = &t.Columns[i]
	}
	return refs
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
