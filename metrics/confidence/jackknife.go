package confidence

import (
	"math"
	"slices"

	"github.com/beameval/beameval/metrics/exact"
)

// Jackknife returns the standard error of a value, given its replicates (Efron & Stein 1981; Shao &
// Wu 1989; Kott 2001),
//
//	√((m-1)/m Σd²),  d = replicate - mean of the replicates,
//
// and its degrees of freedom, from the tails of the replicates' distribution (O'Neill 2014):
//
//	2m / (κ - (m-3)/(m-1)),  κ = m Σd⁴ / (Σd²)²,
//
// within [1, m-1]. Both are NaN if a replicate is, or if there are fewer than two.
func Jackknife(replicates []float64) (stdError, dof float64) {
	m := float64(len(replicates))
	if m < 2 {
		return math.NaN(), math.NaN()
	}
	if slices.Min(replicates) == slices.Max(replicates) { // the mean of equal values may be rounded
		return 0, m - 1
	}
	mean := sum(replicates) / m
	var room [usual]float64
	powers := room[:0] // of deviations
	most := 0.0
	for _, r := range replicates {
		powers = append(powers, r-mean)
		most = max(most, math.Abs(r-mean)) // NaN if any of them is
	}
	if !(most <= math.MaxFloat64) {
		return math.NaN(), math.NaN()
	}
	// Divided by a power of two, the squares neither overflow nor underflow.
	_, exponent := math.Frexp(most)
	for i, d := range powers {
		d = math.Ldexp(d, -exponent)
		powers[i] = float64(d * d)
	}
	s2 := sum(powers)
	for i, square := range powers {
		powers[i] = float64(square * square)
	}
	kurtosis := m * sum(powers) / float64(s2*s2)
	dof = m - 1
	if spread := kurtosis - (m-3)/(m-1); spread > 0 {
		dof = min(max(2*m/spread, 1), m-1)
	}
	return math.Ldexp(math.Sqrt((m-1)/m*s2), exponent), dof
}

// usual is a number of replicates that is rarely exceeded. Up to usual replicates need no memory of
// the heap, where millions of tests would leave gigabytes of garbage.
const usual = 64

// sum returns the sum of values, rounded once.
func sum(values []float64) float64 {
	var s exact.Sum
	s.AddAll(values)
	return s.Float64()
}
