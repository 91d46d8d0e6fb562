package runs

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/beameval/beameval/internal/wire"
)

// A column is some integers, encoded as
//
//	(base + packed) << shift
//
// where packed has as many bits as most of the values need. The other values are called
// exceptions; their higher bits follow (Zukowski et al., "Super-scalar RAM-CPU cache
// compression", 2006). The bytes of a column are: the shift, which is how many zero bits all
// values end in; the base, which is the least value, as a varint; the width of packed, a
// byte; the packed bits, from the lowest on; the number of exceptions, and the place and the
// higher bits of each, as varints.

// appendColumn appends an encoded column, and overwrites the values.
func appendColumn(dst []byte, values []uint64) []byte {
	any, base := uint64(0), values[0]
	for _, v := range values {
		any |= v
		base = min(base, v)
	}
	shift := bits.TrailingZeros64(any) % 64 // 0 if all are 0
	base >>= shift
	var lengths [65]int // how many values have each length in bits
	for i, v := range values {
		v = v>>shift - base
		values[i] = v
		lengths[bits.Len64(v)]++
	}
	width, exceptions := cheapestWidth(&lengths)

	dst = append(dst, byte(shift))
	dst = wire.AppendUint(dst, base)
	dst = append(dst, byte(width))
	dst = pack(dst, values, width)
	dst = wire.AppendUint(dst, uint64(exceptions))
	for i := 0; exceptions > 0; i++ {
		if high := values[i] >> width; high != 0 {
			dst = wire.AppendUint(dst, uint64(i))
			dst = wire.AppendUint(dst, high)
			exceptions--
		}
	}
	return dst
}

// cheapestWidth returns the width that takes the fewest bytes, and how many values are
// exceptions then. lengths[n] is how many values have n bits.
func cheapestWidth(lengths *[65]int) (width, exceptions int) {
	n, longest := 0, 0
	for length, values := range lengths {
		n += values
		if values > 0 {
			longest = length
		}
	}
	width = longest
	fewest := n * longest // bits
	for w, above := longest-1, 0; w >= 0; w-- {
		above += lengths[w+1]
		if above > n/8 {
			break // that many exceptions would take long to read
		}
		size := n * w
		for length := w + 1; length <= longest; length++ {
			size += lengths[length] * 8 * (1 + (length-w+6)/7)
		}
		if size < fewest {
			width, exceptions, fewest = w, above, size
		}
	}
	return width, exceptions
}

// pack appends the lowest bits of the values.
func pack(dst []byte, values []uint64, width int) []byte {
	mask := uint64(1)<<width - 1
	bits, filled := uint64(0), 0
	for _, v := range values {
		v &= mask
		bits |= v << filled
		filled += width
		if filled >= 64 {
			dst = binary.LittleEndian.AppendUint64(dst, bits)
			filled -= 64
			bits = v >> (width - filled)
		}
	}
	for ; filled > 0; filled -= 8 {
		dst = append(dst, byte(bits))
		bits >>= 8
	}
	return dst
}

// decodeColumn reads a column of len(values) values.
func decodeColumn(d *wire.Decoder, values []uint64) {
	shift := d.Count(63)
	base := d.Uint()
	width := d.Count(64)
	unpack(values, d.Bytes((len(values)*width+7)/8), width)
	for range d.Count(len(values)) {
		values[d.Count(len(values)-1)] |= d.Uint() << width
	}
	for i, v := range values {
		values[i] = (base + v) << shift
	}
}

// unpack reads what pack wrote. If there are no bytes, values are 0.
func unpack(values []uint64, packed []byte, width int) {
	if len(packed) == 0 {
		clear(values)
		return
	}
	var end [32]byte // what is left, if that is less than 9 bytes, and zeros after it
	mask := uint64(1)<<width - 1
	at := 0
	for i := range values {
		from := at / 8
		if from+9 > len(packed) {
			copy(end[:], packed[from:])
			packed = end[:]
			at, from = at%8, 0
		}
		window := packed[from : from+9]
		v := binary.LittleEndian.Uint64(window) >> (at % 8)
		v |= uint64(window[8]) << (64 - at%8)
		values[i] = v & mask
		at += width
	}
}

// maxDistinct is the most weights that a dictionary holds.
const maxDistinct = 64

// appendWeights appends the bits of weights, and overwrites them. It writes a column, or a
// dictionary of the distinct weights and a column of places in it, whichever is shorter.
// The size of the dictionary, or 0, comes first.
func appendWeights(dst []byte, weights []uint64) []byte {
	var places [blockSize]uint64
	distinct := appendPlaces(make([]uint64, 0, maxDistinct), weights, &places)
	start := len(dst)
	dst = append(dst, 0)
	dst = appendColumn(dst, weights)
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

// appendPlaces appends the distinct values in the order in which they occur, and sets the
// place of each value. If there are too many, it returns nil.
func appendPlaces(distinct, values []uint64, places *[blockSize]uint64) []uint64 {
	const slotBits = 7
	var slots [1 << slotBits]uint8 // a hash table of the places, from 1
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

// decodeWeights reads what appendWeights wrote.
func decodeWeights(d *wire.Decoder, weights []uint64) {
	n := d.Count(maxDistinct)
	var distinct [maxDistinct]uint64
	for i := range n {
		distinct[i] = math.Float64bits(d.Float())
	}
	decodeColumn(d, weights)
	if n == 0 {
		return
	}
	for i, place := range weights {
		if place >= uint64(n) {
			d.Fail("weight %d of %d", place, n)
			return
		}
		weights[i] = distinct[place]
	}
}
