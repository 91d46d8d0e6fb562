package columns

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/beameval/beameval/internal/settings"
)

// Decimal is a logical type of decimals, which files store as unscaled integers.
type Decimal struct {
	Logical
	precision, scale int32
	rounded          bool // to the nearest float64; otherwise every decimal is exact
}

// Unscaled is the unscaled integer of a decimal: Int or, if Wide is set, a big-endian two's
// complement number.
type Unscaled struct {
	Int   int64
	Wide  bool
	Bytes []byte
}

// DecimalOf returns the type of decimals with up to precision digits, scale of them after the
// point, or the reason why they cannot be read.
func DecimalOf(precision, scale int32, o Options) (d Decimal, reason string) {
	d = Decimal{Logical{Float, 64, fmt.Sprintf("decimal(%d, %d)", precision, scale)}, precision, scale, false}
	switch {
	case scale < 0 || precision < 1 || scale > precision:
		return d, d.Name + " is not a valid decimal"
	case scale == 0 && precision <= 18:
		d.Type = Int
	case precision <= 15:
		// Numerator and denominator fit a float64 exactly, so their quotient is the float64 nearest
		// to the decimal.
	case o.RoundDecimals:
		d.rounded = true
	default:
		return d, d.Name + " does not fit a 64-bit number without loss: set " + o.Names.Of(settings.RoundDecimals) + " to round it"
	}
	return d, ""
}

// Ints returns a function that converts decimals of Type Int.
func (d *Decimal) Ints() func(Unscaled) (int64, error) {
	limit := pow10(d.precision)
	return func(u Unscaled) (int64, error) {
		fits := true
		if u.Wide {
			u.Int, fits = bigEndian(u.Bytes)
		}
		if !fits || u.Int >= limit || u.Int <= -limit {
			return 0, d.tooManyDigits()
		}
		return u.Int, nil
	}
}

// Floats returns a function that converts decimals of Type Float.
func (d *Decimal) Floats() func(Unscaled) (float64, error) {
	if d.rounded {
		return d.round
	}
	ints, scale := d.Ints(), float64(pow10(d.scale))
	return func(u Unscaled) (float64, error) {
		v, err := ints(u)
		return float64(v) / scale, err
	}
}

// round returns the float64 nearest to a decimal with any number of digits.
func (d *Decimal) round(u Unscaled) (float64, error) {
	var buffer [64]byte
	text := buffer[:0]
	switch {
	case !u.Wide:
		text = strconv.AppendInt(text, u.Int, 10)
	case len(u.Bytes) > 16+int(d.precision): // far more bytes than the digits need
		return 0, d.tooManyDigits()
	default:
		text = appendInteger(text, u.Bytes)
	}
	if len(bytes.TrimPrefix(text, minus)) > int(d.precision) || len(text) == 0 {
		return 0, d.tooManyDigits()
	}
	text = strconv.AppendInt(append(text, "e-"...), int64(d.scale), 10)
	return strconv.ParseFloat(string(text), 64)
}

var minus = []byte("-")

func (d *Decimal) tooManyDigits() error {
	return fmt.Errorf("a decimal has more than the %d digits of its type", d.precision)
}

// appendInteger appends the decimal digits of a big-endian two's complement integer.
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

// bigEndian decodes a big-endian two's complement integer of any length, if it fits an int64.
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
