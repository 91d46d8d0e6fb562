package tabular

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// leaf returns a column of values that take no part in how others are written.
func leaf[T, V any](name string, node parquet.Node, of func(*T) *V, written func(V) parquet.Value, read func(*cell) V) Column[T] {
	return Column[T]{
		name: name, member: name, node: node,
		value: func(row *T, _ *memo) parquet.Value { return written(*of(row)) },
		read:  func(row *T, c *cell) error { *of(row) = read(c); return nil },
	}
}

func (v *cell) asNumber() float64 { return v.number }

// Number returns a column of numbers. A number that is not finite is written as null, and null is read
// as NaN.
func Number[T any](name string, of func(*T) *float64) Column[T] {
	return leaf(name, parquet.Optional(parquet.Leaf(parquet.DoubleType)), of, func(number float64) (v parquet.Value) {
		if floats.Finite(number) {
			v = parquet.DoubleValue(number + 0) // avoid negative zero
		}
		return v
	}, (*cell).asNumber)
}

// Any returns a column of numbers of any value, which are written as they are. It has no nulls.
func Any[T any](name string, of func(*T) *float64) Column[T] {
	return leaf(name, parquet.Leaf(parquet.DoubleType), of, parquet.DoubleValue, (*cell).asNumber)
}

// Edge returns a column of numbers that may be infinite; NaN is null.
func Edge[T any](name string, of func(*T) *float64) Column[T] {
	return Any(name, of).If(func(row *T) bool { return !math.IsNaN(*of(row)) })
}

// Numbers returns a column of lists of numbers, which only Parquet can have.
func Numbers[T any](name string, of func(*T) *[]float64) Column[T] {
	c := leaf(name, parquet.Repeated(parquet.Leaf(parquet.DoubleType)), of, nil, func(c *cell) []float64 { return c.list })
	c.member, c.values = "", func(values []parquet.Value, row *T, column int) []parquet.Value {
		return appendList(values, *of(row), column)
	}
	return c
}

// Whole returns a column of 64-bit whole numbers.
func Whole[T any](name string, of func(*T) *int64) Column[T] {
	return leaf(name, parquet.Int(64), of, parquet.Int64Value, func(c *cell) int64 { return c.whole })
}

// Count returns a column of 32-bit whole numbers.
func Count[T any](name string, of func(*T) *int) Column[T] {
	return leaf(name, parquet.Int(32), of, func(n int) parquet.Value { return parquet.Int32Value(int32(n)) }, func(c *cell) int { return int(c.whole) })
}

// Flag returns a column that is 0 or 1, and in JSON false or true.
func Flag[T any](name string, of func(*T) *bool) Column[T] {
	c := leaf(name, parquet.Int(32), of, func(is bool) parquet.Value {
		if is {
			return parquet.Int32Value(1)
		}
		return parquet.Int32Value(0)
	}, func(c *cell) bool { return c.whole == 1 })
	c.json = flag
	return c
}

// Text returns a column of texts.
func Text[T any](name string, of func(*T) *string) Column[T] {
	return leaf(name, parquet.String(), of, func(text string) parquet.Value { return parquet.ValueOf(quote.Valid(text)) }, func(c *cell) string { return c.text })
}

// Name returns a column of names, which may have any bytes.
func Name[T any](name string, of func(*T) *string) Column[T] {
	c := leaf(name, parquet.String(), of, func(text string) parquet.Value { return parquet.ValueOf(quote.Escape(text)) },
		func(c *cell) string { return quote.Unescape(c.text) })
	c.named = of
	return c
}

// Word returns a column of words. Each must be in a list.
func Word[T any, S ~string](name string, of func(*T) *S, words []S) Column[T] {
	c := leaf(name, parquet.String(), of, func(word S) parquet.Value { return parquet.ValueOf(string(word)) }, nil)
	c.read = func(row *T, v *cell) error {
		*of(row) = S(v.text)
		return quote.OneOf(name, S(v.text), words)
	}
	return c
}

// Either returns a column that has one of two words.
func Either[T any](name string, of func(*T) *bool, no, yes string) Column[T] {
	words := []string{no, yes}
	c := leaf(name, parquet.String(), of, func(is bool) parquet.Value {
		if is {
			return parquet.ValueOf(yes)
		}
		return parquet.ValueOf(no)
	}, nil)
	c.read = func(row *T, v *cell) error {
		*of(row) = v.text == yes
		return quote.OneOf(name, v.text, words)
	}
	return c
}

// Note returns a column of texts that are null if they are empty. JSON omits them then.
func Note[T any](name string, of func(*T) *string) Column[T] {
	return Text(name, of).nonempty(of).Omitted()
}

