// Package runs holds scored examples in sorted, compact byte strings, from which
// exact ROC and precision-recall curves are swept at any scale.
//
// A run is what a worker makes of some examples: a [Builder] sorts their scores,
// from the highest to the lowest, joins equal ones and encodes them. [Cut]
// divides runs by score, at bounds that [Bounds] chooses, so that workers can
// take a range of scores each; [AddTotals] sums what the ranges above hold. A
// [Merge] reads many runs as one, and a [Sweep] of it yields, for every slice of
// the data and every distinct score, the weights of positives and negatives
// that score so high or higher. Sums are exact (package exact) and rounded
// once, so that the points are the same bits however the examples were divided
// among runs and ranges.
//
// An example is entered once, however many slices it is in: with a tag, a small
// number that stands for its class and its slices ([Tag]).
//
// # Format
//
// A run is a sequence of blocks of up to 512 entries, in order; no bytes are a
// run of no entries. A block is a header (the first image, 8 bytes; the number
// of entries and of bytes that follow, 2 bytes each, all little-endian) and then
// columns: tags, counts less one, weights, and by how much each image is less
// than the one before. Every column is packed by itself (column.go).
package runs

import "math"

// Run is an encoded run with the meaning of its tags.
type Run struct {
	Data []byte
	Tags []uint32 // the tag, common to all merged runs, that each of its tags stands for
}

// Entry is some examples of the same score, tag and weight.
type Entry struct {
	Image  uint64  // of the score
	Weight float64 // of each example
	Tag    uint32
	Count  uint32 // how many examples, from 1 on
}

const signBit = 1 << 63

// The images of the infinities. No image of a score lies outside, and none is 0.
var (
	highest = Image(math.Inf(1))
	lowest  = Image(math.Inf(-1))
)

// Image maps scores to integers in the order of the scores, infinities and
// denormals included. The images of -0 and 0 are the same. A score is not NaN.
func Image(score float64) uint64 {
	b := math.Float64bits(score + 0) // -0 + 0 is 0
	return b ^ (uint64(int64(b)>>63) | signBit)
}

// Score returns the score that has an image; of the two zeros, 0.
func Score(image uint64) float64 {
	return math.Float64frombits(image ^ (uint64(^int64(image)>>63) | signBit))
}
