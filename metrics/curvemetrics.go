package metrics

import (
	"slices"

	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/internal/exactcurve"
)

// curveMetrics are read off ROC and precision-recall curves.
var curveMetrics = []metric{
	{"roc_auc", Binary | Multilabel, NeedScores | needCurve, Higher, confidence.Logit, areaOf(curves.ROCAUC), "area under the ROC curve: share of the pairs of a positive and a negative with the positive's score higher, ties counting one half", sklearn + ", roc_auc_score", []string{"auc", "concordance", "c_statistic"}},
	{"roc_auc_at_fpr@<fpr>", Binary | Multilabel, NeedScores | needCurve, Higher, confidence.Logit, bestOf(curves.ROCAUCAtFPR).averaged(allAverages...).onRequest(), "area under the ROC curve up to a false positive rate, standardized: ½ for scores that say nothing, 1 for perfect ones", "McClish 1989; " + sklearn + ", roc_auc_score with max_fpr", []string{"roc_auc_at_fpr@f"}},
	{"roc_auc_ovr", Multiclass, NeedScores | needCurve, Higher, confidence.Logit, areaOf(curves.ROCAUC), "ROC AUC of each class against the rest", sklearn + ", roc_auc_score", nil},
	{"roc_auc_ovo_macro", Multiclass, NeedScores | needCurve | needExactCurve, Higher, confidence.Logit, oneVsOne(false), "mean over pairs of classes of the ROC AUC of one against the other, by the scores of either", "Hand & Till 2001", nil},
	{"roc_auc_ovo_weighted", Multiclass, NeedScores | needCurve | needExactCurve, Higher, confidence.Logit, oneVsOne(true), "roc_auc_ovo_macro with pairs of classes weighted by their examples", sklearn + ", roc_auc_score", nil},
	{"roc_auc_optimistic", Binary, NeedScores | needCurve, Higher, confidence.Logit, areaOf(curves.ROCAUCOptimistic), "roc_auc with ties counting 1", "beameval", nil},
	{"roc_auc_optimistic", Multilabel, NeedScores | needCurve, Higher, confidence.Logit, areaOf(curves.ROCAUCOptimistic).onRequest(), "roc_auc with ties counting 1", "beameval", nil},
	{"roc_auc_pessimistic", Binary, NeedScores | needCurve, Higher, confidence.Logit, areaOf(curves.ROCAUCPessimistic), "roc_auc with ties counting 0", "beameval", nil},
	{"gini", Binary, NeedScores | needCurve, Higher, confidence.Atanh, areaOf(curves.Gini), "$2 roc_auc - 1$", "credit scoring; Somers' D", nil},
	{"average_precision", Binary | Multiclass | Multilabel, NeedScores | needCurve, Higher, confidence.Logit, areaOf(curves.AveragePrecision), "$Σ over thresholds of the precision · what recall grows by$", sklearn + ", average_precision_score", []string{"ap"}},
	{"pr_auc", Binary, NeedScores | needCurve, Higher, confidence.Logit, areaOf(curves.PRAUC), "area under the precision-recall curve by trapezoids", sklearn + ", auc of precision_recall_curve", nil},
	{"pr_auc_interpolated", Binary | Multilabel, NeedScores | needCurve, Higher, confidence.Logit, areaOf(curves.PRAUCInterpolated).onRequest(), "area under the precision-recall curve, with false positives growing linearly with true positives between its points", "Davis & Goadrich 2006", nil},
	{"ks", Binary, NeedScores | needCurve, Higher, confidence.Biased, bestOf(curves.KolmogorovSmirnov), "Kolmogorov-Smirnov statistic: largest $|tpr - fpr|$ of a threshold", "SciPy ks_2samp", nil},
	{"ks_threshold", Binary, NeedScores | needCurve, Neither, confidence.NotSmooth, thresholdOf(curves.KolmogorovSmirnov), "the threshold of ks", "SciPy ks_2samp", nil},
	{"max_f1", Binary | Multilabel, NeedScores | needCurve, Higher, confidence.Maximum, bestOf(curves.FBeta).with(1).averaged("", micro), "largest f1 of a threshold", "Lipton et al. 2014", nil},
	{"max_f1_threshold", Binary | Multilabel, NeedScores | needCurve, Neither, confidence.NotSmooth, thresholdOf(curves.FBeta).with(1), "the threshold of max_f1", "Lipton et al. 2014", nil},
	{"youden_threshold", Binary, NeedScores | needCurve, Neither, confidence.NotSmooth, thresholdOf(curves.Youden), "the threshold of the largest informedness", "Youden 1950", nil},
	{"recall_at_precision@<p>", Binary, NeedScores | needCurve, Higher, confidence.NotSmooth, bestOf(curves.RecallAtPrecision), "largest recall of a threshold whose precision is $p$ or more; 0 if there is none", tfma, nil},
	{"precision_at_recall@<r>", Binary, NeedScores | needCurve, Higher, confidence.Logit, bestOf(curves.PrecisionAtRecall), "largest precision of a threshold whose recall is $r$ or more", tfma, nil},
	{"recall_at_fpr@<f>", Binary, NeedScores | needCurve, Higher, confidence.Logit, bestOf(curves.RecallAtFPR), "largest recall of a threshold whose false positive rate is $f$ or less", tfma, nil},
	{"specificity_at_sensitivity@<s>", Binary, NeedScores | needCurve, Higher, confidence.Logit, bestOf(curves.SpecificityAtSensitivity), "largest specificity of a threshold whose recall is $s$ or more", tfma, nil},
	{"sensitivity_at_specificity@<s>", Binary, NeedScores | needCurve, Higher, confidence.Logit, bestOf(curves.SensitivityAtSpecificity), "largest recall of a threshold whose specificity is $s$ or more", tfma, nil},
	{"threshold_at_recall@<r>", Binary, NeedScores | needCurve, Neither, confidence.NotSmooth, thresholdOf(curves.ThresholdAtRecall), "highest threshold whose recall is $r$ or more", "beameval", nil},
	{"gain@<share>", Binary, NeedScores | needCurve, Higher, confidence.Logit, gain, docGain, "Provost & Fawcett 2013", []string{"gain@q"}},
	{"gain@<share>", Multilabel, NeedScores | needCurve, Higher, confidence.Logit, gain.averaged("", macro).onRequest(), docGain, "Provost & Fawcett 2013", []string{"gain@q"}},
	{"lift@<share>", Binary, NeedScores | needCurve, Higher, confidence.Log, lift, docLift, "Provost & Fawcett 2013", []string{"lift@q"}},
	{"lift@<share>", Multilabel, NeedScores | needCurve, Higher, confidence.Log, lift.averaged("", macro).onRequest(), docLift, "Provost & Fawcett 2013", []string{"lift@q"}},
	{"ndcg_micro", Multilabel, NeedScores | needCurve | needExactCurve, Higher, confidence.Logit, pooledNDCG, "ndcg of all scores of all labels as one ranking, ties sharing their places; weights do not count", sklearn + ", ndcg_score of the flattened matrix", nil},
}

