package exact

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/beameval/beameval/internal/wire"
)

// The first byte of an encoding is the sign of the sum if the sum is finite. Otherwise it is one of
// the last three flags, and the sign of the total of the finite values follows. Then come the limbs
// of its absolute value:
//
//	flag, if not finite │ sign │ number of limbs │ position of the first limb │ limbs, 4 bytes each
const (
	flagNegative = 1
	flagNaN      = 2
	flagInf      = 3
	flagMinusInf = 4
)

// Append appends the canonical encoding: equal sums have equal bytes.
func (s *Sum) Append(dst []byte) []byte {
	if s.others == nil {
		return s.appendInteger(dst)
	}
	// If the sum is infinite or NaN, its finite values no longer affect it. They are encoded all
	// the same, because merging would not be associative without them.
	switch v := s.special(); {
	case math.IsNaN(v):
		dst = append(dst, flagNaN)
	case v > 0:
		dst = append(dst, flagInf)
	case v < 0:
		dst = append(dst, flagMinusInf)
	}
	negative, limb, base := s.magnitude(new(scratch))
	if negative {
		dst = append(dst, flagNegative)
	} else {
		dst = append(dst, 0)
	}
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

// appendInteger is Append for a sum without limbs, which is the usual case.
func (s *Sum) appendInteger(dst []byte) []byte {
	minus := uint64(int64(s.top) >> 63) // all ones if negative; -v is ^v + 1
	lo, carry := bits.Add64(s.lo^minus, minus&1, 0)
	hi, carry := bits.Add64(s.hi^minus, 0, carry)
	top := s.top ^ minus + carry
	dst = append(dst, byte(minus&flagNegative))

	const shift = unit % limbBits
	var limbs [32]byte
	binary.LittleEndian.PutUint64(limbs[0:], lo<<shift)
	binary.LittleEndian.PutUint64(limbs[8:], hi<<shift|lo>>(64-shift))
	binary.LittleEndian.PutUint64(limbs[16:], top<<shift|hi>>(64-shift))
	binary.LittleEndian.PutUint64(limbs[24:], top>>(64-shift))
	first, end := 0, len(limbs)/4
	for end > 0 && binary.LittleEndian.Uint32(limbs[4*end-4:]) == 0 {
		end--
	}
	if end == 0 {
		return append(dst, 0)
	}
	for binary.LittleEndian.Uint32(limbs[4*first:]) == 0 {
		first++
	}
	dst = append(dst, byte(end-first), unit/limbBits+byte(first)) // small numbers
	return append(dst, limbs[4*first:4*end]...)
}

// Decode replaces s with the sum that Append encoded.
func (s *Sum) Decode(d *wire.Decoder) {
	*s = Sum{}
	flag := d.Byte()
	if flag > flagNegative {
		switch flag {
		case flagNaN:
			s.rest().special = math.NaN()
		case flagInf:
			s.rest().special = math.Inf(1)
		case flagMinusInf:
			s.rest().special = math.Inf(-1)
		default:
			d.Fail("sum: unknown flag %d", flag)
		}
		flag = d.Byte()
	}
	if flag > flagNegative {
		d.Fail("sum: unknown sign %d", flag)
	}
	n := d.Count(numLimbs)
	if n == 0 {
		return
	}
	base := d.Count(numLimbs - n)
	data := d.Bytes(4 * n)
	if len(data) == 0 {
		return
	}
	if top, hi, lo, ok := ordinary(data, base); ok {
		minus := -uint64(flag) // all ones if negative
		s.addInteger(top^minus, hi^minus, lo^minus, minus&1)
		return
	}
	l := s.rest()
	i := l.cover(base, n)
	for j := range n {
		v := int64(binary.LittleEndian.Uint32(data[4*j:]))
		if flag == flagNegative {
			v = -v
		}
		l.limb[i+j] = v
	}
	l.carry()
}

// ordinary converts the bytes of limbs to an integer in units of 2^(lowest+unit). ok is false if
// they do not fit in one.
func ordinary(data []byte, base int) (top, hi, lo uint64, ok bool) {
	const shift = unit % limbBits
	var limbs [24]byte
	at := 4 * (base - unit/limbBits)
	if at < 0 || at+len(data) > len(limbs) {
		return 0, 0, 0, false
	}
	copy(limbs[at:], data)
	lo, hi, top = binary.LittleEndian.Uint64(limbs[0:]), binary.LittleEndian.Uint64(limbs[8:]), binary.LittleEndian.Uint64(limbs[16:])
	if lo&(1<<shift-1) != 0 {
		return 0, 0, 0, false
	}
	return top >> shift, top<<(64-shift) | hi>>shift, hi<<(64-shift) | lo>>shift, true
}
