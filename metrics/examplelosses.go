package metrics

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/metrics/confidence"
)

// LossEvaluator computes how wrong the predictions of single examples are. It is not safe for
// concurrent use.
type LossEvaluator struct {
	name      string
	row       row
	threshold float64
	value     func(*LossEvaluator) (loss, margin float64)
	byLabel   func(e *LossEvaluator, each func(label int32, loss, margin float64))
	// What increaseOf needs: the task, the type of scores, and a row with the predictions of the baseline.
	task     Task
	scores   ScoreType
	baseline Batch
}

// lossesOfExamples is the table of the losses of single examples. The first loss that an evaluation
// allows orders its worst examples.
var lossesOfExamples = []struct {
	name    string
	tasks   Task
	from    Needs
	value   func(*LossEvaluator) (loss, margin float64)
	byLabel func(e *LossEvaluator, each func(label int32, loss, margin float64))
}{
	{"absolute_error", Regression, needEstimate, absoluteError, nil},
	{"squared_error", Regression, needEstimate, squaredError, nil},
	{"1 - ndcg", Ranking, 0, lossOfQuery, nil},
	{"1 - grade", Grading, needPass, lossOfAttempts, nil},
	{"disagreement", Agreement, 0, lossOfRatings, nil},
	{"log_loss", Multiclass, NeedProbabilities, lossOfClass, ofTrueClass},
	{"log_loss", Binary | Multilabel, NeedProbabilities, meanLossOfLabels, logLossByLabel},
	{"hamming_loss", Multilabel, NeedDecisions, shareOfWrongLabels, wrongLabels},
	{"zero_one_loss", Binary | Multiclass, NeedDecisions, zeroOneLoss, ofTrueClass},
	{"zero_one_loss", Multilabel, NeedDecisions, anyWrongLabel, wrongLabels},
	{"brier", Multiclass, NeedProbabilities, brierOfClasses, nil},
	{"brier", Binary | Multilabel, NeedProbabilities, meanBrierOfLabels, nil},
	{"regression", Binary | Multiclass, needBoth, brokenOnly, nil},
	{"log_loss_increase", Binary, NeedProbabilities | needRole(roles.BaselineScore), increaseOf(meanLossOfLabels), nil},
	{"log_loss_increase", Multiclass, NeedProbabilities | needRole(roles.BaselineScore), increaseOf(lossOfClass), nil},
	{"brier_increase", Binary, NeedProbabilities | needRole(roles.BaselineScore), increaseOf(meanBrierOfLabels), nil},
	{"brier_increase", Multiclass, NeedProbabilities | needRole(roles.BaselineScore), increaseOf(brierOfClasses), nil},
}

// LossesOfExamples returns the names of the losses that single examples have. The first one orders
// the worst examples.
func (p *Params) LossesOfExamples() []string {
	var names []string
	for _, l := range lossesOfExamples {
		if l.tasks&p.Task != 0 && l.from&^p.provides() == 0 {
			names = append(names, l.name)
		}
	}
	return names
}

// NewLossEvaluator returns an evaluator of a loss or, if the name is "", of the first of these that
// the examples allow:
//
//	absolute_error  regression: |estimate - target|
//	squared_error   regression: (estimate - target)²
//	1 - ndcg        ranking; undefined for queries that ndcg leaves out
//	1 - grade       grades that pass or not: the share of the attempts that do not pass
//	disagreement    ratings: the share of the pairs of ratings that differ; undefined for fewer than two
//	log_loss        probabilities and logits: as in the metric; multilabel: the mean over labels
//	hamming_loss    multilabel decisions: the share of labels that are predicted wrongly
//	zero_one_loss   decisions: 1 if the prediction of the example or of any of its labels is wrong, otherwise 0
//	brier           probabilities and logits: as in the metric; multilabel: the mean over labels
//
// and, if there are predictions of a baseline in a binary or multiclass task,
//
//	regression         1 if the baseline predicts right and the model wrong, otherwise 0
//	log_loss_increase  log_loss less the log_loss of the baseline's scores, but at least 0
//	brier_increase     brier, likewise
//
// If a metric is the mean of a measure of examples, as ranking_loss and [MeanOf] are, its name is
// the name of a loss, too: with "1 - " before it if higher values are better. threshold is the
// lowest score of a positive prediction in a binary task; it matters only for margins.
// NewLossEvaluator returns an error if p is invalid, or if the examples do not allow the loss.
func (p *Params) NewLossEvaluator(name string, threshold float64) (*LossEvaluator, error) {
	p, err := p.completed()
	if err != nil {
		return nil, err
	}
	names := p.LossesOfExamples()
	if len(names) == 0 && name == "" {
		if p.Task == Grading {
			return nil, fmt.Errorf("examples have a loss if their grades pass or not: set %s", p.Names.Of(settings.PassThreshold))
		}
		return nil, fmt.Errorf("task %s has neither probabilities nor decisions to take the loss of", p.Task)
	}
	if name == "" {
		name = names[0]
	}
	e := &LossEvaluator{name: name, row: newRow(p), threshold: threshold, task: p.Task, scores: p.ScoreType}
	if !slices.Contains(names, name) {
		if e.value = p.lossOf(name); e.value == nil {
			return nil, fmt.Errorf("%q is no loss that an example has: expected one of %q, or a metric that is a mean over examples", name, names)
		}
		return e, nil
	}
	for _, l := range lossesOfExamples {
		if l.name == name && l.tasks&p.Task != 0 {
			e.value, e.byLabel = l.value, l.byLabel
		}
	}
	return e, nil
}

