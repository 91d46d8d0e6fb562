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
	deviations := make([]float64, len(replicates))
	most := 0.0
	for i, r := range replicates {
		deviations[i] = r - mean
		most = max(most, math.Abs(deviations[i])) // NaN if any of them is
	}
	if !(most <= math.MaxFloat64) {
		return math.NaN(), math.NaN()
	}
	// Divided by a power of two, the squares neither overflow nor underflow.
	_, exponent := math.Frexp(most)
	squares, fourths := make([]float64, len(replicates)), make([]float64, len(replicates))
	for i, d := range deviations {
		d = math.Ldexp(d, -exponent)
		squares[i] = float64(d * d)
		fourths[i] = float64(squares[i] * squares[i])
	}
	s2 := sum(squares)
	kurtosis := m * sum(fourths) / float64(s2*s2)
	dof = m - 1
	if spread := kurtosis - (m-3)/(m-1); spread > 0 {
		dof = min(max(2*m/spread, 1), m-1)
	}
	return math.Ldexp(math.Sqrt((m-1)/m*s2), exponent), dof
}

// sum returns the sum of values, rounded once.
func sum(values []float64) float64 {
	var s exact.Sum
	s.AddAll(values)
	return s.Float64()
}
