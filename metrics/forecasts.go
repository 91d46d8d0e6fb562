package metrics

import (
	"math"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/internal/forecast"
)

const (
	gneiting = "Gneiting & Raftery 2007"
	bracher  = "Bracher et al. 2021"
	hyndman  = "Hyndman & Koehler 2006"
)

// forecastMetrics are means of measures of single examples of a regression: of forecasts of
// quantiles, intervals and ensembles, of errors in relation to a scale, and rarely used losses.
var forecastMetrics = []metric{
	{"quantile_coverage@<quantile>", Regression, needRole(roles.Quantiles), Neither, confidence.Proportion, mean(belowQuantile).of(missingQuantile), "share of examples with $y <= the forecast of the quantile$; it should be about the quantile's level", gneiting, []string{"quantile_coverage"}},
	{"quantile_loss@<quantile>", Regression, needRole(roles.Quantiles), Lower, confidence.Log, mean(lossOfQuantile).of(missingQuantile), "mean of $max(l (y - q), (l - 1) (y - q))$, $q$ being the forecast of the quantile of level $l$", sklearn, []string{"quantile_loss"}},
	{"interval_coverage@<level>", Regression, needRole(roles.Quantiles), Neither, confidence.Proportion, mean(insideInterval).of(missingInterval), "share of examples with $lower <= y <= upper$, of the central interval between forecasts of quantiles; it should be about the level", gneiting, []string{"interval_coverage", "picp@<level>"}},
	{"interval_width@<level>", Regression, needRole(roles.Quantiles), Lower, confidence.Log, mean(widthOfInterval).of(missingInterval), "mean of $upper - lower$", gneiting, []string{"interval_width"}},
	{"interval_score@<level>", Regression, needRole(roles.Quantiles), Lower, confidence.Log, mean(scoreOfInterval).of(missingInterval), "mean of $upper - lower + 2 / (1 - level)$ times how far $y$ is outside", gneiting, []string{"interval_score", "winkler_score@<level>"}},
	{"wis", Regression, needRole(roles.Quantiles), Lower, confidence.Log, mean(quantileScore).of(missingMirrored), "weighted interval score: mean of twice the mean loss of all quantiles, which are the median and pairs of equal tails", bracher, []string{"weighted_interval_score"}},
	{"crps_quantile", Regression, needRole(roles.Quantiles), Lower, confidence.Log, mean(quantileScore), "mean of twice the mean loss of all quantiles, which approximates crps", "Berrisch & Ziel 2023", nil},
	{"crps", Regression, needRole(roles.Ensemble), Lower, confidence.Log, mean(scoreOfEnsemble), "continuous ranked probability score: mean of $E|x - y| - E|x - x'| / 2$ over the members $x$, $x'$ of the ensemble", gneiting, []string{"crps_ensemble"}},
	{"mase", Regression, needEstimate | needRole(roles.Scale), Lower, confidence.Log, mean(scaledError), "mean of $|y - p| / scale$; mean absolute scaled error if the scale is the mean absolute error of the naive forecast in the training data", hyndman, nil},
	{"rmsse", Regression, needEstimate | needRole(roles.Scale), Lower, confidence.Log, withTails(rootMean(scaledSquare)), "$√ mean of ((y - p) / scale)²$; the scale is the root mean squared error of the naive forecast", hyndman, nil},
	{"huber_loss@<delta>", Regression, needEstimate, Lower, confidence.Log, mean(huber).onRequest(), "mean of $r² / 2$ where $r = |y - p| <= delta$, otherwise $delta (r - delta / 2)$", "Huber 1964", []string{"huber_loss", "huber@<delta>", "huber"}},
	{"mean_gamma_deviance", Regression, needEstimate, Lower, confidence.Log, mean(gammaDeviance).onRequest(), "mean of $2 (log(p/y) + y/p - 1)$; undefined where $y$ or $p$ is not positive", sklearn, nil},
	{"mean_tweedie_deviance@<power>", Regression, needEstimate, Lower, confidence.Log, withTails(mean(tweedieDeviance)).onRequest(), "mean of $2 (max(y, 0)^(2-a) / ((1-a) (2-a)) - y p^(1-a) / (1-a) + p^(2-a) / (2-a))$, $a$ being the power; its limits for 0, 1 and 2 are mse, mean_poisson_deviance and mean_gamma_deviance; undefined where $p$ is not positive or, from power 1 on, $y$ is too low", sklearn, []string{"mean_tweedie_deviance", "tweedie@<power>", "tweedie"}},
}

