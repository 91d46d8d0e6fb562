package metrics

import (
	"slices"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/metrics/confidence"
)

// labelRankingMetrics are means over examples of how scores rank labels or classes. To add one,
// write its measure of an example and a row here.
var labelRankingMetrics = []metric{
	{"one_error", Multilabel, NeedScores, Lower, confidence.Proportion, mean(oneError), "share of examples whose top label, of equals the first, is not true", zhang, nil},
	{"coverage_error", Multilabel, NeedScores, Lower, confidence.Log, mean(coverageError), "mean number of labels to go through, best first, to meet all true ones; 0 without true labels", sklearn, nil},
	{"coverage", Multilabel, NeedScores, Lower, confidence.Identity, mean(coverage), "$coverage_error - 1$", zhang, nil},
	{"ranking_loss", Multilabel, NeedScores, Lower, confidence.Logit, mean(rankingLoss), "mean share of (true, other) pairs of labels in the wrong order, ties being wrong; 0 where all or no labels are true", sklearn, []string{"label_ranking_loss"}},
	{"lrap", Multilabel, NeedScores, Higher, confidence.Logit, mean(labelRankingAveragePrecision), "mean over true labels of the share of true ones among those with its score or a higher one; 1 where all or no labels are true", sklearn, []string{"label_ranking_average_precision"}},
	{"ndcg", Multilabel, NeedScores, Higher, confidence.Logit, mean(samplesNDCG), "mean of $DCG / ideal DCG of the labels$, true ones having gain 1 and ties sharing their places; 0 without true labels", sklearn, nil},
	{"ndcg@<k>", Multilabel, NeedScores, Higher, confidence.Logit, mean(samplesNDCGAt), "ndcg of the first $k$ places", sklearn, nil},
	{"precision@<k>", Multilabel, NeedScores, Higher, confidence.Logit, mean(samplesPrecisionAt), "mean of $(true labels among the k best) / k$, of equals the first labels", manning, nil},
	{"recall@<k>", Multilabel, NeedScores, Higher, confidence.Logit, mean(samplesRecallAt), "mean of $(true labels among the k best) / |Y|$", manning, nil},
	{"f1@<k>", Multilabel, NeedScores, Higher, confidence.Logit, mean(samplesF1At), "mean of $2 (true labels among the k best) / (k + |Y|)$", manning, nil},
	{"hit_rate@<k>", Multilabel, NeedScores, Higher, confidence.Proportion, mean(samplesHitRateAt), "share of examples with a true label among the $k$ best", "RecBole", nil},
	{"max_f1_samples", Multilabel, NeedScores, Higher, confidence.Logit, mean(samplesMaxF1), "mean of the best F1 that a threshold of its own gives an example", "Lipton et al. 2014", nil},
	{"roc_auc_samples", Multilabel, NeedScores, Higher, confidence.Logit, mean(samplesROCAUC), "mean of the ROC AUC of each example's labels, where it has true ones and others", sklearn, nil},
	{"average_precision_samples", Multilabel, NeedScores, Higher, confidence.Logit, mean(samplesAveragePrecision), "mean of the average precision of each example's labels, where it has true ones", sklearn, nil},
	{"psp@<k>", Multilabel, NeedScores | needPropensity, Higher, confidence.Logit, ratioOfMeans(propensityScoredAt, propensityScoredBestAt), "propensity-scored precision@k: mean of $(Σ over the true labels among the k best of 1/propensity) / k$, divided by the mean of the best that could be", jain, nil},
	{"psndcg@<k>", Multilabel, NeedScores | needPropensity, Higher, confidence.Logit, ratioOfMeans(propensityScoredGainAt, propensityScoredBestGainAt), "propensity-scored ndcg@k, true labels having gain $1/propensity$: mean of $DCG / (ideal DCG of gains 1)$, divided by the mean of the best that could be", jain, nil},
	{"top_k_accuracy@<k>", Multiclass, NeedScores, Higher, confidence.Proportion, mean(topKAccuracy), "share of examples whose true class is among the $k$ best, of equals the last classes", sklearn, nil},
	{"mean_reciprocal_rank", Multiclass, NeedScores, Higher, confidence.Logit, mean(reciprocalRank), "mean of $1 / (place of the true class)$, ties as in top_k_accuracy", "Voorhees 1999", []string{"mrr"}},
}

