package metrics

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/baselinechanges"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/multiprecision"
)

// changeMetrics compare a model's predictions with a baseline's, example by example.
var changeMetrics = slices.Concat(shareMetrics(), []metric{
	{"mcnemar_p_value", Binary | Multiclass, needBoth, Neither, confidence.NotSmooth, mcnemar, "p-value of the exact test whether as many examples, whatever their weights, become right as become wrong; 1 if none does", "McNemar 1947", nil},
	{"accuracy_change", Binary | Multiclass, needBoth, Higher, confidence.Identity, ofChanges(accuracyChange).asMean(), docAccuracyChange, sklearn, nil},
	{"accuracy_change", Multilabel, needBoth, Higher, confidence.Identity, ofChangesOfLabels(accuracyChange).asMean(), docAccuracyChange, sklearn, nil},
	{"mean_score_change", Binary, needRole(roles.BaselineScore) | NeedScores, Neither, confidence.Log, meanMove.asMean(), "mean of $|score - score of the baseline|$", sklearn + ", mean_absolute_error", nil},
	{"mean_score_change", Multilabel, needRole(roles.BaselineScore) | NeedScores, Neither, confidence.Log, meanMoveOfLabels.asMean(), "mean of $|score - score of the baseline|$", sklearn + ", mean_absolute_error", nil},
	{"score_change_quantile@<rank>", Binary | Multilabel, needRole(roles.BaselineScore) | NeedScores, Neither, confidence.NotSmooth, quantileOfMoves, "quantile of $|score - score of the baseline|$, in a multilabel task over all labels; to within 1/64 of it", "NumPy quantile, inverted_cdf", []string{"score_change_quantile"}},
})

// errorChangeMetrics compare a regression's predictions with a baseline's, example by example.
var errorChangeMetrics = []metric{
	{"mean_score_change", Regression, needEstimate | needRole(roles.BaselinePrediction), Neither, confidence.Log, meanMove.asMean(), "mean of $|p - prediction of the baseline|$", sklearn + ", mean_absolute_error", []string{"mean_prediction_change"}},
	{"score_change_quantile@<rank>", Regression, needEstimate | needRole(roles.BaselinePrediction), Neither, confidence.NotSmooth, quantileOfMoves, "quantile of $|p - prediction of the baseline|$; to within 1/64 of it", "NumPy quantile, inverted_cdf", []string{"score_change_quantile"}},
	{"larger_error_rate", Regression, needEstimate | needRole(roles.BaselinePrediction), Lower, confidence.Proportion, ofErrors(func(s *errorChanges, w *exact.Tally) Value {
		return quotient(s.larger.Weight(), w.Weight(), noExamples)
	}).asMean(), "share of examples whose $|y - p|$ is larger than the baseline's", "Yan et al. 2021", nil},
	{"smaller_error_rate", Regression, needEstimate | needRole(roles.BaselinePrediction), Higher, confidence.Proportion, ofErrors(func(s *errorChanges, w *exact.Tally) Value {
		return quotient(s.smaller.Weight(), w.Weight(), noExamples)
	}).asMean(), "share of examples whose $|y - p|$ is smaller than the baseline's", "Yan et al. 2021", nil},
	{"mae_change", Regression, needEstimate | needRole(roles.BaselinePrediction), Lower, confidence.Identity, ofBothResiduals(maeChange).asMean(), "$mae - mae of the baseline$", sklearn, nil},
	{"rmse_change", Regression, needEstimate | needRole(roles.BaselinePrediction), Lower, confidence.Identity, ofBothResiduals(rmseChange), "$rmse - rmse of the baseline$", sklearn, nil},
}

var needBoth = NeedDecisions | needRole(roles.BaselinePrediction)

const docAccuracyChange = "$accuracy - accuracy of the baseline$, which is $improvement_rate - regression_rate$"