const (
	docGain = "recall of the examples with the highest scores that make up a share of the weight"
	docLift = "precision of the examples with the highest scores that make up a share of the weight, divided by the prevalence"
)

// areaOf evaluates a measure of the whole curve of a label.
func areaOf(m curves.Area) evaluator {
	ev := ofCurves(func(_ *evaluation, _ choice, found *exactcurve.Curve) Value { return ofCurve(found.Areas.Area(m)) },
		func(_ choice, b *curves.Bounds) Value { return ofInterval(b.Area(m)) })
	switch m {
	case curves.PRAUC:
		ev.extra = exactcurve.Trapezoids
	case curves.PRAUCInterpolated:
		ev.extra = exactcurve.Interpolated
	}
	return ev
}

// gain evaluates the recall at a share of the examples.
var gain = func() evaluator {
	ev := bestOf(curves.RecallAtShare)
	ev.ofShare = true
	return ev
}()

// bestOf evaluates the value of an operating point of the curve of a label.
func bestOf(k curves.Objective) evaluator {
	ev := ofCurves(func(_ *evaluation, c choice, found *exactcurve.Curve) Value {
		return ofCurve(found.Areas.Operating(c.criterion()).Value)
	},
		func(c choice, b *curves.Bounds) Value { return ofInterval(b.Operating(c.criterion())) })
	ev.criterion = k
	return ev.averaged("")
}

