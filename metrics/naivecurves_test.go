package metrics

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"
)

// scored is an example of a label, or a pair of example and label.
type scored struct {
	score, weight float64
	positive      bool
	class         int32
}

// naiveCurve computes metrics from the definitions, however long it takes. NaN is
// undefined.
type naiveCurve []scored

// naiveOf returns the examples of a label, or all pairs of examples and labels.
func naiveOf(p *Params, b *Batch, label int) (list naiveCurve) {
	if label == PooledLabel {
		for each := range p.scored() {
			list = append(list, naiveOf(p, b, each)...)
		}
		return list
	}
	for r := range int32(b.Rows) {
		e := scored{weight: b.weight(r)}
		switch at := int(r)*b.Labels + label; {
		case label == TopClass:
			e.score, e.positive = b.Confidence[r], b.Correct[r]
		case p.Task == Multiclass:
			e.class = b.Class[r]
			e.positive = int(e.class) == label
			e.score = b.Score[at]
			if b.Probability != nil {
				e.score = b.Probability[at]
			}
		default:
			e.score, e.positive = b.Score[at], b.Truth[at]
		}
		list = append(list, e)
	}
	return list
}

func (c naiveCurve) totals() (positives, negatives float64) { return c.at(math.Inf(-1)) }

// at returns the weights of positives and negatives from a threshold on.
func (c naiveCurve) at(threshold float64) (tp, fp float64) {
	for _, e := range c {
		switch {
		case e.score < threshold:
		case e.positive:
			tp += e.weight
		default:
			fp += e.weight
		}
	}
	return tp, fp
}

// thresholds are the scores of examples that have weight, highest first.
func (c naiveCurve) thresholds() (list []float64) {
	for _, e := range c {
		if e.weight > 0 {
			list = append(list, e.score)
		}
	}
	sort.Sort(sort.Reverse(sort.Float64Slice(list)))
	return slices.Compact(list)
}

// auc goes through all pairs of a positive and a negative.
func (c naiveCurve) auc(tie float64) float64 {
	won, pairs := 0.0, 0.0
	for _, x := range c {
		for _, y := range c {
			if !x.positive || y.positive {
				continue
			}
			w := x.weight * y.weight
			pairs += w
			switch {
			case x.score > y.score:
				won += w
			case x.score == y.score:
				won += tie * w
			}
		}
	}
	return won / pairs // 0/0 without pairs
}

// area adds up, over the thresholds, what recall grows by, times a function of the
// precisions before and after.
func (c naiveCurve) area(height func(before, after float64) float64) float64 {
	positives, _ := c.totals()
	if positives == 0 {
		return math.NaN()
	}
	sum, recall, precision := 0.0, 0.0, 1.0
	for _, t := range c.thresholds() {
		tp, fp := c.at(t)
		sum += (tp/positives - recall) * height(precision, tp/(tp+fp))
		recall, precision = tp/positives, tp/(tp+fp)
	}
	return sum
}

// best is the largest of values over the thresholds that meet a condition, and the
// highest threshold that has it; without is the value where none does, of
// predicting nothing.
func (c naiveCurve) best(without float64, of func(tp, fp, positives, negatives float64) (float64, bool)) (value, threshold float64) {
	positives, negatives := c.totals()
	value, threshold = without, math.NaN()
	for _, t := range c.thresholds() {
		tp, fp := c.at(t)
		if x, ok := of(tp, fp, positives, negatives); ok && (math.IsNaN(threshold) || x > value) {
			value, threshold = x, t
		}
	}
	if positives == 0 {
		return math.NaN(), math.NaN()
	}
	return value, threshold
}

// ofBoth is v if both classes have weight.
func (c naiveCurve) ofBoth(v float64) float64 {
	if positives, negatives := c.totals(); positives == 0 || negatives == 0 {
		return math.NaN()
	}
	return v
}

func (c naiveCurve) ks() (value, threshold float64) {
	positives, negatives := c.totals()
	value, threshold = c.best(0, func(tp, fp, p, n float64) (float64, bool) { return math.Abs(tp*n - fp*p), true })
	return value / positives / negatives, threshold
}

func (c naiveCurve) maxF1() (value, threshold float64) {
	return c.best(0, func(tp, fp, p, _ float64) (float64, bool) { return 2 * tp / (p + tp + fp), true })
}

func (c naiveCurve) youdenThreshold() float64 {
	_, threshold := c.best(0, func(tp, fp, p, n float64) (float64, bool) { return tp*n - fp*p, true })
	return threshold
}

