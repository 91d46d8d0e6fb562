package confidence

import (
	"cmp"
	"math"
	"slices"
)

// BenjaminiHochberg returns p-values adjusted for multiple tests (Benjamini & Hochberg 1995): among
// the hypotheses whose adjusted value is at most q, the expected share of false rejections is at
// most q. NaN is not a p-value and remains NaN.
func BenjaminiHochberg(p []float64) []float64 {
	adjusted, order := ordered(p)
	m, least := float64(len(order)), 1.0
	for i, at := range slices.Backward(order) {
		least = min(least, p[at]*m/float64(i+1))
		adjusted[at] = least
	}
	return adjusted
}

// Holm returns p-values adjusted for multiple tests (Holm 1979): the probability that any
// hypothesis whose adjusted value is at most q is rejected falsely is at most q. NaN is not a
// p-value and remains NaN.
func Holm(p []float64) []float64 {
	adjusted, order := ordered(p)
	most := 0.0
	for i, at := range order {
		most = max(most, min(p[at]*float64(len(order)-i), 1))
		adjusted[at] = most
	}
	return adjusted
}

// ordered returns a copy of p, and the indices of its p-values in ascending order.
func ordered(p []float64) (adjusted []float64, order []int) {
	for i, x := range p {
		if !math.IsNaN(x) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	return slices.Clone(p), order
}
