package metrics

import "math/big"

// linearChance is Σ |i-j| t_i p_j, exactly: the disagreement of labels with
// predictions that are independent of them, times n. truth and predicted are the
// weights of the classes, which increase.
func linearChance(classes []int, truth, predicted []*big.Float) *big.Float {
	// |i-j| is the number of cuts between neighbouring classes that separate i
	// from j, so that one pass over the cuts gives the sum. The cuts between one
	// listed class and the next are alike.
	chance, allTruth, allPredicted := zero(), total(truth), total(predicted)
	t, p := zero(), zero()
	for k := range max(len(classes), 1) - 1 {
		t.Add(t, truth[k])
		p.Add(p, predicted[k])
		apart := product(t, difference(allPredicted, p))
		apart.Add(apart, product(p, difference(allTruth, t)))
		chance.Add(chance, product(big.NewFloat(float64(classes[k+1]-classes[k])), apart))
	}
	return chance
}

// quadraticChance is Σ (i-j)² t_i p_j, exactly.
func quadraticChance(classes []int, truth, predicted []*big.Float) *big.Float {
	// With the square expanded.
	t1, t2, p1, p2 := zero(), zero(), zero(), zero()
	for k, class := range classes {
		x := big.NewFloat(float64(class))
		xx := product(x, x)
		t1.Add(t1, product(x, truth[k]))
		t2.Add(t2, product(xx, truth[k]))
		p1.Add(p1, product(x, predicted[k]))
		p2.Add(p2, product(xx, predicted[k]))
	}
	chance := product(t2, total(predicted))
	chance.Add(chance, product(p2, total(truth)))
	return chance.Sub(chance, product(big.NewFloat(2), product(t1, p1)))
}

// total is the sum of exact values, exactly.
func total(list []*big.Float) *big.Float {
	sum := zero()
	for _, x := range list {
		sum.Add(sum, x)
	}
	return sum
}
