package slice

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/quote"
)

// Kind is the type of a [Value].
type Kind uint8

// The kinds, in the order of their values. Integers and floats are both numbers and are ordered
// together.
const (
	KindNull Kind = iota
	KindBool
	KindInt
	KindFloat
	KindString
)

// Value is a value of a slice column: null, a bool, a number or a string. The zero Value is null.
//
// Values are canonical: they are equal if and only if == says so. A float that is a whole number is
// stored as an integer, because an int64 column and a double column with the same numbers must have
// the same slices. There is one NaN and no negative zero.
type Value struct {
	kind Kind
	num  uint64 // bits of a bool, integer or float
	str  string
}

// Null returns the null value.
func Null() Value { return Value{} }

// Bool returns b as a value.
func Bool(b bool) Value {
	if b {
		return Value{kind: KindBool, num: 1}
	}
	return Value{kind: KindBool}
}

// Int returns i as a value.
func Int(i int64) Value { return Value{kind: KindInt, num: uint64(i)} }

// Float returns f as a value. Its kind is KindInt if f is a whole number that fits an int64.
func Float(f float64) Value {
	switch {
	case f != f:
		f = math.NaN()
	case f >= -1<<63 && f < 1<<63 && f == math.Trunc(f):
		return Int(int64(f))
	}
	return Value{kind: KindFloat, num: math.Float64bits(f)}
}

// String returns s as a value. s need not be valid UTF-8; [quote.Escape] defines how report files
// write it.
func String(s string) Value { return Value{kind: KindString, str: s} }

// Kind returns the type of v.
func (v Value) Kind() Kind { return v.kind }

// Bool returns the bool in v, or false if v is of another kind.
func (v Value) Bool() bool { return v.kind == KindBool && v.num != 0 }

// Int returns the integer in v, or 0 if v is of another kind.
func (v Value) Int() int64 {
	if v.kind != KindInt {
		return 0
	}
	return int64(v.num)
}

// Float returns the number in v, or 0 if v is of another kind. An integer beyond 2^53 is rounded.
func (v Value) Float() float64 {
	switch v.kind {
	case KindInt:
		return float64(int64(v.num))
	case KindFloat:
		return math.Float64frombits(v.num)
	}
	return 0
}

// Text returns the string in v, or "" if v is of another kind.
func (v Value) Text() string { return v.str }

