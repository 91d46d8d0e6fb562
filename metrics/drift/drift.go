// Package drift measures how far a distribution has moved: distances between two histograms over
// the same bins, and the label shift that explains a change of predictions.
//
// In all functions, p are the weights of the bins of the reference, and q the weights of the
// distribution that is compared with it. They need not sum to 1, and bins may be empty. Results are
// NaN if either histogram is empty.
package drift

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
)

// shares returns the shares of the bins and their sum, which is NaN if there is none.
func shares(weights []float64) (shares []float64, sum float64) {
	for _, w := range weights {
		sum += w
	}
	if !(sum > 0) {
		sum = math.NaN()
	}
	for _, w := range weights {
		shares = append(shares, w/sum)
	}
	return shares, sum
}

// PSI returns the population stability index, without the part of it that chance explains:
//
//	Σ (qᵢ − pᵢ) ln(qᵢ / pᵢ) − (B−1)(1/Σp + 1/Σq),
//
// over the B bins that are not empty in both. The second part is its expectation between two samples
// of one distribution (Yurdakul 2018), so the result is about 0 without drift, and may be negative.
// p and q are counts of examples. To keep logarithms finite, half an example is added to each of
// these bins.
func PSI(p, q []float64) float64 {
	bins, n, m := 0.0, 0.0, 0.0
	each := func(use func(x, y float64)) {
		for i := range p {
			if p[i] > 0 || q[i] > 0 {
				use(p[i]+0.5, q[i]+0.5)
			}
		}
	}
	each(func(x, y float64) { bins, n, m = bins+1, n+x, m+y })
	if !(n > bins/2 && m > bins/2) {
		return math.NaN()
	}
	sum := 0.0
	each(func(x, y float64) {
		x, y = x/n, y/m
		sum += float64((y - x) * elementary.Log(y/x))
	})
	return sum - float64((bins-1)*(1/n+1/m))
}

// JensenShannon returns the Jensen–Shannon distance in base 2, from 0 to 1: the square root of the
// mean divergence of both distributions from their mean, as scipy.spatial.distance.jensenshannon
// (Lin 1991; Endres & Schindelin 2003).
func JensenShannon(p, q []float64) float64 {
	x, n := shares(p)
	y, m := shares(q)
	if math.IsNaN(n + m) {
		return math.NaN()
	}
	sum := 0.0
	for i := range x {
		mean := (x[i] + y[i]) / 2
		for _, share := range []float64{x[i], y[i]} {
			if share > 0 {
				sum += float64(share * elementary.Log2(share/mean))
			}
		}
	}
	return math.Sqrt(max(0, sum/2))
}

// Wasserstein returns the first Wasserstein distance, in the unit of the scores: the mean distance
// by which weight has to move, as scipy.stats.wasserstein_distance of the points at. These represent
// the bins, in ascending order; the distance is off by less than the mean distance of the scores of
// both distributions from the points of their bins.
func Wasserstein(p, q, at []float64) float64 {
	x, n := shares(p)
	y, m := shares(q)
	if math.IsNaN(n + m) {
		return math.NaN()
	}
	sum, ahead := 0.0, 0.0
	for i := range x[:max(0, len(x)-1)] {
		ahead += x[i] - y[i]
		if ahead != 0 {
			sum += float64(math.Abs(ahead) * (at[i+1] - at[i]))
		}
	}
	return sum
}

// KSBound returns the largest difference between the cumulative shares at the ends of the bins: a
// lower bound of the Kolmogorov–Smirnov statistic of the scores, from 0 to 1.
func KSBound(p, q []float64) float64 {
	x, n := shares(p)
	y, m := shares(q)
	if math.IsNaN(n + m) {
		return math.NaN()
	}
	most, ahead := 0.0, 0.0
	for i := range x {
		ahead += x[i] - y[i]
		most = max(most, math.Abs(ahead))
	}
	return most
}
