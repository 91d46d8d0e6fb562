package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go/format"

	"github.com/beameval/beameval/io/columns"
)

// each appends the conversion of all values.
func each[From, T uint8 | int32 | int64 | float32 | float64](dst []T, src []From) []T {
	begin := len(dst)
	dst = slices.Grow(dst, len(src))[:begin+len(src)]
	out := dst[begin:]
	for i, v := range src {
		out[i] = T(v)
	}
	return dst
}

// same appends values that need no conversion. If dst is empty, it swaps dst and them.
func same[T value](dst []T, src *[]T) []T {
	if len(dst) == 0 {
		dst, *src = *src, dst
		return dst
	}
	return append(dst, *src...)
}

var (
	booleans = converter[int64]{all: func(dst []int64, r *raw) []int64 { return each(dst, r.bools) }}
	int32s   = converter[int64]{all: func(dst []int64, r *raw) []int64 { return each(dst, r.int32s) }}
	int64s   = converter[int64]{all: func(dst []int64, r *raw) []int64 { return same(dst, &r.int64s) }}
	uint32s  = converter[int64]{one: func(r *raw, i int) (int64, error) { return int64(uint32(r.int32s[i])), nil }}
	uint64s  = converter[int64]{one: func(r *raw, i int) (int64, error) {
		if v := r.int64s[i]; v < 0 {
			return 0, fmt.Errorf("value %d does not fit a signed 64-bit integer", uint64(v))
		}
		return r.int64s[i], nil
	}}
	float16s = converter[float64]{one: func(r *raw, i int) (float64, error) {
		return float16(binary.LittleEndian.Uint16(r.at(i))), nil
	}}
	float32s = converter[float64]{all: func(dst []float64, r *raw) []float64 { return each(dst, r.floats) }}
	float64s = converter[float64]{all: func(dst []float64, r *raw) []float64 { return same(dst, &r.doubles) }}
)

// float16 converts an IEEE 754 half-precision number.
func float16(h uint16) float64 {
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

// decimals converts unscaled integers of at most precision digits to values with a scale.
func decimals[T value](physical format.Type, precision int32, scale func(int64) T) converter[T] {
	limit := pow10(precision)
	return converter[T]{one: func(r *raw, i int) (T, error) {
		var u int64
		fits := true
		switch physical {
		case format.Int32:
			u = int64(r.int32s[i])
		case format.Int64:
			u = r.int64s[i]
		default:
			u, fits = bigEndian(r.at(i))
		}
		if !fits || u >= limit || u <= -limit {
			return 0, tooManyDigits(precision)
		}
		return scale(u), nil
	}}
}

// roundedDecimals converts unscaled integers of any number of digits to the nearest
// float64.
func roundedDecimals(physical format.Type, precision, scale int32) converter[float64] {
	return converter[float64]{one: func(r *raw, i int) (float64, error) {
		var buffer [64]byte
		text := buffer[:0]
		switch physical {
		case format.Int32:
			text = strconv.AppendInt(text, int64(r.int32s[i]), 10)
		case format.Int64:
			text = strconv.AppendInt(text, r.int64s[i], 10)
		default:
			b := r.at(i)
			if len(b) > 16+int(precision) { // far more bytes than digits
				return 0, tooManyDigits(precision)
			}
			text = appendInteger(text, b)
		}
		if len(bytes.TrimPrefix(text, minus)) > int(precision) || len(text) == 0 {
			return 0, tooManyDigits(precision)
		}
		text = strconv.AppendInt(append(text, "e-"...), int64(scale), 10)
		return strconv.ParseFloat(string(text), 64)
	}}
}

var minus = []byte("-")

func tooManyDigits(precision int32) error {
	return fmt.Errorf("a decimal has more than the %d digits of its type", precision)
}

// appendInteger appends the digits of a two's complement integer, most significant byte
// first.
func appendInteger(dst, b []byte) []byte {
	if len(b) == 0 {
		return dst
	}
	v := new(big.Int).SetBytes(b)
	if b[0]&0x80 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return v.Append(dst, 10)
}

// bigEndian reads a two's complement integer of any length.
func bigEndian(b []byte) (v int64, fits bool) {
	if len(b) == 0 {
		return 0, false
	}
	v = int64(int8(b[0]))
	for _, c := range b[1:] {
		if v > math.MaxInt64>>8 || v < math.MinInt64>>8 {
			return 0, false
		}
		v = v<<8 | int64(c)
	}
	return v, true
}

func pow10(n int32) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

// textual returns a converter of texts to codes.
type textual func(*columns.Strings) func(r *raw, i int) (int32, error)

func byteStrings(s *columns.Strings) func(*raw, int) (int32, error) {
	return func(r *raw, i int) (int32, error) { return s.Code(r.at(i)), nil }
}

func uuids(s *columns.Strings) func(*raw, int) (int32, error) {
	var b []byte
	return func(r *raw, i int) (int32, error) {
		b = columns.AppendUUID(b[:0], r.at(i))
		return s.Code(b), nil
	}
}
