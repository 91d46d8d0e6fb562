package exact

import (
	"math"
	"math/bits"
)

// Float64 returns the sum rounded once, to nearest, ties to even.
func (s *Sum) Float64() float64 { return s.plus(0) }

// plus returns the sum plus n, rounded once. n must not be negative.
func (s *Sum) plus(n int64) float64 {
	if s.others == nil {
		return s.integerPlus(uint64(n))
	}
	if v := s.others.special; v != 0 {
		return v
	}
	var buf scratch
	buf.addWhole(uint64(n))
	negative, limb, base := s.magnitude(&buf)
	v := rounded(limb, base)
	if negative {
		v = -v
	}
	return v
}

// integerPlus is plus for a sum without limbs.
func (s *Sum) integerPlus(n uint64) float64 {
	const shift = -lowest - unit - 64 // moves n to the units of the sum; counted from bit 64
	low := s.lo
	mid, carry := bits.Add64(s.hi, n<<shift, 0)
	high := s.top + n>>(64-shift) + carry

	minus := uint64(int64(high) >> 63) // all ones if negative; -v is ^v + 1
	low, carry = bits.Add64(low^minus, minus&1, 0)
	mid, carry = bits.Add64(mid^minus, 0, carry)
	high = high ^ minus + carry

	// Gather the top 64 bits. Of all lower bits, it only matters whether any is set.
	exp := lowest + unit
	var below uint64
	if high != 0 {
		below, low, mid = low, mid, high
		exp += 64
	}
	if n := bits.Len64(mid); n != 0 {
		below |= low << (64 - n)
		low = mid<<(64-n) | low>>n
		exp += n
	}
	if below != 0 {
		low |= 1
	}
	// The conversion rounds; multiplying by a power of two does not.
	v := float64(low) * math.Float64frombits(uint64(1023+exp)<<52)
	if minus != 0 {
		v = -v
	}
	return v
}

// addWhole stores a whole number in an empty scratch.
func (buf *scratch) addWhole(n uint64) {
	const first, shift = -lowest / limbBits, -lowest % limbBits
	buf[first] = int64(n << shift & limbMask)
	buf[first+1] = int64(n >> (limbBits - shift) & limbMask)
	buf[first+2] = int64(n >> (2*limbBits - shift))
}

// rounded returns the value of limbs, rounded. The last limb must not be 0.
func rounded(limb []int64, base int) float64 {
	if len(limb) == 0 {
		return 0
	}
	// Gather the top 64 bits. Of all lower bits, it only matters whether any is set.
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
	// The lowest bit that a float64 can hold here is bit 11 of top; for a denormal, it is the bit
	// of weight 2^lowest, below which a sum has no bits.
	mantissa, rest := top>>11, top&(1<<11-1)
	if rest > 1<<10 || rest == 1<<10 && (sticky || mantissa&1 == 1) {
		mantissa++
	}
	return math.Ldexp(float64(mantissa), lowest+limbBits*(base+n-2)-shift+11)
}
