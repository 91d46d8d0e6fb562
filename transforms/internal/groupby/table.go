// Package groupby gathers rows of columns, groups them by key and encodes them for a shuffle. It does
// not know what the columns mean.
//
// Rows whose groups are spread over several places travel together, many in one element, as a
// [Table]. [Hash] determines where a row has to go, and a [Grouper] finds the groups among the rows
// that have arrived. Each row is copied three times:
//
//	batch ─1─► table of a worker ─2─► piece ─► encoded ─► shuffle ─► decoded ─3─► table of a bucket
//	           (the rows of a bucket
//	           are close together)
//
// # Encoding
//
// A number of a column (a value, the code of a string, an offset of a list) is encoded by the
// amount by which it exceeds the least number, in as few bytes as the largest amount needs: see
// pack. Floats are encoded as the integers of their bits; those that were float32 have low bits of
// zero, which pack drops. Everything, including the dictionaries, is then compressed as a single
// block of Snappy.
//
// # Ids
//
// Ids that are texts are as many as rows. On their way to a bucket they are a list of texts: loose
// tables of strings give each row a code of its own (see columns.Loose), which is not even encoded.
// Only the tables of a bucket have a dictionary of ids, one for all sides, and whether two ids are
// equal is decided there, by their bytes.
package groupby

import "github.com/beameval/beameval/io/columns"

// Table holds rows in columns, at most 2³¹-1 of them. The zero value is empty. The columns may be
// read until the table changes. Every column of strings has a dictionary of its own, unless CodeBy
// or Share gave it the dictionary of another table's column.
type Table struct {
	Rows    int
	Columns []columns.Column
	// Passing says that rows are only passed on: columns whose first strings come from a loose table
	// have a loose table too, so that nobody looks for equal strings. Otherwise, codes of a column are
	// equal if its strings are.
	Passing bool

	work   []work  // by column
	dicts  []dict  // see CodeBy
	values []int32 // scratch of Append
	codec  codec
}

// dict is the dictionary of a column.
type dict struct {
	column int
	of     *columns.Strings
}

// work holds what a table keeps for a column in addition to its values.
type work struct {
	memory      columns.Column   // empty slices, for reuse
	ints        []int64          // scratch of Append
	source      *columns.Strings // the dictionary of the rows that were appended last
	codes       []translated     // by code of source
	translation uint32           // the number of the current translation, from source to the column's dictionary
	strings     int              // the approximate number of bytes that the table added to the column's dictionary
}

// translated is the table's code of a string. It is valid only if translation is the current one,
// so that entries need not be cleared for the next.
type translated struct {
	translation uint32
	code        int32
}

// stringOverhead is the approximate number of bytes that a dictionary needs for a string in
// addition to its text: two string headers and a code, in a map that is not full; looseOverhead is
// what a loose table needs.
const (
	stringOverhead = 64
	looseOverhead  = 16
)

// Reset empties the table, which may then take rows of different columns. It keeps its memory for
// reuse, except for dictionaries that are not loose, which would only ever grow.
func (t *Table) Reset() {
	for i := range t.Columns {
		c, memory := &t.Columns[i], &t.work[i].memory
		keep(&memory.Offsets, c.Offsets)
		keep(&memory.RowNull, c.RowNull)
		keep(&memory.Null, c.Null)
		keep(&memory.Ints, c.Ints)
		keep(&memory.Floats, c.Floats)
		keep(&memory.Codes, c.Codes)
		if t.Passing && c.Dict != nil && c.Dict.Loose() {
			memory.Dict = c.Dict
		}
	}
	t.Rows, t.Columns, t.dicts = 0, t.Columns[:0], t.dicts[:0]
}

// CodeBy sets the dictionary of a column, for the case that it will have strings. The table must be
// empty.
func (t *Table) CodeBy(column int, of *columns.Strings) { t.dicts = append(t.dicts, dict{column, of}) }

func keep[T any](memory *[]T, used []T) {
	if used != nil {
		*memory = used[:0]
	}
}

// settle creates empty columns of the same shapes as from.
func (t *Table) settle(from []*columns.Column) {
	for i, f := range from {
		if i == len(t.work) {
			t.work = append(t.work, work{})
		}
		w := &t.work[i]
		w.source, w.strings = nil, 0
		w.translation++
		c := columns.Column{Type: f.Type, Ints: w.memory.Ints, Floats: w.memory.Floats, Codes: w.memory.Codes}
		if f.Offsets != nil {
			c.Offsets = append(w.memory.Offsets, 0)
		}
		if f.Type == columns.String {
			c.Dict = t.dictionary(i, f)
		}
		t.Columns = append(t.Columns, c)
	}
}

// dictionary returns the dictionary of a new column. Its first strings come from f.
func (t *Table) dictionary(column int, f *columns.Column) *columns.Strings {
	for _, d := range t.dicts {
		if d.column == column {
			return d.of
		}
	}
	if !t.Passing || !f.Dict.Loose() {
		return new(columns.Strings)
	}
	if d := t.work[column].memory.Dict; d != nil {
		return d.Renew()
	}
	return columns.Loose(nil, nil)
}

// Refs returns pointers to the columns, as Append takes them.
func (t *Table) Refs() []*columns.Column {
	refs := make([]*columns.Column, len(t.Columns))
	for i := range refs {
		refs[i] = &t.Columns[i]
	}
	return refs
}

// Size returns the approximate number of bytes of memory that the rows take.
func (t *Table) Size() int {
	size := 0
	for i := range t.Columns {
		c := &t.Columns[i]
		size += 8*len(c.Ints) + 8*len(c.Floats) + 4*len(c.Codes) + 4*len(c.Offsets) + len(c.RowNull) + len(c.Null)
		size += t.work[i].strings
	}
	return size
}