// naiveMetrics are the metrics of one label, by base name; at is the parameter, if any.
var naiveMetrics = map[string]func(c naiveCurve, at float64) float64{
	"roc_auc":             func(c naiveCurve, _ float64) float64 { return c.auc(0.5) },
	"roc_auc_ovr":         func(c naiveCurve, _ float64) float64 { return c.auc(0.5) },
	"roc_auc_optimistic":  func(c naiveCurve, _ float64) float64 { return c.auc(1) },
	"roc_auc_pessimistic": func(c naiveCurve, _ float64) float64 { return c.auc(0) },
	"gini":                func(c naiveCurve, _ float64) float64 { return 2*c.auc(0.5) - 1 },
	"average_precision": func(c naiveCurve, _ float64) float64 {
		return c.area(func(_, after float64) float64 { return after })
	},
	"pr_auc": func(c naiveCurve, _ float64) float64 {
		return c.area(func(before, after float64) float64 { return (before + after) / 2 })
	},
	"pr_auc_interpolated": naiveCurve.interpolated,
	"ks":                  func(c naiveCurve, _ float64) float64 { v, _ := c.ks(); return c.ofBoth(v) },
	"ks_threshold":        func(c naiveCurve, _ float64) float64 { _, t := c.ks(); return c.ofBoth(t) },
	"max_f1":              func(c naiveCurve, _ float64) float64 { v, _ := c.maxF1(); return v },
	"max_f1_threshold":    func(c naiveCurve, _ float64) float64 { _, t := c.maxF1(); return t },
	"youden_threshold":    func(c naiveCurve, _ float64) float64 { return c.ofBoth(c.youdenThreshold()) },
	"recall_at_precision": func(c naiveCurve, at float64) float64 {
		v, _ := c.best(0, func(tp, fp, p, _ float64) (float64, bool) { return tp / p, tp/(tp+fp) >= at })
		return v
	},
	"precision_at_recall": func(c naiveCurve, at float64) float64 {
		v, _ := c.best(1, func(tp, fp, p, _ float64) (float64, bool) { return tp / (tp + fp), tp/p >= at })
		return v
	},
	"recall_at_fpr": func(c naiveCurve, at float64) float64 {
		v, _ := c.best(0, func(tp, fp, p, n float64) (float64, bool) { return tp / p, fp/n <= at })
		return c.ofBoth(v)
	},
	"specificity_at_sensitivity": func(c naiveCurve, at float64) float64 {
		v, _ := c.best(1, func(tp, fp, p, n float64) (float64, bool) { return (n - fp) / n, tp/p >= at })
		return c.ofBoth(v)
	},
	"sensitivity_at_specificity": func(c naiveCurve, at float64) float64 {
		v, _ := c.best(0, func(tp, fp, p, n float64) (float64, bool) { return tp / p, (n-fp)/n >= at })
		return c.ofBoth(v)
	},
	"threshold_at_recall": func(c naiveCurve, at float64) float64 {
		_, t := c.best(0, func(tp, _, p, _ float64) (float64, bool) { return 0, tp/p >= at })
		return t
	},
	"roc_auc_at_fpr": naiveCurve.partialAUC,
	"gain":           naiveCurve.gain,
	"lift":           func(c naiveCurve, at float64) float64 { return c.gain(at) / at },
	"ndcg_micro":     func(c naiveCurve, _ float64) float64 { return c.ndcg() },
}

// partialAUC is the area under the ROC curve up to a false positive rate, standardized.
func (c naiveCurve) partialAUC(bound float64) float64 {
	positives, negatives := c.totals()
	if positives == 0 || negatives == 0 {
		return math.NaN()
	}
	area, fpr, tpr := 0.0, 0.0, 0.0
	for _, t := range c.thresholds() {
		tp, fp := c.at(t)
		x, y := fp/negatives, tp/positives
		if end := min(x, bound); end > fpr {
			area += (end - fpr) * (tpr + tpr + (y-tpr)*(end-fpr)/(x-fpr)) / 2
		}
		fpr, tpr = x, y
	}
	least := bound * bound / 2
	return (1 + (area-least)/(bound-least)) / 2
}

// gain goes down the scores until they have the share of all weight.
func (c naiveCurve) gain(share float64) float64 {
	positives, negatives := c.totals()
	target, tp, fp := share*(positives+negatives), 0.0, 0.0
	for _, t := range c.thresholds() {
		nextTP, nextFP := c.at(t)
		if nextTP+nextFP >= target {
			return (tp + (target-tp-fp)/(nextTP+nextFP-tp-fp)*(nextTP-tp)) / positives // 0/0 without positives
		}
		tp, fp = nextTP, nextFP
	}
	return math.NaN()
}

// interpolated is the integral of the precision over tp, with fp linear in tp between thresholds.
func (c naiveCurve) interpolated(_ float64) float64 {
	sum, tp, fp := 0.0, 0.0, 0.0
	for _, t := range c.thresholds() {
		nextTP, nextFP := c.at(t)
		if d := nextTP - tp; d > 0 {
			grows := 1 + (nextFP-fp)/d
			sum += d / grows
			if all := tp + fp; all > 0 {
				sum += (tp - all/grows) / grows * math.Log((all+grows*d)/all)
			}
		}
		tp, fp = nextTP, nextFP
	}
	return sum / tp // 0/0 without positives
}