// Class returns a column of names that are null if they are empty.
func Class[T any](name string, of func(*T) *string) Column[T] {
	return Name(name, of).nonempty(of)
}

func (c Column[T]) nonempty(of func(*T) *string) Column[T] {
	return c.If(func(row *T) bool { return *of(row) != "" })
}

// Example returns a column of ids of examples. An example without an id has a null. All ids are read as texts.
func Example[T any](name string, of func(*T) *slice.Value) Column[T] {
	c := leaf(name, parquet.Optional(parquet.String()), of, func(id slice.Value) (v parquet.Value) {
		if id.Kind() != slice.KindNull {
			v = parquet.ValueOf(id.Plain())
		}
		return v
	}, func(c *cell) (id slice.Value) {
		if !c.null {
			id = slice.String(quote.Unescape(c.text))
		}
		return id
	})
	c.id = of
	return c
}

// Label returns the column of labels, which are null in rows of all labels together.
func Label[T any](of func(*T) **string) Column[T] {
	c := leaf("label", parquet.Optional(parquet.String()), of, func(label *string) (v parquet.Value) {
		if label != nil {
			v = parquet.ValueOf(quote.Escape(*label))
		}
		return v
	}, (*cell).label)
	c.place, c.label = true, of
	return c
}

// Slice returns the column of slices.
func Slice[T any](of func(*T) *slice.Key) Column[T] {
	return Column[T]{name: "slice", member: "slice", node: parquet.String(), json: raw, place: true, key: of,
		value: func(row *T, seen *memo) parquet.Value {
			return parquet.ValueOf(seen.of(*of(row), func(key slice.Key) string { return string(key.AppendJSON(nil)) }))
		},
		read: func(row *T, c *cell) (err error) {
			*of(row), err = c.slice()
			return err
		},
	}
}

// Keyed returns the columns of a table whose rows have a slice: a column for it, the others, and one for
// each column of slices.
func Keyed[T any](of func(*T) *slice.Key, ofSlices []string, others ...Column[T]) []Column[T] {
	columns := append([]Column[T]{Slice(of)}, others...)
	for _, name := range ofSlices {
		columns = append(columns, Column[T]{
			name: SlicePrefix + quote.Escape(name), node: parquet.Optional(parquet.String()),
			value: func(row *T, seen *memo) (v parquet.Value) {
				if text := seen.of(*of(row), func(key slice.Key) string { return valueIn(key, name) }); text != "" {
					v = parquet.ValueOf(text)
				}
				return v
			},
		})
	}
	return columns
}

// Placed does the same for rows that have a name and a label as well.
func Placed[T any](name Column[T], key func(*T) *slice.Key, label func(*T) **string, ofSlices []string, others ...Column[T]) []Column[T] {
	name.place = true
	return append([]Column[T]{name}, Keyed(key, ofSlices, append([]Column[T]{Label(label)}, others...)...)...)
}

// Limit returns a column of numbers that may be missing. JSON omits them then.
func Limit[T any](name string, of func(*T) **float64) Column[T] {
	return leaf(name, parquet.Optional(parquet.Leaf(parquet.DoubleType)), of, func(limit *float64) (v parquet.Value) {
		if limit != nil {
			v = parquet.DoubleValue(*limit)
		}
		return v
	}, func(c *cell) (limit *float64) {
		if !c.null {
			limit = new(c.number)
		}
		return limit
	}).Omitted()
}

// Time returns a column of times, in UTC, which only JSON has.
func Time[T any](member string, of func(*T) *time.Time) Column[T] {
	return onlyJSON(member, of, func(at time.Time) []byte {
		text, _ := at.UTC().MarshalJSON()
		return text
	}, func(text []byte) (at time.Time, err error) {
		err = json.Unmarshal(text, &at)
		return at.UTC(), err
	})
}

// JSON returns a column of what encoding/json formats, which only JSON has. JSON omits nil.
func JSON[T, V any](member string, of func(*T) **V) Column[T] {
	return onlyJSON(member, of, func(value *V) []byte {
		text, _ := json.Marshal(value)
		return text
	}, func(text []byte) (value *V, err error) {
		err = json.Unmarshal(text, &value)
		return value, err
	}).If(func(row *T) bool { return *of(row) != nil }).Omitted()
}

// Texts returns a column of lists of texts, which only JSON has.
func Texts[T any](member string, of func(*T) *[]string) Column[T] {
	return onlyJSON(member, of, func(list []string) []byte {
		text := []byte{'['}
		for i, s := range list {
			if i > 0 {
				text = append(text, ',')
			}
			text = quote.AppendJSON(text, s)
		}
		return append(text, ']')
	}, func(text []byte) (list []string, err error) {
		err = json.Unmarshal(text, &list)
		return list, err
	})
}

