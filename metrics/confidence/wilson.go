package confidence

import "math"

// Wilson returns Wilson's score interval (1927) of a proportion p of n independent trials.
func Wilson(p, n, level float64) (low, high float64) {
	z := NormalQuantile(level)
	z2 := float64(z * z)
	centre := (p + z2/(2*n)) / (1 + z2/n)
	half := float64(z / (1 + z2/n) * math.Sqrt(p*(1-p)/n+z2/(4*n*n)))
	return max(centre-half, 0), min(centre+half, 1)
}

// wilson returns Wilson's interval of a Proportion or an F1.
func (e Estimate) wilson(level float64) (low, high float64) {
	if e.Scale == Proportion {
		return Wilson(e.Value, e.Trials, level)
	}
	low, high = Wilson(e.Value/(2-e.Value), e.Trials, level)
	return 2 * low / (1 + low), 2 * high / (1 + high)
}
