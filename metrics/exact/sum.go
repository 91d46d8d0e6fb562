// Package exact sums float64 values without rounding, so that a total depends neither on the order
// of the values nor on how they were grouped. A sum is rounded once, when it is read.
//
// A Sum is a fixed-point number in two parts. A 192-bit integer takes values of ordinary size,
// which nearly all are: adding one is a shift and three additions. A superaccumulator, allocated
// only if it is needed, takes the rest: tiny, huge, infinite and NaN.
//
//	       2^-1074           2^-102       2^-38        2^26         2^90         2^1023
//	       ├───────── … ─────────┼────────────┼────────────┼────────────┼──── … ───┤
//	Sum                          │     lo     │     hi     │    top     │
//	limbs  │ 32 │ 32 │ 32 │  …   │ 32  │ 32   │ 32  │ 32   │ 32  │ 32   │  …
//
// The values of ordinary size lie below 2^14; the bits above leave room for carries and the sign.
// Limbs exist only from the smallest to the largest value that was added to them.
package exact

import (
	"math"
	"math/big"
	"math/bits"
)

const (
	// Nearly all values that metrics add are in the binades [2^-50, 2^14). In units of
	// 2^(lowest+unit), they are integers of less than 117 bits.
	firstBinade = 1023 - 50 // exponents as float64 encodes them
	binades     = 64
	unit        = firstBinade - 1
)

// Sum is the exact sum of the float64 values added to it. The zero Sum is
// empty and ready to use.
//
// Infinities and NaN follow IEEE 754: infinities of both signs, or a NaN, make the sum NaN, in any
// order. Methods that return a value do not change the sum.
type Sum struct {
	// top, hi, lo is the sum of the values of ordinary size, as a two's complement integer. The sum
	// of 2^63 of them is less than 180 bits long.
	top, hi, lo uint64
	others      *limbs // the sum of all other values; nil if there are none
}

// Add adds x.
func (s *Sum) Add(x float64) {
	b := math.Float64bits(x)
	shift := b>>52&0x7ff - firstBinade
	if shift >= binades {
		s.addOther(x)
		return
	}
	hi, lo := bits.Mul64(b&(1<<52-1)|1<<52, 1<<(shift%binades))
	minus := uint64(int64(b) >> 63) // all ones if negative; -v is ^v + 1
	s.addInteger(minus, hi^minus, lo^minus, minus&1)
}

// AddAll adds all values. It equals Add for each, but keeps the sum in registers.
func (s *Sum) AddAll(values []float64) {
	top, hi, lo := s.top, s.hi, s.lo
	for _, x := range values {
		b := math.Float64bits(x)
		shift := b>>52&0x7ff - firstBinade
		if shift >= binades {
			s.addOther(x)
			continue
		}
		high, low := bits.Mul64(b&(1<<52-1)|1<<52, 1<<(shift%binades))
		minus := uint64(int64(b) >> 63)
		carry := minus & 1
		lo, carry = bits.Add64(lo, low^minus, carry)
		hi, carry = bits.Add64(hi, high^minus, carry)
		top, _ = bits.Add64(top, minus, carry)
	}
	s.top, s.hi, s.lo = top, hi, lo
}

// addInteger adds a 192-bit integer and a carry.
func (s *Sum) addInteger(top, hi, lo, carry uint64) {
	s.lo, carry = bits.Add64(s.lo, lo, carry)
	s.hi, carry = bits.Add64(s.hi, hi, carry)
	s.top, _ = bits.Add64(s.top, top, carry)
}

// addOther adds a value that is not of ordinary size.
func (s *Sum) addOther(x float64) {
	if x != 0 {
		s.rest().add(x)
	}
}

// rest returns the limbs, and allocates them if there are none.
func (s *Sum) rest() *limbs {
	if s.others == nil {
		s.others = new(limbs)
	}
	return s.others
}

// spread adds the integer to seven limbs. limb[0] stands for limb unit/limbBits.
func (s *Sum) spread(limb []int64) {
	for i, part := range [6]int64{int64(uint32(s.lo)), int64(s.lo >> 32), int64(uint32(s.hi)), int64(s.hi >> 32),
		int64(uint32(s.top)), int64(s.top) >> 32} {
		part <<= unit % limbBits
		limb[i] += part & limbMask
		limb[i+1] += part >> limbBits
	}
}

