package multiplecomparisons

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/metrics/confidence"
)

// Covariance returns the covariance of several values, given their replicates: replicates[k][j] is
// value k without group j of m, and the covariance of values k and l is
//
//	(m−1)/m Σⱼ (θₖ,₋ⱼ − θ̄ₖ)(θₗ,₋ⱼ − θ̄ₗ),
//
// the jackknife's. It is NaN where a replicate is.
func Covariance(replicates [][]float64) [][]float64 {
	deviations := make([][]float64, len(replicates))
	for k, of := range replicates {
		mean := 0.0
		for _, r := range of {
			mean += r / float64(len(of))
		}
		for _, r := range of {
			deviations[k] = append(deviations[k], r-mean)
		}
	}
	c := square(len(replicates))
	for k := range c {
		for l := range k + 1 {
			m := float64(len(deviations[k]))
			c[k][l] = (m - 1) / m * collections.Dot(deviations[k], deviations[l])
			c[l][k] = c[k][l]
		}
	}
	return c
}

// The draws of [MaxT]: fewer for many differences, so that they take about a second.
const (
	mostDraws  = 100_000
	leastDraws = 10_000
	products   = 1 << 30
)

// MaxT returns two-sided p-values of differences adjusted for their number (Westfall & Young 1993,
// step-down): the probability that any difference whose adjusted value is at most q is chance is at
// most q. Unlike Holm's method, it uses the correlations of the differences, so it finds more where
// systems are similar.
//
// Each difference is compared with the largest of the differences that are no more significant, in
// draws from the normal distribution with the given covariance. The p-values may be from
// distributions with heavier tails, as a draw z counts as a p-value of 2Φ(−|z|). There are 100,000
// draws, or as few as 10,000 for hundreds of differences, from a generator that seed determines. No
// adjusted value is below its p-value or above Holm's, which bounds it. NaN is not a p-value and
// remains NaN; a variance that is not positive belongs to a difference that is independent of the
// others.
func MaxT(p []float64, covariance [][]float64, seed uint64) []float64 {
	adjusted := confidence.Holm(p)
	var order []int // from the least to the most significant
	for i := range p {
		if !math.IsNaN(p[i]) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	if len(order) < 2 {
		return adjusted
	}
	bounds := make([]float64, len(order))
	for i, at := range order {
		bounds[i] = confidence.NormalQuantile(1 - max(p[at], leastP))
	}
	factor := factorize(correlation(covariance, order))
	rank := len(factor[0])
	draws := min(mostDraws, max(leastDraws, products/(len(order)*rank)))
	exceeded := make([]int, len(order))
	random, normals := newGenerator(seed), make([]float64, rank)
	for range draws {
		for i := range normals {
			normals[i] = random.normal()
		}
		most := 0.0
		for i, row := range factor {
			most = max(most, math.Abs(collections.Dot(row, normals)))
			if most >= bounds[i] {
				exceeded[i]++
			}
		}
	}
	least := 0.0
	for i, at := range slices.Backward(order) {
		least = max(least, float64(1+exceeded[i])/float64(1+draws))
		adjusted[at] = max(p[at], min(adjusted[at], least))
	}
	return adjusted
}

// leastP is a p-value that no draw reaches.
const leastP = 1e-12

// correlation returns the correlations of some of the variables of a covariance.
func correlation(covariance [][]float64, of []int) [][]float64 {
	c := square(len(of))
	for i, k := range of {
		for j, l := range of {
			r := covariance[k][l] / math.Sqrt(covariance[k][k]) / math.Sqrt(covariance[l][l])
			switch {
			case i == j:
				r = 1
			case !(math.Abs(r) <= 1): // NaN, or a rounding error
				r = max(-1, min(1, r))
			}
			if math.IsNaN(r) {
				r = 0
			}
			c[i][j] = r
		}
	}
	return c
}

// leastPivot is the share of its variance that a variable must have beyond those before it.
const leastPivot = 1e-10

// factorize returns a matrix F with as few columns as possible such that FFᵀ is a correlation
// matrix: Cholesky's decomposition with pivots, which also exists for singular matrices (Higham
// 1990). The rows have the order of the variables.
func factorize(c [][]float64) [][]float64 {
	n := len(c)
	factor, rest := make([][]float64, n), make([]float64, n)
	for i := range rest {
		rest[i] = 1
	}
	for range n {
		pivot := 0
		for i := range rest {
			if rest[i] > rest[pivot] {
				pivot = i
			}
		}
		if rest[pivot] < leastPivot {
			break
		}
		root := math.Sqrt(rest[pivot])
		of := slices.Clone(factor[pivot])
		for i := range n {
			x := (c[i][pivot] - collections.Dot(factor[i], of)) / root
			factor[i] = append(factor[i], x)
			rest[i] -= float64(x * x)
		}
		rest[pivot] = 0
	}
	return factor
}

func square(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}
