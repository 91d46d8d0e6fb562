package elementary

import (
	"math"
	"math/big"
)

// The tables are computed when the program starts, in less than a millisecond, by math/big, whose
// results are the same on every processor. An entry is the sum of two float64s.

// The logarithm of 2, its part 1/128, and the binary logarithm of e, each as the sum of two
// numbers. The low bits of ln2High are zero, so that its product with an exponent is exact.
const (
	ln2High      = 0x1.62e42fefa3800p-1
	ln2Low       = 0x1.ef35793c76730p-45
	partHigh     = 0x1.62e42fefa39efp-8
	partLow      = 0x1.abc9e3b39803fp-63
	partsPerUnit = 0x1.71547652b82fep+7
	log2eHigh    = 0x1.71547652b82fep+0
	log2eLow     = 0x1.777d0ffda0d24p-56
)

// precision is the number of bits of the numbers from which entries are computed.
const precision = 128

func number(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// split returns x as a sum. It rounds the high number to a multiple of unit, unless unit is 0.
func split(x *big.Float, unit float64) sum {
	high, _ := x.Float64()
	if unit > 0 {
		high = unit * math.RoundToEven(high/unit)
	}
	low, _ := number(0).Sub(x, number(high)).Float64()
	return sum{high, low}
}

// logarithms has the logarithms of the middles of intervals: 80 of 1/256 each from 0.6875 to 1, and
// 48 of 1/128 each from 1 to 1.375. A number near the middle, with an inverse of few bits, stands
// for it.
var logarithms = func() (table [128]struct {
	inverse float64
	sum
}) {
	for i := range table {
		table[i].inverse = inverseOf(i)
		// Sums of multiples of 2^-42, as ln2High is one, are exact.
		table[i].sum = split(logOfInverse(table[i].inverse), 0x1p-42)
	}
	return table
}()

// inverseOf returns the inverse of the middle of an interval, rounded to a multiple of 1/512. Next
// to 1 it is 1, so that logarithms near 0 are accurate.
func inverseOf(interval int) float64 {
	middle := 353 + 2*interval // in units of 1/512
	switch {
	case interval == 79 || interval == 80:
		return 1
	case interval > 80:
		middle = 514 + 4*(interval-80)
	}
	return math.Round(512*512/float64(middle)) / 512
}

// logOfInverse returns -log x = 2 (z + z³/3 + z⁵/5 + …), where z = (1 - x)/(1 + x), for x near 1.
func logOfInverse(x float64) *big.Float {
	z := number(0).Quo(number(1-x), number(1+x))
	square := number(0).Mul(z, z)
	total, power, term := number(0), number(0).Add(z, z), number(0)
	for n := 1.0; power.Sign() != 0 && power.MantExp(nil) > -precision; n += 2 {
		total.Add(total, term.Quo(power, number(n)))
		power.Mul(power, square)
	}
	return total
}

// powers are 2^(i/128).
var powers = func() (table [128]sum) {
	root := number(2)
	for range 7 { // 2^7 = 128
		root.Sqrt(root)
	}
	power := number(1)
	for i := range table {
		table[i] = split(power, 0)
		power.Mul(power, root)
	}
	return table
}()
