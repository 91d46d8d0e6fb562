// Package tabular writes tables as CSV and as Parquet, and reads those of Parquet back.
//
// The bytes of a file depend on its rows alone, not on the processor or the version of a library.
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

// field is a value of a row: null, a text, a finite number or a whole number.
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

// Text returns a column of texts, of which each row has one.
func Text[T any](name string, of func(*T) string) Column[T] {
	return Column[T]{name, parquet.String(), func(row *T) field { return field{is: isText, text: of(row)} }}
}

// Note returns a column of texts; an empty one is null.
func Note[T any](name string, of func(*T) string) Column[T] {
	return Column[T]{name, parquet.Optional(parquet.String()), func(row *T) (f field) {
		if text := of(row); text != "" {
			f = field{is: isText, text: text}
		}
		return f
	}}
}

// Number returns a column of numbers; one that is not finite is null.
func Number[T any](name string, of func(*T) float64) Column[T] {
	return Column[T]{name, parquet.Optional(parquet.Leaf(parquet.DoubleType)), func(row *T) (f field) {
		if number := of(row); numbers.Finite(number) {
			f = field{is: isNumber, number: number + 0} // not negative zero
		}
		return f
	}}
}

// Whole returns a column of whole numbers of so many bits.
func Whole[T any](name string, bits int, of func(*T) int64) Column[T] {
	return Column[T]{name, parquet.Int(bits), func(row *T) field { return field{is: isWhole, whole: of(row)} }}
}

// Count returns a column of whole numbers of 32 bits; one that is not known is null.
func Count[T any](name string, of func(*T) (n int, known bool)) Column[T] {
	return Column[T]{name, parquet.Optional(parquet.Int(32)), func(row *T) (f field) {
		if n, known := of(row); known {
			f = field{is: isWhole, whole: int64(n)}
		}
		return f
	}}
}

// Placed returns the columns of a table whose rows have names, slices and labels: these, others, and
// one for each column of slices. Call the functions of a row together, and only for one row at a
// time: they remember its slice.
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

// SlicePrefix begins the names of the columns with the values of slices: no other column of a
// report begins so.
const SlicePrefix = "slice_"

// SliceColumns returns the columns of the slices of all rows, and those that are known, sorted.
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

// sliceValues are the values of a slice as text. It keeps the last slice: rows are sorted by slice.
type sliceValues struct {
	key   slice.Key
	texts []string
}

// of returns the value that a slice has in a column, as [slice.Value.Distinct] writes it; "" if
// the slice does not have the column.
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
