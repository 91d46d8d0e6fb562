package exact

import (
	"encoding/binary"
	"math"

	"github.com/beameval/beameval/internal/wire"
)

// An encoding starts with a byte. It is the sign of the sum if that is finite. Otherwise it is
// one of these, and the sign of the finite values follows.
const (
	flagNegative = 1
	flagNaN      = 2
	flagInf      = 3
	flagMinusInf = 4
)

// Append appends the canonical encoding: equal sums have equal bytes.
func (s *Sum) Append(dst []byte) []byte {
	// If the sum is infinite or NaN, finite values no longer matter to it, but they are
	// encoded all the same: without them, merging would not be associative.
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

// Decode replaces s by what Append wrote.
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
	limb := make([]uint32, 0, 4)
	for ; len(data) > 0; data = data[4:] {
		limb = append(limb, binary.LittleEndian.Uint32(data))
	}
	if top, hi, lo, ok := ordinary(limb, base); ok {
		minus := -uint64(flag) // all ones if negative
		s.addInteger(top^minus, hi^minus, lo^minus, minus&1)
		return
	}
	l := s.rest()
	i := l.cover(base, n)
	for j, v := range limb {
		l.limb[i+j] = int64(v)
		if flag == flagNegative {
			l.limb[i+j] = -int64(v)
		}
	}
	l.carry()
}

// ordinary returns limbs as an integer in units of 2^(lowest+unit). ok is false if it has more
// than 180 bits.
func ordinary(limb []uint32, base int) (top, hi, lo uint64, ok bool) {
	const shift = unit % limbBits
	at := base - unit/limbBits
	if at < 0 || at+len(limb) > 6 {
		return 0, 0, 0, false
	}
	var v [6]uint64
	for i, part := range limb {
		v[at+i] = uint64(part)
	}
	top, hi, lo = v[5]<<limbBits|v[4], v[3]<<limbBits|v[2], v[1]<<limbBits|v[0]
	if lo&(1<<shift-1) != 0 {
		return 0, 0, 0, false
	}
	return top >> shift, top<<(64-shift) | hi>>shift, hi<<(64-shift) | lo>>shift, true
}
