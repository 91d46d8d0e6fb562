package confidence

import "math"

// Greatest returns an interval of the greatest of several values. Each value has an estimate and
// replicates, without the same folds. The bounds are NaN if a replicate is.
//
// If several values are close to each other, the greatest estimate is too high by chance, and the
// more values there are, the more so. So the interval begins at the greatest of the values' lower
// bounds, and each lower bound is wrong with probability (1 - level) / n, where n values may be the
// greatest: the values whose interval reaches the lower bound that holds for all of them (after
// Chernozhukov, Lee & Rosen 2013). The interval ends at the greatest of their upper bounds. A
// single value has the usual interval.
func Greatest(values []float64, replicates [][]float64, level float64) (low, high float64) {
	list, fewest := make([]bounded, len(values)), math.Inf(1)
	for i, v := range values {
		list[i].value = v
		if list[i].stdError, list[i].dof = Jackknife(replicates[i]); math.IsNaN(list[i].stdError) {
			return math.NaN(), math.NaN()
		}
		fewest = min(fewest, list[i].dof)
	}
	all, n := lowest(list, level, len(list)), 0
	// A quantile is slow to compute, but it lies between the normal quantile and the quantile for
	// the fewest degrees of freedom, and these two often suffice to decide.
	normal, widest := NormalQuantile(level), TQuantile(level, fewest)
	high = math.Inf(-1)
	for _, b := range list {
		switch most := b.above(widest); {
		case most < all:
		case most <= high && b.above(normal) >= all:
			n++
		default:
			if above := b.above(TQuantile(level, b.dof)); above >= all {
				n, high = n+1, max(high, above)
			}
		}
	}
	return lowest(list, level, n), high
}

// bounded is an estimate from which bounds are computed.
type bounded struct{ value, stdError, dof float64 }

func (b *bounded) above(quantile float64) float64 { return b.value + float64(quantile*b.stdError) }

// lowest returns the greatest lower bound if n values may be the greatest.
func lowest(list []bounded, level float64, n int) float64 {
	level = 1 - 2*(1-level)/float64(max(n, 2))
	normal, low := NormalQuantile(level), math.Inf(-1)
	for _, b := range list {
		if b.above(-normal) > low {
			low = max(low, b.above(-TQuantile(level, b.dof)))
		}
	}
	return low
}
