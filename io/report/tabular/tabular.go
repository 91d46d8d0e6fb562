// Package tabular writes tables as CSV, Parquet and JSON, and reads Parquet and JSON back.
//
// The bytes of a file depend only on its rows, not on the processor or the version of a library.
package tabular

import (
	"iter"
	"maps"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/slice"
)

// Column is a column of a table that is written as CSV, Parquet and JSON, and read back. It names a field
// of a row once for all of them.
type Column[T any] struct {
	name   string // "" if only JSON has it
	member string // of an object in JSON; "" if only tables have it
	node   parquet.Node
	value  func(*T, *memo) parquet.Value // null, a string, a finite number or a whole number
	// values appends the values of a row of a column of lists in Parquet.
	values func(values []parquet.Value, row *T, column int) []parquet.Value
	every  bool                  // CSV has numbers that are not finite, too, as nan, inf and -inf
	read   func(*T, *cell) error // nil if reading ignores the column
	omits  func(*T) bool         // whether JSON omits a null; nil if it never does
	place  bool                  // whether the column says what the row is of: name, slice or label
	json   form

	// What names a column has, if it has any; see [Table].
	key   func(*T) *slice.Key
	label func(*T) **string
	named func(*T) *string
	id    func(*T) *slice.Value
}

// inFiles returns the columns that CSV and Parquet have.
func inFiles[T any](table []Column[T]) []Column[T] {
	return slices.DeleteFunc(slices.Clone(table), func(c Column[T]) bool { return c.name == "" })
}

// form is how a value is written in JSON.
type form int

const (
	plain form = iota
	raw        // the text is JSON
	flag       // 0 is false, 1 is true
)

// memo remembers the text of the last slice in a column, because rows are sorted by slice. Each column, and rows that
// are encoded concurrently, have memos of their own.
type memo struct {
	key  slice.Key
	met  bool
	text string
}

// of returns what format makes of a slice.
func (m *memo) of(key slice.Key, format func(slice.Key) string) string {
	if !m.met || !sameKey(key, m.key) {
		m.key, m.met, m.text = key, true, format(key)
	}
	return m.text
}

// sameKey reports whether two slices are equal. Rows of a slice mostly share its key.
func sameKey(a, b slice.Key) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// List is a list of rows, which may be packed.
type List[T any] struct {
	Len int
	// At returns row i. It may unpack it into room, which the next row overwrites.
	At func(i int, room *T) *T
}

// ListOf returns rows as a list.
func ListOf[T any](rows []T) List[T] {
	return List[T]{len(rows), func(i int, _ *T) *T { return &rows[i] }}
}

// All yields all rows. The next row may overwrite a row.
func (l List[T]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		var room T
		for i := 0; i < l.Len && yield(i, l.At(i, &room)); i++ {
		}
	}
}

// Flatten returns the rows of all items of a list, in order. An item has n rows, and unpack stores row i
// of it in room.
func Flatten[O, T any](items []O, n func(*O) int, unpack func(item *O, i int, room *T)) List[T] {
	ends, sum := make([]int, len(items)), 0
	for i := range items {
		sum += n(&items[i])
		ends[i] = sum
	}
	return List[T]{sum, func(i int, room *T) *T {
		of, _ := slices.BinarySearch(ends, i+1)
		item := &items[of]
		unpack(item, i-(ends[of]-n(item)), room)
		return room
	}}
}

// SlicePrefix is the prefix of the columns that hold values of slices. No other column of a report
// begins with it.
const SlicePrefix = "slice_"

// SliceColumns returns the sorted columns of the slices of all rows, including the known ones.
func (l List[T]) SliceColumns(known []string, keyOf func(*T) slice.Key) []string {
	names := collections.Set(slices.Values(known))
	var last slice.Key
	for _, row := range l.All() {
		if key := keyOf(row); !sameKey(key, last) {
			for _, pair := range key {
				names[pair.Column] = true
			}
			last = key
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// valueIn returns the value of a slice in a column, formatted by [slice.Value.Distinct], or "" if the
// slice does not have the column.
func valueIn(key slice.Key, column string) string {
	for _, pair := range key {
		if pair.Column == column {
			return pair.Value.Distinct()
		}
	}
	return ""
}
