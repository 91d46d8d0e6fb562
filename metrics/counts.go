package metrics

import (
	"math"

	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
)

// countMetrics are functions of the 2×2 table of a label. To add one, write its function
// of counts and a row here.
var countMetrics = []metric{
	{"tp", Binary, needDecision, Higher, confidence.Count, counting(func(c counts) Value { return defined(c.tp) }), "total weight of true positives", sklearn + ", confusion_matrix", nil},
	{"fp", Binary, needDecision, Lower, confidence.Count, counting(func(c counts) Value { return defined(c.fp) }), "total weight of false positives", sklearn + ", confusion_matrix", nil},
	{"tn", Binary, needDecision, Higher, confidence.Count, counting(func(c counts) Value { return defined(c.tn) }), "total weight of true negatives", sklearn + ", confusion_matrix", nil},
	{"fn", Binary, needDecision, Lower, confidence.Count, counting(func(c counts) Value { return defined(c.fn) }), "total weight of false negatives", sklearn + ", confusion_matrix", nil},
	{"accuracy", Binary | Multilabel, needDecision, Higher, confidence.Proportion, counting(accuracy), "(tp + tn) / n", sklearn, nil},
	{"balanced_accuracy", Binary, needDecision, Higher, confidence.Logit, counting(balancedAccuracy), "mean of the recalls of the classes that occur", sklearn, nil},
	{"precision", Binary | Multiclass | Multilabel, needDecision, Higher, confidence.Proportion, counting(precision), "tp / (tp + fp)", sklearn, []string{"ppv"}},
	{"recall", Binary | Multiclass | Multilabel, needDecision, Higher, confidence.Proportion, counting(recall), "tp / (tp + fn)", sklearn, []string{"tpr", "sensitivity"}},
	{"specificity", Binary | Multiclass | Multilabel, needDecision, Higher, confidence.Proportion, counting(specificity), "tn / (tn + fp), the recall of the negatives", powers, []string{"tnr"}},
	{"f1", Binary | Multiclass | Multilabel, needDecision, Higher, confidence.F1, countingWith(fbeta).with(1), "2 tp / (2 tp + fp + fn), the harmonic mean of precision and recall", sklearn, nil},
	{"f<beta>", Binary | Multiclass | Multilabel, needDecision, Higher, confidence.Logit, countingWith(fbeta), "(1+β²) tp / ((1+β²) tp + β² fn + fp)", sklearn, nil},
	{"jaccard", Binary | Multiclass | Multilabel, needDecision, Higher, confidence.Proportion, counting(jaccard), "tp / (tp + fp + fn)", sklearn, []string{"iou"}},
	{"mcc", Binary | Multilabel, needDecision, Higher, confidence.Atanh, counting(mcc), "Matthews correlation; 0 where a margin is empty", sklearn, []string{"matthews_corrcoef"}},
	{"npv", Binary, needDecision, Higher, confidence.Proportion, counting(npv), "negative predictive value, tn / (tn + fn)", powers, nil},
	{"fpr", Binary, needDecision, Lower, confidence.Proportion, counting(fpr), "false positive rate, fp / (fp + tn)", sklearn, []string{"fall_out"}},
	{"fnr", Binary, needDecision, Lower, confidence.Proportion, counting(fnr), "false negative rate, fn / (fn + tp)", sklearn, []string{"miss_rate"}},
	{"fdr", Binary, needDecision, Lower, confidence.Proportion, counting(fdr), "false discovery rate, fp / (fp + tp)", powers, nil},
	{"for", Binary, needDecision, Lower, confidence.Proportion, counting(falseOmission), "false omission rate, fn / (fn + tn)", powers, nil},
	{"informedness", Binary, needDecision, Higher, confidence.Atanh, counting(informedness), "recall + specificity - 1", powers, []string{"youden_j"}},
	{"markedness", Binary, needDecision, Higher, confidence.Atanh, counting(markedness), "precision + npv - 1", powers, nil},
	{"fowlkes_mallows", Binary, needDecision, Higher, confidence.Logit, counting(fowlkesMallows), "√(precision · recall)", powers, nil},
	{"prevalence", Binary, needDecision, Neither, confidence.Proportion, counting(prevalence), "share of positive examples", powers, nil},
	{"predicted_positive_rate", Binary, needDecision, Neither, confidence.Proportion, counting(predictedRate), "share of examples predicted positive", powers, []string{"selection_rate"}},
	{"positive_likelihood_ratio", Binary, needDecision, Higher, confidence.Log, counting(positiveLikelihoodRatio), "recall / (1 - specificity)", sklearn, []string{"lr+"}},
	{"negative_likelihood_ratio", Binary, needDecision, Lower, confidence.Log, counting(negativeLikelihoodRatio), "(1 - recall) / specificity", sklearn, []string{"lr-"}},
	{"diagnostic_odds_ratio", Binary, needDecision, Higher, confidence.Log, counting(diagnosticOddsRatio), "tp tn / (fp fn)", "Glas et al. 2003", nil},
}

