package arrow

import (
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/beameval/beameval/io/columns"
)

// badValue is an error about the value at an index of an array.
type badValue struct {
	at  int
	err error
}

func (b *badValue) Error() string { return b.err.Error() }

// maxNulls limits how many values of type null are made at once, because they take no bytes of the
// file.
const maxNulls = 1 << 24

func nulls(c *columns.Column, _ arrow.Array, from, to int) error {
	if to-from > maxNulls {
		return fmt.Errorf("%d values of type null", to-from)
	}
	c.Ints = append(c.Ints, make([]int64, to-from)...)
	return nil
}

func booleans(c *columns.Column, values arrow.Array, from, to int) error {
	a := values.(*array.Boolean)
	for i := from; i < to; i++ {
		v := int64(0)
		if a.Value(i) {
			v = 1
		}
		c.Ints = append(c.Ints, v)
	}
	return nil
}

// whole reads integers that always fit an int64.
func whole[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](c *columns.Column, values arrow.Array, from, to int) error {
	c.Ints = columns.Convert(c.Ints, values.(interface{ Values() []T }).Values()[from:to])
	return nil
}

// wide reads integers that may not fit an int64.
func wide(c *columns.Column, values arrow.Array, from, to int) (err error) {
	c.Ints, err = each(c.Ints, values, from, to, values.(*array.Uint64).Value, columns.ConvertUnsigned)
	return err
}

func halves(c *columns.Column, values arrow.Array, from, to int) error {
	for _, v := range values.(*array.Float16).Values()[from:to] {
		c.Floats = append(c.Floats, columns.ConvertHalf(v.Uint16()))
	}
	return nil
}

// fractions reads floating-point numbers.
func fractions[T float32 | float64](c *columns.Column, values arrow.Array, from, to int) error {
	c.Floats = columns.Convert(c.Floats, values.(interface{ Values() []T }).Values()[from:to])
	return nil
}

// each converts values one by one, because a conversion may fail. It appends zeros in place of
// nulls.
func each[V, T any](dst []T, a arrow.Array, from, to int, value func(int) V, convert func(V) (T, error)) ([]T, error) {
	for i := from; i < to; i++ {
		var v T
		if a.IsValid(i) {
			var err error
			if v, err = convert(value(i)); err != nil {
				return dst, &badValue{i, err}
			}
		}
		dst = append(dst, v)
	}
	return dst, nil
}

// text returns a logical type whose values are coded as strings.
func text[V any](l columns.Logical, code columns.Coder[V]) logical {
	return always(l, func(c *columns.Column, values arrow.Array, from, to int) (err error) {
		c.Codes, err = each(c.Codes, values, from, to, values.(interface{ Value(int) V }).Value, code(c.Dict))
		return err
	})
}

// moments returns the logical type of dates or times.
func moments[V ~int32 | ~int64](m columns.Moment) logical {
	return text(m.Logical, func(s *columns.Strings) func(V) (int32, error) {
		code := m.Code(s)
		return func(v V) (int32, error) { return code(int64(v)) }
	})
}

// words reads strings and binary values.
func words(o columns.Options) appender {
	return func(c *columns.Column, values arrow.Array, from, to int) (err error) {
		var value func(i int) []byte
		switch a := values.(type) {
		case *array.String:
			all, at := a.ValueBytes(), a.ValueOffsets()
			value = func(i int) []byte { return all[at[i]-at[0] : at[i+1]-at[0]] }
		case *array.LargeString:
			all, at := a.ValueBytes(), a.ValueOffsets()
			value = func(i int) []byte { return all[at[i]-at[0] : at[i+1]-at[0]] }
		case *array.StringView:
			value = func(i int) []byte { return []byte(a.Value(i)) }
		case interface{ Value(i int) []byte }:
			value = a.Value
		default:
			return fmt.Errorf("corrupt: texts in an array of %s", values.DataType())
		}
		c.Codes, err = each(c.Codes, values, from, to, value, o.CodeBytes(c.Dict))
		return err
	}
}

// decimals reads decimals that are stored as little-endian integers of width bytes.
func decimals(d *columns.Decimal, width int) appender {
	return func(c *columns.Column, values arrow.Array, from, to int) (err error) {
		data, b := values.Data(), make([]byte, width)
		value := func(i int) columns.Unscaled {
			copy(b, data.Buffers()[1].Bytes()[(data.Offset()+i)*width:][:width])
			slices.Reverse(b)
			return columns.Unscaled{Wide: true, Bytes: b}
		}
		if d.Type == columns.Int {
			c.Ints, err = each(c.Ints, values, from, to, value, d.Ints())
		} else {
			c.Floats, err = each(c.Floats, values, from, to, value, d.Floats())
		}
		return err
	}
}

// coded reads values of a dictionary-encoded array. It converts the dictionary once.
func coded(plain appender) appender {
	var dict arrow.Array
	var all columns.Column // the converted dictionary
	return func(c *columns.Column, values arrow.Array, from, to int) error {
		a := values.(*array.Dictionary)
		if dict == nil {
			dict = a.Dictionary()
			all = columns.Column{Type: c.Type, Dict: c.Dict}
			if dict.Len() == 0 { // all values are null, and the dictionary may have no offsets
				plain = nulls
			}
			if err := plain(&all, dict, 0, dict.Len()); err != nil {
				var bad *badValue
				if errors.As(err, &bad) { // it locates an entry of the dictionary, not a row
					err = bad.err
				}
				return fmt.Errorf("the dictionary: %w", err)
			}
		}
		for i := from; i < to; i++ {
			if a.IsNull(i) {
				c.AppendZero()
				continue
			}
			at := a.GetValueIndex(i)
			if at < 0 || at >= dict.Len() {
				return &badValue{i, fmt.Errorf("corrupt: entry %d of a dictionary of %d", at, dict.Len())}
			}
			c.Append(&all, at)
		}
		return nil
	}
}

// hasNulls reports whether any value may be null.
func hasNulls(a arrow.Array) bool {
	switch a := a.(type) {
	case *array.Null:
		return true
	case *array.Dictionary:
		return a.NullN() > 0 || a.Dictionary().NullN() > 0
	}
	return a.NullN() > 0
}

// isNull reports whether a value is null. A null may also be an entry of the dictionary.
func isNull(a arrow.Array, i int) bool {
	if _, all := a.(*array.Null); all || a.IsNull(i) {
		return true
	}
	coded, ok := a.(*array.Dictionary)
	if !ok || coded.Dictionary().NullN() == 0 {
		return false
	}
	at := coded.GetValueIndex(i)
	return at >= 0 && at < coded.Dictionary().Len() && coded.Dictionary().IsNull(at)
}
