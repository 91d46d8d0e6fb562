package columns

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/beameval/beameval/internal/settings"
)

// Decimal is a logical type of decimals, which files store as unscaled integers: the decimal is the
// integer divided by 10^scale. A negative scale, as in Arrow, multiplies it.
type Decimal struct {
	Logical
	precision, scale int32
	round            bool // to the nearest float64; otherwise every decimal is exact
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
	d = Decimal{Logical: Logical{Float, 64, fmt.Sprintf("decimal(%d, %d)", precision, scale)}, precision: precision, scale: scale}
	// Powers of ten up to this one are exact in a float64, so that the quotient or product of one and
	// an integer of 15 digits is the float64 nearest to the decimal.
	const exact = 22
	switch {
	case precision < 1 || scale > precision || scale < -maxScale:
		return d, d.Name + " is not a valid decimal"
	case scale <= 0 && precision-scale <= 18:
		d.Type = Int
	case precision <= 15 && scale >= -exact:
	case o.RoundDecimals:
	default:
		return d, d.Name + " does not fit a 64-bit number without loss: set " + o.Names.Of(settings.RoundDecimals) + " to round it"
	}
	d.round = o.RoundDecimals
	return d, ""
}

// maxScale is the largest scale of decimals that Arrow has, in either direction.
const maxScale = 76

// Ints returns a function that converts decimals of Type Int.
func (d *Decimal) Ints() func(Unscaled) (int64, error) {
	unscaled, factor := d.unscaled(), pow10(max(-d.scale, 0))
	return func(u Unscaled) (int64, error) {
		v, err := unscaled(u)
		if most := math.MaxInt64 / factor; err == nil && (v > most || v < -most) {
			err = d.tooManyDigits()
		}
		return v * factor, err
	}
}

// unscaled returns a function that returns unscaled integers. More digits than the type has are an
// error, unless decimals are rounded: then all that fit are read.
func (d *Decimal) unscaled() func(Unscaled) (int64, error) {
	limit := int64(math.MaxInt64)
	if !d.round {
		limit = pow10(d.precision)
	}
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
	unscaled, power := d.unscaled(), 1.0
	for range max(d.scale, -d.scale) {
		power *= 10
	}
	const digits = 1e15
	return func(u Unscaled) (float64, error) {
		v, err := unscaled(u)
		switch {
		case d.round && (err != nil || v >= digits || v <= -digits || power > 1e22):
			return d.rounded(u)
		case d.scale < 0:
			return float64(v) * power, err
		}
		return float64(v) / power, err
	}
}

// rounded returns the float64 nearest to a decimal with any number of digits.
func (d *Decimal) rounded(u Unscaled) (float64, error) {
	var buffer [96]byte
	text := buffer[:0]
	switch {
	case !u.Wide:
		text = strconv.AppendInt(text, u.Int, 10)
	case len(u.Bytes) == 0 || len(u.Bytes) > maxBytes:
		return 0, fmt.Errorf("a decimal of %d bytes; from 1 to %d can be read", len(u.Bytes), maxBytes)
	default:
		text = appendInteger(text, u.Bytes)
	}
	text = strconv.AppendInt(append(text, 'e'), -int64(d.scale), 10)
	return strconv.ParseFloat(string(text), 64)
}

// maxBytes limits the size of a decimal, far beyond what any type needs.
const maxBytes = 128

func (d *Decimal) tooManyDigits() error {
	return fmt.Errorf("a decimal has more than the %d digits of its type", d.precision)
}

// appendInteger appends the decimal digits of a big-endian two's complement integer.
func appendInteger(dst, b []byte) []byte {
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
