package curves

import (
	"math"

	"github.com/beameval/beameval/metrics/exact"
)

const (
	// fewPlaces is how many discounts are added one by one; so are those of the
	// first firstPlaces places, where the formula for the others is too coarse.
	fewPlaces   = 256
	firstPlaces = 4096
)

// discounts is the sum of 1/log2(place+1) over the places from+1 to to, counted
// from 1, to about 1e-15 of itself. It is a function of the two numbers alone,
// and takes no longer for many places than for some thousands.
func discounts(from, to int64) float64 {
	if to == from+1 {
		return 1 / math.Log2(float64(to+1))
	}
	var sum exact.Sum
	single := to
	if to-from > fewPlaces {
		single = min(to, max(from, firstPlaces))
	}
	for place := from + 1; place <= single; place++ {
		sum.Add(1 / math.Log2(float64(place+1)))
	}
	if single < to {
		sum.Add(math.Ln2 * sumOfInverseLogs(float64(single)+2, float64(to)+1))
	}
	return sum.Float64()
}

// sumOfInverseLogs is the sum of f(x) = 1/ln x over the whole numbers from p to
// q, p > 4096, by the Euler-Maclaurin formula: the integral of f, the mean of
// f(p) and f(q), and (f'(q) - f'(p))/12. The next term, a third derivative over
// 720, is less than 1e-15, where the sum of discounts exceeds 20.
func sumOfInverseLogs(p, q float64) float64 {
	lp, lq := math.Log(p), math.Log(q)
	var sum exact.Sum
	sum.Add((1/lp + 1/lq) / 2)
	sum.Add((1/(p*lp*lp) - 1/(q*lq*lq)) / 12)
	for p < q { // f varies little between x and 2x
		next := min(2*p, q)
		sum.Add(integralOfInverseLog(p, next))
		p = next
	}
	return sum.Float64()
}

// gaussLegendre has the nodes and weights of Gauss-Legendre quadrature with 12
// nodes on [-1, 1], which is symmetric.
var gaussLegendre = [...]struct{ node, weight float64 }{
	{0.12523340851146891547, 0.249147045813402785},
	{0.36783149899818019375, 0.23349253653835480876},
	{0.5873179542866174473, 0.20316742672306592175},
	{0.76990267419430468704, 0.16007832854334622633},
	{0.90411725637047485668, 0.10693932599531843096},
	{0.98156063424671925069, 0.047175336386511827195},
}

// integralOfInverseLog integrates 1/ln x from p to q <= 2p. The nearest
// singularity is at 1, about 3 half widths from the middle; therefore the error
// of 12 nodes is near (3+√8)^-24 = 4e-19 of the integral.
func integralOfInverseLog(p, q float64) float64 {
	half := (q - p) / 2
	middle := p + half
	total := 0.0
	for _, g := range gaussLegendre {
		d := float64(half * g.node)
		total += float64(g.weight * (1/math.Log(middle-d) + 1/math.Log(middle+d)))
	}
	return half * total
}
