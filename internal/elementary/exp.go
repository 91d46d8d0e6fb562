package elementary

import "math"

// Exp returns e to the power of x.
func Exp(x float64) float64 { return exp(sum{x, 0}) }

// Pow returns x to the power of y. Only for x < 0 do the bits depend on the processor: then it is
// [math.Pow], because no metric needs it. Its other special cases, such as x = 0, are exact.
func Pow(x, y float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64 && math.Abs(y) <= 0x1p64) {
		return math.Pow(x, y) // special cases
	}
	l := log(x)
	p := product(y, l.high)
	return exp(sum{p.high, math.FMA(y, l.low, p.low)})
}

// Expm1 returns e to the power of x, minus 1. It is accurate for small x.
func Expm1(x float64) float64 {
	switch {
	case !(x > -40 && x < 40):
		return exp(sum{x, 0}) - 1
	case math.Abs(x) < 0x1p-54:
		return x
	}
	y, k := expOf(sum{x, 0})
	scale := powerOfTwo(k)
	s := add(float64(y.high*scale), -1)
	return s.high + (s.low + float64(y.low*scale))
}

// exp returns e to the power of x, for any x.
func exp(x sum) float64 {
	switch {
	case x.high > 710:
		return math.Inf(1)
	case x.high < -746:
		return 0
	case math.IsNaN(x.high):
		return x.high
	}
	y, k := expOf(x)
	if k < -1000 || k > 1000 { // may be subnormal or infinite
		return math.Ldexp(y.high+y.low, k)
	}
	return float64(y.high+y.low) * powerOfTwo(k)
}

// powerOfTwo returns 2^k for -1022 <= k <= 1023.
func powerOfTwo(k int) float64 { return math.Float64frombits(uint64(k+1023) << 52) }

// expOf returns e to the power of x as y times 2^k.
func expOf(x sum) (y sum, k int) {
	const shift = 0x1.8p52 // adding it rounds to a whole number
	n := float64(x.high*partsPerUnit) + shift
	parts := int(int32(math.Float64bits(n)))
	n -= shift
	t := &powers[parts&127]

	// e^x = 2^(n/128) e^r
	r := addSmaller(math.FMA(-n, partHigh, x.high), math.FMA(-n, partLow, x.low))
	p := math.FMA(r.high, 1./720, 1./120)
	p = math.FMA(r.high, p, 1./24)
	p = math.FMA(r.high, p, 1./6)
	p = math.FMA(r.high, p, 1./2)
	p = math.FMA(float64(r.high*r.high), p, r.low) // e^r - 1 - r
	first := product(t.high, r.high)
	s := addSmaller(t.high, first.high)
	return sum{s.high, s.low + (first.low + (t.low + math.FMA(t.high, p, float64(t.low*r.high))))}, parts >> 7
}
