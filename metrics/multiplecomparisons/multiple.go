// Package multiplecomparisons compares several systems that are evaluated on the same examples: p-values of
// many differences together, ranks with ties, tests over queries, and tests over data sets.
package multiplecomparisons

// Ranks returns the rank of each of k systems as an interval: 1 + the number of systems that are
// significantly better, to k − the number that are significantly worse. verdict(i, j) is 1 if
// system i is significantly better than system j, -1 if it is worse, and 0 otherwise. A system
// whose interval begins at 1 is tied for first.
//
// If verdicts come from tests of all pairs with a family-wise error rate α, all intervals together
// contain the true ranks with a probability of at least 1 − α.
func Ranks(k int, verdict func(i, j int) int) (low, high []int) {
	low, high = make([]int, k), make([]int, k)
	for i := range k {
		low[i], high[i] = 1, k
		for j := range k {
			switch {
			case i == j:
			case verdict(i, j) > 0:
				high[i]--
			case verdict(i, j) < 0:
				low[i]++
			}
		}
	}
	return low, high
}
