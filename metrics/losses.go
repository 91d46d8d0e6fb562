package metrics

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
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
