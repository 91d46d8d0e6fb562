package metrics

import (
	"math"
	"math/big"

	"github.com/beameval/beameval/metrics/exact"
)

// mean is the weighted mean of a moment.
func (s *residuals) mean(m moment, weight *exact.Tally) Value {
	return average(&s.sums[m], weight)
}

func meanAbsoluteError(s *residuals, w *exact.Tally) Value { return s.mean(momentSize, w) }

func meanBias(s *residuals, w *exact.Tally) Value {
	var total exact.Sum
	total.Subtract(&s.sums[momentR])
	return average(&total, w)
}

func pinball(s *residuals, w *exact.Tally, q float64) Value {
	// |r| + r is twice what the estimate is too low by, |r| - r too high.
	var low, high exact.Sum
	low.Merge(&s.sums[momentSize])
	low.Merge(&s.sums[momentR])
	high.Merge(&s.sums[momentSize])
	high.Subtract(&s.sums[momentR])
	v := average(&low, w)
	return v.then(func(tooLow float64) float64 {
		return (times(q, tooLow) + times(1-q, average(&high, w).Number)) / 2
	})
}

func meanSquaredError(s *residuals, w *exact.Tally) Value { return s.mean(momentRR, w) }

func rootMeanSquaredError(s *residuals, w *exact.Tally) Value {
	return s.mean(momentRR, w).then(math.Sqrt)
}

func meanPercentageError(s *residuals, w *exact.Tally) Value {
	return s.mean(momentPercentage, w)
}

func symmetricPercentageError(s *residuals, w *exact.Tally) Value {
	return s.mean(momentSymmetric, w)
}

func meanSquaredLogError(s *residuals, w *exact.Tally) Value {
	if s.belowLog > 0 {
		return undefined("a label or prediction is -1 or less")
	}
	return s.mean(momentLog, w)
}

func rootMeanSquaredLogError(s *residuals, w *exact.Tally) Value {
	return meanSquaredLogError(s, w).then(math.Sqrt)
}

func meanPoissonDeviance(s *residuals, w *exact.Tally) Value {
	if s.belowPoisson > 0 {
		return undefined("a label is negative or a prediction is not positive")
	}
	return s.mean(momentPoisson, w)
}

func maxError(s *residuals, w *exact.Tally) Value {
	if w.Weight() == 0 {
		return undefined(noExamples)
	}
	return defined(s.largest)
}

const (
	constantLabels = "all labels are equal"
	constantSide   = "labels or predictions are all equal"
	tooLarge       = "values too large to square"
	fewExamples    = "fewer than two examples"
)

// scatter is Σw Σwab - Σwa Σwb: the (co)variance of a and b, times (Σw)². It
// is nil where values are too large for their moments.
func (s *residuals) scatter(ab, a, b moment, w *exact.Tally) *big.Float {
	var of [3]*big.Float
	for i, m := range []moment{ab, a, b} {
		v, finite := s.sums[m].Big()
		if !finite {
			return nil
		}
		of[i] = v
	}
	return difference(product(w.Big(), of[0]), product(of[1], of[2]))
}

// explained is 1 - left/whole; where the labels do not vary it is 1 if nothing
// is left and 0 otherwise, as in scikit-learn.
func explained(left, whole *big.Float) Value {
	switch {
	case left == nil || whole == nil:
		return undefined(tooLarge)
	case whole.Sign() > 0:
		return defined(1 - over(left, whole))
	case left.Sign() > 0:
		return Value{Undefined: constantLabels}
	}
	return defined(1)
}

func r2(s *residuals, w *exact.Tally) Value {
	switch {
	case w.Rows() < 2:
		return undefined(fewExamples)
	case w.Weight() == 0:
		return undefined(noExamples)
	}
	left, finite := s.sums[momentRR].Big()
	if !finite {
		return undefined(tooLarge)
	}
	return explained(product(w.Big(), left), s.scatter(momentYY, momentY, momentY, w))
}

func explainedVariance(s *residuals, w *exact.Tally) Value {
	if w.Weight() == 0 {
		return undefined(noExamples)
	}
	return explained(s.scatter(momentRR, momentR, momentR, w), s.scatter(momentYY, momentY, momentY, w))
}

func pearson(s *residuals, w *exact.Tally) Value {
	switch {
	case w.Rows() < 2:
		return undefined(fewExamples)
	case w.Weight() == 0:
		return undefined(noExamples)
	}
	yy := s.scatter(momentYY, momentY, momentY, w)
	pp := s.scatter(momentPP, momentP, momentP, w)
	yp := s.scatter(momentYP, momentY, momentP, w)
	if yy == nil || pp == nil || yp == nil {
		return undefined(tooLarge)
	}
	return correlation(yp, yy, pp, constantSide)
}
