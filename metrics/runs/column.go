package runs

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/beameval/beameval/internal/wire"
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

// appendColumn appends an encoded column.
func appendColumn(dst []byte, values []uint64) []byte {
	any, least, most := values[0], values[0], values[0]
	for _, v := range values {
		any |= v
		least, most = min(least, v), max(most, v)
	}
	if least == most {
		return appendConstant(dst, least)
	}
	shift := bits.TrailingZeros64(any)
	base := least >> shift
	width := bits.Len64(most>>shift - base)
	dst = append(dst, byte(shift))
	dst = wire.AppendUint(dst, base)
	dst = append(dst, byte(width))
	return pack(dst, values, shift, base, width)
}

// appendConstant appends a column whose values are all v.
func appendConstant(dst []byte, v uint64) []byte {
	shift := bits.TrailingZeros64(v) % 64 // 0 if v is 0
	dst = append(dst, byte(shift))
	return append(wire.AppendUint(dst, v>>shift), 0)
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

// decodeColumn decodes a column of len(values) values. constant reports that all are equal.
func decodeColumn(d *wire.Decoder, values []uint64) (constant bool) {
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

// maxDistinct is the largest number of weights in a dictionary.
const maxDistinct = 64

// appendWeights appends the bits of weights; nil means that all are 1. It writes either a column,
// or a dictionary of the distinct weights and a column of the places in it, whichever is shorter.
// The size of the dictionary, or 0, comes first. bits provides the memory for the bits of the
// weights and is overwritten.
func appendWeights(dst []byte, bits []uint64, weights []float64) []byte {
	if weights == nil {
		return appendConstant(append(dst, 0), one)
	}
	for i, w := range weights {
		bits[i] = math.Float64bits(w)
	}
	var places [blockSize]uint64
	distinct := appendPlaces(make([]uint64, 0, maxDistinct), bits, &places)
	start := len(dst)
	dst = append(dst, 0)
	dst = appendColumn(dst, bits)
	if len(distinct) < 2 {
		return dst
	}
	end := len(dst)
	dst = wire.AppendUint(dst, uint64(len(distinct)))
	for _, w := range distinct {
		dst = wire.AppendFloat(dst, math.Float64frombits(w))
	}
	dst = appendColumn(dst, places[:len(weights)])
	if len(dst)-end < end-start {
		return append(dst[:start], dst[end:]...)
	}
	return dst[:end]
}

// appendPlaces appends the distinct values in the order of their first occurrence, and sets the
// place of each value. It returns nil if there are too many.
func appendPlaces(distinct, values []uint64, places *[blockSize]uint64) []uint64 {
	const slotBits = 7
	var slots [1 << slotBits]uint8 // a hash table of place + 1; 0 if empty
	for i, v := range values {
		slot := v * 0x9e3779b97f4a7c15 >> (64 - slotBits) // Fibonacci hashing
		for slots[slot] != 0 && distinct[slots[slot]-1] != v {
			slot = (slot + 1) % (1 << slotBits)
		}
		if slots[slot] == 0 {
			if len(distinct) == maxDistinct {
				return nil
			}
			distinct = append(distinct, v)
			slots[slot] = uint8(len(distinct))
		}
		places[i] = uint64(slots[slot] - 1)
	}
	return distinct
}

// decodeWeights decodes what appendWeights appended.
func decodeWeights(d *wire.Decoder, weights []uint64) (constant bool) {
	n := d.Count(maxDistinct)
	var distinct [maxDistinct]uint64
	for i := range n {
		distinct[i] = math.Float64bits(d.Float())
	}
	constant = decodeColumn(d, weights)
	if n == 0 {
		return constant
	}
	for i, place := range weights {
		if place >= uint64(n) {
			d.Fail("weight %d of %d", place, n)
			return true
		}
		weights[i] = distinct[place]
	}
	return false
}
