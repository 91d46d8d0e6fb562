package curves

import (
	"math"
	"math/bits"

	"github.com/beameval/beameval/metrics/exact"
)

// double is an exact sum of numbers: hi is the rounded sum, and lo the remainder. It is exact as
// long as all numbers are multiples of some unit and all sums are below 2^doubleBits units: then
// lo, and everything that is added to it, is a multiple of the unit below 2^53 units.
type double struct{ hi, lo float64 }

// A double is normal if hi is the sum rounded once: then lo is at most half a unit in hi's last
// place. Additions that do not normalize are faster, because each need not wait for the previous
// one to complete. Each enlarges lo by at most half such a unit, so normal has to be called after
// at most lazyAdditions of them.
const (
	doubleBits    = 105 - 6
	lazyAdditions = 1 << 6
)

// plus returns d + x (Knuth's two-sum). The result need not be normal.
func (d double) plus(x float64) double {
	sum := d.hi + x
	part := sum - d.hi
	return double{sum, d.lo + ((d.hi - (sum - part)) + (x - part))}
}

// rounded returns the sum, rounded once.
func (d double) rounded() float64 { return d.hi + d.lo }

// normal returns the normalized d.
func (d double) normal() double { return normalized(d.hi, d.lo) }

// plusRows returns d + n*weight, normalized.
func (d double) plusRows(weight float64, n int64) double {
	if n == 1 {
		return d.plus(weight).normal()
	}
	product := float64(weight * float64(n))
	return d.plus(product).plus(math.FMA(weight, float64(n), -product)).normal()
}

// normalized returns the double of sum + rest. rest must be the smaller in magnitude.
func normalized(sum, rest float64) double {
	hi := sum + rest
	return double{hi, sum - hi + rest}
}

// doubleOf returns the total weight of a tally, and its unit. ok is false if a double cannot hold
// it.
func doubleOf(t *exact.Tally) (d double, unit int, ok bool) {
	rest := t.Sum()
	d.hi = rest.Float64()
	if !(d.hi < math.MaxFloat64) {
		return double{}, 0, false
	}
	rest.Add(-d.hi)
	d.lo = rest.Float64()
	rest.Add(-d.lo)
	return d, min(unitOf(d.hi), unitOf(d.lo)), rest.Empty()
}

// unitOf returns the exponent of the largest power of two that divides x.
func unitOf(x float64) int {
	b := math.Float64bits(x)
	exp := int(b >> 52 & 0x7ff)
	switch {
	case x == 0:
		return math.MaxInt
	case exp == 0:
		return -1074 // or more
	}
	return exp - 1023 - 52 + bits.TrailingZeros64(b|1<<52)
}
