package metrics

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/multiprecision"
)

// lossMetrics are means of the losses of probabilities.
var lossMetrics = []metric{
	{"log_loss", Binary | Multilabel, NeedProbabilities, Lower, confidence.Log, losing(logLoss).asMean(), "mean of $-log(probability of what was true)$", sklearn, []string{"binary_cross_entropy"}},
	{"log_loss", Multiclass, NeedProbabilities, Lower, confidence.Log, mean(multiclassLogLoss), "mean of $-log(probability of the true class)$; of soft labels, of $-Σ over classes of truth · log(probability)$", sklearn, []string{"cross_entropy"}},
	{"brier", Binary | Multilabel, NeedProbabilities, Lower, confidence.Log, losing(brier).asMean(), "mean of $(probability - label)²$", sklearn, []string{"brier_score_loss"}},
	{"brier", Multiclass, NeedProbabilities, Lower, confidence.Log, mean(multiclassBrier), "mean of $Σ over classes of (probability - truth)²$, in [0, 2]", sklearn + ", scale_by_half=False", []string{"brier_score_loss"}},
	{"brier_skill", Binary, NeedProbabilities, Higher, confidence.LogOneMinus, losing(brierSkill), "$1 - brier / (brier of always predicting the prevalence)$", "Murphy 1973; " + sklearn + ", d2_brier_score", []string{"d2_brier_score"}},
	{"brier_skill", Multiclass, NeedProbabilities, Higher, confidence.LogOneMinus, skillOf(multiclassBrier, brierOfShares), "$1 - brier / (brier of always predicting the shares of the classes)$", "Murphy 1973; " + sklearn + ", d2_brier_score", []string{"d2_brier_score"}},
	{"d2_log_loss_score", Binary | Multilabel, NeedProbabilities, Higher, confidence.LogOneMinus, losing(logLossSkill).averaged("", macro, weighted).onRequest(), "$1 - log_loss / (log_loss of always predicting the prevalence)$, which is $1 - normalized_entropy$", sklearn, []string{"d2_log_loss"}},
	{"d2_log_loss_score", Multiclass, NeedProbabilities, Higher, confidence.LogOneMinus, skillOf(multiclassLogLoss, entropyOfShares), "$1 - log_loss / (log_loss of always predicting the shares of the classes)$", sklearn, []string{"d2_log_loss"}},
	{"normalized_entropy", Binary | Multilabel, NeedProbabilities, Lower, confidence.Log, losing(normalizedEntropy).averaged("", macro, weighted), "$log_loss / (log_loss of always predicting the prevalence)$", "He et al. 2014", []string{"normalized_cross_entropy"}},
	{"log_loss_sum", Binary | Multilabel, NeedProbabilities, Lower, confidence.Count, totalling(logLossSum).onRequest(), "sum of the losses that log_loss is the mean of, times their weights; `_micro` adds up all labels", "beameval", nil},
	{"log_loss_sum", Multiclass, NeedProbabilities, Lower, confidence.Count, total(multiclassLogLoss).onRequest(), "sum of the losses that log_loss is the mean of, times their weights", "beameval", nil},
	{"net_benefit@<t>", Binary, NeedProbabilities, Higher, confidence.Identity, mean(netBenefit).onRequest(), docBenefit, vickers, nil},
	{"net_benefit@<t>", Multilabel, NeedProbabilities, Higher, confidence.Identity, worth(benefitOfLabel).onRequest().asMean(), docBenefit, vickers, nil},
	{"net_benefit_treat_all@<t>", Binary, NeedProbabilities, Neither, confidence.Identity, mean(netBenefitOfAll).onRequest(), docBenefitOfAll, vickers, nil},
	{"net_benefit_treat_all@<t>", Multilabel, NeedProbabilities, Neither, confidence.Identity, worth(benefitOfAllInLabel).onRequest().asMean(), docBenefitOfAll, vickers, nil},
	{"mean_label", Binary, NeedProbabilities, Neither, confidence.Proportion, losing(meanLabel).asMean(), "mean of the labels", tfma, nil},
	{"sigmoid_cross_entropy", Multilabel, NeedLogits, Lower, confidence.Log, losing(logLoss).only(micro).asMean(), "mean over examples of the mean over labels of the logistic loss", "TensorFlow", nil},
	{"sigmoid_cross_entropy_sum", Multilabel, NeedLogits, Lower, confidence.Log, labelSum.asMean(), "mean over examples of the sum over labels of the logistic loss", "TensorFlow", nil},
	{"softmax_cross_entropy", Multilabel, NeedLogits, Lower, confidence.Log, mean(softmaxCrossEntropy), "mean over examples of $-Σ over true labels of log softmax$", "TensorFlow, multi-hot targets", nil},
}

