package metrics

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// countMetrics are functions of the 2×2 table of a label. To add one, write its function of Counts
// and a row here.
var countMetrics = []metric{
	{"tp", Binary, NeedDecisions, Higher, confidence.Count, counting(func(c Counts) Value { return defined(c.TP) }), "total weight of true positives", sklearn + ", confusion_matrix", nil},
	{"fp", Binary, NeedDecisions, Lower, confidence.Count, counting(func(c Counts) Value { return defined(c.FP) }), "total weight of false positives", sklearn + ", confusion_matrix", nil},
	{"tn", Binary, NeedDecisions, Higher, confidence.Count, counting(func(c Counts) Value { return defined(c.TN) }), "total weight of true negatives", sklearn + ", confusion_matrix", nil},
	{"fn", Binary, NeedDecisions, Lower, confidence.Count, counting(func(c Counts) Value { return defined(c.FN) }), "total weight of false negatives", sklearn + ", confusion_matrix", nil},
	{"accuracy", Binary | Multilabel, NeedDecisions, Higher, confidence.Proportion, counting(accuracy).asMean(), "$(tp + tn) / n$", sklearn, nil},
	{"balanced_accuracy", Binary, NeedDecisions, Higher, confidence.Logit, counting(balancedAccuracy), "mean of the recalls of the classes that occur", sklearn, nil},
	{"precision", Binary | Multiclass | Multilabel, NeedDecisions, Higher, confidence.Proportion, counting(precision), "$tp / (tp + fp)$", sklearn, []string{"ppv"}},
	{"recall", Binary | Multiclass | Multilabel, NeedDecisions, Higher, confidence.Proportion, counting(recall), "$tp / (tp + fn)$", sklearn, []string{"tpr", "sensitivity"}},
	{"specificity", Binary | Multiclass | Multilabel, NeedDecisions, Higher, confidence.Proportion, counting(specificity), "$tn / (tn + fp)$, the recall of the negatives", powers, []string{"tnr"}},
	{"f1", Binary | Multiclass | Multilabel, NeedDecisions, Higher, confidence.F1, countingWith(fbeta).with(1), "$2 tp / (2 tp + fp + fn)$, the harmonic mean of precision and recall", sklearn, nil},
	{"f<beta>", Binary | Multiclass | Multilabel, NeedDecisions, Higher, confidence.Logit, countingWith(fbeta), "$(1+β²) tp / ((1+β²) tp + β² fn + fp)$", sklearn, nil},
	{"jaccard", Binary | Multiclass | Multilabel, NeedDecisions, Higher, confidence.Proportion, counting(jaccard), "$tp / (tp + fp + fn)$", sklearn, []string{"iou"}},
	{"mcc", Binary | Multilabel, NeedDecisions, Higher, confidence.Atanh, counting(mcc), "Matthews correlation, $(tp tn - fp fn) / √((tp + fp) (tp + fn) (tn + fp) (tn + fn))$; 0 where a margin is empty", sklearn, []string{"matthews_corrcoef"}},
	{"npv", Binary, NeedDecisions, Higher, confidence.Proportion, counting(npv), "negative predictive value, $tn / (tn + fn)$", powers, nil},
	{"fpr", Binary, NeedDecisions, Lower, confidence.Proportion, counting(fpr), "false positive rate, $fp / (fp + tn)$", sklearn, []string{"fall_out"}},
	{"fnr", Binary, NeedDecisions, Lower, confidence.Proportion, counting(fnr), "false negative rate, $fn / (fn + tp)$", sklearn, []string{"miss_rate"}},
	{"fdr", Binary, NeedDecisions, Lower, confidence.Proportion, counting(fdr), "false discovery rate, $fp / (fp + tp)$", powers, nil},
	{"for", Binary, NeedDecisions, Lower, confidence.Proportion, counting(falseOmission), "false omission rate, $fn / (fn + tn)$", powers, nil},
	{"informedness", Binary, NeedDecisions, Higher, confidence.Atanh, counting(informedness), "$recall + specificity - 1$", powers, []string{"youden_j"}},
	{"markedness", Binary, NeedDecisions, Higher, confidence.Atanh, counting(markedness), "$precision + npv - 1$", powers, nil},
	{"fowlkes_mallows", Binary, NeedDecisions, Higher, confidence.Logit, counting(fowlkesMallows), "$√(precision · recall)$", powers, nil},
	{"prevalence", Binary, NeedDecisions, Neither, confidence.Proportion, counting(prevalence).asMean(), "share of positive examples", powers, nil},
	{"predicted_positive_rate", Binary, NeedDecisions, Neither, confidence.Proportion, counting(predictedRate).asMean(), "share of examples predicted positive", powers, []string{"selection_rate"}},
	{"positive_likelihood_ratio", Binary, NeedDecisions, Higher, confidence.Log, counting(positiveLikelihoodRatio), "$recall / (1 - specificity)$", sklearn, []string{"lr+"}},
	{"negative_likelihood_ratio", Binary, NeedDecisions, Lower, confidence.Log, counting(negativeLikelihoodRatio), "$(1 - recall) / specificity$", sklearn, []string{"lr-"}},
	{"expected_cost", Binary | Multilabel, NeedDecisions | needCosts, Lower, confidence.Log, costing.averaged("", macro).asMean(), docCost, elkan, nil},
	{"expected_cost", Multiclass, NeedDecisions | needCosts, Lower, confidence.Log, costOfClasses.asMean(), docCost, elkan, nil},
	{"diagnostic_odds_ratio", Binary, NeedDecisions, Higher, confidence.Log, counting(diagnosticOddsRatio), "$tp tn / (fp fn)$", "Glas et al. 2003", nil},
}