// counting evaluates a function of the 2×2 tables of labels.
func counting(f func(counts) Value) evaluator {
	return countingWith(func(t counts, _ float64) Value { return f(t) })
}

// countingWith is counting for a function with an argument.
func countingWith(f func(counts, float64) Value) evaluator {
	return evaluator{from: kindConfusion, averages: allAverages, byLabel: func(e *evaluation, c choice) labelValues {
		t := e.labelTables()
		return labelValues{t.groups, func(label int) Value { return f(t.table(label), c.arg) },
			func(label int) (float64, int64) { return t.table(label).actual(), t.table(label).positives }}
	}}
}

// counts is the 2×2 table of a label, or of all labels pooled: the weights of true
// positives, false positives, false negatives and true negatives.
type counts struct {
	tp, fp, fn, tn float64
	positives      int64 // examples that are positive, unweighted
}

func (c counts) actual() float64    { return c.tp + c.fn }
func (c counts) predicted() float64 { return c.tp + c.fp }
func (c counts) negative() float64  { return c.fp + c.tn }
func (c counts) total() float64     { return c.tp + c.fp + c.fn + c.tn }

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

func accuracy(c counts) Value    { return quotient(c.tp+c.tn, c.total(), noExamples) }
func precision(c counts) Value   { return ratio(c.tp, c.predicted(), noPredictions) }
func recall(c counts) Value      { return ratio(c.tp, c.actual(), noPositives) }
func specificity(c counts) Value { return ratio(c.tn, c.negative(), noNegatives) }
func npv(c counts) Value         { return ratio(c.tn, c.fn+c.tn, noNegPredictions) }
func fpr(c counts) Value         { return ratio(c.fp, c.negative(), noNegatives) }
func fnr(c counts) Value         { return ratio(c.fn, c.actual(), noPositives) }
func fdr(c counts) Value         { return ratio(c.fp, c.predicted(), noPredictions) }

func falseOmission(c counts) Value {
	return ratio(c.fn, c.fn+c.tn, noNegPredictions)
}

func jaccard(c counts) Value { return ratio(c.tp, c.tp+c.fp+c.fn, noPositivesAtAll) }

// fbeta returns (1+β²)·tp / ((1+β²)·tp + β²·fn + fp).
func fbeta(c counts, beta float64) Value {
	b := float64(beta * beta)
	v := ratio((1+b)*c.tp, float64((1+b)*c.tp)+float64(b*c.fn)+c.fp, noPositivesAtAll)
	v.trials = c.tp + c.fp + c.fn // of Jaccard's index
	return v
}

// balancedAccuracy returns the mean recall of the classes that occur.
func balancedAccuracy(c counts) Value {
	switch {
	case c.total() == 0:
		return undefined(noExamples)
	case c.actual() == 0:
		return specificity(c)
	case c.negative() == 0:
		return recall(c)
	}
	return defined((c.tp/c.actual() + c.tn/c.negative()) / 2)
}

// mcc is 0 if a row or column of the table is empty, as in scikit-learn.
func mcc(c counts) Value {
	if c.total() == 0 {
		return undefined(noExamples)
	}
	den := math.Sqrt(c.predicted()) * math.Sqrt(c.actual()) * math.Sqrt(c.negative()) * math.Sqrt(c.fn+c.tn)
	if den == 0 {
		return Value{Undefined: oneClass}
	}
	var num exact.Sum
	num.AddProduct(c.tp, c.tn)
	num.AddProduct(-c.fp, c.fn)
	return defined(min(max(num.Float64()/den, -1), 1))
}

func informedness(c counts) Value {
	if c.actual() == 0 || c.negative() == 0 {
		return undefined(labelsOfBothClasses)
	}
	return defined(c.tp/c.actual() + c.tn/c.negative() - 1)
}

func markedness(c counts) Value {
	if c.predicted() == 0 || c.fn+c.tn == 0 {
		return undefined("predictions are all positive or all negative")
	}
	return defined(c.tp/c.predicted() + c.tn/(c.fn+c.tn) - 1)
}

func fowlkesMallows(c counts) Value {
	return quotient(c.tp, math.Sqrt(c.predicted())*math.Sqrt(c.actual()), noPredictions+" or "+noPositives)
}

func prevalence(c counts) Value    { return quotient(c.actual(), c.total(), noExamples) }
func predictedRate(c counts) Value { return quotient(c.predicted(), c.total(), noExamples) }

func positiveLikelihoodRatio(c counts) Value {
	switch {
	case c.actual() == 0:
		return undefined(noPositives)
	case c.negative() == 0:
		return undefined(noNegatives)
	}
	return quotient(c.tp/c.actual(), c.fp/c.negative(), noFalsePositives)
}

func negativeLikelihoodRatio(c counts) Value {
	switch {
	case c.actual() == 0:
		return undefined(noPositives)
	case c.negative() == 0:
		return undefined(noNegatives)
	}
	return quotient(c.fn/c.actual(), c.tn/c.negative(), noTrueNegatives)
}

func diagnosticOddsRatio(c counts) Value {
	return quotient(float64(c.tp*c.tn), float64(c.fp*c.fn), noErrors)
}