// AddProduct adds x*y with about twice the precision of a float64: it is exact unless the rounding
// error of the product underflows.
func (s *Sum) AddProduct(x, y float64) {
	p := float64(x * y)
	s.Add(p)
	if e := math.FMA(x, y, -p); !math.IsNaN(e) && !math.IsInf(p, 0) {
		s.Add(e)
	}
}

// Merge adds the values of from and leaves from unchanged.
func (s *Sum) Merge(from *Sum) {
	if from.others != nil {
		s.rest().merge(from.others, 1)
	}
	s.addInteger(from.top, from.hi, from.lo, 0)
}

// MergeTimes adds the values of from n times. If n is negative, it removes what was added -n times.
func (s *Sum) MergeTimes(from *Sum, n int64) {
	times, minus := uint64(max(n, -n)), uint64(n>>63)
	carry, lo := bits.Mul64(from.lo, times)
	most, hi := bits.Mul64(from.hi, times)
	hi, carry = bits.Add64(hi, carry, 0)
	s.addInteger((from.top*times+most+carry)^minus, hi^minus, lo^minus, minus&1)
	if from.others == nil {
		return
	}
	var double limbs
	double.merge(from.others, 1)
	for ; times > 0; times >>= 1 {
		if times&1 == 1 {
			s.rest().merge(&double, 1|n>>63)
		}
		if times > 1 {
			var same limbs
			same.merge(&double, 1)
			double.merge(&same, 1)
		}
	}
}

// Subtract subtracts the values of from and leaves from unchanged. from must be finite, and
// its values must have been added to s before.
func (s *Sum) Subtract(from *Sum) {
	if from.others != nil {
		s.rest().merge(from.others, -1)
	}
	s.addInteger(^from.top, ^from.hi, ^from.lo, 1)
}

// Remove removes the values of from, which must have been added to s before. It reports whether it
// could: what infinities and NaNs leave behind is unknown.
func (s *Sum) Remove(from *Sum) bool {
	if from.special() != 0 {
		return false
	}
	s.Subtract(from)
	return true
}

// Reset empties the sum but keeps its memory.
func (s *Sum) Reset() {
	s.top, s.hi, s.lo = 0, 0, 0
	if l := s.others; l != nil {
		*l = limbs{limb: l.limb[:0]}
	}
}

// special returns the sum of the infinities and NaNs.
func (s *Sum) special() float64 {
	if s.others == nil {
		return 0
	}
	return s.others.special
}

// scratch has room for the limbs of any sum, starting at limb 0.
type scratch [numLimbs + 4]int64

// magnitude adds the sum to buf, which must be empty or hold only what addWhole stored. It returns
// the sign of the result; the limbs of its absolute value, each in [0, 2^32), without zeros at
// either end; and the position of the first limb. The limbs share the memory of buf.
func (s *Sum) magnitude(buf *scratch) (negative bool, limb []int64, base int) {
	first, end := unit/limbBits, unit/limbBits+8
	if l := s.others; l != nil && len(l.limb) > 0 {
		for i, v := range l.limb {
			buf[l.base+i] += v
		}
		first, end = min(first, l.base), max(end, l.base+len(l.limb))
	}
	s.spread(buf[unit/limbBits:])
	buf[end] = carried(buf[first:end])
	if buf[end] < 0 {
		negative = true
		for i := range buf[:end+1] {
			buf[i] = -buf[i]
		}
		buf[end] += carried(buf[first:end])
	}
	buf[end+1] = carried(buf[end : end+1])
	for end += 2; end > first && buf[end-1] == 0; end-- {
	}
	for first < end && buf[first] == 0 {
		first++
	}
	return negative, buf[first:end], first
}

// Empty reports whether the sum is 0: there are no values, or they cancel.
func (s *Sum) Empty() bool {
	if s.others == nil {
		return s.top|s.hi|s.lo == 0
	}
	_, limb, _ := s.magnitude(new(scratch))
	return len(limb) == 0 && s.special() == 0
}

// Big returns the exact sum. ok is false if it is infinite or NaN.
func (s *Sum) Big() (v *big.Float, ok bool) {
	if s.special() != 0 {
		return new(big.Float), false
	}
	negative, limb, base := s.magnitude(new(scratch))
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
