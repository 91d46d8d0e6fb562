package metrics

import (
	"fmt"
	"math"
	"math/big"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/exactcurve"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/multiprecision"
	"github.com/beameval/beameval/metrics/internal/ranks"
)

// regressionMetrics are functions of residuals, and of the pairs of label and prediction.
var regressionMetrics = []metric{
	{"mae", Regression, needEstimate, Lower, confidence.Log, ofResiduals(meanAbsoluteError).asMean(), "mean of $|y - p|$", sklearn, []string{"mean_absolute_error"}},
	{"mse", Regression, needEstimate, Lower, confidence.Log, ofSquares(meanSquaredError).asMean(), "mean of $(y - p)²$", sklearn, []string{"mean_squared_error"}},
	{"rmse", Regression, needEstimate, Lower, confidence.Log, ofSquares(rootMeanSquaredError).asRootMean(), "$√mse$", sklearn, []string{"root_mean_squared_error"}},
	{"r2", Regression, needEstimate, Higher, confidence.LogOneMinus, ofTwo(ofSquares(r2)), "$1 - Σ (y - p)² / Σ (y - ȳ)²$; where labels are all equal 1 if perfect, else 0", sklearn, []string{"r2_score"}},
	{"explained_variance", Regression, needEstimate, Higher, confidence.LogOneMinus, ofTwo(ofSquares(explainedVariance)), "$1 - Var(y - p) / Var(y)$; where labels are all equal as r2", sklearn, nil},
	{"mape", Regression, needEstimate, Lower, confidence.Log, ofResiduals(meanPercentageError).asMean(), "mean of $|y - p| / max(|y|, 2⁻⁵²)$", sklearn, []string{"mean_absolute_percentage_error"}},
	{"smape", Regression, needEstimate, Lower, confidence.Log, ofResiduals(symmetricPercentageError).asMean(), "mean of $2 |y - p| / (|y| + |p|)$, 0 where both are 0; in [0, 2]", "Makridakis 1993, without the factor 100", nil},
	{"msle", Regression, needEstimate, Lower, confidence.Log, ofResiduals(meanSquaredLogError).asMean(), "mean of $(log(1 + y) - log(1 + p))²$; undefined at -1 or less", sklearn, []string{"mean_squared_log_error"}},
	{"rmsle", Regression, needEstimate, Lower, confidence.Log, ofResiduals(rootMeanSquaredLogError).asRootMean(), "$√msle$", sklearn, []string{"root_mean_squared_log_error"}},
	{"median_absolute_error", Regression, needEstimate | needCurve | needExactCurve, Lower, confidence.Log, medianResidual, "median of $|y - p|$, by weight; where just half of the weight is on either side of two values, their mean", sklearn, nil},
	{"max_error", Regression, needEstimate, Lower, confidence.NotSmooth, ofResiduals(maxError), "largest $|y - p|$ of a row that has weight", sklearn, nil},
	{"pearson", Regression, needEstimate, Higher, confidence.Atanh, ofTwo(ofSquares(pearson)), "Pearson correlation of $y$ and $p$", "SciPy pearsonr", []string{"pearsonr"}},
	{"concordance", Regression, needEstimate, Higher, confidence.Atanh, ofTwo(ofSquares(concordance)), "$2 Cov(y, p) / (Var(y) + Var(p) + (ȳ - p̄)²)$, the concordance correlation", "Lin 1989", []string{"ccc", "lin_ccc"}},
	{"mean_bias", Regression, needEstimate, NearZero, confidence.Identity, ofResiduals(meanBias).asMean(), "mean of $p - y$", "forecast verification", []string{"mean_error"}},
	{"pinball@<q>", Regression, needEstimate, Lower, confidence.Log, ofResidualsWith(pinball).asMean(), "mean of $max(q (y - p), (q - 1) (y - p))$", sklearn, []string{"pinball", "mean_pinball_loss"}},
	{"wape", Regression, needEstimate, Lower, confidence.Log, wape.onRequest(), "$Σ |y - p| / Σ |y|$, weighted: the absolute error as a share of the size of what is forecast", "Kolassa & Schütz 2007", []string{"wmape", "weighted_absolute_percentage_error"}},
	{"theil_u1", Regression, needEstimate, Lower, confidence.Logit, ofSquares(theilU1).onRequest(), "$√mse / (√ mean of y² + √ mean of p²)$, in [0, 1]: Theil's inequality coefficient", "Theil 1961", []string{"theil_u"}},
	{"theil_u2", Regression, needEstimate, Lower, confidence.Log, ofSquares(theilU2).onRequest(), "$√ (Σ (y - p)² / Σ y²)$; where $y$ and $p$ are changes since the last value, it is 1 for the forecast of no change", "Theil 1966", nil},
	{"spearman", Regression, needEstimate, Higher, confidence.Atanh, ofOrder((*ranks.Order).Spearman, constantSide), "Spearman correlation of $y$ and $p$: the Pearson correlation of their ranks, equal numbers having their mean rank; with weights, ranks by weight", "SciPy spearmanr", []string{"spearmanr"}},
	{"kendall", Regression, needEstimate, Higher, confidence.Atanh, ofOrder((*ranks.Order).Kendall, constantSide), "Kendall's τ-b of $y$ and $p$; with weights, a pair weighs as much as the product of the weights of its examples", "SciPy kendalltau", []string{"kendalltau", "kendall_tau"}},
	{"concordance_index", Regression, needEstimate, Higher, confidence.Logit, ofOrder((*ranks.Order).Concordance, constantLabels), "share of the pairs of different $y$ whose $p$ are in the same order, equal $p$ counting one half; with weights as kendall", "Harrell et al. 1982", []string{"c_index", "harrell_c"}},
	{"d2_absolute_error", Regression, needEstimate, Higher, confidence.LogOneMinus, ofPinball.with(0.5), "$1 - mae / (mae of the median of y)$; where labels are all equal as r2", sklearn, []string{"d2_absolute_error_score"}},
	{"d2_pinball@<q>", Regression, needEstimate, Higher, confidence.LogOneMinus, ofPinball, "$1 - pinball / (pinball of the quantile q of y)$; where labels are all equal as r2", sklearn, []string{"d2_pinball", "d2_pinball_score"}},
	{"mean_poisson_deviance", Regression, needEstimate, Lower, confidence.Log, ofResiduals(meanPoissonDeviance).asMean(), "mean of $2 (y log(y/p) - y + p)$; undefined where $y < 0$ or $p <= 0$", sklearn, nil},
}