// Nested returns a column of lists of rows of another table, which only JSON has.
func Nested[T, U any](member string, of func(*T) *[]U, row string, table []Column[U]) Column[T] {
	return onlyJSON(member, of, func(list []U) []byte {
		text, _ := RowsOf(row, table, list).MarshalJSON() // it has no errors
		return text
	}, func(text []byte) ([]U, error) {
		rows := RowsOf(row, table, nil)
		err := rows.UnmarshalJSON(text)
		return rows.Read(), err
	})
}

// onlyJSON returns a column of values that are formatted as JSON. A value that is null stays as it is.
func onlyJSON[T, V any](member string, of func(*T) *V, written func(V) []byte, read func(text []byte) (V, error)) Column[T] {
	c := leaf(member, parquet.Optional(parquet.String()), of, func(value V) parquet.Value { return parquet.ValueOf(written(value)) }, nil)
	c.name, c.json = "", raw
	c.read = func(row *T, v *cell) (err error) {
		if !v.null {
			*of(row), err = read([]byte(v.text))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", member, err)
		}
		return nil
	}
	return c
}

// Of returns columns of a part of each row.
func Of[T, U any](part func(*T) *U, columns ...Column[U]) []Column[T] {
	all := make([]Column[T], len(columns))
	for i, c := range columns {
		all[i] = Column[T]{name: c.name, member: c.member, node: c.node, json: c.json, place: c.place,
			value: func(row *T, seen *memo) parquet.Value { return c.value(part(row), seen) },
			read:  func(row *T, v *cell) error { return c.read(part(row), v) },
			omits: func(row *T) bool { return c.omits != nil && c.omits(part(row)) },
		}
	}
	return all
}

// Within returns columns of what some rows have a pointer to: written is nil in the others, where all
// columns are null and JSON omits them. If a row that is read has any of them, into becomes a pointer to a copy of
// empty with these values.
func Within[T, U any](written func(*T) *U, into func(*T) **U, empty U, columns ...Column[U]) []Column[T] {
	all := make([]Column[T], len(columns))
	for i, c := range columns {
		node := c.node
		if !node.Optional() {
			node = parquet.Optional(node)
		}
		all[i] = Column[T]{name: c.name, member: c.member, node: node, json: c.json,
			value: func(row *T, seen *memo) (v parquet.Value) {
				if u := written(row); u != nil {
					v = c.value(u, seen)
				}
				return v
			},
			read: func(row *T, v *cell) error {
				to := into(row)
				if v.null {
					return nil
				}
				if *to == nil {
					*to = new(empty)
				}
				return c.read(*to, v)
			},
			omits: func(row *T) bool {
				u := written(row)
				return u == nil || c.omits != nil && c.omits(u)
			},
		}
	}
	return all
}

// If makes a column null in the rows for which a condition does not hold.
func (c Column[T]) If(holds func(*T) bool) Column[T] {
	value := c.value
	if !c.node.Optional() {
		c.node = parquet.Optional(c.node)
	}
	c.value = func(row *T, seen *memo) (v parquet.Value) {
		if holds(row) {
			v = value(row, seen)
		}
		return v
	}
	return c
}

// As writes another text than is read.
func (c Column[T]) As(text func(*T) string) Column[T] {
	c.value = func(row *T, _ *memo) (v parquet.Value) {
		if s := text(row); s != "" {
			v = parquet.ValueOf(quote.Valid(s))
		}
		return v
	}
	return c
}

// Omitted lets JSON omit nulls.
func (c Column[T]) Omitted() Column[T] {
	c.omits = func(*T) bool { return true }
	return c
}

// AsNull lets JSON write nulls.
func (c Column[T]) AsNull() Column[T] {
	c.omits = nil
	return c
}

// Member gives a column another name in JSON.
func (c Column[T]) Member(name string) Column[T] {
	c.member = name
	return c
}

// cell is a value that was read.
type cell struct {
	null   bool
	text   string
	number float64 // NaN if null
	whole  int64
	list   []float64
	place  *place
}

// place remembers the last slice and label, because rows of the same are next to each other and
// share them.
type place struct {
	key                slice.Key
	label              *string
	keyText, labelText string
}

func (v *cell) slice() (slice.Key, error) {
	if p := v.place; v.text != p.keyText {
		var key slice.Key // rows have the last one
		if err := key.UnmarshalJSON([]byte(v.text)); err != nil {
			return nil, fmt.Errorf("slice: %w", err)
		}
		p.key, p.keyText = key, v.text
	}
	return v.place.key, nil
}

func (v *cell) label() *string {
	if v.null {
		return nil
	}
	if p := v.place; p.label == nil || v.text != p.labelText {
		p.label, p.labelText = new(quote.Unescape(v.text)), v.text
	}
	return v.place.label
}
