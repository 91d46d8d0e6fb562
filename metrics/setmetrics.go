package metrics

import (
	"cmp"

	"github.com/beameval/beameval/metrics/exact"
)

// sizeRatio is an example-based metric: a ratio of set sizes, of which the mean
// over examples is taken. A ratio over nothing is what zero_division says.
type sizeRatio func(s sizes, labels float64) (num, den float64)

func subsetMatch(s sizes, _ float64) (float64, float64) {
	if s.truth == s.both && s.predicted == s.both {
		return 1, 1
	}
	return 0, 1
}

func subsetMismatch(s sizes, l float64) (float64, float64) {
	match, _ := subsetMatch(s, l)
	return 1 - match, 1
}

func hammingLoss(s sizes, l float64) (float64, float64) { return s.truth + s.predicted - 2*s.both, l }
func samplesJaccard(s sizes, _ float64) (float64, float64) {
	return s.both, s.truth + s.predicted - s.both
}
func samplesPrecision(s sizes, _ float64) (float64, float64) { return s.both, s.predicted }
func samplesRecall(s sizes, _ float64) (float64, float64)    { return s.both, s.truth }
func labelOverlap(s sizes, l float64) (float64, float64)     { return s.both, l }
func trueCardinality(s sizes, _ float64) (float64, float64)  { return s.truth, 1 }
func trueDensity(s sizes, l float64) (float64, float64)      { return s.truth, l }
func predictedCardinality(s sizes, _ float64) (float64, float64) {
	return s.predicted, 1
}

// samplesFBeta is F-beta of one example.
func samplesFBeta(beta float64) sizeRatio {
	b := float64(beta * beta)
	return func(s sizes, _ float64) (float64, float64) {
		return (1 + b) * s.both, float64(b*s.truth) + s.predicted
	}
}

// mean is the mean of a ratio over examples. Examples over nothing take part
// with zero_division, or not at all where that is NaN; either way they are
// reported.
func (s *setSizes) mean(e *evaluation, of sizeRatio) Value {
	var weight, empty exact.Tally
	var total exact.Sum
	for key, t := range s.all() {
		num, den := of(unpackSizes(key), float64(e.params.Labels))
		if den == 0 {
			empty.Merge(t)
			continue
		}
		weight.Merge(t)
		total.AddProduct(t.Weight(), num/den)
	}
	return e.withUndefined(meanOfDefined(&total, &weight, &empty, e.options.ZeroDivision), &empty)
}

// fOfMeans is F-beta of the mean precision and the mean recall.
func (s *setSizes) fOfMeans(e *evaluation, beta float64) Value {
	p, r := s.mean(e, samplesPrecision), s.mean(e, samplesRecall)
	v := Value{Undefined: cmp.Or(p.Undefined, r.Undefined)}
	if b := float64(beta * beta); p.Number != 0 || r.Number != 0 { // or NaN
		v.Number = (1 + b) * p.Number * r.Number / (float64(b*p.Number) + r.Number)
	}
	return v
}
