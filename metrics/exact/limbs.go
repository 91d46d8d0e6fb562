package exact

import "math"

const (
	limbBits = 32
	limbMask = 1<<limbBits - 1
	// lowest is the exponent of bit 0 of limb 0: the exponent of the smallest denormal.
	lowest = -1074
	// numLimbs is the number of limbs that can hold any sum of 2^63 finite float64 values.
	numLimbs = (2098+63)/limbBits + 1
	// maxAdds bounds the additions between two carries. An addition changes a limb by less than
	// 2^52, and after a carry a limb is below 2^32, so limbs stay below 2^63.
	maxAdds = 1 << 10
)

// limbs is a superaccumulator (Neal, "Fast exact summation using small and large
// superaccumulators", 2015). It holds only the limbs from the smallest to the largest value added,
// and the sum of the values that are not finite.
type limbs struct {
	limb    []int64 // limb[i] weighs 2^(lowest + limbBits*(base+i))
	base    int
	adds    int     // additions since the last carry
	special float64 // the sum of the infinities and NaNs
}

// add adds x.
func (l *limbs) add(x float64) {
	b := math.Float64bits(x)
	exp := int(b>>52) & 0x7ff
	m := b & (1<<52 - 1)
	switch {
	case exp == 0x7ff:
		l.special += x
		return
	case exp != 0:
		m |= 1 << 52
		exp--
	}
	i := l.cover(exp/limbBits, 2)
	shift := uint(exp) % limbBits
	lo := int64(uint32(m << shift))
	hi := int64(m >> (limbBits - shift))
	if int64(b) < 0 {
		lo, hi = -lo, -hi
	}
	l.limb[i] += lo
	l.limb[i+1] += hi
	if l.adds++; l.adds >= maxAdds {
		l.carry()
	}
}

// cover makes room for n limbs from limb up, and returns the index of the first.
func (l *limbs) cover(limb, n int) int {
	if len(l.limb) == 0 {
		l.base = limb
	}
	if short := l.base - limb; short > 0 {
		l.limb = append(make([]int64, short, short+len(l.limb)), l.limb...)
		l.base = limb
	}
	i := limb - l.base
	for len(l.limb) < i+n {
		l.limb = append(l.limb, 0)
	}
	return i
}

// carry normalizes every limb but the top one to [0, 2^32).
func (l *limbs) carry() {
	l.adds = 0
	if len(l.limb) == 0 {
		return
	}
	top := len(l.limb) - 1
	l.limb[top] += carried(l.limb[:top])
	v := l.limb[top]
	if v >= -limbMask && v <= limbMask {
		return
	}
	if l.base+len(l.limb) >= numLimbs+2 { // more than any sum of 2^63 values: the limbs were decoded from invalid data
		*l = limbs{special: math.NaN()}
		return
	}
	l.limb[top] = v & limbMask
	l.limb = append(l.limb, v>>limbBits)
}

// carried normalizes limbs to [0, 2^32) and returns the carry.
func carried(limb []int64) int64 {
	var c int64
	for i, v := range limb {
		v += c
		c = v >> limbBits
		limb[i] = v & limbMask
	}
	return c
}

// merge adds from, or subtracts it if sign is -1.
func (l *limbs) merge(from *limbs, sign int64) {
	l.special += float64(float64(sign) * from.special)
	if len(from.limb) == 0 {
		return
	}
	l.carry()
	at := l.cover(from.base, len(from.limb))
	for i, v := range from.limb {
		l.limb[at+i] += sign * v
	}
	l.carry()
}