// The measures of forecasts of quantiles. Their arguments are a level of a quantile, or the
// probability of a central interval.
var (
	belowQuantile = measure{value: func(r *row, level float64) (float64, bool) {
		return float64(oneIf(r.Target[r.index] <= r.quantile(level))), true
	}}
	lossOfQuantile = measure{value: func(r *row, level float64) (float64, bool) {
		return forecast.Pinball(r.Target[r.index], r.quantile(level), level), true
	}}
	insideInterval = measure{value: func(r *row, level float64) (float64, bool) {
		lower, upper := r.interval(level)
		y := r.Target[r.index]
		return float64(oneIf(lower <= y && y <= upper)), true
	}}
	widthOfInterval = measure{value: func(r *row, level float64) (float64, bool) {
		lower, upper := r.interval(level)
		return upper - lower, true
	}}
	scoreOfInterval = measure{value: func(r *row, level float64) (float64, bool) {
		lower, upper := r.interval(level)
		return forecast.Interval(r.Target[r.index], lower, upper, level), true
	}}
	quantileScore = measure{value: func(r *row, _ float64) (float64, bool) {
		return 2 * forecast.MeanPinball(r.Target[r.index], r.quantiles(), r.levels), true
	}}
	scoreOfEnsemble = measure{value: func(r *row, _ float64) (float64, bool) {
		r.members = append(r.members[:0], r.Member[r.MemberOffset[r.index]:r.MemberOffset[r.index+1]]...)
		return forecast.CRPS(r.Target[r.index], r.members), true
	}}
)

// quantiles returns the forecasts of the quantiles of the row.
func (r *row) quantiles() []float64 { return r.Quantile[int(r.index)*len(r.levels):][:len(r.levels)] }

func (r *row) quantile(level float64) float64 { return r.quantiles()[r.levels.Index(level)] }

func (r *row) interval(probability float64) (lower, upper float64) {
	low, high := forecast.Tails(probability)
	return r.quantile(low), r.quantile(high)
}

func missingQuantile(levels forecast.Levels, level float64) []float64 { return levels.Missing(level) }

func missingInterval(levels forecast.Levels, probability float64) []float64 {
	return levels.Missing(forecast.Tails(probability))
}

// missingMirrored returns the levels that an odd number of symmetric quantiles lacks.
func missingMirrored(levels forecast.Levels, _ float64) []float64 {
	list := levels.Missing(0.5)
	for _, level := range levels {
		list = append(list, levels.Missing(1-level)...)
	}
	return list
}

// The measures of the errors of estimates.
var (
	scaledError = measure{value: func(r *row, _ float64) (float64, bool) {
		return math.Abs(r.Target[r.index]-r.Estimate[r.index]) / r.Scale[r.index], true
	}}
	scaledSquare = measure{value: func(r *row, _ float64) (float64, bool) {
		e := (r.Target[r.index] - r.Estimate[r.index]) / r.Scale[r.index]
		return float64(e * e), true
	}}
	huber = measure{value: func(r *row, delta float64) (float64, bool) {
		return forecast.Huber(r.Target[r.index]-r.Estimate[r.index], delta), true
	}}
	gammaDeviance = measure{notANumber: notPositive, value: func(r *row, _ float64) (float64, bool) {
		return forecast.TweedieDeviance(r.Target[r.index], r.Estimate[r.index], 2), true
	}}
	tweedieDeviance = measure{notANumber: notPositive, value: func(r *row, power float64) (float64, bool) {
		return forecast.TweedieDeviance(r.Target[r.index], r.Estimate[r.index], power), true
	}}
)

func notPositive(*Params) string { return "a label or prediction is not positive" }
