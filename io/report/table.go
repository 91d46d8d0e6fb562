package report

import (
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// tableColumn is a column of a table that is written as CSV and as Parquet.
type tableColumn[T any] struct {
	name  string
	node  parquet.Node
	field func(*T) field
}

// Types of columns.
var (
	textNode   = parquet.String()
	numberNode = parquet.Leaf(parquet.DoubleType)
)

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

func textField(s string) field { return field{is: isText, text: s} }
func wholeField(i int64) field { return field{is: isWhole, whole: i} }

// textOrNull returns a text; null if it is empty.
func textOrNull(s string) field {
	if s == "" {
		return field{}
	}
	return textField(s)
}

// labelField returns a label; null if there is none.
func labelField(label *string) field {
	if label == nil {
		return field{}
	}
	return textField(quote.Escape(*label))
}

// numberField returns a number; null if it is not finite.
func numberField(f float64) field {
	if !finite(f) {
		return field{}
	}
	return field{is: isNumber, number: f + 0} // not negative zero
}

// slicePrefix begins the names of the columns with the values of slices: no other column of a
// report begins so.
const slicePrefix = "slice_"

// table returns the columns of metrics.csv and metrics.parquet: the same in each report and, after
// these, one for each column of slices. Call the functions of a row together, and only for one row
// at a time: they remember its slice.
func (r *Report) table() []tableColumn[Row] {
	text, number := textNode, numberNode
	var key sliceText
	sure := func(value func(*Confidence) field) func(*Row) field {
		return func(row *Row) (none field) {
			if row.Confidence == nil {
				return none
			}
			return value(row.Confidence)
		}
	}
	bounds := func(value func(*Interval) float64) func(*Row) field {
		return func(row *Row) (none field) {
			if i := row.interval(); i != nil {
				return numberField(value(i))
			}
			return none
		}
	}
	columns := []tableColumn[Row]{
		{"name", text, func(row *Row) field { return textField(quote.Valid(row.Name)) }},
		{"slice", text, func(row *Row) field { return textField(key.json(row.Slice)) }},
		{"label", parquet.Optional(text), func(row *Row) field { return labelField(row.Label) }},
		{"value", parquet.Optional(number), func(row *Row) field { return numberField(row.Value) }},
		{"low", parquet.Optional(number), bounds(func(i *Interval) float64 { return i.Low })},
		{"high", parquet.Optional(number), bounds(func(i *Interval) float64 { return i.High })},
		{"undefined", parquet.Optional(text), func(row *Row) field { return textOrNull(quote.Valid(row.undefined())) }},
		{"support", parquet.Int(64), func(row *Row) field { return wholeField(row.Support) }},
		{"ci_low", parquet.Optional(number), sure(func(c *Confidence) field { return numberField(c.Low) })},
		{"ci_high", parquet.Optional(number), sure(func(c *Confidence) field { return numberField(c.High) })},
		{"std_error", parquet.Optional(number), sure(func(c *Confidence) field { return numberField(c.StdError) })},
		{"dof", parquet.Optional(number), sure(func(c *Confidence) field { return numberField(c.DOF) })},
		{"groups", parquet.Optional(parquet.Int(32)), sure(func(c *Confidence) field { return wholeField(int64(c.Groups)) })},
		{"ci_method", parquet.Optional(text), sure(func(c *Confidence) field { return textOrNull(quote.Valid(c.Method)) })},
		{"no_interval", parquet.Optional(text), sure(func(c *Confidence) field { return textOrNull(quote.Valid(c.NoInterval)) })},
		{"ci_warning", parquet.Optional(text), sure(func(c *Confidence) field { return textOrNull(quote.Valid(c.Warning)) })},
	}
	return append(columns, columnsOfSlices(r.sliceColumns(), func(row *Row) slice.Key { return row.Slice })...)
}

// columnsOfSlices returns a column of a table for each column of slices.
func columnsOfSlices[T any](names []string, keyOf func(*T) slice.Key) (columns []tableColumn[T]) {
	var values sliceValues
	for _, name := range names {
		columns = append(columns, tableColumn[T]{slicePrefix + quote.Escape(name), parquet.Optional(textNode), func(row *T) field {
			return textOrNull(values.of(keyOf(row), name))
		}})
	}
	return columns
}

func (r *Report) sliceColumns() []string {
	return sliceColumns(r.SliceColumns, r.Metrics, func(row *Row) slice.Key { return row.Slice })
}

// sliceColumns returns the columns of the slices of all rows, and those that are known, sorted.
func sliceColumns[T any](known []string, rows []T, keyOf func(*T) slice.Key) []string {
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
		s.texts = mapped(key, func(p slice.Pair) string { return p.Value.Distinct() })
	}
	for i, pair := range key {
		if pair.Column == column {
			return s.texts[i]
		}
	}
	return ""
}