// ofResiduals evaluates a function of residuals and of the weight of all examples.
func ofResiduals(f func(*residuals, *exact.Tally) Value) evaluator {
	return ofResidualsWith(func(s *residuals, w *exact.Tally, _ float64) Value { return f(s, w) })
}

// ofResidualsWith is ofResiduals for a function with an argument.
func ofResidualsWith(f func(*residuals, *exact.Tally, float64) Value) evaluator {
	return evaluator{from: kindResiduals, overall: func(e *evaluation, c choice) Value {
		return f(statisticOf[*residuals](e, kindResiduals), e.weight(), c.arg)
	}}
}

// ofSquares is ofResiduals for a function of the squares of residuals.
func ofSquares(f func(*residuals, *exact.Tally) Value) evaluator {
	return ofResiduals(func(s *residuals, w *exact.Tally) Value {
		v := f(s, w)
		v.HeavyTails = v.Undefined == "" && s.heavyTailed(w)
		return v
	})
}

// wape evaluates the sum of absolute errors divided by the sum of absolute targets.
var wape = func() evaluator {
	ev := ratioOfMeans(
		measure{value: func(r *row, _ float64) (float64, bool) {
			return math.Abs(r.Target[r.index] - r.Estimate[r.index]), true
		}},
		measure{reason: "labels are all 0", value: func(r *row, _ float64) (float64, bool) { return math.Abs(r.Target[r.index]), true }})
	of := ev.overall
	ev.overall = func(e *evaluation, c choice) Value {
		if e.weight().Weight() == 0 {
			return Undefined(noExamples)
		}
		return of(e, c)
	}
	return ev
}()

// ofTwo makes a metric undefined of fewer than two examples that have weight.
func ofTwo(ev evaluator) evaluator {
	of := ev.overall
	ev.overall = func(e *evaluation, c choice) Value {
		if e.partial.Weighty() < 2 {
			return Undefined(fewExamples)
		}
		return of(e, c)
	}
	return ev
}

// ofOrder evaluates a function of how labels and predictions agree in their order. It is undefined
// for the reason of equal numbers if the function is.
func ofOrder(f func(*ranks.Order) (float64, bool), equal string) evaluator {
	return ofRanks(func(e *evaluation, pairs ranks.Pairs, _ float64) Value {
		if e.order == nil {
			order := pairs.Order()
			e.order = &order
		}
		v, ok := f(e.order)
		if !ok {
			return Undefined(equal)
		}
		return defined(v)
	})
}

