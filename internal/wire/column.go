package wire

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// A column is a list of integers. Each value is encoded as
//
//	(base + packed) << shift
//
// where packed has as many bits as the largest value needs. The bytes of a column are:
//
//	shift   1 byte    the number of lowest bits that are zero in all values
//	base    varint    the least value, shifted
//	width   1 byte    the number of bits of each packed number
//	packed            the packed numbers, from the lowest bit up

// AppendColumn appends an encoded column of at least one value.
func AppendColumn(dst []byte, values []uint64) []byte {
	any, least, most := values[0], values[0], values[0]
	for _, v := range values {
		any |= v
		least, most = min(least, v), max(most, v)
	}
	if least == most {
		return AppendConstant(dst, least)
	}
	shift := bits.TrailingZeros64(any)
	base := least >> shift
	width := bits.Len64(most>>shift - base)
	dst = append(dst, byte(shift))
	dst = AppendUint(dst, base)
	dst = append(dst, byte(width))
	return pack(dst, values, shift, base, width)
}

// AppendConstant appends a column whose values are all v.
func AppendConstant(dst []byte, v uint64) []byte {
	shift := bits.TrailingZeros64(v) % 64 // 0 if v is 0
	dst = append(dst, byte(shift))
	return append(AppendUint(dst, v>>shift), 0)
}

// pack appends the bits of (value >> shift) - base.
func pack(dst []byte, values []uint64, shift int, base uint64, width int) []byte {
	word, filled := uint64(0), uint(0)
	for _, v := range values {
		v = v>>(uint(shift)%64) - base
		word |= v << (filled % 64)
		filled += uint(width)
		if filled >= 64 {
			dst = binary.LittleEndian.AppendUint64(dst, word)
			filled -= 64
			word = v >> (uint(width) - filled)
		}
	}
	for ; filled > 0; filled -= min(filled, 8) {
		dst = append(dst, byte(word))
		word >>= 8
	}
	return dst
}

// DecodeColumn decodes a column of len(values) values. constant reports that all are equal.
func DecodeColumn(d *Decoder, values []uint64) (constant bool) {
	shift := d.Count(63)
	base := d.Uint()
	width := d.Count(64)
	packed := d.Bytes((len(values)*width + 7) / 8)
	if d.Err() != nil || width == 0 {
		for i := range values {
			values[i] = base << shift
		}
		return true
	}
	unpack(values, packed, shift, base, width)
	return false
}

// unpack decodes what pack appended.
func unpack(values []uint64, packed []byte, shift int, base uint64, width int) {
	mask := uint64(math.MaxUint64) >> (64 - width)
	n := min(len(values), max(len(packed)-8, 0)*8/width) // these values have at least 9 bytes left to read
	for i, at := 0, uint(0); i < n; i++ {
		window := packed[at/8 : at/8+9]
		v := binary.LittleEndian.Uint64(window) >> (at % 8)
		if width > 57 {
			v |= uint64(window[8]) << (64 - at%8)
		}
		values[i] = (base + v&mask) << (uint(shift) % 64)
		at += uint(width)
	}
	// The last values have fewer than 9 bytes left: read them from a copy that is padded with
	// zeros.
	var end [24]byte
	from := n * width / 8
	copy(end[:], packed[from:])
	for i := n; i < len(values); i++ {
		at := i*width - 8*from
		v := binary.LittleEndian.Uint64(end[at/8:])>>(at%8) | uint64(end[at/8+8])<<(64-at%8)
		values[i] = (base + v&mask) << shift
	}
}
