package text

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
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

// numeral is an integer of few digits, or a decimal number: 12, -0.5. The zero value stands for a text that is no
// numeral, or has not been looked at.
type numeral struct {
	mantissa uint64  // all digits; tooLarge if they are many
	class    classes // isInt or isFloat
	negative bool
	fraction uint8 // number of digits behind the point
}

const (
	mostDigits = 18 // of an integer: so few that 64 bits with a sign hold them; 64 bits without one hold one more
	tooLarge   = math.MaxUint64
)

// numeralOf parses the numeral with which a text begins. size is 0 if there is none; what follows may make it another
// value.
func numeralOf(text []byte) (p numeral, size int) {
	i := 0
	if len(text) > 0 && text[0] == '-' {
		p.negative, i = true, 1
	}
	begin, n := i, uint64(0)
	for ; i < len(text) && text[i]-'0' <= 9; i++ {
		n = 10*n + uint64(text[i]-'0')
	}
	digits := i - begin
	switch {
	case digits == 0:
		return numeral{}, 0
	case i < len(text) && text[i] == '.':
		i++
		fraction := i
		for len(text)-i >= 8 {
			eight, are := eightDigits(binary.LittleEndian.Uint64(text[i:]))
			if !are {
				break
			}
			n = 100_000_000*n + eight
			i += 8
		}
		for ; i < len(text) && text[i]-'0' <= 9; i++ {
			n = 10*n + uint64(text[i]-'0')
		}
		if digits += i - fraction; digits > mostDigits+1 {
			n = tooLarge
		}
		p.class, p.fraction = isFloat, uint8(i-fraction)
	case digits > mostDigits || digits > 1 && text[begin] == '0' || p.negative && n == 0:
		return numeral{}, 0
	default:
		p.class = isInt
	}
	p.mantissa = n
	return p, i
}

// eightDigits returns the number that eight bytes of text are, the first in the lowest bits, if they are digits.
func eightDigits(text uint64) (n uint64, are bool) {
	n = text - eightZeros
	if (n|(n+eightSixes))&eightHighs != 0 { // a byte is no digit, or borrowed from one that is none
		return 0, false
	}
	n = 10*n + n>>8 // in each second byte, two digits
	n = (n&0xff_0000_00ff*(100+1_000_000<<32) + n>>16&0xff_0000_00ff*(1+10_000<<32)) >> 32
	return n & math.MaxUint32, true
}

const (
	eightZeros = 0x3030303030303030
	eightSixes = 0x7676767676767676 // with which a byte above 9 is 0x80 or more
	eightHighs = 0x8080808080808080
)

// inJSON reports whether the numeral at the beginning of a text is a number in JSON, without an exponent.
func (p numeral) inJSON(text []byte, size int) bool {
	if size < len(text) && (text[size] == 'e' || text[size] == 'E') {
		return false
	}
	if p.class == isInt {
		return true
	}
	if p.negative {
		text = text[1:]
	}
	return p.fraction > 0 && (text[0] != '0' || text[1] == '.')
}

// float returns the number, or the same as [floatOf] for a text that is no numeral.
func (p numeral) float(v []byte) (float64, error) {
	switch {
	case p.class == 0:
		return floatOf(v)
	case p.mantissa == tooLarge:
		return longFloat(v)
	}
	f := float64(p.mantissa)
	if p.mantissa <= 1<<53 {
		f /= tens[p.fraction] // see decimalOf
	} else if p.fraction > 0 {
		f = quotient(p.mantissa, wholeTens[p.fraction])
	}
	if p.negative {
		f = -f
	}
	return f, nil
}

// quotient returns the float64 nearest to a/b, and of two the even one. It divides integers of 128 by 64 bits: the quotient
// has 63 bits or more, so that its last, which is set if there is a rest, decides what lies between two float64.
func quotient(a, b uint64) float64 {
	up, down := bits.LeadingZeros64(a), bits.LeadingZeros64(b)
	a <<= up
	q, rest := bits.Div64(a>>1, a<<63, b<<down)
	if rest != 0 {
		q |= 1
	}
	return math.Ldexp(float64(q), down-up-63)
}

// wholeTens are the powers of ten that 64 bits hold.
var wholeTens = func() (list [20]uint64) {
	list[0] = 1
	for i := range list[1:] {
		list[i+1] = 10 * list[i]
	}
	return list
}()

// int returns the number, or the same as [intOf] for a text that is no such integer.
func (p numeral) int(v []byte) (int64, error) {
	switch {
	case p.class != isInt:
		return intOf(v)
	case p.negative:
		return -int64(p.mantissa), nil
	}
	return int64(p.mantissa), nil
}

// floatOf parses a value of a numeric column. A number out of range is an error.
func floatOf(v []byte) (float64, error) {
	if f, ok := decimalOf(v); ok {
		return f, nil
	}
	return longFloat(v)
}

// longFloat is floatOf for a number that may have many digits.
func longFloat(v []byte) (float64, error) {
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