const (
	docCost = "mean over examples of what their true and predicted classes cost"
	elkan   = "Elkan 2001"
)

// counting evaluates a function of the 2×2 tables of labels.
func counting(f func(Counts) Value) evaluator {
	return countingWith(func(t Counts, _ float64) Value { return f(t) })
}

// countingWith is counting for a function with an argument.
func countingWith(f func(Counts, float64) Value) evaluator {
	return evaluator{from: kindConfusion, averages: allAverages, byLabel: func(e *evaluation, c choice) labelValues {
		t := e.labelTables()
		return labelValues{t.groups, func(label int) Value { return f(t.table(label), c.arg) },
			func(label int) (float64, int64) { return t.table(label).actual(), t.table(label).positives }}
	}}
}

// costing evaluates the mean cost of the examples of a label.
var costing = evaluator{from: kindConfusion, byLabel: func(e *evaluation, _ choice) labelValues {
	t, cost := e.labelTables(), e.params.Costs
	return labelValues{t.groups, func(label int) Value {
		if e.params.has(HasErrorCosts) {
			return average(&statisticOf[*errorCosts](e, kindErrorCosts).sum, e.weight())
		}
		c := t.table(label)
		var sum exact.Sum
		sum.AddProduct(c.TN, cost[0][0])
		sum.AddProduct(c.FP, cost[0][1])
		sum.AddProduct(c.FN, cost[1][0])
		sum.AddProduct(c.TP, cost[1][1])
		return average(&sum, e.weight())
	}, func(label int) (float64, int64) { return t.table(label).actual(), t.table(label).positives }}
}}

// errorCosts is the statistic of what the errors of examples cost, if each has costs of its own: the sum
// of weight · cost.
type errorCosts struct{ sum exact.Sum }

func (s *errorCosts) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		switch truth, predicted := b.Class[r], b.Predicted[r]; {
		case truth < predicted:
			s.sum.AddProduct(b.weight(r), b.CostFP[r])
		case truth > predicted:
			s.sum.AddProduct(b.weight(r), b.CostFN[r])
		}
	}
}

func (s *errorCosts) visit(v *fields.Visitor, from statistic) {
	fields.Visit(v, &s.sum, &from.(*errorCosts).sum)
}

func (s *errorCosts) fits(*Params) bool { return true }

// costOfClasses evaluates the mean cost of a confusion matrix.
var costOfClasses = evaluator{from: kindConfusion, overall: func(e *evaluation, _ choice) Value {
	var sum exact.Sum
	for c := range statisticOf[*confusion](e, kindConfusion).cells() {
		sum.AddProduct(c.tally.Weight(), e.params.Costs[c.truth][c.predicted])
	}
	return average(&sum, e.weight())
}}

// worth evaluates the net benefit that follows from the outcomes of a label at a threshold.
func worth(f func(o *outcomes, all *exact.Tally) (tp, fp *exact.Tally)) evaluator {
	ev := evaluator{from: kindLabelOutcomes, byLabel: func(e *evaluation, c choice) labelValues {
		s := statisticOf[*labelOutcomes](e, kindLabelOutcomes)
		thresholds := e.params.benefitThresholds()
		at := slices.Index(thresholds, c.arg)
		of := func(label int) *outcomes {
			return cmp.Or(s.Lookup(uint64(label*len(thresholds)+at)), new(outcomes))
		}
		return labelValues{eachLabel(e.params.scored()), func(label int) Value {
			tp, fp := f(of(label), e.weight())
			var sum exact.Sum
			sum.Add(tp.Weight())
			sum.AddProduct(fp.Weight(), -c.arg/(1-c.arg))
			return average(&sum, e.weight())
		}, func(label int) (float64, int64) {
			positive := of(label).positive()
			return positive.Weight(), positive.Rows()
		}}
	}}
	return ev.averaged("", macro)
}

