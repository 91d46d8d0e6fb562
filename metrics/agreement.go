package metrics

import (
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/baselinechanges"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/multiprecision"
)

// agreementMetrics compare true classes with predicted ones, or with probabilities, over the whole
// confusion matrix.
var agreementMetrics = []metric{
	{"accuracy", Multiclass, NeedDecisions, Higher, confidence.Proportion, agreement(multiclassAccuracy).asMean(), "share of examples whose predicted class is the true one", sklearn, nil},
	{"balanced_accuracy", Multiclass, NeedDecisions, Higher, confidence.Logit, agreement(multiclassBalancedAccuracy), "mean of the recalls of the classes that occur", sklearn, nil},
	{"mcc", Multiclass, NeedDecisions, Higher, confidence.Atanh, agreement(multiclassMCC), "Gorodkin's $R_K$; 0 where labels or predictions have one class only", sklearn, []string{"matthews_corrcoef"}},
	{"cohen_kappa", Binary | Multiclass, NeedDecisions, Higher, confidence.Atanh, agreement(cohenKappa), "$1 - observed disagreement / disagreement by chance$", sklearn, []string{"kappa", "cohen_kappa_score"}},
	{"cohen_kappa_linear", Multiclass, NeedDecisions, Higher, confidence.Atanh, agreement(linearKappa).ofOrder(), "kappa with disagreements weighted by $|i - j|$, classes in the order of the labels", sklearn, []string{"linear_weighted_kappa"}},
	{"cohen_kappa_quadratic", Multiclass, NeedDecisions, Higher, confidence.Atanh, agreement(quadraticKappa).ofOrder(), "kappa with disagreements weighted by $(i - j)²$", sklearn, []string{"quadratic_weighted_kappa"}},
	{"weighted_kappa_loss_linear", Multiclass, NeedProbabilities, Lower, confidence.Identity, kappaLoss(linearKappaLoss).ofOrder(), "$log(D / E + 10⁻⁶)$: $D$ is the sum of $|c - j| · probability of class j$, $c$ being the true class, and $E$ what $D$ would be with predictions independent of the labels", torre + ", as in TensorFlow Addons", nil},
	{"weighted_kappa_loss_quadratic", Multiclass, NeedProbabilities, Lower, confidence.Identity, kappaLoss(quadraticKappaLoss).ofOrder(), "weighted_kappa_loss_linear with $(c - j)²$ in place of $|c - j|$", torre + ", as in TensorFlow Addons", nil},
}

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

// agreement evaluates a function of the whole confusion matrix.
func agreement(f func(*confusion, margins) Value) evaluator {
	return evaluator{from: kindConfusion, overall: func(e *evaluation, _ choice) Value {
		s := statisticOf[*confusion](e, kindConfusion)
		if e.margins == nil {
			m := s.margins()
			e.margins = &m
		}
		return f(s, *e.margins)
	}}
}

// margins are the row and column totals of a confusion matrix. They remain exact, because agreement
// is a difference of nearly equal products if one class dominates.
type margins struct {
	classes          []int        // the classes that occur, in increasing order
	truth, predicted []*big.Float // by index in classes
	total, wrong     *big.Float
}

func (s *confusion) margins() margins {
	var truth, predicted fields.Keyed[tally, *tally]
	var total, wrong exact.Tally
	met := make(map[int]bool)
	for e := range s.cells() {
		met[e.truth], met[e.predicted] = true, true
		truth.Value(uint64(e.truth)).Merge(e.tally)
		predicted.Value(uint64(e.predicted)).Merge(e.tally)
		total.Merge(e.tally)
		if e.truth != e.predicted {
			wrong.Merge(e.tally)
		}
	}
	m := margins{classes: slices.Sorted(maps.Keys(met)), total: total.Big(), wrong: wrong.Big()}
	for _, k := range m.classes {
		m.truth = append(m.truth, truth.Value(uint64(k)).Big())
		m.predicted = append(m.predicted, predicted.Value(uint64(k)).Big())
	}
	return m
}

// actual returns the weight of the examples of a class.
func (m *margins) actual(class int) *big.Float {
	k, _ := slices.BinarySearch(m.classes, class)
	return m.truth[k]
}

func multiclassAccuracy(_ *confusion, m margins) Value {
	if m.total.Sign() <= 0 {
		return Undefined(noExamples)
	}
	v := defined(multiprecision.Over(multiprecision.Difference(m.total, m.wrong), m.total))
	v.Trials, _ = m.total.Float64()
	return v
}