// thresholdOf evaluates the threshold of an operating point of the curve of a label.
func thresholdOf(k curves.Objective) evaluator {
	ev := ofCurves(func(_ *evaluation, c choice, found *exactcurve.Curve) Value {
		return ofCurve(found.Areas.Operating(c.criterion()).Threshold)
	},
		func(c choice, b *curves.Bounds) Value {
			if k == curves.ThresholdAtRecall {
				return ofInterval(b.Operating(c.criterion()))
			}
			return ofCurve(b.Threshold(c.criterion()))
		})
	ev.criterion = k
	return ev.averaged("")
}

// lift evaluates the recall at a share, divided by the share.
var lift = func() evaluator {
	per := func(v Value, share float64) Value {
		v.Number, v.Low, v.High = v.Number/share, v.Low/share, v.High/share
		return v
	}
	ev := ofCurves(func(_ *evaluation, c choice, found *exactcurve.Curve) Value {
		return per(ofCurve(found.Areas.Operating(c.criterion()).Value), c.arg)
	},
		func(c choice, b *curves.Bounds) Value { return per(ofInterval(b.Operating(c.criterion())), c.arg) })
	ev.criterion, ev.ofShare = curves.RecallAtShare, true
	return ev.averaged("")
}()

// ofCurves evaluates a function of the curve of a label, for exact curves and for bounded ones.
func ofCurves(exactly func(*evaluation, choice, *exactcurve.Curve) Value, within func(choice, *curves.Bounds) Value) evaluator {
	return evaluator{from: kindLabelCurves, averages: allAverages, byLabel: func(e *evaluation, c choice) labelValues {
		labels := eachLabel(e.params.scored())
		if e.params.Curves == BoundedCurves && !e.params.Binned() {
			return labelValues{labels, func(label int) Value {
				if h := e.histogram(label); h != nil && !e.partial.weightless() {
					return within(c, e.boundsOf(label, h))
				}
				return Undefined(noExamples)
			}, statisticOf[*labelHistograms](e, kindLabelHistograms).support}
		}
		return labelValues{labels, func(label int) Value {
			if found := e.curveOf(label); !e.partial.weightless() && !found.Empty() {
				return exactly(e, c, found)
			}
			return Undefined(noExamples)
		}, func(label int) (float64, int64) {
			t := &e.curveOf(label).Positive
			return t.Weight(), t.Rows()
		}}
	}}
}

// oneVsOne evaluates the mean ROC AUC of pairs of classes.
func oneVsOne(byExamples bool) evaluator {
	return evaluator{from: kindLabelCurves, extra: exactcurve.Pairs, overall: func(e *evaluation, _ choice) Value {
		pairs, weights := make([]curves.Pairs, e.params.Labels), make([]float64, e.params.Labels)
		for label := range pairs {
			found := e.curveOf(label)
			pairs[label], weights[label] = found.Pairs, found.Positive.Weight()
		}
		return ofCurve(curves.OneVsOneROCAUC(pairs, weights, byExamples))
	}}
}

// pooledNDCG evaluates the NDCG of all scores of all labels as one ranking.
var pooledNDCG = evaluator{from: kindLabelCurves, curve: PooledLabel, extra: exactcurve.Gain, overall: func(e *evaluation, _ choice) Value {
	found := e.curveOf(pooled)
	if found.Positive.Empty() {
		return Undefined(noPositives)
	}
	return defined(found.Gain.NDCG(found.Positive.Rows()))
}}

func ofCurve(v curves.Value) Value { return Value{Number: v.Number, Undefined: v.Undefined} }

// ofInterval returns a bounded value, or an exact one if both ends of the interval equal it.
func ofInterval(v curves.Interval) Value {
	value := ofCurve(v.Value)
	if v.Undefined == "" && (v.Low != v.Number || v.High != v.Number) {
		value.Bounded, value.Low, value.High = true, v.Low, v.High
	}
	return value
}

// criterion returns the criterion of the metric's operating point.
func (c choice) criterion() curves.Criterion {
	return curves.Criterion{Objective: c.metric.evaluator.criterion, At: c.arg}
}