// ofPinball evaluates the share of the pinball loss of a constant that the predictions save.
var ofPinball = ofRanks(func(_ *evaluation, pairs ranks.Pairs, q float64) Value {
	switch left, whole := pairs.Pinball(q); {
	case left == 0 && whole == 0:
		return Value{Number: 1, Undefined: constantLabels}
	case whole == 0:
		return Value{Undefined: constantLabels}
	default:
		return defined(1 - left/whole)
	}
})

// ofRanks evaluates a function of the table of pairs of label and prediction, on request because the
// table is large.
func ofRanks(f func(*evaluation, ranks.Pairs, float64) Value) evaluator {
	return ofTwo(evaluator{from: kindPairs, requested: true, overall: func(e *evaluation, c choice) Value {
		t := &statisticOf[*pairTable](e, kindPairs).Table
		pairs, whole := t.Pairs()
		if !whole {
			return Undefined(fmt.Sprintf("more than %d distinct pairs of label and prediction, see %s", t.Limit(), e.params.Names.Of(settings.MaxDistinct)))
		}
		return f(e, pairs, c.arg)
	}})
}

// pairTable is the statistic of the pairs of label and prediction, or of the mean grades of examples.
type pairTable struct{ ranks.Table }

func (s *pairTable) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		if b.GradeOffset != nil {
			s.Add(meanOf(b.attempts(0, r)), 0, b.weight(r))
		} else {
			s.Add(b.Target[r], b.Estimate[r], b.weight(r))
		}
	}
}

func (s *pairTable) visit(v *fields.Visitor, from statistic) { s.Fields(v, &from.(*pairTable).Table) }

func (s *pairTable) fits(p *Params) bool { return s.Limit() == 0 || s.Limit() == p.MaxDistinct }

// medianResidual evaluates the median of absolute residuals.
var medianResidual = evaluator{from: kindLabelCurves, extra: exactcurve.OnlyMedian, overall: func(e *evaluation, _ choice) Value {
	found := e.curveOf(0)
	if found.Positive.Weight() == 0 {
		return Undefined(noExamples)
	}
	return defined(found.Median.Value())
}}

// meanSquaredError is exact for squares of any size.
func meanSquaredError(s *residuals, w *exact.Tally) Value {
	squares := &s.products[productRR]
	if sum := squares.Ordinary(); sum != nil {
		return average(sum, w)
	}
	total := squares.Big()
	switch {
	case w.Weight() == 0:
		return Undefined(noExamples)
	case total == nil: // a square, or its product with a weight, is infinite
		return defined(squares.Infinite())
	}
	return defined(multiprecision.Over(total, w.Big()))
}

func meanAbsoluteError(s *residuals, w *exact.Tally) Value { return s.mean(momentSize, w) }

func meanBias(s *residuals, w *exact.Tally) Value {
	var total exact.Sum
	total.Subtract(&s.sums[momentR])
	return average(&total, w)
}

