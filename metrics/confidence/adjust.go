package confidence

import (
	"cmp"
	"math"
	"slices"
)

// BenjaminiHochberg returns p-values adjusted for their number (Benjamini & Hochberg 1995): of the
// hypotheses whose adjusted value is at most q, a share of q is expected to be rejected wrongly.
// NaN is no p-value, and stays.
func BenjaminiHochberg(p []float64) []float64 {
	adjusted, order := ordered(p)
	m, least := float64(len(order)), 1.0
	for i, at := range slices.Backward(order) {
		least = min(least, p[at]*m/float64(i+1))
		adjusted[at] = least
	}
	return adjusted
}

// Holm returns p-values adjusted for their number (Holm 1979): the probability that any hypothesis
// whose adjusted value is at most q is rejected wrongly is at most q. NaN is no p-value, and
// stays.
func Holm(p []float64) []float64 {
	adjusted, order := ordered(p)
	most := 0.0
	for i, at := range order {
		most = max(most, min(p[at]*float64(len(order)-i), 1))
		adjusted[at] = most
	}
	return adjusted
}

// ordered returns a copy of p, and the places of its p-values from the least to the greatest.
func ordered(p []float64) (adjusted []float64, order []int) {
	for i, x := range p {
		if !math.IsNaN(x) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	return slices.Clone(p), order
}