// AsText returns v as configurations write it: as a string, or null.
func (v Value) AsText() Value {
	switch v.kind {
	case KindBool:
		return String(strconv.FormatBool(v.Bool()))
	case KindInt:
		return String(strconv.FormatInt(v.Int(), 10))
	case KindFloat:
		return String(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	}
	return v
}

// String formats v for people. A string is quoted if it could be mistaken for another value, such
// as "null", or if it is not completely visible in print.
func (v Value) String() string {
	switch v.kind {
	case KindBool:
		return strconv.FormatBool(v.num != 0)
	case KindInt:
		return strconv.FormatInt(int64(v.num), 10)
	case KindFloat:
		return v.floatText()
	case KindString:
		if ambiguous(v.str) {
			return strconv.Quote(quote.Escape(quote.Short(v.str)))
		}
		return quote.Visible(v.str)
	}
	return "null"
}

// Plain formats v like String, but strings like [quote.Escape]: for columns whose values are all of
// one kind.
func (v Value) Plain() string {
	if v.kind == KindString {
		return quote.Escape(v.str)
	}
	return v.String()
}

// Distinct formats v like Plain, but such that no two values of a column have the same text and
// none is empty: a string that is empty, is null or begins with a quotation mark is put into
// quotation marks.
func (v Value) Distinct() string {
	if s := v.Plain(); v.kind != KindString || s != "" && s != "null" && s[0] != '"' {
		return s
	}
	return `"` + v.Plain() + `"`
}

// ambiguous reports whether s, unquoted, reads as something other than a string.
func ambiguous(s string) bool {
	switch s {
	case "null", "true", "false":
		return true
	}
	if _, _, ok := interval(s); ok {
		return false
	}
	_, err := strconv.ParseFloat(s, 64)
	return err == nil || errors.Is(err, strconv.ErrRange) || strings.ContainsAny(s, `,="`)
}

// Compare orders values: null, false, true, numbers by value with NaN last, then strings: those
// that are an [Interval] by its ends, then others by their bytes. It returns 0 if and only if v ==
// w.
func (v Value) Compare(w Value) int {
	a, b := v.kind, w.kind
	switch {
	case a == KindFloat && b == KindFloat:
		return floats.CompareLast(v.Float(), w.Float())
	case a == KindInt && b == KindInt:
		return cmp.Compare(v.Int(), w.Int())
	case a == KindInt && b == KindFloat:
		return compareIntFloat(v.Int(), w.Float())
	case a == KindFloat && b == KindInt:
		return -compareIntFloat(w.Int(), v.Float())
	case a != b:
		return cmp.Compare(a, b)
	}
	return cmp.Or(cmp.Compare(v.num, w.num), compareTexts(v.str, w.str))
}

// compareIntFloat compares without rounding i. The two are never equal: f comes from [Float], so it
// has a fraction, is out of the range of int64, or is NaN.
func compareIntFloat(i int64, f float64) int {
	switch {
	case f != f || f >= 1<<63:
		return -1
	case f < -1<<63:
		return 1
	case i <= int64(math.Floor(f)):
		return -1
	}
	return 1
}

// MarshalJSON returns null, a bool, a number or a string. JSON has no numbers that are not finite,
// so they become the strings "NaN", "Infinity" and "-Infinity", and are read back as strings.
func (v Value) MarshalJSON() ([]byte, error) { return v.appendJSON(nil), nil }

func (v Value) appendJSON(b []byte) []byte {
	switch v.kind {
	case KindBool:
		return strconv.AppendBool(b, v.num != 0)
	case KindInt:
		return strconv.AppendInt(b, int64(v.num), 10)
	case KindFloat:
		switch f := v.Float(); {
		case f != f:
			return append(b, `"NaN"`...)
		case math.IsInf(f, 1):
			return append(b, `"Infinity"`...)
		case math.IsInf(f, -1):
			return append(b, `"-Infinity"`...)
		}
		return append(b, v.floatText()...)
	case KindString:
		return quote.AppendName(b, v.str)
	}
	return append(b, "null"...)
}

// floatText formats the number in v as in JSON, or as +Inf, -Inf or NaN.
func (v Value) floatText() string {
	text, err := json.Marshal(v.Float())
	if err != nil {
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	}
	return string(text)
}

// UnmarshalJSON reads the output of MarshalJSON.
func (v *Value) UnmarshalJSON(data []byte) error {
	d := newDecoder(data)
	token, err := d.Token()
	if err != nil {
		return err
	}
	w, err := valueOf(token)
	if err != nil {
		return err
	}
	*v = w
	return nil
}

// newDecoder returns a decoder that decodes numbers as json.Number.
func newDecoder(data []byte) *json.Decoder {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d
}

// valueOf converts a token of [newDecoder] to a value.
func valueOf(token json.Token) (Value, error) {
	switch t := token.(type) {
	case nil:
		return Null(), nil
	case bool:
		return Bool(t), nil
	case string:
		return String(quote.Unescape(t)), nil
	case json.Number:
		if i, err := strconv.ParseInt(t.String(), 10, 64); err == nil {
			return Int(i), nil
		}
		f, err := strconv.ParseFloat(t.String(), 64)
		if err != nil {
			return Value{}, fmt.Errorf("slice value %s is out of range", t)
		}
		return Float(f), nil
	}
	return Value{}, fmt.Errorf("a slice value is null, a bool, a number or a string, not %v", token)
}

// appendBinary appends the encoding of v: a byte for the kind, followed by the data of that kind.
func (v Value) appendBinary(b []byte) []byte {
	b = append(b, byte(v.kind))
	switch v.kind {
	case KindBool, KindInt:
		return wire.AppendInt(b, int64(v.num))
	case KindFloat:
		return wire.AppendFloat(b, v.Float())
	case KindString:
		return appendString(b, v.str)
	}
	return b
}

func decodeValue(d *wire.Decoder) Value {
	switch kind := Kind(d.Byte()); kind {
	case KindNull:
	case KindBool:
		return Bool(d.Int() != 0)
	case KindInt:
		return Int(d.Int())
	case KindFloat:
		return Float(d.Float())
	case KindString:
		return String(decodeString(d))
	default:
		d.Fail("unknown kind %d of value", kind)
	}
	return Null()
}

func appendString(b []byte, s string) []byte {
	return append(wire.AppendUint(b, uint64(len(s))), s...)
}

func decodeString(d *wire.Decoder) string { return string(d.Bytes(d.Elements())) }
