package metrics

import (
	"math"
	"math/big"
	"slices"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/exactcurve"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/logistic"
	"github.com/beameval/beameval/metrics/internal/multiprecision"
	"github.com/beameval/beameval/metrics/internal/reliability"
)

// calibrationMetrics compare probabilities with frequencies.
var calibrationMetrics = []metric{
	{"mean_prediction", Binary, NeedProbabilities, Neither, confidence.Logit, binning(meanPrediction).asMean(), "mean of the probabilities", tfma, nil},
	{"calibration_ratio", Binary, NeedProbabilities, NearOne, confidence.Log, binning(calibrationRatio), "$mean_prediction / mean_label$", tfma, []string{"calibration", "pcoc"}},
	{"ece", Binary | Multilabel, NeedProbabilities, Lower, confidence.Biased, calibrating(expectedCalibrationError), "expected calibration error: mean over bins, by weight, of $|mean probability - share of positives|$", guo, []string{"expected_calibration_error"}},
	{"ece", Multiclass, NeedProbabilities, Lower, confidence.Biased, topCalibrating(expectedCalibrationError), "expected calibration error of the top class: mean over bins, by weight, of $|confidence - accuracy|$", guo, []string{"expected_calibration_error"}},
	{"ece_debiased", Binary | Multilabel, NeedProbabilities, Lower, confidence.Projection, calibratingBy(debiasedWithGaps, debiasedCalibrationError).onRequest(), "ece less what chance adds to it: the labels of a bin are taken as normal, and the excess of the mean of $|gap|$ over $|gap|$ is subtracted", "Kumar et al. 2019", nil},
	{"mce", Binary, NeedProbabilities, Lower, confidence.Biased, calibrating(maximumCalibrationError), "maximum calibration error: the largest $|mean probability - share of positives|$ of a bin", guo, []string{"maximum_calibration_error"}},
	{"mce", Multiclass, NeedProbabilities, Lower, confidence.Biased, topCalibrating(maximumCalibrationError), "maximum calibration error of the top class", guo, []string{"maximum_calibration_error"}},
	{"classwise_ece", Multiclass, NeedProbabilities, Lower, confidence.Biased, calibrating(expectedCalibrationError).only(macro), "mean over classes of the ece of that class against the rest", kull, nil},
	{"ace", Binary, NeedProbabilities | needCurve | needExactCurve, Lower, confidence.Biased, ofQuantiles(expectedCalibrationError), "adaptive calibration error: ece in bins of equal weight", "Nixon et al. 2019", []string{"adaptive_calibration_error"}},
	{"miscalibration", Binary | Multilabel, NeedProbabilities | needCurve | needExactCurve, Lower, confidence.Biased, miscalibration(ofBrier), "brier less the brier of the isotonic fit, which replaces each probability by the share of positives in its block", corp, []string{"mcb"}},
	{"discrimination", Binary | Multilabel, NeedProbabilities | needCurve | needExactCurve, Higher, confidence.Biased, discrimination(ofBrier), "uncertainty less the brier of the isotonic fit", corp, []string{"dsc"}},
	{"uncertainty", Binary | Multilabel, NeedProbabilities, Neither, confidence.Identity, uncertainty(ofBrier), "brier of always predicting the prevalence: $brier = uncertainty - discrimination + miscalibration$, exactly", corp, []string{"unc"}},
	{"log_loss_miscalibration", Binary | Multilabel, NeedProbabilities | needCurve | needExactCurve, Lower, confidence.Biased, miscalibration(ofLogLoss), "log_loss less the log_loss of the isotonic fit", corp, nil},
	{"log_loss_discrimination", Binary | Multilabel, NeedProbabilities | needCurve | needExactCurve, Higher, confidence.Biased, discrimination(ofLogLoss), "log_loss_uncertainty less the log_loss of the isotonic fit", corp, nil},
	{"log_loss_uncertainty", Binary | Multilabel, NeedProbabilities, Neither, confidence.Identity, uncertainty(ofLogLoss), "log_loss of always predicting the prevalence: $log_loss = log_loss_uncertainty - log_loss_discrimination + log_loss_miscalibration$, exactly", corp, nil},
	{"calibration_slope", Binary | Multilabel, NeedProbabilities, NearOne, confidence.Identity, ofLine(func(l logistic.Line) float64 { return l.Slope }), "slope of the logistic regression of labels on the logits of the probabilities: below 1, these are too extreme", "Cox 1958", nil},
	{"calibration_intercept", Binary | Multilabel, NeedProbabilities, Neither, confidence.Identity, ofLine(func(l logistic.Line) float64 { return l.Intercept }), "intercept of the same regression: 0 where the slope is 1 and probabilities are right on the whole", "Cox 1958", nil},
	{"spiegelhalter_z", Binary, NeedProbabilities, NearZero, confidence.Count, spiegelhalter, "$Σ w (label - p)(1 - 2p) / √Σ w² (1 - 2p)² p (1 - p)$: about standard normal if the probabilities $p$ are calibrated", "Spiegelhalter 1986", nil},
}

