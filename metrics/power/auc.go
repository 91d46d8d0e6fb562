package power

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
)

// CasesForAUC returns how many positives it takes to show with a probability of power that a true area
// under a ROC curve is not 0.5, if there are ratio times as many negatives (Obuchowski & McClish 1997,
// for scores that are normal in both classes). It is not rounded. No report is needed, so there are no
// replicates, and the formula takes the distributions' word for the variance.
func CasesForAUC(auc, ratio, level, power float64) float64 {
	known := Test{Level: level, DOF: math.Inf(1)}
	s := float64(known.critical()*math.Sqrt(varianceOfAUC(0.5, ratio))) + float64(known.quantile(power)*math.Sqrt(varianceOfAUC(auc, ratio)))
	x := s / (auc - 0.5)
	return float64(x * x)
}

// SmallestAUC returns the smallest true area under a ROC curve that positives and negatives distinguish
// from 0.5 with a probability of power. It is 1 if they are too few for any.
func SmallestAUC(positives, negatives, level, power float64) float64 {
	low, high := 0.5, 1.0 // the larger the area, the fewer cases
	for range 60 {
		middle := (low + high) / 2
		if CasesForAUC(middle, negatives/positives, level, power) > positives {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// varianceOfAUC returns the variance of the area times the number of positives, for ratio times as many
// negatives. a is the distance of the classes in standard deviations, times √2.
func varianceOfAUC(auc, ratio float64) float64 {
	a := math.Sqrt2 * Test{DOF: math.Inf(1)}.quantile(auc)
	square := float64(a * a)
	return 0.0099 * elementary.Exp(-square/2) * (float64(5*square) + 8 + (square+8)/ratio)
}