const (
	docBenefit      = "$tp/n - fp/n · t/(1 - t)$ if probabilities of at least $t$ are predicted positive"
	docBenefitOfAll = "net_benefit of predicting everything positive: $prevalence - (1 - prevalence) · t/(1 - t)$"
)

// losing evaluates a function of the losses of a label and of the weight of all examples.
func losing(f func(*losses, *exact.Tally) Value) evaluator {
	return evaluator{from: kindLabelLosses, averages: allAverages, byLabel: func(e *evaluation, c choice) labelValues {
		s, in := statisticOf[*labelLosses](e, kindLabelLosses), e.averagedBy(c)
		lossesOf := func(label int) *losses {
			if l := s.Lookup(uint64(label)); l != nil {
				return l
			}
			return new(losses)
		}
		value := func(label int) Value {
			if label == pooled {
				return f(s.pooled(in), e.weight()).then(func(x float64) float64 { return x / float64(in.size()) })
			}
			return f(lossesOf(label), e.weight())
		}
		return labelValues{eachLabel(e.params.scored()), value, func(label int) (float64, int64) {
			p := &lossesOf(label).positive
			return p.Weight(), p.Rows()
		}}
	}}
}

// totalling evaluates a sum over examples. The sum of all labels pooled is not divided by the
// number of labels.
func totalling(f func(*losses, *exact.Tally) Value) evaluator {
	ev := losing(f).averaged("", micro)
	means := ev.byLabel
	ev.byLabel = func(e *evaluation, c choice) labelValues {
		list := means(e, c)
		each := list.value
		list.value = func(label int) Value {
			if label == pooled {
				return f(statisticOf[*labelLosses](e, kindLabelLosses).pooled(e.averagedBy(c)), e.weight())
			}
			return each(label)
		}
		return list
	}
	return ev
}

// pooled returns the losses of labels together.
func (s *labelLosses) pooled(in labelSet) *losses {
	var sum losses
	for label, l := range s.All() {
		if in.has(int(label)) {
			fields.Merge(&sum, l)
		}
	}
	return &sum
}

// labelSum evaluates the sum over labels of the mean log loss.
var labelSum = evaluator{from: kindLabelLosses, overall: func(e *evaluation, _ choice) Value {
	return logLoss(statisticOf[*labelLosses](e, kindLabelLosses).pooled(labelSet{}), e.weight())
}}

func logLoss(l *losses, all *exact.Tally) Value { return average(&l.logLoss, all) }
func brier(l *losses, all *exact.Tally) Value   { return average(&l.squareErr, all) }

func meanLabel(l *losses, all *exact.Tally) Value {
	return quotient(l.positive.Weight(), all.Weight(), noExamples)
}

// brierSkill compares brier with the score of always predicting the prevalence.
func brierSkill(l *losses, all *exact.Tally) Value {
	y := meanLabel(l, all)
	if y.Undefined != "" {
		return y
	}
	reference := y.Number * (1 - y.Number)
	if reference == 0 {
		return Undefined(labelsOfBothClasses)
	}
	return defined(1 - brier(l, all).Number/reference)
}

// normalizedEntropy compares log loss with the entropy of the labels, which is the log loss of always
// predicting the prevalence.
func normalizedEntropy(l *losses, all *exact.Tally) Value {
	y := meanLabel(l, all)
	if y.Undefined != "" {
		return y
	}
	if entropy := entropyOf(y.Number); entropy > 0 {
		return defined(logLoss(l, all).Number / entropy)
	}
	return Undefined(labelsOfBothClasses)
}

// logLossSkill is the share of the log loss of always predicting the prevalence that probabilities save.
func logLossSkill(l *losses, all *exact.Tally) Value {
	return normalizedEntropy(l, all).then(func(x float64) float64 { return 1 - x })
}