// multiclassBalancedAccuracy returns the mean recall of the classes that occur.
func multiclassBalancedAccuracy(s *confusion, m margins) Value {
	var recalls exact.Sum
	for e := range s.cells() {
		if actual := m.actual(e.truth); e.truth == e.predicted && actual.Sign() > 0 {
			recalls.Add(multiprecision.Over(e.tally.Big(), actual))
		}
	}
	return quotient(recalls.Float64(), float64(occurring(m.truth)), noExamples)
}

// multiclassMCC returns Gorodkin's R_K. It is 0 if the labels or the predictions have only one
// class, as in scikit-learn.
func multiclassMCC(_ *confusion, m margins) Value {
	if m.total.Sign() <= 0 {
		return Undefined(noExamples)
	}
	if occurring(m.truth) < 2 || occurring(m.predicted) < 2 {
		return Value{Undefined: oneClass}
	}
	// Each of the three is n² times a variance or covariance.
	square := multiprecision.Product(m.total, m.total)
	truth, predicted := new(big.Float).Copy(square), new(big.Float).Copy(square)
	covariance := multiprecision.Difference(square, multiprecision.Product(m.wrong, m.total))
	for k, t := range m.truth {
		p := m.predicted[k]
		covariance.Sub(covariance, multiprecision.Product(t, p))
		truth.Sub(truth, multiprecision.Product(t, t))
		predicted.Sub(predicted, multiprecision.Product(p, p))
	}
	return correlation(covariance, truth, predicted, oneClass)
}

// occurring returns the number of classes with weight.
func occurring(weights []*big.Float) int {
	n := 0
	for _, w := range weights {
		if w.Sign() > 0 {
			n++
		}
	}
	return n
}

// kappa returns 1 - (observed disagreement) / (disagreement by chance). chance is n times the
// disagreement by chance.
func (m margins) kappa(observed, chance *big.Float) Value {
	switch {
	case m.total.Sign() <= 0:
		return Undefined(noExamples)
	case chance.Sign() <= 0:
		return Undefined(chanceAgreement)
	}
	return defined(1 - multiprecision.Over(multiprecision.Product(observed, m.total), chance))
}

// cohenKappa weights all disagreements equally.
func cohenKappa(_ *confusion, m margins) Value {
	chance := multiprecision.Product(m.total, m.total)
	for k, t := range m.truth {
		chance.Sub(chance, multiprecision.Product(t, m.predicted[k]))
	}
	return m.kappa(m.wrong, chance)
}

// linearKappa weights a disagreement between classes i and j by |i-j|. Classes are in the order of
// the labels.
func linearKappa(s *confusion, m margins) Value {
	return m.kappa(s.disagreement(func(d float64) float64 { return d }), multiprecision.LinearChance(m.classes, m.truth, m.predicted))
}

// quadraticKappa weights a disagreement between classes i and j by (i-j)².
func quadraticKappa(s *confusion, m margins) Value {
	return m.kappa(s.disagreement(func(d float64) float64 { return d * d }), multiprecision.QuadraticChance(m.classes, m.truth, m.predicted))
}

// disagreement returns the total weight of the errors, each multiplied by the cost of the distance
// between its classes.
func (s *confusion) disagreement(cost func(distance float64) float64) *big.Float {
	apart := map[int]*exact.Tally{}
	for e := range s.cells() {
		d := max(e.truth-e.predicted, e.predicted-e.truth)
		if apart[d] == nil {
			apart[d] = new(exact.Tally)
		}
		apart[d].Merge(e.tally)
	}
	total := multiprecision.Zero()
	for d, t := range apart {
		total.Add(total, multiprecision.Product(big.NewFloat(cost(float64(d))), t.Big()))
	}
	return total
}

// kappaLoss evaluates a function of the disagreement between classes and probabilities.
func kappaLoss(f func(*kappaLosses, *big.Float) Value) evaluator {
	return evaluator{from: kindKappaLoss, overall: func(e *evaluation, _ choice) Value {
		return f(statisticOf[*kappaLosses](e, kindKappaLoss), e.weight().Big())
	}}
}

// kappaLosses totals the disagreement of probabilities with true classes and, for the disagreement
// by chance, the weight of each class among labels and among probabilities. Classes are in the
// order of the labels. c is the true class or, for a soft label, the mean class.
type kappaLosses struct {
	margins           fields.Keyed[margin, *margin] // by class
	linear, quadratic exact.Sum                     // Σ w Σ |c-j| p_j, Σ w Σ (c-j)² p_j
}