// The measures of how the scores of an example rank its labels. Their arguments are cut-offs.
var (
	oneError = measure{value: func(r *row, _ float64) (float64, bool) {
		return 1 - r.labelRanking().hitsAt(1), true
	}}
	coverageError = measure{value: func(r *row, _ float64) (float64, bool) {
		return float64(r.labelRanking().depth()), true
	}}
	coverage = measure{value: func(r *row, _ float64) (float64, bool) {
		return float64(r.labelRanking().depth() - 1), true
	}}
	rankingLoss = measure{value: func(r *row, _ float64) (float64, bool) {
		v := r.labelRanking()
		if v.positives == 0 || v.negatives() == 0 {
			return 0, true
		}
		wrong, hits := 0, 0
		for _, g := range v.groups {
			hits += g.positives
			wrong += g.positives * (g.above + g.size - hits)
		}
		return float64(wrong) / float64(v.positives*v.negatives()), true
	}}
	labelRankingAveragePrecision = measure{value: func(r *row, _ float64) (float64, bool) {
		v := r.labelRanking()
		if v.positives == 0 || v.negatives() == 0 {
			return 1, true
		}
		return v.averagePrecision(), true
	}}
	samplesNDCG = measure{value: func(r *row, _ float64) (float64, bool) {
		v := r.labelRanking()
		return v.ndcg(v.labels), true
	}}
	samplesNDCGAt = measure{value: func(r *row, k float64) (float64, bool) {
		return r.labelRanking().ndcg(int(k)), true
	}}
	samplesPrecisionAt = measure{value: func(r *row, k float64) (float64, bool) {
		return r.labelRanking().hitsAt(int(k)) / k, true
	}}
	samplesRecallAt = measure{zeroDivision: true, value: func(r *row, at float64) (float64, bool) {
		v, k := r.labelRanking(), int(at)
		return v.hitsAt(k) / float64(max(v.positives, 1)), v.positives > 0
	}}
	samplesF1At = measure{value: func(r *row, at float64) (float64, bool) {
		v, k := r.labelRanking(), int(at)
		return 2 * v.hitsAt(k) / float64(k+v.positives), true
	}}
	samplesHitRateAt = measure{value: func(r *row, k float64) (float64, bool) {
		return min(r.labelRanking().hitsAt(int(k)), 1), true
	}}
	samplesMaxF1 = measure{zeroDivision: true, value: func(r *row, _ float64) (float64, bool) {
		v := r.labelRanking()
		best, hits := 0.0, 0
		for _, g := range v.groups { // a threshold between groups is never better
			hits += g.positives
			best = max(best, float64(2*hits)/float64(g.above+g.size+v.positives))
		}
		return best, v.positives > 0
	}}
	samplesROCAUC = measure{value: func(r *row, _ float64) (float64, bool) {
		v := r.labelRanking()
		if v.positives == 0 || v.negatives() == 0 {
			return 0, false
		}
		hits, twice := 0, 0 // twice the number of pairs in order; ties count one half
		for _, g := range v.groups {
			tied := g.size - g.positives
			below := v.negatives() - tied - (g.above - hits)
			twice += g.positives * (2*below + tied)
			hits += g.positives
		}
		return float64(twice) / float64(2*v.positives*v.negatives()), true
	}}
	samplesAveragePrecision = measure{value: func(r *row, _ float64) (float64, bool) {
		v := r.labelRanking()
		return v.averagePrecision(), v.positives > 0
	}}
	propensityScoredAt = measure{value: func(r *row, at float64) (float64, bool) {
		v, k := r.labelRanking(), int(at)
		total := 0.0
		for i, place := range v.places {
			if place <= k {
				total += v.inverse[i]
			}
		}
		return total / float64(k), true
	}}
	propensityScoredBestAt = measure{reason: noPositives, value: func(r *row, at float64) (float64, bool) {
		v, k := r.labelRanking(), int(at)
		total := 0.0
		for _, inverse := range v.ranked[:min(k, v.positives)] {
			total += inverse
		}
		return total / float64(k), true
	}}
	propensityScoredGainAt = measure{value: func(r *row, at float64) (float64, bool) {
		v, k := r.labelRanking(), int(at)
		if v.positives == 0 {
			return 0, true
		}
		total := 0.0
		for i, place := range v.places {
			if place <= k {
				total += v.inverse[i] / elementary.Log2(float64(place+1))
			}
		}
		return total / v.discounts.First(min(v.positives, k)), true
	}}
	propensityScoredBestGainAt = measure{reason: noPositives, value: func(r *row, at float64) (float64, bool) {
		v, k := r.labelRanking(), int(at)
		if v.positives == 0 {
			return 0, true
		}
		total := 0.0
		for i, inverse := range v.ranked[:min(k, v.positives)] {
			total += inverse / elementary.Log2(float64(i+2))
		}
		return total / v.discounts.First(min(v.positives, k)), true
	}}
)

// inverse returns a function that returns the inverse propensity of a label.
func (p *Propensity) inverse() func(label int32) float64 {
	c := max(elementary.Log(float64(p.Frequencies.Examples))-1, 0) * elementary.Pow(p.B+1, p.A)
	return func(label int32) float64 {
		return 1 + float64(c*elementary.Pow(float64(p.Frequencies.Count[label])+p.B, -p.A))
	}
}

// The measures of the place of an example's true class.
var (
	reciprocalRank = measure{value: func(r *row, _ float64) (float64, bool) {
		return 1 / float64(r.placeOfClass()), true
	}}
	topKAccuracy = measure{value: func(r *row, k float64) (float64, bool) {
		return float64(oneIf(r.placeOfClass() <= int(k))), true
	}}
)

// placeOfClass returns the place of the true class of the row.
func (r *row) placeOfClass() int {
	if r.classPlace == 0 {
		r.classPlace = placeOfClass(r.Batch, int(r.index))
	}
	return r.classPlace
}

// placeOfClass returns the place of the true class of a row by score, best first. Among equal
// scores, the last class comes first, as in scikit-learn's top_k_accuracy_score.
func placeOfClass(b *Batch, r int) int {
	scores, candidates := b.Scored(int32(r))
	class, before, has := int(b.Class[r]), 0, true
	if candidates == nil {
		before = class
	} else {
		before, has = slices.BinarySearch(candidates, b.Class[r])
	}
	if !has {
		// It is tied with all other classes without a score, which come after the classes with one.
		return b.Labels - class + before
	}
	own, place := scores[before], 1
	// Scores are unordered: counting them without branches takes half the time.
	for _, s := range scores[:before] {
		place += oneIf(s > own)
	}
	for _, s := range scores[before+1:] {
		place += oneIf(s >= own)
	}
	return place
}