// criteria returns the criteria of all operating points.
func (p *Params) criteria() []curves.Criterion {
	var list []curves.Criterion
	add := func(c curves.Criterion) {
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	for c := range p.chosen() {
		if c.metric.evaluator.criterion != 0 {
			add(c.criterion())
		}
	}
	if p.Tuning != nil {
		add(*p.Tuning)
	}
	return list
}

// curveOf returns the curve of a label, exact or binned. It is empty if the label has no examples.
func (e *evaluation) curveOf(label int) *exactcurve.Curve {
	if e.params.Binned() {
		return e.binnedCurve(label)
	}
	if found := statisticOf[*labelCurves](e, kindLabelCurves).Lookup(e.params.curveKey(label)); found != nil && found.To != nil {
		return found.To
	}
	return new(exactcurve.Curve)
}

// binnedCurve returns the curve of a label through the ends of bins.
func (e *evaluation) binnedCurve(label int) *exactcurve.Curve {
	if found := e.binned[label]; found != nil {
		return found
	}
	found := new(exactcurve.Curve)
	if through := e.throughBins(label); through != nil && !through.Empty() {
		if e.work == nil {
			e.work = new(e.params.work())
		}
		*found = exactcurve.Curve{Positive: through.Positives, Negative: through.Negatives, Areas: *e.work.Through(through)}
	}
	if e.binned == nil {
		e.binned = make(map[int]*exactcurve.Curve)
	}
	e.binned[label] = found
	return found
}

// throughBins returns the curve of a label through the ends of bins, or nil if the label has no
// examples. It is valid until the next call.
func (e *evaluation) throughBins(label int) *curves.BinnedCurve {
	if e.params.binned {
		if bins := statisticOf[*labelBins](e, kindLabelBins).Lookup(e.params.curveKey(label)); bins != nil {
			return bins.Curve(&e.through)
		}
		return nil
	}
	if h := e.histogram(label); h != nil {
		return h.Curve()
	}
	return nil
}

// histogram returns the histogram of a label, or nil if it has none.
func (e *evaluation) histogram(label int) *curves.Histogram {
	s, ok := e.partial.stats[kindLabelHistograms].(*labelHistograms)
	if !ok {
		return nil
	}
	if label == pooled {
		return e.pooledHistogram(s)
	}
	if h := s.Lookup(uint64(label)); h != nil && h.To != nil && !h.To.Empty() {
		return h.To
	}
	return nil
}

// pooledHistogram returns the histogram of all labels together, if metrics need it.
func (e *evaluation) pooledHistogram(s *labelHistograms) *curves.Histogram {
	if e.pooled == nil && e.params.curveNeeds().pooled && s.Size() > 0 {
		e.pooled = s.pooled()
	}
	return e.pooled
}

// boundsOf returns the bounds that follow from the histogram of a label.
func (e *evaluation) boundsOf(label int, h *curves.Histogram) *curves.Bounds {
	if e.bounds == nil {
		e.bounds = make(map[int]*curves.Bounds)
	}
	if e.bounds[label] == nil {
		e.bounds[label] = h.Bounds(e.params.criteria()...)
	}
	return e.bounds[label]
}

// tunedCurve returns the curve on which the threshold of a label is chosen.
func (e *evaluation) tunedCurve(label int) *exactcurve.Curve {
	if e.params.TunesCosts() {
		label = CostLabel
	}
	return e.curveOf(label)
}

// tooHeavy reports whether a curve is undefined because its weights are too large. The weights of
// costs may be too large even if the weights of examples are not.
func tooHeavy(c *exactcurve.Curve) bool {
	return c.Positive.Weight() > heaviest || c.Negative.Weight() > heaviest
}

// Thresholds returns the best threshold of each label by p.Tuning, or NaN if a label has none. It
// returns nil if p is invalid or has no Tuning, or if the partial was folded under other Params.
func (p *Params) Thresholds(partial *Partial) []float64 {
	if p = p.orNothing(); p.Tuning == nil || !partial.fits(p) {
		return nil
	}
	e := &evaluation{params: p, partial: partial}
	list := make([]float64, p.scored())
	for label := range list {
		v := Undefined(noExamples)
		if partial.tooHeavy() {
			v = Undefined(weightsTooLarge)
		} else if h := e.histogram(label); h != nil {
			v = ofCurve(e.boundsOf(label, h).Threshold(*p.Tuning))
		} else if c := e.tunedCurve(label); tooHeavy(c) {
			v = Undefined(weightsTooLarge)
		} else if !c.Empty() {
			v = ofCurve(c.Areas.Operating(*p.Tuning).Threshold)
		}
		list[label] = v.Number
	}
	return list
}
