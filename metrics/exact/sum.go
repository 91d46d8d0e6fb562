// Package exact sums float64 values without rounding, so that a total depends
// neither on the order of its parts nor on how they were grouped.
package exact

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"

	"github.com/beameval/beameval/metrics/internal/wire"
)

const (
	limbBits = 32
	// lowest is the weight, as a power of two, of bit 0 of limb 0: that of the
	// smallest denormal.
	lowest = -1074
	// limbs is how many limbs hold any sum of 2^63 finite float64 values.
	limbs = (2098+63)/limbBits + 1
	// maxAdds bounds the additions between two carries. One addition changes a
	// limb by less than 2^52, and a carried limb is below 2^32, so that
	// limbs stay below 2^63.
	maxAdds = 1 << 10
)

// Sum is the exact sum of the float64 values added to it: a superaccumulator
// after Neal, "Fast exact summation using small and large superaccumulators"
// (2015), that holds only the limbs between the smallest and the largest value
// it met. The zero Sum is empty and ready to use.
//
// Infinities and NaN follow IEEE 754: infinities of both signs, or a NaN, make
// the sum NaN, in any order.
type Sum struct {
	limb    []int64 // limb[i] weighs 2^(lowest + limbBits*(base+i))
	base    int32
	adds    int32   // additions since the last carry
	special float64 // the sum of the infinities and NaNs
}

// Add adds x.
func (s *Sum) Add(x float64) {
	b := math.Float64bits(x)
	exp := int(b>>52) & 0x7ff
	m := b & (1<<52 - 1)
	switch {
	case exp == 0x7ff:
		s.special += x
		return
	case exp != 0:
		m |= 1 << 52
		exp--
	case m == 0:
		return
	}
	i := exp>>5 - int(s.base)
	if i < 0 || i+1 >= len(s.limb) {
		i = s.cover(exp>>5, 2)
	}
	shift := uint(exp) & 31
	lo := int64(uint32(m << shift))
	hi := int64(m >> (limbBits - shift))
	if int64(b) < 0 {
		lo, hi = -lo, -hi
	}
	s.limb[i] += lo
	s.limb[i+1] += hi
	if s.adds++; s.adds >= maxAdds {
		s.carry()
	}
}

// AddProduct adds x*y to about twice the precision of a float64: exactly,
// unless the rounding error of the product underflows.
func (s *Sum) AddProduct(x, y float64) {
	p := float64(x * y)
	s.Add(p)
	if e := math.FMA(x, y, -p); !math.IsNaN(e) && !math.IsInf(p, 0) {
		s.Add(e)
	}
}

// cover widens the window to hold the n limbs from limb on, and returns the
// index of the first.
func (s *Sum) cover(limb, n int) int {
	if len(s.limb) == 0 {
		s.base = int32(limb)
	}
	if short := int(s.base) - limb; short > 0 {
		s.limb = append(make([]int64, short, short+len(s.limb)), s.limb...)
		s.base = int32(limb)
	}
	i := limb - int(s.base)
	for len(s.limb) < i+n {
		s.limb = append(s.limb, 0)
	}
	return i
}

// carry brings every limb but the top one into [0, 2^32).
func (s *Sum) carry() {
	s.adds = 0
	if len(s.limb) == 0 {
		return
	}
	var c int64
	top := len(s.limb) - 1
	for i, v := range s.limb[:top] {
		v += c
		c = v >> limbBits
		s.limb[i] = v & (1<<limbBits - 1)
	}
	s.limb[top] += c
	if v := s.limb[top]; v >= 1<<limbBits || v < -1<<limbBits {
		s.limb[top] = v & (1<<limbBits - 1)
		s.limb = append(s.limb, v>>limbBits)
	}
}

// Merge adds the values of from, which it leaves as they are.
func (s *Sum) Merge(from *Sum) {
	s.special += from.special
	s.addLimbs(from, 1)
}

// Subtract takes the values of from away, leaving from as it is. It is meant
// for finite sums, of which from is a part.
func (s *Sum) Subtract(from *Sum) {
	s.special -= from.special
	s.addLimbs(from, -1)
}

func (s *Sum) addLimbs(from *Sum, sign int64) {
	if len(from.limb) == 0 {
		return
	}
	s.carry()
	at := s.cover(int(from.base), len(from.limb))
	for i, v := range from.limb {
		s.limb[at+i] += sign * v
	}
	s.carry()
}

// Reset empties the sum and keeps its memory.
func (s *Sum) Reset() {
	clear(s.limb)
	s.adds, s.special = 0, 0
}

