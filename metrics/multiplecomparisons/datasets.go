package multiplecomparisons

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/metrics/confidence"
)

// Friedman tests whether systems differ over several data sets (Friedman 1937; Demšar 2006):
// values[i][j] is the value of system j on data set i. It returns the mean rank of each system, from
// 1, the best; equal values share their ranks. chi2 is corrected for ties, as by
// scipy.stats.friedmanchisquare, and p is the probability of a larger one with dof = k − 1 degrees
// of freedom. chi2 and p are NaN for fewer than two data sets or systems, and if all values of each
// data set are equal. No value may be NaN.
func Friedman(values [][]float64, higher bool) (ranks []float64, chi2, dof, p float64) {
	if len(values) == 0 {
		return nil, math.NaN(), math.NaN(), math.NaN()
	}
	k, n := float64(len(values[0])), float64(len(values))
	sums, ties := make([]float64, len(values[0])), 0.0
	for _, row := range values {
		of, tied := ranksOf(row, higher)
		for j, r := range of {
			sums[j] += r
		}
		ties += tied
	}
	squares := 0.0
	for _, s := range sums {
		ranks = append(ranks, s/n)
		squares += float64(s * s)
	}
	correction := 1 - ties/(k*(float64(k*k)-1)*n)
	chi2, dof = (float64(12/(k*n*(k+1))*squares)-float64(3*n*(k+1)))/correction, k-1
	if n < 2 || k < 2 || correction <= 0 {
		return ranks, math.NaN(), dof, math.NaN()
	}
	return ranks, chi2, dof, chiSquareTail(chi2, len(sums)-1)
}

// ranksOf returns the ranks of values, the best first, and Σ t³ − t over the sizes t of ties.
func ranksOf(values []float64, higher bool) (ranks []float64, ties float64) {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	sign := 1
	if higher {
		sign = -1
	}
	slices.SortFunc(order, func(a, b int) int { return sign * cmp.Compare(values[a], values[b]) })
	ranks = make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, at := range order[from:to] {
			ranks[at] = float64(from+1+to) / 2
		}
		t := float64(to - from)
		ties += float64(t * (float64(t*t) - 1))
		from = to
	}
	return ranks, ties
}

// chiSquareTail returns the probability that a chi-square variable exceeds x: the incomplete gamma
// function Q(a, y) of y = x/2, by Q(a+1, y) = Q(a, y) + yᵃ e⁻ʸ / Γ(a+1) from Q(1, y) = e⁻ʸ or from
// Q(1/2, y) = 2Φ(−√2y).
func chiSquareTail(x float64, dof int) float64 {
	if x <= 0 {
		return 1
	}
	y := x / 2
	a, tail := 1.0, elementary.Exp(-y)
	term := y * tail // yᵃ e⁻ʸ / Γ(a+1)
	if dof%2 == 1 {
		a, tail = 0.5, 2*confidence.NormalProbability(-math.Sqrt(x))
		term = 2 * math.Sqrt(y/math.Pi) * elementary.Exp(-y)
	}
	for ; 2*a < float64(dof); a++ {
		tail += term
		term = term * y / (a + 1)
	}
	return tail
}

// CriticalDifference returns the difference of mean ranks of k systems over n data sets from which
// two systems differ significantly at level alpha, by Nemenyi's test of all pairs (Demšar 2006):
//
//	q/√2 · √(k(k+1)/6n),
//
// where q is exceeded by the studentized range of k values with probability alpha. Demšar's q has
// infinitely many degrees of freedom; some packages use k(n−1).
func CriticalDifference(alpha float64, k, n int, dof float64) float64 {
	return StudentizedRangeQuantile(1-alpha, k, dof) / math.Sqrt2 * math.Sqrt(float64(k*(k+1))/float64(6*n))
}
