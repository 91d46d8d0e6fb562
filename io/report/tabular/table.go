// Package tabular writes tables as CSV and as Parquet, and reads the Parquet files back.
//
// The bytes of a file depend only on its rows, not on the processor or the version of a library.
package tabular

import (
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// Column is a column of a table that is written as CSV and as Parquet.
type Column[T any] struct {
	name  string
	node  parquet.Node
	field func(*T) field
}

// field is a value in a row: null, a string, a finite number or a whole number.
type field struct {
	is     fieldKind
	text   string
	number float64
	whole  int64
}

type fieldKind uint8

const (
	isNull fieldKind = iota
	isText
	isNumber
	isWhole
)

// Text returns a column of strings without nulls.
func Text[T any](name string, of func(*T) string) Column[T] {
	return Column[T]{name, parquet.String(), func(row *T) field { return field{is: isText, text: of(row)} }}
}

// Note returns a column of strings in which an empty string is null.
func Note[T any](name string, of func(*T) string) Column[T] {
	return Column[T]{name, parquet.Optional(parquet.String()), func(row *T) (f field) {
		if text := of(row); text != "" {
			f = field{is: isText, text: text}
		}
		return f
	}}
}

// Number returns a column of numbers in which a number that is not finite is null.
func Number[T any](name string, of func(*T) float64) Column[T] {
	return Column[T]{name, parquet.Optional(parquet.Leaf(parquet.DoubleType)), func(row *T) (f field) {
		if number := of(row); numbers.Finite(number) {
			f = field{is: isNumber, number: number + 0} // avoid negative zero
		}
		return f
	}}
}

// Whole returns a column of whole numbers with the given number of bits.
func Whole[T any](name string, bits int, of func(*T) int64) Column[T] {
	return Column[T]{name, parquet.Int(bits), func(row *T) field { return field{is: isWhole, whole: of(row)} }}
}

// Count returns a column of 32-bit whole numbers in which an unknown number is null.
func Count[T any](name string, of func(*T) (n int, known bool)) Column[T] {
	return Column[T]{name, parquet.Optional(parquet.Int(32)), func(row *T) (f field) {
		if n, known := of(row); known {
			f = field{is: isWhole, whole: int64(n)}
		}
		return f
	}}
}

// Placed returns the columns of a table whose rows have a name, slice and label: columns for these,
// the others, and one for each column of slices. Call the functions for all columns of a row before
// those of the next row, and not concurrently: they remember the slice.
func Placed[T any](of func(*T) (name string, key slice.Key, label *string), ofSlices []string, others ...Column[T]) []Column[T] {
	var text SliceText
	var values sliceValues
	columns := append([]Column[T]{
		Text("name", func(row *T) string { name, _, _ := of(row); return quote.Valid(name) }),
		Text("slice", func(row *T) string { _, key, _ := of(row); return text.JSON(key) }),
		{"label", parquet.Optional(parquet.String()), func(row *T) (f field) {
			if _, _, label := of(row); label != nil {
				f = field{is: isText, text: quote.Escape(*label)}
			}
			return f
		}},
	}, others...)
	for _, name := range ofSlices {
		columns = append(columns, Note(SlicePrefix+quote.Escape(name), func(row *T) string { _, key, _ := of(row); return values.of(key, name) }))
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
		if key := keyOf(&rows[i]); !slices.Equal(key, last) {
			for _, pair := range key {
				names = append(names, pair.Column)
			}
			last = key
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// sliceValues formats the values of a slice. It caches the last slice, because rows are sorted by
// slice.
type sliceValues struct {
	key   slice.Key
	texts []string
}

// of returns the value of a slice in a column, formatted by [slice.Value.Distinct], or "" if the
// slice does not have the column.
func (s *sliceValues) of(key slice.Key, column string) string {
	if !slices.Equal(key, s.key) {
		s.key = key
		s.texts = lists.Map(key, func(p slice.Pair) string { return p.Value.Distinct() })
	}
	for i, pair := range key {
		if pair.Column == column {
			return s.texts[i]
		}
	}
	return ""
}