// binning evaluates a function of the calibration bins of a label, which have equal width.
func binning(f func([]reliability.Bin) Value) evaluator {
	return evaluator{from: kindCalibration, averages: allAverages, byLabel: func(e *evaluation, c choice) labelValues {
		s := statisticOf[*calibration](e, kindCalibration)
		value := func(label int) Value {
			if label == pooled {
				return f(s.pooled(e.averagedBy(c)))
			}
			return f(s.label(label))
		}
		return labelValues{eachLabel(e.params.scored()), value, func(label int) (float64, int64) {
			var positive exact.Tally
			for _, b := range s.label(label) {
				positive.Merge(&b.Positive)
			}
			return positive.Weight(), positive.Rows()
		}}
	}}
}

// calibrating evaluates a function that depends on how bins divide the examples: into bins of equal
// width or, with Params.Quantiles, of equal weight.
func calibrating(f func([]reliability.Bin) Value) evaluator { return calibratingBy(f, f) }

// calibratingBy evaluates one function of bins of equal width and another of bins of equal weight.
func calibratingBy(equalWidth, equalWeight func([]reliability.Bin) Value) evaluator {
	ev := binning(equalWidth)
	ofWidth, ofWeight := ev.byLabel, ofQuantiles(equalWeight).byLabel
	ev.binned = true
	ev.byLabel = func(e *evaluation, c choice) labelValues {
		if e.params.Quantiles {
			return ofWeight(e, c)
		}
		return ofWidth(e, c)
	}
	return ev
}

// topCalibrating evaluates a function of the calibration bins of the top class.
func topCalibrating(f func([]reliability.Bin) Value) evaluator {
	return evaluator{from: kindTopCalibration, binned: true, curve: TopClass, overall: func(e *evaluation, _ choice) Value {
		if e.params.Quantiles {
			return f(e.curveOf(TopClass).QuantileBins(e.params.Bins))
		}
		return f(statisticOf[*topCalibration](e, kindTopCalibration).label(0))
	}}
}

// ofQuantiles evaluates a function of the calibration bins of a label, which have equal
// weight.
func ofQuantiles(f func([]reliability.Bin) Value) evaluator {
	ev := ofCurves(func(e *evaluation, _ choice, c *exactcurve.Curve) Value { return f(c.QuantileBins(e.params.Bins)) }, nil)
	ev.extra = exactcurve.Quantiles
	return ev
}

// labelLogits holds what Cox's regression of each label on the logits of its probabilities needs.
type labelLogits struct {
	fields.KeyedPointers[logistic.Table, *logistic.Table]
}

func (s *labelLogits) Fold(b *Batch, rows []int32) {
	for label := range b.Labels {
		to := s.Value(uint64(label))
		if to.To == nil {
			to.To = new(logistic.Table)
		}
		for _, r := range rows {
			at := int(r)*b.Labels + label
			var x float64
			if b.Logit != nil {
				x = b.Logit[at]
			} else {
				x = elementary.Log(b.Probability[at]) - elementary.Log1p(-b.Probability[at])
			}
			to.To.Add(x, b.isTrue(r, label), b.weight(r))
		}
	}
}

