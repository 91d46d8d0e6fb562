package runs

import "math"

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
