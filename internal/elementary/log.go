package elementary

import "math"

// Log returns the natural logarithm.
func Log(x float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		return math.Log(x) // special cases
	}
	l := log(x)
	return l.high + l.low
}

// Log1p returns the natural logarithm of 1 + x. It is accurate for small x.
func Log1p(x float64) float64 {
	switch {
	case !(x > -1 && x <= math.MaxFloat64):
		return math.Log1p(x) // special cases
	case math.Abs(x) < 0x1p-54:
		return x
	}
	s := add(1, x)
	l := log(s.high)
	return l.high + (l.low + s.low/s.high)
}

// Log2 returns the binary logarithm. It is exact for powers of two.
func Log2(x float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		return math.Log2(x) // special cases
	}
	fraction, exponent := math.Frexp(x)
	if fraction < math.Sqrt2/2 {
		fraction, exponent = 2*fraction, exponent-1
	}
	l := log(fraction)
	p := product(l.high, log2eHigh)
	s := add(float64(exponent), p.high)
	return s.high + (s.low + (p.low + math.FMA(l.high, log2eLow, float64(l.low*log2eHigh))))
}

// log returns the natural logarithm of a positive number with a relative error below 2^-64.
func log(x float64) sum {
	const (
		start    = 0x3fe6000000000000 // 0.6875
		exponent = 0xfff << 52
	)
	bits, tiny := math.Float64bits(x), 0.0
	if bits < 1<<52 {
		bits, tiny = math.Float64bits(x*0x1p54), -54
	}
	above := bits - start
	in := &logarithms[above>>45%128]
	k := float64(int64(above)>>52) + tiny
	z := math.Float64frombits(bits - above&exponent)

	// log x = k log 2 - log(inverse) + log(1 + r)
	p := product(z, in.inverse)
	r := addSmaller(p.high-1, p.low)
	base := add(float64(k*ln2High)+in.high, r.high)
	half := product(r.high, float64(-0.5*r.high))
	s := addSmaller(base.high, half.high)
	cube := float64(r.high * float64(r.high*r.high))
	low := float64(cube*series(r.high)) + (math.FMA(k, ln2Low, in.low) + (base.low + s.low + half.low + r.low))
	high := s.high + low
	return sum{high, s.high - high + low}
}

// series returns 1/3 - r/4 + r²/5 - ….
func series(r float64) float64 {
	y := math.FMA(r, -1./10, 1./9)
	y = math.FMA(r, y, -1./8)
	y = math.FMA(r, y, 1./7)
	y = math.FMA(r, y, -1./6)
	y = math.FMA(r, y, 1./5)
	y = math.FMA(r, y, -1./4)
	return math.FMA(r, y, 1./3)
}
