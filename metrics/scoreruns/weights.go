package scoreruns

import (
	"math"

	"github.com/beameval/beameval/internal/wire"
)

// maxDistinct is the largest number of weights in a dictionary.
const maxDistinct = 64

// appendWeights appends the bits of weights; nil means that all are 1. It writes either a column,
// or a dictionary of the distinct weights and a column of the places in it, whichever is shorter.
// The size of the dictionary, or 0, comes first. bits provides the memory for the bits of the
// weights and is overwritten.
func appendWeights(dst []byte, bits []uint64, weights []float64) []byte {
	if weights == nil {
		return wire.AppendConstant(append(dst, 0), one)
	}
	for i, w := range weights {
		bits[i] = math.Float64bits(w)
	}
	var places [blockSize]uint64
	distinct := appendPlaces(make([]uint64, 0, maxDistinct), bits, &places)
	start := len(dst)
	dst = append(dst, 0)
	dst = wire.AppendColumn(dst, bits)
	if len(distinct) < 2 {
		return dst
	}
	end := len(dst)
	dst = wire.AppendUint(dst, uint64(len(distinct)))
	for _, w := range distinct {
		dst = wire.AppendFloat(dst, math.Float64frombits(w))
	}
	dst = wire.AppendColumn(dst, places[:len(weights)])
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
	constant = wire.DecodeColumn(d, weights)
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