func (s *labelLogits) visit(v *fields.Visitor, from statistic) {
	s.KeyedPointers.Fields(v, &from.(*labelLogits).KeyedPointers)
}

func (s *labelLogits) fits(p *Params) bool { return s.Below(uint64(p.scored())) }

// ofLine evaluates a function of the line that Cox's regression fits.
func ofLine(f func(logistic.Line) float64) evaluator {
	ev := uncertainty(ofBrier) // for its labels and their support
	losses := ev.byLabel
	ev.from, ev.also = kindLogits, kindLabelLosses
	ev.byLabel = func(e *evaluation, c choice) labelValues {
		list := losses(e, c)
		list.value = func(label int) Value {
			table := statisticOf[*labelLogits](e, kindLogits).Lookup(uint64(label))
			if table == nil || table.To == nil || table.To.Empty() {
				return Undefined(noExamples)
			}
			line, reason := table.To.Fit()
			if reason != "" {
				return Undefined(reason)
			}
			return defined(f(line))
		}
		return list
	}
	return ev
}

// spiegelhalter evaluates the test of Spiegelhalter: the difference of the Brier score from its
// expectation if the probabilities are true, relative to its standard deviation. As the square of a light
// weight may be 0 in float64, it is scaled up.
var spiegelhalter = evaluator{from: kindMeans, requested: true, measures: []measure{{value: func(r *row, _ float64) (float64, bool) {
	p := r.Probability[r.index]
	return (float64(oneIf(r.Truth[r.index])) - p) * (1 - float64(2*p)), true
}}, {value: func(r *row, _ float64) (float64, bool) {
	if w := r.weight(r.index); w >= light {
		return r.brierVariance(w), true
	}
	return 0, true
}}, {value: func(r *row, _ float64) (float64, bool) {
	if w := r.weight(r.index); w < light {
		return r.brierVariance(math.Ldexp(w, lightScale)), true
	}
	return 0, true
}}}, overall: func(e *evaluation, c choice) Value {
	totals := e.totalsOf(c)
	const certain = "all probabilities are 0, 0.5 or 1"
	if totals[2].sum.Empty() {
		return quotient(totals[0].sum.Float64(), math.Sqrt(totals[1].sum.Float64()), certain)
	}
	squares, _ := totals[1].sum.Big()
	scaled, _ := totals[2].sum.Big()
	squares = multiprecision.Zero().Add(squares, multiprecision.Zero().SetMantExp(scaled, -lightScale))
	if squares.Sign() == 0 {
		return Undefined(certain)
	}
	deviation, _ := totals[0].sum.Big()
	return defined(multiprecision.Over(deviation, new(big.Float).SetPrec(128).Sqrt(squares)))
}}

// A weight is light below light. Its square is multiplied by 2 to the power of lightScale.
const (
	light      = 0x1p-320
	lightScale = 1200
)

// brierVariance returns w times the variance that the row's term of the Brier score has if its probability
// is true.
func (r *row) brierVariance(w float64) float64 {
	p := r.Probability[r.index]
	off := 1 - float64(2*p)
	return w * float64(off*off) * float64(p*(1-p))
}

func meanPrediction(bins []reliability.Bin) Value {
	sum := reliability.Overall(bins)
	all := sum.All()
	return average(&sum.Prediction, &all)
}

func calibrationRatio(bins []reliability.Bin) Value {
	sum := reliability.Overall(bins)
	v := average(&sum.Prediction, &sum.Positive)
	if v.Undefined != "" {
		v.Undefined = noPositives
	}
	return v
}

