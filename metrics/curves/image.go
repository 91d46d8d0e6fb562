package curves

import "math"

// image maps scores to whole numbers in the same order; -0 and 0 to the same.
func image(score float64) uint64 {
	b := math.Float64bits(score + 0) // -0 + 0 is 0
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

var (
	lowestImage  = image(math.Inf(-1))
	highestImage = image(math.Inf(1))
)

// scoreOf returns the score of an image, or the nearest score.
func scoreOf(image uint64) float64 {
	image = min(max(image, lowestImage), highestImage)
	return math.Float64frombits(image^(^uint64(int64(image)>>63)|1<<63)) + 0
}