// shareMetrics are shares of the examples: of all that have one class, or of each label.
func shareMetrics() (all []metric) {
	for _, m := range []struct {
		name    string
		tasks   Task
		better  Better
		what    func(*baselinechanges.Counts) *exact.Tally
		doc     string
		ref     string
		aliases []string
	}{
		{"flip_rate", Binary | Multiclass | Multilabel, Neither, func(c *baselinechanges.Counts) *exact.Tally { return &c.Changed }, "share of examples that are predicted to be of another class than by the baseline", tfma, []string{"symmetric_flip_rate"}},
		{"churn", Binary | Multiclass | Multilabel, Neither, func(c *baselinechanges.Counts) *exact.Tally { return &c.Changed }, "flip_rate, by the name it has in studies of the stability of models", "Milani Fard et al. 2016", nil},
		{"positive_to_negative_flip_rate", Binary | Multilabel, Neither, func(c *baselinechanges.Counts) *exact.Tally { return &c.PosNeg }, "share of all examples that the baseline predicts positive and that are now predicted negative", tfma, []string{"pos_to_neg_flip_rate"}},
		{"negative_to_positive_flip_rate", Binary | Multilabel, Neither, func(c *baselinechanges.Counts) *exact.Tally { return &c.NegPos }, "share of all examples that the baseline predicts negative and that are now predicted positive", tfma, []string{"neg_to_pos_flip_rate"}},
		{"positive_to_positive_rate", Binary | Multilabel, Neither, func(c *baselinechanges.Counts) *exact.Tally { return &c.PosPos }, "share of all examples that are predicted positive by both", tfma, []string{"pos_to_pos_flip_rate"}},
		{"negative_to_negative_rate", Binary | Multilabel, Neither, func(c *baselinechanges.Counts) *exact.Tally { return &c.NegNeg }, "share of all examples that are predicted negative by both", tfma, []string{"neg_to_neg_flip_rate"}},
		{"regression_rate", Binary | Multiclass | Multilabel, Lower, func(c *baselinechanges.Counts) *exact.Tally { return &c.Regressions }, "share of all examples that the baseline predicts right and that are now predicted wrong", "Yan et al. 2021", nil},
		{"improvement_rate", Binary | Multiclass | Multilabel, Higher, func(c *baselinechanges.Counts) *exact.Tally { return &c.Improvements }, "share of all examples that the baseline predicts wrong and that are now predicted right", "Yan et al. 2021", nil},
		{"both_right_rate", Binary | Multiclass | Multilabel, Higher, func(c *baselinechanges.Counts) *exact.Tally { return &c.BothRight }, "share of all examples that both predict right", "McNemar 1947", nil},
		{"both_wrong_rate", Binary | Multiclass | Multilabel, Lower, func(c *baselinechanges.Counts) *exact.Tally { return &c.BothWrong }, "share of all examples that both predict wrong", "McNemar 1947", nil},
	} {
		share := func(c *baselinechanges.Counts) Value { return quotient(m.what(c).Weight(), c.All.Weight(), noExamples) }
		all = append(all, metric{m.name, m.tasks &^ Multilabel, needBoth, m.better, confidence.Proportion, ofChanges(share).asMean(), m.doc, m.ref, m.aliases})
		if m.tasks&Multilabel != 0 {
			all = append(all, metric{m.name, Multilabel, needBoth, m.better, confidence.Proportion, ofChangesOfLabels(share).asMean(), m.doc, m.ref, m.aliases})
		}
	}
	return all
}

// ofChanges evaluates a function of what changed since the baseline.
func ofChanges(f func(*baselinechanges.Counts) Value) evaluator {
	return evaluator{from: kindChanges, overall: func(e *evaluation, _ choice) Value {
		return f(statisticOf[*changed](e, kindChanges).Counts())
	}}
}

// ofChangesOfLabels evaluates a function of what changed of each label.
func ofChangesOfLabels(f func(*baselinechanges.Counts) Value) evaluator {
	return ofChangedLabels(func(e *evaluation, s *baselinechanges.Labels, label int) Value { return f(s.Counts(label, e.weight())) })
}

// ofChangedLabels evaluates a function of each label. Every example has a value for every label, so
// the mean over labels equals the mean over all pairs of an example and a label.
func ofChangedLabels(f func(e *evaluation, s *baselinechanges.Labels, label int) Value) evaluator {
	return evaluator{from: kindLabelChanges, averages: []string{"", macro}, byLabel: func(e *evaluation, _ choice) labelValues {
		s := &statisticOf[*changedLabels](e, kindLabelChanges).Labels
		all := eachLabel(e.params.Labels)
		if !e.params.has(HasBaselineScores) { // labels that do not occur are alike
			all = all[:0]
			for label := range s.Met() {
				all = append(all, alike{label, 1})
			}
			if rest := e.params.Labels - len(all); rest > 0 {
				all = append(all, alike{unmet, rest})
			}
		}
		return labelValues{all, func(label int) Value { return f(e, s, label) }, func(label int) (float64, int64) {
			positives := s.Positives(label)
			return positives.Weight(), positives.Rows()
		}}
	}}
}

