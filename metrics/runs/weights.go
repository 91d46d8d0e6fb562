package runs

import (
	"math"

	"github.com/beameval/beameval/internal/wire"
)

// maxDistinct is how many weights a dictionary holds at most.
const maxDistinct = 64

// appendWeights appends the bits of weights, which it overwrites: as a column, or
// as a dictionary of the distinct ones and a column of places in it, whichever
// is shorter. It starts with the size of the dictionary, or 0.
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

// appendPlaces appends the distinct values in the order in which they occur and
// sets the place of each; but appends nothing if they are too many.
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