// ndcg gives every row of a tie the mean discount of the tie's places.
func (c naiveCurve) ndcg() float64 {
	discount := func(place int) float64 { return 1 / math.Log2(float64(place+1)) }
	gain, ideal, positives := 0.0, 0.0, 0
	for _, e := range c {
		if !e.positive {
			continue
		}
		positives++
		ideal += discount(positives)
		above, tied, sum := 0, 0, 0.0
		for _, other := range c {
			switch {
			case other.score > e.score:
				above++
			case other.score == e.score:
				tied++
			}
		}
		for place := above + 1; place <= above+tied; place++ {
			sum += discount(place)
		}
		gain += sum / float64(tied)
	}
	return gain / ideal
}

// calibration is ece and mce in bins of equal weight. Weights are multiples of 1/16.
func (c naiveCurve) calibration(bins int, probability func(float64) float64) (ece, mce, debiased float64) {
	weights, surplus, positive := make([]float64, bins), make([]float64, bins), make([]float64, bins)
	positives, negatives := c.totals()
	total := int(16 * (positives + negatives))
	for _, e := range c {
		above := 0
		for _, other := range c {
			if other.score > e.score {
				above += int(16 * other.weight)
			}
		}
		if e.weight == 0 {
			continue
		}
		at := above * bins / total
		weights[at] += e.weight
		surplus[at] += e.weight * probability(e.score)
		if e.positive {
			surplus[at] -= e.weight
			positive[at] += e.weight
		}
	}
	if total == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	for i, x := range surplus {
		ece += math.Abs(x) / (positives + negatives)
		if weights[i] > 0 {
			mce = max(mce, math.Abs(x)/weights[i])
		}
		// If X is normal, |X| has a folded normal distribution.
		mean, of := math.Abs(x), math.Abs(x)
		if deviation := math.Sqrt(positive[i] * (weights[i] - positive[i]) / weights[i]); deviation > 0 {
			z := mean / deviation
			of = deviation*math.Sqrt(2/math.Pi)*math.Exp(-z*z/2) + mean*math.Erf(z/math.Sqrt2)
		}
		debiased += (2*mean - of) / (positives + negatives)
	}
	return ece, mce, debiased
}

// naiveOvO is the mean over the pairs of classes that have weight. The examples of a class are in
// curves[class], with scores that tell the class from others.
func naiveOvO(curves []naiveCurve, byWeight bool) float64 {
	sum, weights := 0.0, 0.0
	for i := range curves {
		for j := range i {
			between := func(class, other int) float64 {
				var pair naiveCurve
				for _, e := range curves[class] {
					if int(e.class) == class || int(e.class) == other {
						pair = append(pair, e)
					}
				}
				return pair.auc(0.5)
			}
			auc := (between(i, j) + between(j, i)) / 2
			if math.IsNaN(auc) {
				continue
			}
			w := 1.0
			if byWeight {
				p, _ := curves[i].totals()
				q, _ := curves[j].totals()
				w = p + q
			}
			sum += w * auc
			weights += w
		}
	}
	return sum / weights
}

// naiveMedian repeats each row as often as its weight says, in sixteenths.
func naiveMedian(b *Batch) float64 {
	var all []float64
	for r := range int32(b.Rows) {
		for range int(16 * b.weight(r)) {
			all = append(all, math.Abs(b.Target[r]-b.Estimate[r]))
		}
	}
	if len(all) == 0 {
		return math.NaN()
	}
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

// decomposed is a metric of the CORP decomposition. The isotonic fit is from the minimax formula of
// Ayer et al. 1955.
func (c naiveCurve) decomposed(p *Params, name string) float64 {
	thresholds := c.thresholds()
	loss := func(f, y float64) float64 { return (f - y) * (f - y) }
	if strings.HasPrefix(name, "log_loss_") {
		loss = func(f, y float64) float64 { return -math.Log(math.Abs(1 - y - f)) }
	}
	eps := cmp.Or(p.LogLossEps, defaultLogLossEps)
	positives, negatives := c.totals()
	score, fitted, prevalence := 0.0, 0.0, 0.0
	for _, e := range c {
		if e.weight == 0 {
			continue
		}
		fit := 0.0
		for _, from := range thresholds {
			if from > e.score {
				continue
			}
			least := 1.0
			for _, to := range append([]float64{math.Inf(1)}, thresholds...) {
				if to > e.score {
					tp, fp := c.at(from)
					above, below := c.at(to)
					least = min(least, (tp-above)/(tp-above+fp-below))
				}
			}
			fit = max(fit, least)
		}
		y, probability := float64(oneIf(e.positive)), e.score
		if p.ScoreType == Logit {
			probability = 1 / (1 + math.Exp(-e.score))
		}
		switch {
		case !strings.HasPrefix(name, "log_loss_"):
			score += e.weight * loss(probability, y)
		case p.ScoreType == Logit:
			score += e.weight * (max(e.score, 0) - e.score*y + math.Log1p(math.Exp(-math.Abs(e.score))))
		default:
			score += e.weight * loss(min(max(probability, eps), 1-eps), y)
		}
		fitted += e.weight * loss(fit, y)
		prevalence += e.weight * loss(positives/(positives+negatives), y)
	}
	if strings.HasSuffix(name, "discrimination") {
		score = prevalence
	}
	return (score - fitted) / (positives + negatives)
}
