package columns

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
)

// Convert appends all values of src by a conversion that cannot fail.
func Convert[From, T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | float32 | float64](dst []T, src []From) []T {
	begin := len(dst)
	dst = slices.Grow(dst, len(src))[:begin+len(src)]
	out := dst[begin:]
	for i, v := range src {
		out[i] = T(v)
	}
	return dst
}

// ConvertUnsigned converts an unsigned integer if it fits an int64.
func ConvertUnsigned(v uint64) (int64, error) {
	if int64(v) < 0 {
		return 0, fmt.Errorf("value %d does not fit a signed 64-bit integer: write an id or a name as text, and a number as double", v)
	}
	return int64(v), nil
}

// ConvertHalf converts the bits of an IEEE 754 half-precision number.
func ConvertHalf(h uint16) float64 {
	exponent, fraction := int(h>>10&0x1f), float64(h&0x3ff)
	var f float64
	switch exponent {
	case 0:
		f = math.Ldexp(fraction, -24)
	case 0x1f:
		f = math.Inf(1)
		if fraction != 0 {
			f = math.NaN()
		}
	default:
		f = math.Ldexp(1024+fraction, exponent-25)
	}
	return math.Copysign(f, float64(int16(h)|1))
}

// Round returns x as a column of floats of so many bits, 16, 32 or 64, holds it: the nearest number, and of two the even
// one. What is too large becomes infinite.
func Round(x float64, bits int) float64 {
	switch {
	case bits == 32:
		return float64(float32(x))
	case bits != 16 || x == 0 || x-x != 0:
		return x
	}
	_, exponent := math.Frexp(x)
	unit := max(exponent-11, -24) // of the last place
	rounded := math.Ldexp(math.RoundToEven(math.Ldexp(x, -unit)), unit)
	if math.Abs(rounded) > 65504 {
		return math.Copysign(math.Inf(1), x)
	}
	return rounded
}

// Coder returns a function that maps values to codes of a table.
type Coder[V any] func(*Strings) func(V) (int32, error)

// CodeUUIDs codes the 16 bytes of a UUID as its canonical text.
func CodeUUIDs(s *Strings) func([]byte) (int32, error) {
	var text []byte
	return func(id []byte) (int32, error) {
		text = text[:0]
		start := 0
		for _, end := range []int{4, 6, 8, 10, 16} {
			if start > 0 {
				text = append(text, '-')
			}
			text = hex.AppendEncode(text, id[start:end])
			start = end
		}
		return s.Code(text), nil
	}
}

// CodeText codes values by their text. It formats a value only if it differs from the previous one,
// because equal values often follow each other.
func CodeText[V comparable](format func(dst []byte, v V) ([]byte, error)) Coder[V] {
	return func(s *Strings) func(V) (int32, error) {
		var (
			last V
			code int32 = -1
			text []byte
		)
		return func(v V) (_ int32, err error) {
			if code >= 0 && v == last {
				return code, nil
			}
			if text, err = format(text[:0], v); err != nil {
				return 0, err
			}
			last, code = v, s.Code(text)
			return code, nil
		}
	}
}