// entropyOf returns the log loss of always predicting the prevalence.
func entropyOf(prevalence float64) float64 {
	entropy := -(float64(prevalence*elementary.Log(prevalence)) + float64((1-prevalence)*elementary.Log1p(-prevalence)))
	if entropy > 0 {
		return entropy
	}
	return 0 // NaN where a share is 0
}

func logLossSum(l *losses, all *exact.Tally) Value { return sumOver(&l.logLoss, all) }

// classShares is the statistic of the true shares of the classes: Σ w t of each, and Σ w Σ t² over all, t being
// 1 for the true class and 0 for others, or the distribution of a soft label.
type classShares struct {
	shares  fields.Keyed[shareSum, *shareSum]
	squares exact.Sum
}

// shareSum is a sum in a Keyed.
type shareSum struct{ weight exact.Sum }

func (s *shareSum) Empty() bool { return s.weight.Empty() }

func (s *shareSum) Fields(v *fields.Visitor, from *shareSum) {
	fields.Visit(v, &s.weight, &from.weight)
}

func (s *classShares) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		w := b.weight(r)
		if b.Distribution == nil {
			s.shares.Value(uint64(b.Class[r])).weight.Add(w)
			s.squares.Add(w)
			continue
		}
		squares := 0.0
		for class, t := range b.Distribution[int(r)*b.Labels:][:b.Labels] {
			if t != 0 {
				s.shares.Value(uint64(class)).weight.AddProduct(w, t)
				squares += float64(t * t)
			}
		}
		s.squares.AddProduct(w, squares)
	}
}

func (s *classShares) visit(v *fields.Visitor, from statistic) {
	f := from.(*classShares)
	s.shares.Fields(v, &f.shares)
	fields.Visit(v, &s.squares, &f.squares)
}

func (s *classShares) fits(p *Params) bool { return s.shares.Below(uint64(p.classes())) }

func (s *classShares) relabelled(to []int32, _ int) statistic {
	more := &classShares{shares: s.shares.Rekeyed(func(class uint64) uint64 { return uint64(to[class]) })}
	more.squares.Merge(&s.squares)
	return more
}

// brierOfShares returns the brier of always predicting the shares of the classes: the mean of Σ t² less Σ of the
// squares of the shares.
func brierOfShares(s *classShares, all *exact.Tally) float64 {
	weight := all.Big()
	squares, finite := s.squares.Big()
	if !finite {
		return math.NaN()
	}
	difference := multiprecision.Product(weight, squares)
	for _, sum := range s.shares.All() {
		of, _ := sum.weight.Big()
		difference.Sub(difference, multiprecision.Product(of, of))
	}
	return multiprecision.Over(difference, multiprecision.Product(weight, weight))
}

// entropyOfShares returns the log loss of always predicting the shares of the classes.
func entropyOfShares(s *classShares, all *exact.Tally) float64 {
	entropy, weight := 0.0, all.Big()
	for _, sum := range s.shares.All() {
		of, finite := sum.weight.Big()
		if !finite {
			return math.NaN()
		}
		share := multiprecision.Over(of, weight)
		log := elementary.Log(share)
		if share > 0.5 { // the logarithm is of the others
			log = elementary.Log1p(-multiprecision.Over(multiprecision.Difference(weight, of), weight))
		}
		entropy -= float64(share * log)
	}
	return entropy
}

// skillOf evaluates which share of a loss probabilities save, compared with always predicting the shares of the
// classes.
func skillOf(loss measure, ofShares func(*classShares, *exact.Tally) float64) evaluator {
	ev := mean(loss).onRequest()
	of := ev.overall
	ev.isMean, ev.also = false, kindClassShares
	ev.overall = func(e *evaluation, c choice) Value {
		v := of(e, c)
		if v.Undefined != "" {
			return v
		}
		s := statisticOf[*classShares](e, kindClassShares)
		reference := ofShares(s, e.weight())
		if !(reference > 0) {
			return Undefined("all examples are of one class")
		}
		return defined(1 - v.Number/reference)
	}
	return ev
}

// labelLosses totals the losses of the probabilities of each label: log loss and squared error. A
// binary task has a single label, 0.
type labelLosses struct {
	fields.Keyed[losses, *losses]
	*lossTable
}

