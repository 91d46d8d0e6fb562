package curves

import (
	"math"

	"github.com/beameval/beameval/metrics/runs"
)

// coarser returns the key, with to bits dropped, of scores that have a key with from bits dropped. Without any
// dropped, keys are images. Those of an even histogram are otherwise places, of which to-1 bits are dropped.
func (h *Histogram) coarser(key uint64, from, to int) uint64 {
	if h.even && from == 0 && to > 0 {
		key, from = place(key), 1
	}
	return key >> (to - from)
}

// mostDropped returns how many bits are dropped at most.
func mostDropped(even bool) int {
	if even {
		return 65
	}
	return 64
}

// shift returns how many bits of an image, or of a place, keys lack.
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

// score returns the score of a key without its dropped bits, which are set to something.
func (h *Histogram) score(key uint64) float64 {
	if h.even && h.dropped > 0 {
		return scoreAt(key)
	}
	return scoreOf(key)
}

// placesBelowOne is the place of 1, less that of 0.
const placesBelowOne = 1 << 54

// place maps images to integers in the same order, where the distance of scores from 0 counts by its fourth root
// up to 1, and by its image from there. Many scores near 0 have the same place. Bins of the same number of places are half as
// many for every sixteenth of the score: the highest decide about curves, but calibrated scores of rare positives are all small.
// Square roots and the product are exactly rounded, so all processors agree.
func place(image uint64) uint64 {
	score := runs.Score(min(max(image, lowestImage), highestImage))
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

// scoreAt returns about the score of a place, or the nearest if there is none.
func scoreAt(place uint64) float64 {
	if place < 1<<63 {
		return -distance(1<<63-1-place) + 0 // never -0
	}
	return distance(place - 1<<63)
}

// distance returns how far a score is from 0 by its steps; see place.
func distance(steps uint64) float64 {
	if steps < placesBelowOne {
		root := float64(steps) / placesBelowOne
		return float64(root*root) * float64(root*root)
	}
	return math.Float64frombits(min(steps-placesBelowOne+math.Float64bits(1), math.Float64bits(math.Inf(1))))
}
