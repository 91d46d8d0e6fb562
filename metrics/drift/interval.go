package drift

import (
	"math"

	"github.com/beameval/beameval/metrics/confidence"
)

// Interval returns a confidence interval of a distance between two independent samples, given the
// histograms of the groups of each: p[j] and q[j] are the weights of group j alone. It is value ±
// t · std_error, where std_error comes from the delete-a-group jackknife of both samples and t has
// Welch's degrees of freedom, but does not begin below 0. It is NaN if either sample has fewer than
// [confidence.MinFolds] groups with weight, if the distance is undefined without some group, or if
// it does not vary.
//
// It holds where the distributions differ. A distance between two samples of one distribution is not
// normally distributed, and an interval that contains 0 says only that there may be no drift.
func Interval(p, q [][]float64, level float64, distance func(p, q []float64) float64) (low, high float64) {
	low, high = math.NaN(), math.NaN()
	allP, allQ := total(p), total(q)
	value := distance(allP, allQ)
	ofP := replicates(p, allP, func(without []float64) float64 { return distance(without, allQ) })
	ofQ := replicates(q, allQ, func(without []float64) float64 { return distance(allP, without) })
	if min(len(ofP), len(ofQ)) < confidence.MinFolds {
		return low, high
	}
	d := confidence.Unpaired(0, value, ofP, ofQ, level)
	if d.NoInterval != "" {
		return low, high
	}
	return max(0, d.Low), max(0, d.High)
}

// total returns the sum of the histograms of groups.
func total(groups [][]float64) []float64 {
	var sum []float64
	for _, group := range groups {
		if sum == nil {
			sum = make([]float64, len(group))
		}
		for i, w := range group {
			sum[i] += w
		}
	}
	return sum
}

// replicates returns the values without each group that has weight.
func replicates(groups [][]float64, all []float64, value func(without []float64) float64) (values []float64) {
	without := make([]float64, len(all))
	for _, group := range groups {
		weight := 0.0
		for i, w := range group {
			without[i] = all[i] - w
			weight += w
		}
		if weight > 0 {
			values = append(values, value(without))
		}
	}
	return values
}