// lossTable has the losses of the rows of a batch, a value per score, if they were computed in advance for all of the
// statistics that share the table.
type lossTable struct {
	eps                float64
	measured           *Batch // nil if there is none
	logLoss, squareErr []float64
}

func newLabelLosses(p *Params) *labelLosses {
	return &labelLosses{lossTable: &lossTable{eps: p.LogLossEps}}
}

// like returns empty labelLosses with the same table.
func (s *labelLosses) like() statistic { return &labelLosses{lossTable: s.lossTable} }

// ahead computes the losses of rows of a batch.
func (t *lossTable) ahead(b *Batch, rows []int32) {
	t.logLoss, t.squareErr = collections.Resize(t.logLoss, len(b.Probability)), collections.Resize(t.squareErr, len(b.Probability))
	var logLoss, squareErr [blockOfRows]float64
	for block := range slices.Chunk(rows, blockOfRows) {
		for label := range b.Labels {
			t.compute(b, block, label, &logLoss, &squareErr)
			for i, r := range block {
				at := int(r)*b.Labels + label
				t.logLoss[at], t.squareErr[at] = logLoss[i], squareErr[i]
			}
		}
	}
	t.measured = b
}

// forget forgets the losses of the batch.
func (t *lossTable) forget() { t.measured = nil }

// compute computes the losses of a label in a block of rows. No branch depends on whether the label is true,
// because the processor could not predict it.
func (t *lossTable) compute(b *Batch, block []int32, label int, logLoss, squareErr *[blockOfRows]float64) {
	for i, r := range block {
		at := int(r)*b.Labels + label
		p, truth := b.Probability[at], oneIf(b.Truth[at])
		miss := p - float64(truth)
		squareErr[i] = float64(miss * miss)
		if b.Logit == nil {
			logLoss[i] = clippedLoss(math.Abs(float64(1-truth)-p), t.eps)
		} else {
			logLoss[i] = logisticLoss(b.Logit[at], b.Truth[at])
		}
	}
}

type losses struct {
	positive           exact.Tally
	logLoss, squareErr exact.Sum // weighted
}

func (s *labelLosses) Fold(b *Batch, rows []int32) {
	if len(rows) > 0 {
		s.Cover(uint64(b.Labels))
	}
	for block := range slices.Chunk(rows, blockOfRows) {
		for label := range b.Labels {
			s.add(s.Value(uint64(label)), b, block, label)
		}
	}
}

func (l *losses) Empty() bool {
	return l.positive.Empty() && l.logLoss.Empty() && l.squareErr.Empty()
}

func (l *losses) Fields(v *fields.Visitor, from *losses) {
	fields.Visit(v, &l.positive, &from.positive)
	fields.Visit(v, &l.logLoss, &from.logLoss)
	fields.Visit(v, &l.squareErr, &from.squareErr)
}

// blockOfRows is the number of rows that are folded label by label: few enough for their scores to
// stay in the cache.
const blockOfRows = 64

// add adds the probabilities of a label in a block of rows.
func (s *labelLosses) add(to *losses, b *Batch, block []int32, label int) {
	var positive, logLoss, squareErr [blockOfRows]float64
	positives := 0
	for i, r := range block {
		at := int(r)*b.Labels + label
		positive[positives] = b.weight(r)
		positives += oneIf(b.Truth[at])
		if s.measured == b {
			logLoss[i], squareErr[i] = s.logLoss[at], s.squareErr[at]
		}
	}
	if s.measured != b {
		s.compute(b, block, label, &logLoss, &squareErr)
	}
	if b.Weight != nil {
		for i, r := range block {
			logLoss[i], squareErr[i] = times(b.Weight[r], logLoss[i]), times(b.Weight[r], squareErr[i])
		}
	}
	to.positive.AddAll(positive[:positives])
	to.logLoss.AddAll(logLoss[:len(block)])
	to.squareErr.AddAll(squareErr[:len(block)])
}

func (s *labelLosses) visit(v *fields.Visitor, from statistic) {
	s.Keyed.Fields(v, &from.(*labelLosses).Keyed)
}
func (s *labelLosses) fits(p *Params) bool { return s.Below(uint64(p.scored())) }

