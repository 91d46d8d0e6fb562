package metrics

import (
	"math"

	"github.com/beameval/beameval/metrics/exact"
)

func logLoss(l *losses, all *exact.Tally) Value { return average(&l.logLoss, all) }

func brier(l *losses, all *exact.Tally) Value { return average(&l.squareErr, all) }

func meanLabel(l *losses, all *exact.Tally) Value {
	return quotient(l.positive.Weight(), all.Weight(), noExamples)
}

// brierSkill compares with always predicting the prevalence.
func brierSkill(l *losses, all *exact.Tally) Value {
	y := meanLabel(l, all)
	if y.Undefined != "" {
		return y
	}
	reference := y.Number * (1 - y.Number)
	if reference == 0 {
		return undefined(labelsOfBothClasses)
	}
	return defined(1 - brier(l, all).Number/reference)
}

// overall returns the bins together.
func overall(bins []bin) *bin {
	var sum bin
	for i := range bins {
		sum.Merge(&bins[i])
	}
	return &sum
}

func meanPrediction(bins []bin) Value {
	sum := overall(bins)
	all := sum.all()
	return average(&sum.prediction, &all)
}

func calibrationRatio(bins []bin) Value {
	sum := overall(bins)
	v := average(&sum.prediction, &sum.positive)
	if v.Undefined != "" {
		v.Undefined = noPositives
	}
	return v
}

// all tallies the negatives and positives of the bin.
func (b *bin) all() exact.Tally {
	var all exact.Tally
	all.Merge(&b.positive)
	all.Merge(&b.negative)
	return all
}

// gap is the bin's |Σ w p - Σ w y|, and its weight.
func (b *bin) gap() (gap, weight float64) {
	var difference exact.Sum
	difference.Merge(&b.prediction)
	positive := b.positive.Sum()
	difference.Subtract(&positive)
	all := b.all()
	return math.Abs(difference.Float64()), all.Weight()
}

// expectedCalibrationError is Σ over bins of |Σ w p - Σ w y| / Σ w: the mean
// distance between confidence and frequency, bins weighted by their examples.
func expectedCalibrationError(bins []bin) Value {
	var gaps, weights exact.Sum
	for i := range bins {
		g, w := bins[i].gap()
		gaps.Add(g)
		weights.Add(w)
	}
	return quotient(gaps.Float64(), weights.Float64(), noExamples)
}

// maximumCalibrationError is the largest distance of a bin.
func maximumCalibrationError(bins []bin) Value {
	worst := undefined(noExamples)
	for i := range bins {
		if g, w := bins[i].gap(); w > 0 && !(g/w <= worst.Number) {
			worst = defined(g / w)
		}
	}
	return worst
}

// label returns the bins of a label.
func (s *calibration) label(label int) []bin {
	bins := make([]bin, s.bins)
	for i := range bins {
		if b := s.get(uint64(label*s.bins + i)); b != nil {
			bins[i] = *b
		}
	}
	return bins
}

// pooled returns the bins of all labels together.
func (s *calibration) pooled() []bin {
	bins := make([]bin, s.bins)
	for key, b := range s.all() {
		bins[key%uint64(s.bins)].Merge(b)
	}
	return bins
}
