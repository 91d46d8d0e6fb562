// Package forecast has the scores of a probabilistic forecast of a number: of quantiles, of an
// interval between two of them, or of an ensemble whose members are equally likely. All scores are
// lower the better the forecast. Numbers must be finite.
package forecast

import (
	"math"
	"slices"
)

// Pinball returns the loss of a forecast of the quantile of the given level (Koenker & Bassett
// 1978): level·(y − quantile) if y is above the forecast, otherwise (1 − level)·(quantile − y).
func Pinball(y, quantile, level float64) float64 {
	if y >= quantile {
		return float64(level * (y - quantile))
	}
	return float64((1 - level) * (quantile - y))
}

// MeanPinball returns the mean loss of forecasts of several quantiles.
func MeanPinball(y float64, quantiles, levels []float64) float64 {
	total := 0.0
	for i, q := range quantiles {
		total += Pinball(y, q, levels[i])
	}
	return total / float64(len(quantiles))
}

// Interval returns the score of an interval that should contain y with probability level (Gneiting
// & Raftery 2007): its width, and 2/(1 − level) times how far y is outside.
func Interval(y, lower, upper, level float64) float64 {
	outside := max(lower-y, y-upper, 0)
	return (upper - lower) + float64(2/(1-level)*outside)
}

// CRPS returns the continuous ranked probability score of an ensemble of at least one member: the
// mean of |x − y| less half the mean of |x − x'| over all pairs of members (Gneiting & Raftery
// 2007). It sorts the differences of the members from y, in place of the members: the order of
// members does not change a bit.
func CRPS(y float64, members []float64) float64 {
	n := len(members)
	for i, x := range members {
		members[i] = x - y
	}
	slices.Sort(members)
	// Over all pairs, Σ |x − x'| is 2 Σ (2i − n + 1) xᵢ of the sorted members.
	distance, spread := 0.0, 0.0
	for i, d := range members {
		distance += math.Abs(d)
		spread += float64(float64(2*i-n+1) * d)
	}
	return max(distance/float64(n)-spread/float64(n)/float64(n), 0)
}

// Huber returns the loss of a residual (Huber 1964): half its square up to delta, from there on its
// tangent.
func Huber(r, delta float64) float64 {
	if r = math.Abs(r); r > delta {
		return float64(delta * (r - float64(delta/2)))
	}
	return float64(r*r) / 2
}