// HasLoss reports whether NewLossEvaluator knows a loss by this name.
func (p *Params) HasLoss(name string) bool {
	return slices.Contains(p.LossesOfExamples(), name) || p.lossOf(name) != nil
}

// lossOf returns the loss that the name of a metric stands for, or nil if it is none.
func (p *Params) lossOf(name string) func(*LossEvaluator) (loss, margin float64) {
	of, flipped := strings.CutPrefix(name, "1 - ")
	found, err := p.lookup(of, DefaultArguments())
	if err != nil || len(found) != 1 {
		return nil
	}
	c := found[0]
	if m := c.metric; !m.isMean || p.betterOf(c) != map[bool]Better{false: Lower, true: Higher}[flipped] || flipped && m.scale == confidence.Identity || m.needs&needPropensity != 0 || p.missing(c) != 0 {
		return nil
	}
	value := c.metric.measures[0].value
	return func(e *LossEvaluator) (loss, margin float64) {
		e.row.grade = c.grade
		x, defined := value(&e.row, c.arg)
		switch {
		case !defined:
			return math.NaN(), 0
		case flipped:
			return max(1-x, 0), 0 // never below 0 by rounding
		}
		return x, 0
	}
}

// ForLosses returns parameters that compute next to nothing besides losses.
func (p Params) ForLosses() Params {
	switch {
	case p.Task == Regression:
		return p.Only("mae")
	case p.Task == Ranking:
		return p.Only("queries")
	case p.Task == Grading:
		return p.Only("attempts")
	case p.Task == Agreement:
		return p.Only("ratings")
	case !p.Decisions:
		return p.Only("log_loss")
	case p.Task == Multilabel:
		return p.Only("hamming_loss")
	}
	return p.Only("accuracy")
}

// Uncurved returns the names of the metrics that need neither curves nor rows without a label.
func (p *Params) Uncurved() (names []string) {
	for c := range p.chosen() {
		if p.needsOf(c)&(needCurve|needJudged) == 0 {
			names = append(names, c.full)
		}
	}
	return names
}

// Only returns parameters for these metrics, which need no curves, and for nothing else.
func (p Params) Only(names ...string) Params {
	p.Metrics = names
	p.Curves, p.Quantiles, p.Tuning, p.CurveLines = NoCurves, false, nil, 0
	p.Digest, p.Replicated, p.SpreadOf, p.ScoreHistograms = false, nil, nil, false
	return p
}

// Name returns the name of the loss.
func (e *LossEvaluator) Name() string { return e.name }

// NameByLabel returns the name of the loss of a single label.
func (e *LossEvaluator) NameByLabel() string {
	if e.name == "hamming_loss" {
		return "zero_one_loss"
	}
	return e.name
}

// Loss returns the loss of row r of a batch: 0 or more, perhaps infinite, or NaN if it is undefined.
// If two examples have the same zero_one_loss, the greater margin is worse. The margin is how far
// the score of a wrong prediction is on the wrong side of the threshold or, in a multiclass task,
// above the score of the true class. It is 0 for other losses.
func (e *LossEvaluator) Loss(b *Batch, r int32) (loss, margin float64) {
	e.row.moveTo(b, r)
	return e.value(e)
}

// ByLabel calls each for the labels of row r of a batch with a loss of their own: in a multiclass
// task for the true class, with the loss of the example; in a multilabel task for all labels whose
// loss is not 0. Other tasks have no labels.
func (e *LossEvaluator) ByLabel(b *Batch, r int32, each func(label int32, loss, margin float64)) {
	e.row.moveTo(b, r)
	e.byLabel(e, each)
}

func absoluteError(e *LossEvaluator) (loss, margin float64) {
	r := &e.row
	return math.Abs(r.Estimate[r.index] - r.Target[r.index]), 0
}

func squaredError(e *LossEvaluator) (loss, margin float64) {
	loss, _ = absoluteError(e)
	return float64(loss * loss), 0
}

func lossOfQuery(e *LossEvaluator) (loss, margin float64) {
	ndcg, defined := queryNDCG.value(&e.row, 0)
	if !defined {
		return math.NaN(), 0
	}
	return max(1-ndcg, 0), 0 // never below 0 by rounding
}