// magnitude returns the sign and the limbs of the absolute value, each in
// [0, 2^32), without zeros at either end, and the position of the first.
// The result may alias s.
func (s *Sum) magnitude() (negative bool, limb []int64, base int) {
	s.carry()
	limb, base = s.limb, int(s.base)
	for len(limb) > 0 && limb[len(limb)-1] == 0 {
		limb = limb[:len(limb)-1]
	}
	for len(limb) > 0 && limb[0] == 0 {
		limb, base = limb[1:], base+1
	}
	if len(limb) == 0 || limb[len(limb)-1] > 0 {
		return false, limb, base
	}
	minus := Sum{limb: make([]int64, len(limb), len(limb)+1), base: int32(base)}
	for i, v := range limb {
		minus.limb[i] = -v
	}
	_, limb, base = minus.magnitude()
	return true, limb, base
}

// Float64 returns the sum rounded once, to nearest, ties to even.
func (s *Sum) Float64() float64 {
	if s.special != 0 {
		return s.special
	}
	negative, limb, base := s.magnitude()
	if len(limb) == 0 {
		return 0
	}
	// Gather the top 64 bits; all below them only counts as "something".
	n := len(limb)
	var head [3]uint64
	for i := range min(3, n) {
		head[i] = uint64(limb[n-1-i])
	}
	top := head[0]<<limbBits | head[1]
	shift := bits.LeadingZeros64(top)
	top <<= shift
	top |= head[2] >> (limbBits - shift) // shift < limbBits, as head[0] is not 0
	sticky := head[2]<<(limbBits+shift) != 0
	for i := 0; i < n-3 && !sticky; i++ {
		sticky = limb[i] != 0
	}
	// The lowest bit that a float64 can hold here: bit 11 of top, or, for a
	// denormal, whatever weighs 2^lowest, below which a sum has no bits.
	mantissa, rest := top>>11, top&(1<<11-1)
	if rest > 1<<10 || rest == 1<<10 && (sticky || mantissa&1 == 1) {
		mantissa++
	}
	exp := lowest + limbBits*(base+n-2) - shift + 11
	v := math.Ldexp(float64(mantissa), exp)
	if negative {
		v = -v
	}
	return v
}

// Big returns the sum, exactly; infinities and NaN as ok == false.
func (s *Sum) Big() (v *big.Float, ok bool) {
	if s.special != 0 {
		return new(big.Float), false
	}
	negative, limb, base := s.magnitude()
	m := new(big.Int)
	for i := len(limb) - 1; i >= 0; i-- {
		m.Lsh(m, limbBits).Or(m, big.NewInt(limb[i]))
	}
	if negative {
		m.Neg(m)
	}
	v = new(big.Float).SetInt(m)
	return v.SetMantExp(v, lowest+limbBits*base), true
}

// Append appends the canonical encoding: equal sums have equal bytes.
func (s *Sum) Append(dst []byte) []byte {
	if s.special != 0 {
		kind := byte(2)
		switch {
		case math.IsInf(s.special, 1):
			kind = 3
		case math.IsInf(s.special, -1):
			kind = 4
		}
		// Finite addends no longer matter to an infinite sum or NaN, but do
		// to its encoding: without them, merging stays associative.
		dst = append(dst, kind)
	}
	negative, limb, base := s.magnitude()
	sign := byte(0)
	if negative {
		sign = 1
	}
	dst = append(dst, sign)
	dst = wire.AppendUint(dst, uint64(len(limb)))
	if len(limb) == 0 {
		return dst
	}
	dst = wire.AppendUint(dst, uint64(base))
	for _, v := range limb {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(v))
	}
	return dst
}

// Decode replaces s by what Append wrote.
func (s *Sum) Decode(d *wire.Decoder) {
	*s = Sum{}
	flag := func() byte {
		if b := d.Bytes(1); len(b) == 1 {
			return b[0]
		}
		return 0
	}
	sign := flag()
	if sign >= 2 {
		switch sign {
		case 2:
			s.special = math.NaN()
		case 3:
			s.special = math.Inf(1)
		case 4:
			s.special = math.Inf(-1)
		default:
			d.Fail("sum: unknown flag %d", sign)
		}
		sign = flag()
	}
	if sign > 1 {
		d.Fail("sum: unknown sign %d", sign)
	}
	n := d.Count(limbs)
	if n == 0 {
		return
	}
	base := d.Count(limbs - n)
	b := d.Bytes(4 * n)
	if len(b) == 0 {
		return
	}
	s.base, s.limb = int32(base), make([]int64, n, n+1)
	for i := range s.limb {
		s.limb[i] = int64(binary.LittleEndian.Uint32(b[4*i:]))
		if sign == 1 {
			s.limb[i] = -s.limb[i]
		}
	}
	s.carry()
}
