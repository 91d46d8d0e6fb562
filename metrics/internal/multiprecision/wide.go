// Package multiprecision computes with exact sums: variances, and agreement by chance, are differences of
// products of two sums, which lose nothing to cancellation here.
package multiprecision

import (
	"math"
	"math/big"
)

// precision is the number of bits with which sums of products of two exact sums are not rounded.
// Variances and agreement by chance are differences of such products; with this precision, they
// lose nothing to cancellation.
const precision = 9216

// Zero returns a zero to which exact values can be added.
func Zero() *big.Float { return new(big.Float).SetPrec(precision) }

// Product returns x·y, exactly.
func Product(x, y *big.Float) *big.Float { return Zero().Mul(x, y) }

// Difference returns x - y, exactly.
func Difference(x, y *big.Float) *big.Float { return Zero().Sub(x, y) }

// Over returns x/y, or NaN if y is 0.
func Over(x, y *big.Float) float64 {
	if y.Sign() == 0 {
		return math.NaN()
	}
	v, _ := new(big.Float).SetPrec(128).Quo(x, y).Float64()
	return v
}

// LinearChance returns Σ |i-j| t_i p_j, exactly: n times the disagreement of the labels with
// predictions that are independent of them. truth and predicted are the weights t and p of the
// classes, which must be in increasing order.
func LinearChance(classes []int, truth, predicted []*big.Float) *big.Float {
	// |i-j| is the number of cuts between neighbouring classes that separate i from j, so one pass
	// over the cuts gives the sum. All cuts between one listed class and the next separate the same
	// classes.
	chance, allTruth, allPredicted := Zero(), total(truth), total(predicted)
	t, p := Zero(), Zero()
	for k := range max(len(classes), 1) - 1 {
		t.Add(t, truth[k])
		p.Add(p, predicted[k])
		apart := Product(t, Difference(allPredicted, p))
		apart.Add(apart, Product(p, Difference(allTruth, t)))
		chance.Add(chance, Product(big.NewFloat(float64(classes[k+1]-classes[k])), apart))
	}
	return chance
}

// QuadraticChance returns Σ (i-j)² t_i p_j, exactly.
func QuadraticChance(classes []int, truth, predicted []*big.Float) *big.Float {
	// The sum with the square expanded.
	t1, t2, p1, p2 := Zero(), Zero(), Zero(), Zero()
	for k, class := range classes {
		x := big.NewFloat(float64(class))
		xx := Product(x, x)
		t1.Add(t1, Product(x, truth[k]))
		t2.Add(t2, Product(xx, truth[k]))
		p1.Add(p1, Product(x, predicted[k]))
		p2.Add(p2, Product(xx, predicted[k]))
	}
	chance := Product(t2, total(predicted))
	chance.Add(chance, Product(p2, total(truth)))
	return chance.Sub(chance, Product(big.NewFloat(2), Product(t1, p1)))
}

// total returns the sum of exact values, exactly.
func total(list []*big.Float) *big.Float {
	sum := Zero()
	for _, x := range list {
		sum.Add(sum, x)
	}
	return sum
}