// margin is the total weight of a class among labels and among probabilities.
type margin struct{ truth, predicted exact.Sum }

func (m *margin) Empty() bool { return m.truth.Empty() && m.predicted.Empty() }

func (m *margin) Fields(v *fields.Visitor, from *margin) {
	fields.Visit(v, &m.truth, &from.truth)
	fields.Visit(v, &m.predicted, &from.predicted)
}

func (s *kappaLosses) Fold(b *Batch, rows []int32) {
	for block := range slices.Chunk(rows, blockOfRows) {
		s.foldPredicted(b, block)
	}
	for _, r := range rows {
		w, at := b.weight(r), int(r)*b.Labels
		class := float64(b.Class[r])
		if b.Distribution == nil {
			s.margins.Value(uint64(b.Class[r])).truth.Add(w)
		} else {
			class = 0
			for k, t := range b.Distribution[at:][:b.Labels] {
				class += float64(float64(k) * t)
				addWeighted(&s.margins.Value(uint64(k)).truth, w, t)
			}
		}
		linear, quadratic := 0.0, 0.0
		for k, p := range b.Probability[at:][:b.Labels] {
			d := math.Abs(class - float64(k))
			linear += float64(d * p)
			quadratic += float64(float64(d*d) * p)
		}
		addWeighted(&s.linear, w, linear)
		addWeighted(&s.quadratic, w, quadratic)
	}
}

// foldPredicted adds the probabilities of a block of rows class by class, which keeps the sums in
// registers.
func (s *kappaLosses) foldPredicted(b *Batch, block []int32) {
	var ones [blockOfRows]float64 // the probabilities of rows of weight 1
	for k := range b.Labels {
		to, n := &s.margins.Value(uint64(k)).predicted, 0
		for _, r := range block {
			p := b.Probability[int(r)*b.Labels+k]
			if w := b.weight(r); w != 1 {
				to.AddProduct(w, p)
				continue
			}
			ones[n] = p
			n++
		}
		to.AddAll(ones[:n])
	}
}

// addWeighted adds w·x exactly, so that an example of weight 3 has the same result as three
// examples.
func addWeighted(s *exact.Sum, w, x float64) {
	if w == 1 {
		s.Add(x)
		return
	}
	s.AddProduct(w, x)
}

func (s *kappaLosses) visit(v *fields.Visitor, from statistic) {
	f := from.(*kappaLosses)
	s.margins.Fields(v, &f.margins)
	fields.Visit(v, &s.linear, &f.linear)
	fields.Visit(v, &s.quadratic, &f.quadratic)
}

func (s *kappaLosses) fits(p *Params) bool { return s.margins.Below(uint64(p.Labels)) }

// kappaLossEpsilon keeps the loss of perfect predictions finite. It is the value of TensorFlow
// Addons.
const kappaLossEpsilon = 1e-6

// noChanceDisagreement is the reason for which a kappa loss is undefined.
const noChanceDisagreement = "disagreement by chance is 0"

// linearKappaLoss weights a disagreement by the distance between the classes. n is the weight of
// all examples.
func linearKappaLoss(s *kappaLosses, n *big.Float) Value {
	return s.loss(&s.linear, multiprecision.LinearChance, n)
}

// quadraticKappaLoss weights a disagreement by the square of the distance.
func quadraticKappaLoss(s *kappaLosses, n *big.Float) Value {
	return s.loss(&s.quadratic, multiprecision.QuadraticChance, n)
}

// loss returns log(observed / (chance/n) + epsilon). It is undefined if all labels and all
// probability are on one class, because then there is no disagreement by chance to compare with.
func (s *kappaLosses) loss(observed *exact.Sum, chance func(classes []int, truth, predicted []*big.Float) *big.Float, n *big.Float) Value {
	if n.Sign() <= 0 {
		return Undefined(noExamples)
	}
	var classes []int
	var truth, predicted []*big.Float
	disagreement, finite := observed.Big()
	for k, m := range s.margins.All() {
		t, finiteTruth := m.truth.Big()
		p, finitePredicted := m.predicted.Big()
		finite = finite && finiteTruth && finitePredicted
		classes, truth, predicted = append(classes, int(k)), append(truth, t), append(predicted, p)
	}
	if !finite {
		return Undefined(notANumber)
	}
	byChance := chance(classes, truth, predicted)
	if byChance.Sign() <= 0 {
		return Undefined(noChanceDisagreement)
	}
	return defined(elementary.Log(multiprecision.Over(multiprecision.Product(disagreement, n), byChance) + kappaLossEpsilon))
}