func benefitOfLabel(o *outcomes, _ *exact.Tally) (tp, fp *exact.Tally) { return &o.tp, &o.fp }

// benefitOfAllInLabel predicts the label of every example.
func benefitOfAllInLabel(o *outcomes, all *exact.Tally) (tp, fp *exact.Tally) {
	tp, fp = o.positive(), new(exact.Tally)
	fp.Merge(all)
	fp.Subtract(tp)
	return tp, fp
}

// positive totals the examples that the label is true of.
func (o *outcomes) positive() *exact.Tally {
	sum := new(exact.Tally)
	sum.Merge(&o.tp)
	sum.Merge(&o.fn)
	return sum
}

// benefitThresholds returns the thresholds of metrics of net benefit of labels, in order. It returns
// none if a name of a metric is invalid.
func (p *Params) benefitThresholds() []float64 {
	if _, err := p.find(); err != nil {
		return nil
	}
	return p.compiled.benefits
}

// thresholdsOf returns the thresholds of those metrics that count the outcomes of labels, in order.
func thresholdsOf(metrics []choice) (list []float64) {
	for _, c := range metrics {
		if c.metric.from == kindLabelOutcomes {
			list = append(list, c.arg)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// labelOutcomes counts the outcomes of each label at each threshold of its probability, label by
// label: first all thresholds of the first label, then all of the next.
type labelOutcomes struct {
	fields.Keyed[outcomes, *outcomes]
	thresholds []float64
}

func (s *labelOutcomes) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		w := b.weight(r)
		for label := range b.Labels {
			at := int(r)*b.Labels + label
			for i, t := range s.thresholds {
				o := s.Value(uint64(label*len(s.thresholds) + i))
				switch positive := b.Probability[at] >= t; {
				case positive && b.Truth[at]:
					o.tp.Add(w)
				case positive:
					o.fp.Add(w)
				case b.Truth[at]:
					o.fn.Add(w)
				}
			}
		}
	}
}

func (s *labelOutcomes) visit(v *fields.Visitor, from statistic) {
	s.Keyed.Fields(v, &from.(*labelOutcomes).Keyed)
}

// reused returns the outcomes at some thresholds.
func (s *labelOutcomes) reused(u *Reuse) statistic {
	from, to := u.from.benefitThresholds(), u.to.benefitThresholds()
	some := new(labelOutcomes)
	for key, o := range s.All() {
		label, at := key/uint64(len(from)), key%uint64(len(from))
		if i, found := slices.BinarySearch(to, from[at]); found {
			*some.Value(label*uint64(len(to)) + uint64(i)) = *o
		}
	}
	return some
}

func (s *labelOutcomes) fits(p *Params) bool {
	return s.Below(uint64(p.scored()) * uint64(len(p.benefitThresholds())))
}

// Counts is the 2×2 table of a label, or of all labels pooled: the weights of true
// positives, false positives, false negatives and true negatives.
type Counts struct {
	TP, FP, FN, TN float64
	positives      int64 // the number of positive examples, unweighted
}

// scaled returns the counts divided by a power of four, so that their products neither overflow nor
// underflow and have the same digits.
func (c Counts) scaled() Counts {
	_, exponent := math.Frexp(max(c.TP, c.FP, c.FN, c.TN))
	exponent &^= 1
	for _, n := range []*float64{&c.TP, &c.FP, &c.FN, &c.TN} {
		*n = math.Ldexp(*n, -exponent)
	}
	return c
}

func (c Counts) actual() float64    { return c.TP + c.FN }
func (c Counts) predicted() float64 { return c.TP + c.FP }
func (c Counts) negative() float64  { return c.FP + c.TN }
func (c Counts) total() float64     { return c.TP + c.FP + c.FN + c.TN }

// The reasons for which ratios of counts are undefined.
const (
	noExamples          = "no examples"
	noPositives         = "no positive examples"
	noNegatives         = "no negative examples"
	noPredictions       = "no predicted positives"
	noNegPredictions    = "no predicted negatives"
	noPositivesAtAll    = "no positive examples and no predicted positives"
	oneClass            = "fewer than two classes among labels or predictions"
	noFalsePositives    = "no false positives"
	noErrors            = "no false positives or no false negatives"
	noTrueNegatives     = "no true negatives"
	chanceAgreement     = "agreement by chance is certain"
	labelsOfBothClasses = "labels are all positive or all negative"
)

func accuracy(c Counts) Value    { return quotient(c.TP+c.TN, c.total(), noExamples) }
func precision(c Counts) Value   { return Ratio(c.TP, c.predicted(), noPredictions) }
func recall(c Counts) Value      { return Ratio(c.TP, c.actual(), noPositives) }
func specificity(c Counts) Value { return Ratio(c.TN, c.negative(), noNegatives) }
func npv(c Counts) Value         { return Ratio(c.TN, c.FN+c.TN, noNegPredictions) }
func fpr(c Counts) Value         { return Ratio(c.FP, c.negative(), noNegatives) }
func fnr(c Counts) Value         { return Ratio(c.FN, c.actual(), noPositives) }
func fdr(c Counts) Value         { return Ratio(c.FP, c.predicted(), noPredictions) }

func falseOmission(c Counts) Value {
	return Ratio(c.FN, c.FN+c.TN, noNegPredictions)
}

func jaccard(c Counts) Value { return Ratio(c.TP, c.TP+c.FP+c.FN, noPositivesAtAll) }

// fbeta returns (1+β²)·tp / ((1+β²)·tp + β²·fn + fp).
func fbeta(c Counts, beta float64) Value {
	b := float64(beta * beta)
	v := Ratio((1+b)*c.TP, float64((1+b)*c.TP)+float64(b*c.FN)+c.FP, noPositivesAtAll)
	v.Trials = c.TP + c.FP + c.FN // the trials of Jaccard's index
	return v
}

// balancedAccuracy returns the mean recall of the classes that occur.
func balancedAccuracy(c Counts) Value {
	switch {
	case c.total() == 0:
		return Undefined(noExamples)
	case c.actual() == 0:
		return specificity(c)
	case c.negative() == 0:
		return recall(c)
	}
	return defined((c.TP/c.actual() + c.TN/c.negative()) / 2)
}

// mcc returns Matthews' correlation coefficient. It is 0 if a row or column of the table is empty,
// as in scikit-learn.
func mcc(c Counts) Value {
	if c.total() == 0 {
		return Undefined(noExamples)
	}
	c = c.scaled()
	den := math.Sqrt(c.predicted()) * math.Sqrt(c.actual()) * math.Sqrt(c.negative()) * math.Sqrt(c.FN+c.TN)
	if den == 0 {
		return Value{Undefined: oneClass}
	}
	var num exact.Sum
	num.AddProduct(c.TP, c.TN)
	num.AddProduct(-c.FP, c.FN)
	return defined(min(max(num.Float64()/den, -1), 1))
}

func informedness(c Counts) Value {
	if c.actual() == 0 || c.negative() == 0 {
		return Undefined(labelsOfBothClasses)
	}
	return defined(c.TP/c.actual() + c.TN/c.negative() - 1)
}

func markedness(c Counts) Value {
	if c.predicted() == 0 || c.FN+c.TN == 0 {
		return Undefined("predictions are all positive or all negative")
	}
	return defined(c.TP/c.predicted() + c.TN/(c.FN+c.TN) - 1)
}

func fowlkesMallows(c Counts) Value {
	return quotient(c.TP, math.Sqrt(c.predicted())*math.Sqrt(c.actual()), noPredictions+" or "+noPositives)
}

func prevalence(c Counts) Value    { return quotient(c.actual(), c.total(), noExamples) }
func predictedRate(c Counts) Value { return quotient(c.predicted(), c.total(), noExamples) }

func positiveLikelihoodRatio(c Counts) Value {
	switch {
	case c.actual() == 0:
		return Undefined(noPositives)
	case c.negative() == 0:
		return Undefined(noNegatives)
	}
	return quotient(c.TP/c.actual(), c.FP/c.negative(), noFalsePositives)
}

func negativeLikelihoodRatio(c Counts) Value {
	switch {
	case c.actual() == 0:
		return Undefined(noPositives)
	case c.negative() == 0:
		return Undefined(noNegatives)
	}
	return quotient(c.FN/c.actual(), c.TN/c.negative(), noTrueNegatives)
}

func diagnosticOddsRatio(c Counts) Value {
	c = c.scaled()
	return quotient(float64(c.TP*c.TN), float64(c.FP*c.FN), noErrors)
}