// expectedCalibrationError returns Σ over bins of |Σ w p - Σ w y| / Σ w: the mean distance between
// probability and frequency, with each bin weighted by its examples.
func expectedCalibrationError(bins []reliability.Bin) Value {
	var gaps, weights exact.Sum
	for i := range bins {
		g, w := bins[i].Gap()
		gaps.Add(g)
		weights.Add(w)
	}
	return quotient(gaps.Float64(), weights.Float64(), noExamples)
}

// debiasedCalibrationError returns the expected calibration error less an estimate of its bias, as
// the library of Kumar et al. 2019 does (normal_debiased_ce). The library resamples the share of
// positives of each bin from a normal distribution. No samples are needed here: the expected gap is
// the mean of a folded normal distribution. The result is below 0 where bins fit better than
// chance.
func debiasedCalibrationError(bins []reliability.Bin) Value {
	var gaps, weights exact.Sum
	for i := range bins {
		g, w := bins[i].Gap()
		gaps.Add(g)
		gaps.Add(-bins[i].Excess(g))
		weights.Add(w)
	}
	return quotient(gaps.Float64(), weights.Float64(), noExamples)
}

// debiasedWithGaps is debiasedCalibrationError of bins of equal width, with what its interval needs. The edges
// of bins of equal weight vary from sample to sample, which no interval allows for.
func debiasedWithGaps(bins []reliability.Bin) Value {
	v := debiasedCalibrationError(bins)
	v.Gaps = reliability.Gaps(bins)
	return v
}

// maximumCalibrationError returns the largest distance between probability and frequency in a bin.
func maximumCalibrationError(bins []reliability.Bin) Value {
	worst := Undefined(noExamples)
	for i := range bins {
		if g, w := bins[i].Gap(); w > 0 && !(g/w <= worst.Number) {
			worst = defined(g / w)
		}
	}
	return worst
}

// calibration is the reliability diagram of each label, in B bins of equal width. Bin i has the
// probabilities in (i/B, (i+1)/B], and the first bin also 0. A binary task has a single label, 0;
// in multiclass tasks, the classes are the labels.
type calibration struct {
	fields.Keyed[reliability.Bin, *reliability.Bin]
	bins  int
	edges []float64 // see binOf; nil if the statistic cannot fold
}

func newCalibration(bins int) calibration {
	edges := make([]float64, bins+1)
	for i := range edges {
		edges[i] = float64(i) / float64(bins)
	}
	edges[0] = -1
	return calibration{bins: bins, edges: edges}
}

// like returns an empty calibration with the same edges.
func (s *calibration) like() statistic { return &calibration{bins: s.bins, edges: s.edges} }

func (s *calibration) add(label int, p float64, positive bool, w float64) {
	c := s.Value(uint64(label*s.bins + binOf(p, s.edges)))
	t := &c.Negative
	if positive { // compiled to a conditional move: a branch would be unpredictable
		t = &c.Positive
	}
	t.Add(w)
	c.Prediction.Add(times(w, p))
}

// Fold goes row by row instead of label by label, because consecutive additions to the same bin
// have to wait for each other.
func (s *calibration) Fold(b *Batch, rows []int32) {
	if len(rows) > 0 {
		s.Cover(uint64(b.Labels * s.bins))
	}
	for _, r := range rows {
		w := b.weight(r)
		for label, p := range b.Probability[int(r)*b.Labels:][:b.Labels] {
			s.add(label, p, b.isTrue(r, label), w)
		}
	}
}

func (s *calibration) visit(v *fields.Visitor, from statistic) { s.Fields(v, from.(*calibration)) }

func (s *calibration) Fields(v *fields.Visitor, from *calibration) {
	v.Size(&s.bins, from.bins)
	if s.Keyed.Fields(v, &from.Keyed); v.Decodes() && s.bins == 0 && s.Size() != 0 {
		v.Fail("calibration: no bins")
	}
}

func (s *calibration) fits(p *Params) bool {
	return s.bins == p.Bins && s.Below(uint64(p.scored()*p.Bins)) || s.bins == 0
}