// clippedLoss returns -log p, where p is the probability of the true outcome, clipped to [eps,
// 1-eps] as in scikit-learn's log_loss.
func clippedLoss(p, eps float64) float64 {
	switch highest := 1 - eps; { // nearly all are within, so the branches are predictable
	case p < eps:
		p = eps
	case p > highest:
		p = highest
	}
	return -elementary.Log(p)
}

// logisticLoss returns the log loss of a logit: log(1 + e^-z) for a positive, log(1 + e^z) for a
// negative. It neither overflows nor saturates.
func logisticLoss(z float64, positive bool) float64 {
	if positive {
		z = -z
	}
	return max(z, 0) + elementary.Log1p(elementary.Exp(-math.Abs(z)))
}

// times returns w·x, or 0 if w is 0, even if x is infinite: an example without weight adds nothing.
// The conversion prevents the compiler from fusing the product with a sum.
func times(w, x float64) float64 {
	if w == 0 {
		return 0
	}
	return float64(w * x)
}

// What a positive prediction of an example is worth: 1 if it is true, and otherwise as much less than
// 0 as makes it worth nothing on average if the probability is the threshold.
var (
	netBenefit = measure{value: func(r *row, threshold float64) (float64, bool) {
		if r.Probability[r.index] < threshold {
			return 0, true
		}
		return netBenefitOfAll.value(r, threshold)
	}}
	netBenefitOfAll = measure{value: func(r *row, threshold float64) (float64, bool) {
		if r.Truth[r.index] {
			return 1, true
		}
		return -threshold / (1 - threshold), true
	}}
)

// The losses of an example over all classes.
var (
	multiclassLogLoss = measure{value: func(r *row, _ float64) (float64, bool) {
		i, scores := int(r.index)*r.Labels, r.Labels
		switch {
		case r.Distribution != nil:
			return crossEntropy(r.Batch, int(r.index), r.logLossEps), true
		case r.Logit != nil:
			logits := r.Logit[i:][:scores]
			return logSumExp(logits).loss(logits[r.Class[r.index]]), true
		}
		return clippedLoss(r.Probability[i+int(r.Class[r.index])], r.logLossEps), true
	}}
	multiclassBrier = measure{value: func(r *row, _ float64) (float64, bool) {
		if r.Distribution != nil {
			return squaredDistance(r.Batch, int(r.index)), true
		}
		total, class := 0.0, int(r.Class[r.index])
		for label, p := range r.Probability[int(r.index)*r.Labels:][:r.Labels] {
			if label == class {
				p--
			}
			total += float64(p * p)
		}
		return total, true
	}}
	// softmaxCrossEntropy is for multilabel tasks: the sum of the losses of the true labels, as if
	// the labels were classes.
	softmaxCrossEntropy = measure{value: func(r *row, _ float64) (float64, bool) {
		logits := r.Logit[int(r.index)*r.Labels:][:r.Labels]
		total, whole := 0.0, logSumExp(logits)
		for _, label := range r.True.Row(r.index) {
			total += whole.loss(logits[label])
		}
		return total, true
	}}
)

// crossEntropy returns -Σ over classes of t·log p, where t is the true distribution of row r. If t
// is 0, p does not matter, even if it is 0. Probabilities are clipped to [eps, 1-eps]; those
// computed from logits are not. A soft label with its whole distribution on one class has the same
// loss, down to the last bit, as that class. The same holds for squaredDistance.
func crossEntropy(b *Batch, r int, eps float64) float64 {
	truth, total := b.Distribution[r*b.Labels:][:b.Labels], 0.0
	if b.Logit != nil {
		logits := b.Logit[r*b.Labels:][:b.Labels]
		whole := logSumExp(logits)
		for k, t := range truth {
			total += times(t, whole.loss(logits[k]))
		}
		return total
	}
	for k, p := range b.Probability[r*b.Labels:][:b.Labels] {
		if truth[k] != 0 {
			total += times(truth[k], clippedLoss(p, eps))
		}
	}
	return total
}

// squaredDistance returns Σ over classes of (p-t)², where t is the true distribution of
// row r.
func squaredDistance(b *Batch, r int) float64 {
	truth, total := b.Distribution[r*b.Labels:][:b.Labels], 0.0
	for k, p := range b.Probability[r*b.Labels:][:b.Labels] {
		miss := p - truth[k]
		total += float64(miss * miss)
	}
	return total
}

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
