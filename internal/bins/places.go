package bins

import "math"

// placesBelowOne is the difference between the places of 1 and of 0.
const placesBelowOne = 1 << 54

// Place maps scores, which must not be NaN, to integers in the same order. Up to 1, a score's distance from 0 counts by its
// fourth root; beyond, by its image. Many scores near 0 share a place. For every factor of 16 by
// which scores are smaller, there are half as many bins of the same number of places: curves are
// decided by the highest scores, but calibrated scores of rare positives are all small. Square
// roots and the product are exactly rounded, so all processors agree.
func Place(score float64) uint64 {
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

// AtPlace returns the score of a place, rounded, or the nearest score if the place has none.
func AtPlace(place uint64) float64 {
	if place < 1<<63 {
		return -distance(1<<63-1-place) + 0 // never -0
	}
	return distance(place - 1<<63)
}

// distance converts the steps of Place back to a score's distance from 0.
func distance(steps uint64) float64 {
	if steps < placesBelowOne {
		root := float64(steps) / placesBelowOne
		return float64(root*root) * float64(root*root)
	}
	return math.Float64frombits(min(steps-placesBelowOne+math.Float64bits(1), math.Float64bits(math.Inf(1))))
}
