// Package allocation divides a sample of rows among strata, by what a cheap judge says of every row, such that people
// need to label few of them (Neyman 1934).
package allocation

import (
	"cmp"
	"math"
	"slices"
)

// Least is the number of rows that every stratum gets: fewer have no variance.
const Least = 2

// Proportional is the share of a sample that is divided in proportion to the sizes of strata, whatever the judge says: it may be
// sure and wrong.
const Proportional = 0.2

// Stratum is a part of the rows.
type Stratum struct {
	Rows int64
	// Deviation is the expected standard deviation of what people will say of its rows.
	Deviation float64
}

// Allocate divides n rows among strata, each of which has at least [Least] rows, and n is at least Least for each. Stratum h gets
//
//	Proportional · n · N_h / N  +  (1 - Proportional) · n · N_h S_h / Σ N S
//
// rows, rounded by largest remainders, at least Least, and at most its N_h rows. The others share what a bound takes or
// leaves, in proportion to N_h S_h or, if no stratum with a deviation has rows left, to N_h. If n is as large as all strata, they get all rows.
func Allocate(n int64, strata []Stratum) []int64 {
	rows := int64(0)
	for _, s := range strata {
		rows += s.Rows
	}
	if n >= rows {
		whole := make([]int64, len(strata))
		for i, s := range strata {
			whole[i] = s.Rows
		}
		return whole
	}
	return round(n, shares(float64(n), float64(rows), strata), strata)
}

// shares returns the shares of strata before they are rounded.
func shares(n, rows float64, strata []Stratum) []float64 {
	list := make([]float64, len(strata))
	fill := func(rate, effort float64) float64 {
		total := 0.0
		for i, s := range strata {
			list[i] = s.share(rate, effort)
			total += list[i]
		}
		return total
	}
	rate := Proportional * n / rows
	switch {
	case fill(rate, 0) >= n: // the rows that every stratum gets leave less
		fill(greatest(n, rate, func(x float64) float64 { return fill(x, 0) }), 0)
	case fill(rate, math.MaxFloat64) >= n:
		fill(rate, greatest(n, math.MaxFloat64, func(x float64) float64 { return fill(rate, x) }))
	default:
		fill(greatest(n, 1, func(x float64) float64 { return fill(x, math.MaxFloat64) }), math.MaxFloat64)
	}
	return list
}

// share returns the share of a stratum: a rate of its rows, and an effort for each unit of its deviation, within bounds.
func (s Stratum) share(rate, effort float64) float64 {
	rows := float64(s.Rows)
	extra := 0.0
	if s.Deviation > 0 {
		extra = effort * (rows * s.Deviation)
	}
	return min(max(float64(rate*rows)+extra, Least), rows)
}

// greatest returns the greatest number of at most limit for which an increasing total is at most n.
func greatest(n, limit float64, total func(float64) float64) float64 {
	low, high := uint64(0), math.Float64bits(limit) // the bits of positive numbers have their order
	for low < high {
		middle := low + (high-low+1)/2
		if total(math.Float64frombits(middle)) <= n {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return math.Float64frombits(low)
}

// round rounds shares to whole numbers whose sum is n: down, and up where the remainders are largest, the first of equal ones.
func round(n int64, shares []float64, strata []Stratum) []int64 {
	counts, order := make([]int64, len(shares)), make([]int, len(shares))
	for i, share := range shares {
		counts[i], order[i] = int64(share), i
		n -= counts[i]
	}
	remainder := func(i int) float64 { return shares[i] - float64(counts[i]) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(remainder(b), remainder(a)) })
	for n > 0 {
		for _, i := range order {
			if n > 0 && counts[i] < strata[i].Rows {
				counts[i]++
				n--
			}
		}
	}
	return counts
}
