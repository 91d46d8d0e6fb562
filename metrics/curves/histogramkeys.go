package curves

import (
	"math"

	"github.com/beameval/beameval/metrics/scoreruns"
)

// coarser returns the key, with to bits dropped, of the scores whose key with from bits dropped is
// key. If no bits are dropped, keys are images. In an even histogram, keys with bits dropped are
// places without their lowest to-1 bits.
func (h *Histogram) coarser(key uint64, from, to int) uint64 {
	if h.even && from == 0 && to > 0 {
		key, from = place(key), 1
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
		return scoreAt(key)
	}
	return scoreOf(key)
}

// placesBelowOne is the difference between the places of 1 and of 0.
const placesBelowOne = 1 << 54

// place maps images to integers in the same order. Up to 1, a score's distance from 0 counts by its
// fourth root; beyond, by its image. Many scores near 0 share a place. For every factor of 16 by
// which scores are smaller, there are half as many bins of the same number of places: curves are
// decided by the highest scores, but calibrated scores of rare positives are all small. Square
// roots and the product are exactly rounded, so all processors agree.
func place(image uint64) uint64 {
	score := scoreruns.Score(min(max(image, lowestImage), highestImage))
	far := math.Abs(score)
	steps := placesBelowOne + math.Float64bits(far) - math.Float64bits(1)
	if far < 1 {
		steps = uint64(math.Sqrt(math.Sqrt(far)) * placesBelowOne)
	}
	if score < 0 {
		return 1<<63 - 1 - steps
	}
	return 1<<63 + steps
}

// scoreAt returns the score of a place, rounded, or the nearest score if the place has none.
func scoreAt(place uint64) float64 {
	if place < 1<<63 {
		return -distance(1<<63-1-place) + 0 // never -0
	}
	return distance(place - 1<<63)
}

// distance converts the steps of place back to a score's distance from 0.
func distance(steps uint64) float64 {
	if steps < placesBelowOne {
		root := float64(steps) / placesBelowOne
		return float64(root*root) * float64(root*root)
	}
	return math.Float64frombits(min(steps-placesBelowOne+math.Float64bits(1), math.Float64bits(math.Inf(1))))
}
