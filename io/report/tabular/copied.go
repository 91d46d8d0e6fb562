package tabular

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
)

// Copied returns a column of values that were read from files, of rows that are indexes of it. Parquet has them as they
// were read, lists too. CSV has a list as JSON.
func Copied(field columns.Field, c *columns.Column) Column[int] {
	leaf := parquet.Optional(leafOf(field))
	if !field.List {
		return Column[int]{name: field.Path, node: leaf, every: true, value: func(row *int, _ *memo) parquet.Value { return valueAt(field, c, *row) }}
	}
	return Column[int]{name: field.Path, node: parquet.Optional(parquet.List(leaf)),
		value: func(row *int, _ *memo) parquet.Value {
			if c.IsNullList(*row) {
				return parquet.Value{}
			}
			return parquet.ValueOf(appendListJSON([]byte{'['}, field, c, *row))
		},
		values: func(values []parquet.Value, row *int, column int) []parquet.Value {
			return appendCopied(values, field, c, *row, column)
		},
	}
}

// leafOf returns the type of the values of a column.
func leafOf(field columns.Field) parquet.Node {
	switch {
	case field.Type == columns.Bool:
		return parquet.Leaf(parquet.BooleanType)
	case field.Type == columns.Int:
		return parquet.Int(64)
	case field.Type == columns.String:
		return parquet.String()
	case field.Bits < 64:
		return parquet.Leaf(parquet.FloatType)
	}
	return parquet.Leaf(parquet.DoubleType)
}

// valueAt returns value i of a column, or null.
func valueAt(field columns.Field, c *columns.Column, i int) (v parquet.Value) {
	switch {
	case c.IsNull(i):
	case field.Type == columns.Bool:
		v = parquet.BooleanValue(c.Ints[i] != 0)
	case field.Type == columns.Int:
		v = parquet.Int64Value(c.Ints[i])
	case field.Type == columns.String:
		v = parquet.ValueOf(quote.Valid(c.Dict.At(c.Codes[i])))
	case field.Bits < 64:
		v = parquet.FloatValue(float32(c.Floats[i]))
	default:
		v = parquet.DoubleValue(c.Floats[i])
	}
	return v
}

// The definition levels of optional lists of optional values.
const (
	emptyList = 1
	nullValue = 2
	someValue = 3
)

// appendCopied appends the values of a list in a column of Parquet.
func appendCopied(values []parquet.Value, field columns.Field, c *columns.Column, row, column int) []parquet.Value {
	from, to := int(c.Offsets[row]), int(c.Offsets[row+1])
	switch {
	case c.IsNullList(row):
		return append(values, parquet.Value{}.Level(0, 0, column))
	case from == to:
		return append(values, parquet.Value{}.Level(0, emptyList, column))
	}
	for i := from; i < to; i++ {
		v, level := valueAt(field, c, i), someValue
		if v.IsNull() {
			level = nullValue
		}
		values = append(values, v.Level(min(i-from, 1), level, column))
	}
	return values
}

// appendListJSON appends the values of a list, and its end, as JSON. Numbers that are not finite are texts.
func appendListJSON(b []byte, field columns.Field, c *columns.Column, row int) []byte {
	for i := int(c.Offsets[row]); i < int(c.Offsets[row+1]); i++ {
		if i > int(c.Offsets[row]) {
			b = append(b, ',')
		}
		var v any
		switch {
		case c.IsNull(i):
		case field.Type == columns.Bool:
			v = c.Ints[i] != 0
		case field.Type == columns.Int:
			v = c.Ints[i]
		case field.Type == columns.String:
			b = quote.AppendJSON(b, quote.Valid(c.Dict.At(c.Codes[i])))
			continue
		case math.IsNaN(c.Floats[i]) || math.IsInf(c.Floats[i], 0):
			v = strconv.FormatFloat(c.Floats[i], 'g', -1, 64)
		case field.Bits < 64:
			v = float32(c.Floats[i])
		default:
			v = c.Floats[i]
		}
		text, _ := json.Marshal(v) // of these types, it never fails
		b = append(b, text...)
	}
	return append(b, ']')
}
