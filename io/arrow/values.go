package arrow

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/columns"
)

// badValue is an error about a value of an array.
type badValue struct {
	at  int
	err error
}

func (b *badValue) Error() string { return b.err.Error() }

// maxNulls is how many nulls without a type are made at once: they take no bytes of the file.
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
		if a.IsValid(i) && a.Value(i) {
			v = 1
		}
		c.Ints = append(c.Ints, v)
	}
	return nil
}

// whole reads integers. A null may have any value in its place.
func whole[A arrow.Array, T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](value func(A, int) T) appender {
	return func(c *columns.Column, values arrow.Array, from, to int) error {
		a := values.(A)
		if a.NullN() == 0 {
			for i := from; i < to; i++ {
				c.Ints = append(c.Ints, int64(value(a, i)))
			}
			return nil
		}
		for i := from; i < to; i++ {
			v := int64(0)
			if a.IsValid(i) {
				v = int64(value(a, i))
			}
			c.Ints = append(c.Ints, v)
		}
		return nil
	}
}

func unsigned(c *columns.Column, values arrow.Array, from, to int) error {
	a := values.(*array.Uint64)
	for i := from; i < to; i++ {
		v := uint64(0)
		if a.IsValid(i) {
			v = a.Value(i)
		}
		if int64(v) < 0 {
			return &badValue{i, fmt.Errorf("value %d does not fit a signed 64-bit integer", v)}
		}
		c.Ints = append(c.Ints, int64(v))
	}
	return nil
}

func halves(c *columns.Column, values arrow.Array, from, to int) error {
	a := values.(*array.Float16)
	for i := from; i < to; i++ {
		v := 0.0
		if a.IsValid(i) {
			v = float64(a.Value(i).Float32())
		}
		c.Floats = append(c.Floats, v)
	}
	return nil
}

// fractions reads floating-point numbers.
func fractions[A arrow.Array, T float32 | float64](value func(A, int) T) appender {
	return func(c *columns.Column, values arrow.Array, from, to int) error {
		a := values.(A)
		if a.NullN() == 0 {
			for i := from; i < to; i++ {
				c.Floats = append(c.Floats, float64(value(a, i)))
			}
			return nil
		}
		for i := from; i < to; i++ {
			v := 0.0
			if a.IsValid(i) {
				v = float64(value(a, i))
			}
			c.Floats = append(c.Floats, v)
		}
		return nil
	}
}

// uuids reads UUIDs as text.
func uuids(c *columns.Column, values arrow.Array, from, to int) error {
	a := values.(*array.FixedSizeBinary)
	var buf []byte
	for i := from; i < to; i++ {
		code := int32(0)
		if a.IsValid(i) {
			buf = columns.AppendUUID(buf[:0], a.Value(i))
			code = c.Dict.Code(buf)
		}
		c.Codes = append(c.Codes, code)
	}
	return nil
}

// words reads texts and bytes.
func words(c *columns.Column, values arrow.Array, from, to int) error {
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
	for i := from; i < to; i++ {
		code := int32(0)
		if values.IsValid(i) {
			code = c.Dict.Code(value(i))
		}
		c.Codes = append(c.Codes, code)
	}
	return nil
}

// moments reads dates and times as text. It formats a value only if it differs from the one
// before.
func moments[A arrow.Array, T comparable](value func(A, int) T, format func([]byte, T) ([]byte, error)) appender {
	return func(c *columns.Column, values arrow.Array, from, to int) (err error) {
		a := values.(A)
		var last T
		var buf []byte
		code := int32(-1)
		for i := from; i < to; i++ {
			if a.IsNull(i) {
				c.Codes = append(c.Codes, 0)
				continue
			}
			if v := value(a, i); code < 0 || v != last {
				if buf, err = format(buf[:0], v); err != nil {
					return &badValue{i, err}
				}
				last, code = v, c.Dict.Code(buf)
			}
			c.Codes = append(c.Codes, code)
		}
		return nil
	}
}

// decimalOf returns how decimals are read: as those of Parquet.
func decimalOf(t arrow.DecimalType, o columns.Options) (logical, string) {
	precision, scale := t.GetPrecision(), t.GetScale()
	name := fmt.Sprintf("decimal(%d, %d)", precision, scale)
	decimals := func(add func(c *columns.Column, text string, zero bool) error) appender {
		return func(c *columns.Column, values arrow.Array, from, to int) error {
			for i := from; i < to; i++ {
				text, null := "", values.IsNull(i)
				if !null {
					text = values.ValueStr(i)
				}
				if err := add(c, text, null); err != nil {
					return &badValue{i, fmt.Errorf("a decimal has more than the %d digits of its type", precision)}
				}
			}
			return nil
		}
	}
	toFloat := decimals(func(c *columns.Column, text string, zero bool) (err error) {
		v := 0.0
		if !zero {
			v, err = strconv.ParseFloat(text, 64)
		}
		c.Floats = append(c.Floats, v)
		return err
	})
	switch {
	case scale < 0 || precision < 1 || scale > precision:
		return logical{}, name + " is not a valid decimal"
	case scale == 0 && precision <= 18:
		return integers(name, decimals(func(c *columns.Column, text string, zero bool) (err error) {
			v := int64(0)
			if !zero {
				v, err = strconv.ParseInt(text, 10, 64)
			}
			c.Ints = append(c.Ints, v)
			return err
		})), ""
	case precision <= 15, o.RoundDecimals:
		return floating(name, 64, toFloat), ""
	}
	return logical{}, name + " does not fit a 64-bit number without loss: set " + o.Names.Of(settings.RoundDecimals) + " to round it"
}

// coded reads values through a dictionary, which it reads once.
func coded(plain appender) appender {
	var dict arrow.Array
	var all columns.Column // of the dictionary
	return func(c *columns.Column, values arrow.Array, from, to int) error {
		a := values.(*array.Dictionary)
		if dict == nil {
			dict = a.Dictionary()
			all = columns.Column{Type: c.Type, Dict: c.Dict}
			if err := plain(&all, dict, 0, dict.Len()); err != nil {
				var bad *badValue
				if errors.As(err, &bad) { // its place is that of an entry, not of a row
					err = bad.err
				}
				return fmt.Errorf("the dictionary: %w", err)
			}
		}
		for i := from; i < to; i++ {
			at, valid := 0, a.IsValid(i)
			if valid {
				if at = a.GetValueIndex(i); at < 0 || at >= dict.Len() {
					return &badValue{i, fmt.Errorf("corrupt: entry %d of a dictionary of %d", at, dict.Len())}
				}
			}
			switch c.Type {
			case columns.Float:
				c.Floats = append(c.Floats, valueOr0(all.Floats, at, valid))
			case columns.String:
				c.Codes = append(c.Codes, valueOr0(all.Codes, at, valid))
			default:
				c.Ints = append(c.Ints, valueOr0(all.Ints, at, valid))
			}
		}
		return nil
	}
}

func valueOr0[T any](list []T, i int, valid bool) (v T) {
	if valid {
		v = list[i]
	}
	return v
}

// hasNulls says whether a value may be null.
func hasNulls(a arrow.Array) bool {
	switch a := a.(type) {
	case *array.Null:
		return true
	case *array.Dictionary:
		return a.NullN() > 0 || a.Dictionary().NullN() > 0
	}
	return a.NullN() > 0
}

// isNull says whether a value is null: it may be an entry of a dictionary that is.
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
