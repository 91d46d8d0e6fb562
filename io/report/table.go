package report

import (
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// metricColumn is a column of metrics.csv and metrics.parquet.
type metricColumn struct {
	name  string
	node  parquet.Node
	field func(*Row) field
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

func textField(s string) field { return field{is: isText, text: s} }
func wholeField(i int64) field { return field{is: isWhole, whole: i} }

// textOrNull returns a text; null if it is empty.
func textOrNull(s string) field {
	if s == "" {
		return field{}
	}
	return textField(s)
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
func (r *Report) table() []metricColumn {
	text := parquet.String()
	number := parquet.Leaf(parquet.DoubleType)
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
	columns := []metricColumn{
		{"name", text, func(row *Row) field { return textField(quote.Valid(row.Name)) }},
		{"slice", text, func(row *Row) field { return textField(key.json(row.Slice)) }},
		{"label", parquet.Optional(text), func(row *Row) (none field) {
			if row.Label == nil {
				return none
			}
			return textField(quote.Escape(*row.Label))
		}},
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
	}
	var values sliceValues
	for _, name := range r.sliceColumns() {
		columns = append(columns, metricColumn{slicePrefix + quote.Escape(name), parquet.Optional(text), func(row *Row) field {
			return textOrNull(values.of(row.Slice, name))
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