func pinball(s *residuals, w *exact.Tally, q float64) Value {
	// |r| + r is twice the amount by which the estimate is too low, |r| - r twice the amount by
	// which it is too high.
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

func rootMeanSquaredError(s *residuals, w *exact.Tally) Value {
	return meanSquaredError(s, w).then(math.Sqrt)
}

func meanPercentageError(s *residuals, w *exact.Tally) Value {
	return s.mean(momentPercentage, w)
}

func symmetricPercentageError(s *residuals, w *exact.Tally) Value {
	return s.mean(momentSymmetric, w)
}

func meanSquaredLogError(s *residuals, w *exact.Tally) Value {
	if s.belowLog > 0 {
		return Undefined("a label or prediction is -1 or less")
	}
	return s.mean(momentLog, w)
}

func rootMeanSquaredLogError(s *residuals, w *exact.Tally) Value {
	return meanSquaredLogError(s, w).then(math.Sqrt)
}

func meanPoissonDeviance(s *residuals, w *exact.Tally) Value {
	if s.belowPoisson > 0 {
		return Undefined("a label is negative or a prediction is not positive")
	}
	return s.mean(momentPoisson, w)
}

func maxError(s *residuals, w *exact.Tally) Value {
	if w.Weight() == 0 {
		return Undefined(noExamples)
	}
	return defined(s.largest)
}

const (
	constantLabels = "all labels are equal"
	constantSide   = "labels or predictions are all equal"
	tooLarge       = "values too large to square"
	fewExamples    = "fewer than two examples"
)

// scatter returns Σw Σwab - Σwa Σwb, which is (Σw)² times the covariance of a and b. It is nil if
// values are too large for their moments.
func (s *residuals) scatter(ab product, a, b moment, w *exact.Tally) *big.Float {
	both, left, right := s.products[ab].Big(), s.of(a), s.of(b)
	if both == nil || left == nil || right == nil {
		return nil
	}
	return multiprecision.Difference(multiprecision.Product(w.Big(), both), multiprecision.Product(left, right))
}

// explained returns 1 - left/whole. If the labels do not vary, it is 1 if left is 0, and 0
// otherwise, as in scikit-learn.
func explained(left, whole *big.Float) Value {
	switch {
	case left == nil || whole == nil:
		return Undefined(tooLarge)
	case whole.Sign() > 0:
		return defined(1 - multiprecision.Over(left, whole))
	case left.Sign() > 0:
		return Value{Undefined: constantLabels}
	}
	return Value{Number: 1, Undefined: constantLabels}
}

func r2(s *residuals, w *exact.Tally) Value {
	left := s.products[productRR].Big()
	if left == nil {
		return Undefined(tooLarge)
	}
	return explained(multiprecision.Product(w.Big(), left), s.scatter(productYY, momentY, momentY, w))
}

func explainedVariance(s *residuals, w *exact.Tally) Value {
	return explained(s.scatter(productRR, momentR, momentR, w), s.scatter(productYY, momentY, momentY, w))
}

// correlated returns the result of of for the variances of y and p and their covariance, each
// multiplied by the square of the weight.
func (s *residuals) correlated(w *exact.Tally, of func(yy, pp, yp *big.Float) Value) Value {
	yy := s.scatter(productYY, momentY, momentY, w)
	pp := s.scatter(productPP, momentP, momentP, w)
	yp := s.scatter(productYP, momentY, momentP, w)
	if yy == nil || pp == nil || yp == nil {
		return Undefined(tooLarge)
	}
	return of(yy, pp, yp)
}

func pearson(s *residuals, w *exact.Tally) Value {
	return s.correlated(w, func(yy, pp, yp *big.Float) Value { return correlation(yp, yy, pp, constantSide) })
}

// theilU1 divides by the root of the squared errors, so that squares of any size are exact.
func theilU1(s *residuals, w *exact.Tally) Value {
	return s.inequality(w, func(rr, yy, pp *big.Float) Value {
		switch {
		case rr.Sign() > 0:
			return defined(1 / (math.Sqrt(multiprecision.Over(yy, rr)) + math.Sqrt(multiprecision.Over(pp, rr))))
		case yy.Sign() > 0:
			return defined(0)
		}
		return Undefined("labels and predictions are all 0")
	})
}

func theilU2(s *residuals, w *exact.Tally) Value {
	return s.inequality(w, func(rr, yy, _ *big.Float) Value {
		if yy.Sign() == 0 {
			return Undefined("labels are all 0")
		}
		return defined(math.Sqrt(multiprecision.Over(rr, yy)))
	})
}

// inequality returns the result of of for Σ w r², Σ w y² and Σ w p².
func (s *residuals) inequality(w *exact.Tally, of func(rr, yy, pp *big.Float) Value) Value {
	if w.Weight() == 0 {
		return Undefined(noExamples)
	}
	rr, yy, pp := s.products[productRR].Big(), s.products[productYY].Big(), s.products[productPP].Big()
	if rr == nil || yy == nil || pp == nil {
		return Undefined(tooLarge)
	}
	return of(rr, yy, pp)
}

// concordance returns Lin's concordance correlation coefficient.
func concordance(s *residuals, w *exact.Tally) Value {
	return s.correlated(w, func(yy, pp, yp *big.Float) Value {
		apart := multiprecision.Difference(s.of(momentY), s.of(momentP))
		whole := multiprecision.Zero().Add(yy, pp)
		whole.Add(whole, multiprecision.Product(apart, apart))
		if whole.Sign() == 0 {
			return Undefined("labels and predictions are all one number")
		}
		return defined(multiprecision.Over(yp.Add(yp, yp), whole))
	})
}
