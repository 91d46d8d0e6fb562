package curves

import (
	"math"

	"github.com/beameval/beameval/metrics/runs"
)

var (
	lowestImage  = runs.Image(math.Inf(-1))
	highestImage = runs.Image(math.Inf(1))
)

// scoreOf returns the score of an image, or the nearest score.
func scoreOf(image uint64) float64 {
	return runs.Score(min(max(image, lowestImage), highestImage)) + 0 // never -0
}
