package confidence

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
)

// Gaps are the parts of a value that is the sum of their sizes, such as a calibration error: of each bin,
// the distance between probability and frequency times its share of the examples.
type Gaps struct {
	// Examples is the number of independent examples from which the gaps are estimated.
	Examples float64
	List     []Gap
}

// Gap is an estimate of a number, positive or negative, whose error is about normal. The numbers are sums
// over disjoint examples, divided by Examples, and their sizes add up to at most 1.
type Gap struct{ Size, StdError float64 }

// Interval returns an interval that contains the true sum of sizes with at least probability level. It is
// within [0, 1].
//
// Estimates are larger than what they estimate: the size of an estimate of d has a folded normal
// distribution. Its mean is |d| plus an excess that falls from √(2/π) standard errors at 0 to
// nothing where d is far from 0. The excess depends on the unknown d, so it is bounded over a set
// that contains all d, except with a tenth of the probability of error (projection, Dufour 1997;
// with such a set, Berger & Boos 1994): each |d| is within so many standard errors of its estimate
// (Bonferroni). The lower bound subtracts the largest excess in this set, the upper bound the
// smallest, and both have the largest variance. The interval is therefore wider than necessary
// unless all d are far from 0.
//
// Estimates move in steps of 1/Examples; half a step is added (a continuity correction).
func (g *Gaps) Interval(level float64) (low, high float64) {
	outside := (1 - level) / 10
	far := NormalQuantile(1 - outside/float64(len(g.List)))
	var total, most, least, variance, sum, squares float64
	for _, x := range g.List {
		smallest, largest := max(x.Size-float64(far*x.StdError), 0), x.Size+float64(far*x.StdError)
		excess := FoldedExcess(largest, x.StdError)
		total += x.Size
		most += FoldedExcess(smallest, x.StdError)
		least += excess
		variance += float64(x.StdError*x.StdError) - float64(excess*(largest+largest+excess))
		sum += smallest
		squares += float64(smallest * smallest)
	}
	variance -= (float64(sum*sum) - squares) / g.Examples // an example that adds to one gap does not add to another
	half := float64(NormalQuantile(level+outside)*math.Sqrt(max(variance, 0))) + 1/(2*g.Examples)
	return max(total-half-most, 0), min(total+half-least, 1)
}

// FoldedExcess returns how much the mean of |X| exceeds mean, which is not negative, where X is normal with
// that mean and deviation. It is 0 if there is no deviation.
func FoldedExcess(mean, deviation float64) float64 {
	z := mean / deviation
	if !(z < math.Inf(1)) {
		return 0
	}
	density := math.Sqrt2 / math.Sqrt(math.Pi) * elementary.Exp(-float64(z*z)/2)
	return float64(deviation*density) - float64(mean*(2*NormalProbability(-z)))
}
