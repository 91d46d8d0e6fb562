package text

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// intOf parses a value of an integer column.
func intOf(v []byte) (int64, error) {
	n, digits := int64(0), v
	if len(v) > 0 && v[0] == '-' {
		digits = v[1:]
	}
	if len(digits) == 0 || len(v) >= 19 || digits[0] == '0' && len(v) > 1 {
		return longInt(v)
	}
	for _, c := range digits {
		if c -= '0'; c > 9 {
			return longInt(v)
		}
		n = 10*n + int64(c)
	}
	if len(digits) < len(v) {
		n = -n
	}
	return n, nil
}

// longInt parses an integer that may have too many digits, or may be none.
func longInt(v []byte) (int64, error) {
	if classOf(v) != isInt {
		return 0, fmt.Errorf("%.40q is no 64-bit integer, as the column's values were when the run was planned", v)
	}
	return strconv.ParseInt(string(v), 10, 64)
}

// floatOf parses a value of a numeric column. A number out of range is an error.
func floatOf(v []byte) (float64, error) {
	if f, ok := decimalOf(v); ok {
		return f, nil
	}
	f, err := strconv.ParseFloat(string(v), 64)
	switch {
	case err != nil && len(v) == 4 && bytes.EqualFold(v[1:], []byte("nan")): // ParseFloat takes no sign there
		return math.NaN(), nil
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%.40q does not fit a 64-bit number", v)
	case err != nil:
		return 0, fmt.Errorf("%.40q is no number, as the column's values were when the run was planned", v)
	}
	return f, nil
}

// tens are the powers of ten that a float64 holds exactly.
var tens = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// decimalOf parses most decimal numbers, and gives the same as strconv.ParseFloat: the digits and the power of ten are
// exact, so that the only operation on them rounds correctly (Clinger, How to Read Floating Point Numbers Accurately,
// 1990).
func decimalOf(v []byte) (f float64, ok bool) {
	rest := v
	if len(v) > 0 && (v[0] == '-' || v[0] == '+') {
		rest = v[1:]
	}
	mantissa, whole := leading(rest, 0)
	exponent, fraction := 0, 0
	if rest = rest[whole:]; len(rest) > 0 && rest[0] == '.' {
		mantissa, fraction = leading(rest[1:], mantissa)
		exponent, rest = -fraction, rest[1+fraction:]
	}
	if n := whole + fraction; n == 0 || n > 19 || mantissa > 1<<53 {
		return 0, false
	}
	if len(rest) > 0 {
		e, ok := exponentOf(rest)
		if !ok {
			return 0, false
		}
		exponent += e
	}
	switch f = float64(mantissa); {
	case exponent < -22 || exponent > 22:
		return 0, false
	case exponent < 0:
		f /= tens[-exponent]
	default:
		f *= tens[exponent]
	}
	if v[0] == '-' {
		f = -f
	}
	return f, true
}

// leading appends the leading digits of v to a number, and returns how many there are. After 19 digits in all, the
// number may have overflowed.
func leading(v []byte, n uint64) (_ uint64, digits int) {
	for i, c := range v {
		if c -= '0'; c > 9 {
			return n, i
		}
		n = 10*n + uint64(c)
	}
	return n, len(v)
}

// exponentOf parses the exponent of a number if it is short: e-07.
func exponentOf(v []byte) (e int, ok bool) {
	if v[0] != 'e' && v[0] != 'E' {
		return 0, false
	}
	digits := v[1:]
	negative := len(digits) > 0 && digits[0] == '-'
	if negative || len(digits) > 0 && digits[0] == '+' {
		digits = digits[1:]
	}
	n, size := leading(digits, 0)
	if size == 0 || size != len(digits) || size > 4 {
		return 0, false
	}
	if negative {
		return -int(n), true
	}
	return int(n), true
}
