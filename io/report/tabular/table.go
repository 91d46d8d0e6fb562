// Package tabular writes tables as CSV and as Parquet, and reads the Parquet files back.
//
// The bytes of a file depend only on its rows, not on the processor or the version of a library.
package tabular

import (
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// Column is a column of a table that is written as CSV and as Parquet.
type Column[T any] struct {
	name  string
	node  parquet.Node
	value func(*T, *memo) parquet.Value // null, a string, a finite number or a whole number
}

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

func listOf[T any](rows []T) List[T] {
	return List[T]{len(rows), func(i int, _ *T) *T { return &rows[i] }}
}

// Text returns a column of strings without nulls.
func Text[T any](name string, of func(*T) string) Column[T] {
	return Column[T]{name, parquet.String(), func(row *T, _ *memo) parquet.Value { return parquet.ValueOf(of(row)) }}
}

// Note returns a column of strings in which an empty string is null.
func Note[T any](name string, of func(*T) string) Column[T] {
	return noteOf(name, func(row *T, _ *memo) string { return of(row) })
}

// noteOf is Note for texts that depend on what was remembered.
func noteOf[T any](name string, of func(*T, *memo) string) Column[T] {
	return Column[T]{name, parquet.Optional(parquet.String()), func(row *T, seen *memo) (v parquet.Value) {
		if text := of(row, seen); text != "" {
			v = parquet.ValueOf(text)
		}
		return v
	}}
}

// Number returns a column of numbers in which a number that is not finite is null.
func Number[T any](name string, of func(*T) float64) Column[T] {
	return Column[T]{name, parquet.Optional(parquet.Leaf(parquet.DoubleType)), func(row *T, _ *memo) (v parquet.Value) {
		if number := of(row); numbers.Finite(number) {
			v = parquet.DoubleValue(number + 0) // avoid negative zero
		}
		return v
	}}
}

// Whole returns a column of 64-bit whole numbers.
func Whole[T any](name string, of func(*T) int64) Column[T] {
	return Column[T]{name, parquet.Int(64), func(row *T, _ *memo) parquet.Value { return parquet.Int64Value(of(row)) }}
}

// Count returns a column of 32-bit whole numbers.
func Count[T any](name string, of func(*T) int) Column[T] {
	return Column[T]{name, parquet.Int(32), func(row *T, _ *memo) parquet.Value { return parquet.Int32Value(int32(of(row))) }}
}

// If makes a column null in the rows for which a condition does not hold.
func (c Column[T]) If(holds func(*T) bool) Column[T] {
	value := c.value
	return Column[T]{c.name, parquet.Optional(c.node), func(row *T, seen *memo) (v parquet.Value) {
		if holds(row) {
			v = value(row, seen)
		}
		return v
	}}
}

// Placed returns the columns of a table whose rows have a name, slice and label: columns for these,
// the others, and one for each column of slices.
func Placed[T any](of func(*T) (name string, key slice.Key, label *string), ofSlices []string, others ...Column[T]) []Column[T] {
	keyOf := func(row *T) slice.Key { _, key, _ := of(row); return key }
	labelOf := func(row *T) *string { _, _, label := of(row); return label }
	label := Text("label", func(row *T) string { return quote.Escape(*labelOf(row)) }).If(func(row *T) bool { return labelOf(row) != nil })
	return append([]Column[T]{Text("name", func(row *T) string { name, _, _ := of(row); return quote.Valid(name) })},
		Keyed(keyOf, ofSlices, append([]Column[T]{label}, others...)...)...)
}

// Keyed does the same for rows that have only a slice.
func Keyed[T any](of func(*T) slice.Key, ofSlices []string, others ...Column[T]) []Column[T] {
	columns := append([]Column[T]{
		{"slice", parquet.String(), func(row *T, seen *memo) parquet.Value {
			return parquet.ValueOf(seen.of(of(row), func(key slice.Key) string { return string(key.AppendJSON(nil)) }))
		}},
	}, others...)
	for _, name := range ofSlices {
		columns = append(columns, noteOf(SlicePrefix+quote.Escape(name), func(row *T, seen *memo) string {
			return seen.of(of(row), func(key slice.Key) string { return valueIn(key, name) })
		}))
	}
	return columns
}

// SlicePrefix is the prefix of the columns that hold values of slices. No other column of a report
// begins with it.
const SlicePrefix = "slice_"

// SliceColumns returns the sorted columns of the slices of all rows, including the known ones.
func SliceColumns[T any](known []string, rows []T, keyOf func(*T) slice.Key) []string {
	names := slices.Clone(known)
	var last slice.Key
	for i := range rows {
		if key := keyOf(&rows[i]); !sameKey(key, last) {
			for _, pair := range key {
				names = append(names, pair.Column)
			}
			last = key
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
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