// lossOfAttempts is exact: 1 less a rounded share is not always the share of the others.
func lossOfAttempts(e *LossEvaluator) (loss, margin float64) {
	n, passing := e.row.passing()
	return float64(n-passing) / float64(n), 0
}

func lossOfRatings(e *LossEvaluator) (loss, margin float64) {
	agreed, defined := pairwiseAgreement.value(&e.row, 0)
	if !defined {
		return math.NaN(), 0
	}
	return 1 - agreed, 0
}

func lossOfClass(e *LossEvaluator) (loss, margin float64) {
	loss, _ = multiclassLogLoss.value(&e.row, 0)
	return loss, 0
}

func ofTrueClass(e *LossEvaluator, each func(label int32, loss, margin float64)) {
	loss, margin := e.value(e)
	each(e.row.Class[e.row.index], loss, margin)
}

// meanLossOfLabels adds up the losses in the order of the labels. A binary task has one label.
func meanLossOfLabels(e *LossEvaluator) (loss, margin float64) {
	total := 0.0
	for label := range e.row.Labels {
		total += e.row.logLoss(label)
	}
	return total / float64(e.row.Labels), 0
}

func logLossByLabel(e *LossEvaluator, each func(label int32, loss, margin float64)) {
	for label := range e.row.Labels {
		each(int32(label), e.row.logLoss(label), 0)
	}
}

// logLoss returns the log loss of a label of the row.
func (r *row) logLoss(label int) float64 {
	at := int(r.index)*r.Labels + label
	if r.Logit != nil {
		return logisticLoss(r.Logit[at], r.Truth[at])
	}
	return clippedLoss(math.Abs(float64(1-oneIf(r.Truth[at]))-r.Probability[at]), r.logLossEps)
}

func brierOfClasses(e *LossEvaluator) (loss, margin float64) {
	loss, _ = multiclassBrier.value(&e.row, 0)
	return loss, 0
}

func meanBrierOfLabels(e *LossEvaluator) (loss, margin float64) {
	total, r := 0.0, &e.row
	for label := range r.Labels {
		at := int(r.index)*r.Labels + label
		miss := r.Probability[at] - float64(oneIf(r.Truth[at]))
		total += float64(miss * miss)
	}
	return total / float64(r.Labels), 0
}

func anyWrongLabel(e *LossEvaluator) (loss, margin float64) {
	wrongLabels(e, func(int32, float64, float64) { loss = 1 })
	return loss, 0
}

func shareOfWrongLabels(e *LossEvaluator) (loss, margin float64) {
	wrong := 0
	wrongLabels(e, func(int32, float64, float64) { wrong++ })
	return float64(wrong) / float64(e.row.Labels), 0
}

// wrongLabels calls each for the labels that are either true or predicted, but not both.
func wrongLabels(e *LossEvaluator, each func(label int32, loss, margin float64)) {
	r := &e.row
	truth, predicted := r.True.Row(r.index), r.PredictedSet.Row(r.index)
	for len(truth)+len(predicted) > 0 {
		switch {
		case len(predicted) == 0 || len(truth) > 0 && truth[0] < predicted[0]:
			each(truth[0], 1, 0)
			truth = truth[1:]
		case len(truth) == 0 || predicted[0] < truth[0]:
			each(predicted[0], 1, 0)
			predicted = predicted[1:]
		default:
			truth, predicted = truth[1:], predicted[1:]
		}
	}
}

func zeroOneLoss(e *LossEvaluator) (loss, margin float64) {
	r := &e.row
	class, predicted := r.Class[r.index], r.Predicted[r.index]
	switch {
	case class == predicted:
		return 0, 0
	case len(r.Score) == 0 || r.Candidates.Offset != nil:
		return 1, 0
	case r.Labels > 1:
		scores := r.Score[int(r.index)*r.Labels:]
		margin = scores[predicted] - scores[class]
	default:
		if margin = r.Score[r.index] - e.threshold; class == 1 {
			margin = -margin
		}
	}
	if margin != margin { // the difference of equal infinities
		margin = 0
	}
	return 1, margin
}

// brokenOnly is 1 if the baseline predicts right and the model wrong.
func brokenOnly(e *LossEvaluator) (loss, margin float64) {
	r := &e.row
	class := r.Class[r.index]
	return float64(oneIf(r.Baseline[r.index] == class && r.Predicted[r.index] != class)), 0
}

// increaseOf returns a loss of the model less the baseline's, but at least 0.
func increaseOf(loss func(*LossEvaluator) (loss, margin float64)) func(*LossEvaluator) (loss, margin float64) {
	return func(e *LossEvaluator) (increase, margin float64) {
		now, _ := loss(e)
		one := e.row.only(e.row.index)
		e.baseline.SetBaseline(&one, e.task, e.scores)
		e.row.moveTo(&e.baseline, 0)
		if before, _ := loss(e); now > before {
			return now - before, 0
		}
		return 0, 0
	}
}