// label returns the bins of a label.
func (s *calibration) label(label int) []reliability.Bin {
	bins := make([]reliability.Bin, s.bins)
	for i := range bins {
		if b := s.Lookup(uint64(label*s.bins + i)); b != nil {
			bins[i] = *b
		}
	}
	return bins
}

// pooled returns the bins of labels together.
func (s *calibration) pooled(in labelSet) []reliability.Bin {
	bins := make([]reliability.Bin, s.bins)
	for key, b := range s.All() {
		if in.has(int(key) / s.bins) {
			fields.Merge(&bins[key%uint64(s.bins)], b)
		}
	}
	return bins
}

// binOf returns the bin of probability p: the i with edges[i] < p <= edges[i+1]. The edges are
// i/bins, except for the lowest, which is less than any probability.
func binOf(p float64, edges []float64) int {
	bins := len(edges) - 1
	i := min(int(p*float64(bins)), bins-1)
	// An edge belongs to the bin below it, and rounding may have raised the product to the next
	// edge. It never lowers the product, because edges are the floats nearest to i/bins.
	return i - oneIf(p <= edges[i])
}

// topCalibration is the reliability diagram of the top class: of the highest probability of each
// example, and of whether its class is the true one.
type topCalibration struct{ calibration }

// like returns an empty topCalibration with the same edges.
func (s *topCalibration) like() statistic {
	return &topCalibration{calibration{bins: s.bins, edges: s.edges}}
}

func (s *topCalibration) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		s.add(0, b.Confidence[r], b.Correct[r], b.weight(r))
	}
}

func (s *topCalibration) fits(p *Params) bool {
	return s.bins == p.Bins && s.Below(uint64(p.Bins)) || s.bins == 0
}

func (s *topCalibration) visit(v *fields.Visitor, from statistic) {
	s.Fields(v, &from.(*topCalibration).calibration)
}

// CalibrationPoint describes a bin of probabilities: their mean and the share of positives, which
// are NaN if the bin is empty; its lower edge, which is NaN if bins have equal weight; the weight
// of its examples; and Gap, which is Weight times the distance between mean and share, rounded only
// once.
type CalibrationPoint struct{ MeanProbability, PositiveShare, From, Weight, Gap float64 }

// reliability returns the reliability diagram of a label. The pooled labels of a multiclass task
// have the diagram of the top class.
func (e *evaluation) reliability(label int) []CalibrationPoint {
	var bins []reliability.Bin
	s, ok := e.partial.stats[kindCalibration].(*calibration)
	top, hasTop := e.partial.stats[kindTopCalibration].(*topCalibration)
	switch {
	case e.params.Quantiles:
		if label == pooled && e.params.Task == Multiclass {
			label = TopClass
		}
		if bins = e.curveOf(label).QuantileBins(e.params.Bins); len(bins) == 0 || reliability.Overall(bins).Empty() {
			return nil
		}
	case label == pooled && hasTop:
		bins = top.label(0)
	case label == pooled && e.params.Task == Multiclass || !ok:
		return nil
	case label == pooled:
		bins = s.pooled(labelSet{})
	default:
		bins = s.label(label)
	}
	return pointsOf(bins, e.params.Quantiles)
}

// pointsOf returns the points of bins, by increasing probability. quantiles says that the bins have
// equal weight instead of equal width.
func pointsOf(bins []reliability.Bin, quantiles bool) []CalibrationPoint {
	points := make([]CalibrationPoint, len(bins))
	for i := range bins {
		b, p := &bins[i], &points[i]
		all := b.All()
		*p = CalibrationPoint{MeanProbability: math.NaN(), PositiveShare: math.NaN(), From: float64(i) / float64(len(bins))}
		if p.Gap, p.Weight = b.Gap(); p.Weight > 0 {
			p.MeanProbability = average(&b.Prediction, &all).Number
			p.PositiveShare = b.Positive.Weight() / p.Weight
		}
		if quantiles {
			p.From = math.NaN()
		}
	}
	if quantiles {
		slices.Reverse(points) // curves go from high to low scores
	}
	return points
}