var mcnemar = ofChanges(func(c *baselinechanges.Counts) Value {
	if c.All.Rows() == 0 {
		return Undefined(noExamples)
	}
	return defined(baselinechanges.McNemar(c.Improvements.Rows(), c.Regressions.Rows()))
})

func accuracyChange(c *baselinechanges.Counts) Value {
	if c.All.Weight() == 0 {
		return Undefined(noExamples)
	}
	return defined(multiprecision.Over(multiprecision.Difference(c.Improvements.Big(), c.Regressions.Big()), c.All.Big()))
}

const farMove = "numbers differ by more than float64 holds"

// meanMove evaluates the mean change of scores or predictions.
var meanMove = evaluator{from: kindMoves, overall: func(e *evaluation, _ choice) Value {
	return ofMove(statisticOf[*moves](e, kindMoves).Mean())
}}

// quantileOfMoves evaluates a quantile of the changes.
var quantileOfMoves = evaluator{from: kindMoves, overall: func(e *evaluation, c choice) Value {
	return ofMove(statisticOf[*moves](e, kindMoves).Quantile(c.arg))
}}

// meanMoveOfLabels evaluates the mean change of the scores of each label.
var meanMoveOfLabels = ofChangedLabels(func(e *evaluation, s *baselinechanges.Labels, label int) Value {
	w := e.weight().Weight()
	return ofMove(s.Moved(label)/w, w > 0)
})

// ofMove returns the value of a change, which is undefined if there are no examples or if it is infinite.
func ofMove(x float64, ok bool) Value {
	switch {
	case !ok:
		return Undefined(noExamples)
	case math.IsInf(x, 0) || math.IsNaN(x):
		return Undefined(farMove)
	}
	return defined(x)
}

// changed is the statistic of what changed since the baseline.
type changed struct{ baselinechanges.Table }

func (s *changed) Fold(b *Batch, rows []int32) {
	if b.Baseline == nil || b.Predicted == nil {
		return
	}
	for _, r := range rows {
		s.Add(b.Class[r], b.Baseline[r], b.Predicted[r], b.weight(r))
	}
}

func (s *changed) visit(v *fields.Visitor, from statistic) { s.Fields(v, &from.(*changed).Table) }

func (s *changed) fits(p *Params) bool { return s.Classes() == 0 || s.Classes() == p.classes() }

func (s *changed) relabelled(to []int32, labels int) statistic {
	return &changed{s.Relabelled(to, labels)}
}

// changedLabels is the statistic of what changed of each label.
type changedLabels struct{ baselinechanges.Labels }

func (s *changedLabels) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		w := b.weight(r)
		if b.BaselineSet.Offset != nil && b.PredictedSet.Offset != nil {
			s.Add(b.True.Row(r), b.BaselineSet.Row(r), b.PredictedSet.Row(r), w)
		}
		if b.BaselineScore != nil {
			for label := range b.Labels {
				i := int(r)*b.Labels + label
				s.Move(label, b.BaselineScore[i], b.Score[i], w)
			}
		}
	}
}

func (s *changedLabels) visit(v *fields.Visitor, from statistic) {
	s.Fields(v, &from.(*changedLabels).Labels)
}

func (s *changedLabels) fits(p *Params) bool { return s.Below(uint64(p.Labels)) }

// moves is the statistic of how far scores or, in a regression, predictions have changed.
type moves struct{ baselinechanges.Moves }

func (s *moves) Fold(b *Batch, rows []int32) {
	old, now, width := b.BaselineScore, b.Score, b.Labels
	if b.Estimate != nil {
		old, now, width = b.BaselineEstimate, b.Estimate, 1
	}
	if old == nil {
		return
	}
	for _, r := range rows {
		w := b.weight(r)
		for i := int(r) * width; i < (int(r)+1)*width; i++ {
			s.Add(old[i], now[i], w)
		}
	}
}

