package metrics

import (
	"math"
	"slices"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/exactcurve"
	"github.com/beameval/beameval/metrics/internal/isotonic"
)

// scoring is a proper scoring rule, whose mean the CORP decomposition divides into miscalibration,
// discrimination and uncertainty.
type scoring struct {
	mean         func(*losses, *exact.Tally) Value
	ofFit        func(*isotonic.Fit) float64 // the sum over the examples, if the isotonic fit is predicted
	ofPrevalence func(float64) float64       // the mean, if the prevalence is predicted
}

var (
	ofBrier   = scoring{brier, (*isotonic.Fit).SquaredErrors, func(y float64) float64 { return y * (1 - y) }}
	ofLogLoss = scoring{logLoss, (*isotonic.Fit).LogLosses, entropyOf}
)

// uncertainty evaluates the score of always predicting the prevalence.
func uncertainty(s scoring) evaluator {
	return losing(func(l *losses, all *exact.Tally) Value { return meanLabel(l, all).then(s.ofPrevalence) }).averaged("", macro).onRequest()
}

// miscalibration evaluates the score of the probabilities minus the score of the isotonic fit.
func miscalibration(s scoring) evaluator {
	return decomposing(s, func(score, _, fitted float64) float64 { return score - fitted })
}

// discrimination evaluates the score of the prevalence minus the score of the isotonic fit.
func discrimination(s scoring) evaluator {
	return decomposing(s, func(_, prevalence, fitted float64) float64 { return prevalence - fitted })
}

// decomposing evaluates a function of the scores of the probabilities, of the prevalence and of the
// isotonic fit of a label.
func decomposing(s scoring, part func(score, prevalence, fitted float64) float64) evaluator {
	ev := ofCurves(nil, nil).averaged("", macro).onRequest()
	ev.also, ev.extra = kindLabelLosses, exactcurve.Isotonic
	ofCurve := ev.byLabel
	ev.byLabel = func(e *evaluation, c choice) labelValues {
		list := ofCurve(e, c)
		list.value = func(label int) Value {
			l, fit := statisticOf[*labelLosses](e, kindLabelLosses).Lookup(uint64(label)), &e.curveOf(label).Fit
			if l == nil || fit.Empty() {
				return Undefined(noExamples)
			}
			score, prevalence := s.mean(l, e.weight()).Number, s.ofPrevalence(meanLabel(l, e.weight()).Number)
			return defined(part(score, prevalence, commonUnit(s.ofFit(fit)/e.weight().Weight(), score, prevalence)))
		}
		return list
	}
	return ev
}

// FitStep is a step of an isotonic fit: from Score on, the fitted probability is Probability.
type FitStep struct{ Score, Probability float64 }

// IsotonicFit returns the isotonic fit of a binary task, by increasing score, if a metric in p needs it and
// the partial has one. The probability of the first step holds below it, too.
func (p *Params) IsotonicFit(partial *Partial) (steps []FitStep) {
	p = p.orNothing()
	if p.Task != Binary || p.extras()&exactcurve.Isotonic == 0 || !partial.fits(p) || partial.tooHeavy() {
		return nil
	}
	e := &evaluation{params: p, partial: partial}
	for _, b := range slices.Backward(e.curveOf(0).Fit.Blocks()) {
		steps = append(steps, FitStep{b.Score, b.Share()})
	}
	return steps
}

// BandPoint says where the isotonic fit at a probability is in 95 % of samples of calibrated forecasts.
type BandPoint = isotonic.BandPoint

// ConsistencyBand returns the consistency band of IsotonicFit, by rising probability, at no more points than
// curves have lines; see [isotonic.Band]. There is none without drawings, nor if examples do not weigh 1, if a
// score is no probability, or if a class is absent.
func (p *Params) ConsistencyBand(partial *Partial) []BandPoint {
	p = p.orNothing()
	if p.Task != Binary || p.extras()&exactcurve.Isotonic == 0 || p.Lines(1) == 0 || !partial.fits(p) || partial.tooHeavy() {
		return nil
	}
	if partial.Weighted() {
		return nil
	}
	c := (&evaluation{params: p, partial: partial}).curveOf(0)
	probability := func(score float64) float64 { return score }
	if p.ScoreType == Logit {
		probability = sigmoid
	}
	spans := c.Outline.Spans()
	if n := len(spans); n == 0 || !(probability(spans[0].Low) <= 1 && probability(spans[n-1].Low) >= 0) {
		return nil
	}
	return isotonic.Band(spans, probability, p.Lines(1))
}

// commonUnit rounds the score of the isotonic fit, which is at most the other two, so that its
// differences to both are exact: to a multiple of the coarser unit of their last places.
func commonUnit(fitted, score, prevalence float64) float64 {
	unit := math.Nextafter(prevalence, 2) - prevalence
	if score < math.Inf(1) {
		unit = max(unit, math.Nextafter(score, math.Inf(1))-score)
	}
	most := math.Floor(min(score, prevalence) / unit)
	return min(math.Round(fitted/unit), most) * unit
}
