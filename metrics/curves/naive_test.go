package curves

import (
	"math"
	"slices"
)

// naive computes measures from the examples, by their definitions.
type naive struct {
	*sample
	positives, negatives float64
	thresholds           []float64 // highest first
}

func newNaive(s *sample) *naive {
	v := &naive{sample: s}
	for i, p := range s.positive {
		if p {
			v.positives += s.weight(i)
		} else {
			v.negatives += s.weight(i)
		}
	}
	v.thresholds = slices.Clone(s.scores)
	slices.Sort(v.thresholds)
	slices.Reverse(v.thresholds)
	v.thresholds = slices.Compact(v.thresholds)
	return v
}

// at returns the weights of the positives and negatives that are predicted positive at a threshold.
func (v *naive) at(threshold float64) (tp, fp float64) {
	for i, score := range v.scores {
		switch {
		case score < threshold:
		case v.positive[i]:
			tp += v.weight(i)
		default:
			fp += v.weight(i)
		}
	}
	return tp, fp
}

// auc goes through all pairs.
func (v *naive) auc(tie float64) float64 {
	won := 0.0
	for i, p := range v.positive {
		if !p {
			continue
		}
		for j, q := range v.positive {
			switch w := v.weight(i) * v.weight(j); {
			case q:
			case v.scores[i] > v.scores[j]:
				won += w
			case v.scores[i] == v.scores[j]:
				won += tie * w
			}
		}
	}
	return won / v.positives / v.negatives
}

// precisionRecall has the points of the curve from recall 0.
func (v *naive) precisionRecall() (precision, recall []float64) {
	precision, recall = []float64{1}, []float64{0}
	for _, t := range v.thresholds {
		if tp, fp := v.at(t); tp+fp > 0 {
			precision = append(precision, tp/(tp+fp))
			recall = append(recall, tp/v.positives)
		}
	}
	return precision, recall
}

func (v *naive) averagePrecision() float64 {
	precision, recall := v.precisionRecall()
	sum := 0.0
	for i := 1; i < len(recall); i++ {
		sum += (recall[i] - recall[i-1]) * precision[i]
	}
	return sum
}

func (v *naive) prAUC() float64 {
	precision, recall := v.precisionRecall()
	sum := 0.0
	for i := 1; i < len(recall); i++ {
		sum += (recall[i] - recall[i-1]) * (precision[i] + precision[i-1]) / 2
	}
	return sum
}

// interpolatedPRAUC integrates TP/(TP+FP) over TP, with FP linear in TP between thresholds.
func (v *naive) interpolatedPRAUC() float64 {
	sum, tp, fp := 0.0, 0.0, 0.0
	for _, t := range v.thresholds {
		nextTP, nextFP := v.at(t)
		if d := nextTP - tp; d > 0 {
			grows := 1 + (nextFP-fp)/d
			sum += d / grows
			if all := tp + fp; all > 0 {
				sum += (tp - all/grows) / grows * math.Log((all+grows*d)/all)
			}
		}
		tp, fp = nextTP, nextFP
	}
	return sum / v.positives
}

// recallAtShare goes down the scores until they have the share of all weight.
func (v *naive) recallAtShare(share float64) (recall, threshold float64) {
	target, tp, fp := share*(v.positives+v.negatives), 0.0, 0.0
	for _, t := range v.thresholds {
		nextTP, nextFP := v.at(t)
		if nextTP+nextFP >= target {
			part := (target - tp - fp) / (nextTP + nextFP - tp - fp)
			return (tp + part*(nextTP-tp)) / v.positives, t
		}
		tp, fp = nextTP, nextFP
	}
	return 1, v.thresholds[len(v.thresholds)-1]
}

// partialAUC adds up trapezoids up to a false positive rate, and standardizes the sum.
func (v *naive) partialAUC(bound float64) float64 {
	area, fpr, tpr := 0.0, 0.0, 0.0
	for _, t := range v.thresholds {
		tp, fp := v.at(t)
		x, y := fp/v.negatives, tp/v.positives
		if x > bound {
			if fpr < bound {
				area += (bound - fpr) * (tpr + (y-tpr)*(bound-fpr)/(x-fpr)/2)
			}
			break
		}
		area += (x - fpr) * (tpr + y) / 2
		fpr, tpr = x, y
	}
	return 0.5 * (1 + (area-bound*bound/2)/(bound-bound*bound/2))
}

// operating tries all thresholds, and +Inf, at which nothing is predicted positive unless a score
// is +Inf. It allows for a little rounding at bounds.
func (v *naive) operating(c Criterion) (value, threshold float64) {
	switch c.Objective {
	case RecallAtShare:
		return v.recallAtShare(c.At)
	case ROCAUCAtFPR:
		return v.partialAUC(c.At), math.NaN()
	}
	const little = 1e-12
	value, threshold = math.Inf(-1), math.NaN()
	take := func(x, t float64, ok bool) {
		if ok && x > value+little {
			value, threshold = x, t
		}
	}
	consider := func(t, tp, fp, precision float64) {
		tpr, fpr := tp/v.positives, fp/v.negatives
		switch c.Objective {
		case KolmogorovSmirnov:
			take(math.Abs(tpr-fpr), t, true)
		case Youden:
			take(tpr-fpr, t, true)
		case FBeta:
			recall := tpr
			if tp > 0 {
				take((1+c.At*c.At)*precision*recall/(c.At*c.At*precision+recall), t, true)
			} else {
				take(0, t, true)
			}
		case RecallAtPrecision:
			take(tpr, t, precision >= c.At-little)
		case PrecisionAtRecall:
			take(precision, t, tpr >= c.At-little)
		case RecallAtFPR:
			take(tpr, t, fpr <= c.At+little)
		case SpecificityAtSensitivity:
			take(1-fpr, t, tpr >= c.At-little)
		case SensitivityAtSpecificity:
			take(tpr, t, 1-fpr >= c.At-little)
		case NetBenefit:
			take((tp-fp/c.At)/v.positives, t, true)
		case ThresholdAtRecall:
			if value == math.Inf(-1) && tpr >= c.At-little {
				value, threshold = t, t
			}
		}
	}
	for _, t := range v.thresholds {
		if tp, fp := v.at(t); tp+fp > 0 {
			consider(t, tp, fp, tp/(tp+fp))
		}
	}
	if c.Objective != ThresholdAtRecall {
		consider(math.NaN(), 0, 0, 1)
	}
	return value, threshold
}
