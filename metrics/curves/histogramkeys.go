package curves

import "github.com/beameval/beameval/internal/bins"

// coarser returns the key, with to bits dropped, of the scores whose key with from bits dropped is
// key. If no bits are dropped, keys are images. In an even histogram, keys with bits dropped are
// places without their lowest to-1 bits.
func (h *Histogram) coarser(key uint64, from, to int) uint64 {
	if h.even && from == 0 && to > 0 {
		key, from = bins.Place(scoreOf(key)), 1
	}
	return key >> (to - from)
}

// mostDropped returns the largest number of bits that can be dropped.
func mostDropped(even bool) int {
	if even {
		return 65
	}
	return 64
}

// shift returns the number of lowest bits of an image, or of a place, that keys lack.
func (h *Histogram) shift() int {
	if h.even {
		return max(h.dropped-1, 0)
	}
	return h.dropped
}

// lowest returns the lowest score of the bin of a key.
func (h *Histogram) lowest(key uint64) float64 { return h.score(key << h.shift()) }

// highest returns the highest score of the bin of a key.
func (h *Histogram) highest(key uint64) float64 { return h.score(key<<h.shift() | (1<<h.shift() - 1)) }

// score returns the score of a key that was extended by its dropped bits.
func (h *Histogram) score(key uint64) float64 {
	if h.even && h.dropped > 0 {
		return bins.AtPlace(key)
	}
	return scoreOf(key)
}