func (s *moves) visit(v *fields.Visitor, from statistic) { s.Fields(v, &from.(*moves).Moves) }

func (s *moves) fits(*Params) bool { return true }

// errorChanges is the statistic that compares a regression's errors with its baseline's. The
// statistic residuals holds the regression's own errors.
type errorChanges struct {
	old             residuals   // of the baseline
	larger, smaller exact.Tally // whether |y - p| is larger or smaller than the baseline's
}

func (s *errorChanges) Fold(b *Batch, rows []int32) {
	if b.BaselineEstimate == nil {
		return
	}
	baseline := *b
	baseline.Estimate = b.BaselineEstimate
	s.old.Fold(&baseline, rows)
	for _, r := range rows {
		now, old := math.Abs(b.Target[r]-b.Estimate[r]), math.Abs(b.Target[r]-b.BaselineEstimate[r])
		switch {
		case now > old:
			s.larger.Add(b.weight(r))
		case now < old:
			s.smaller.Add(b.weight(r))
		}
	}
}

func (s *errorChanges) visit(v *fields.Visitor, from statistic) {
	f := from.(*errorChanges)
	s.old.visit(v, &f.old)
	fields.Visit(v, &s.larger, &f.larger)
	fields.Visit(v, &s.smaller, &f.smaller)
}

func (s *errorChanges) fits(*Params) bool { return true }

// ofErrors evaluates a function of errorChanges and of the weight of all examples.
func ofErrors(f func(*errorChanges, *exact.Tally) Value) evaluator {
	return evaluator{from: kindErrorChanges, overall: func(e *evaluation, _ choice) Value {
		return f(statisticOf[*errorChanges](e, kindErrorChanges), e.weight())
	}}
}

// ofBothResiduals evaluates a function of the residuals of a regression and of its baseline, and of the weight
// of all examples.
func ofBothResiduals(f func(now, old *residuals, w *exact.Tally) Value) evaluator {
	return evaluator{from: kindErrorChanges, also: kindResiduals, overall: func(e *evaluation, _ choice) Value {
		return f(statisticOf[*residuals](e, kindResiduals), &statisticOf[*errorChanges](e, kindErrorChanges).old, e.weight())
	}}
}

// Move counts the examples that the baseline predicts as one class and the model as another, or as
// the same. The classes belong to a binary or multiclass task, or to one label: 0 (absent) and 1.
type Move struct {
	Label               int // multilabel: the label; otherwise -1
	Baseline, Predicted int
	Count               int64   // the number of examples
	Weight              float64 // their total weight
	// The weights of examples that became right and wrong; 0 if both classes are the same.
	BecameRight, BecameWrong float64
}

// Moves returns the moves that occur in a partial, ordered by label, the baseline's class and
// predicted class. In multilabel tasks it covers the labels that have confusion matrices. It
// returns nothing if there is no baseline, or if the partial was folded under other Params.
func (p *Params) Moves(partial *Partial, o Options) (list []Move) {
	if p = p.orNothing(); !partial.fits(p) {
		return nil
	}
	add := func(label int, flows []baselinechanges.Flow) {
		for _, f := range flows {
			list = append(list, Move{label, f.Old, f.Now, f.All.Rows(), f.All.Weight(), f.Right.Weight(), f.Wrong.Weight()})
		}
	}
	if s, ok := partial.stats[kindChanges].(*changed); ok {
		add(-1, s.Flows())
	}
	if s, ok := partial.stats[kindLabelChanges].(*changedLabels); ok {
		o.PerLabel = o.PerLabel.confused(p.Labels)
		e := &evaluation{params: p, partial: partial, options: o}
		for _, label := range e.labels() {
			add(label, s.Flows(label, e.weight()))
		}
	}
	return list
}

func maeChange(now, old *residuals, w *exact.Tally) Value {
	var total exact.Sum
	total.Merge(&now.sums[momentSize])
	total.Subtract(&old.sums[momentSize])
	return average(&total, w)
}

func rmseChange(now, old *residuals, w *exact.Tally) Value {
	before := rootMeanSquaredError(old, w).Number
	v := rootMeanSquaredError(now, w).then(func(x float64) float64 { return x - before })
	v.HeavyTails = v.Undefined == "" && (now.heavyTailed(w) || old.heavyTailed(w))
	return v
}
