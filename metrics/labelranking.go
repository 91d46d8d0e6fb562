package metrics

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/internal/dcg"
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

// labelRanking says how the scores of an example rank its true labels among all labels, best first.
// If labels with equal scores need an order, they are ordered by index. Labels without a score are
// tied and come last.
type labelRanking struct {
	labels    int   // the number of all labels
	positives int   // the number of true labels
	groups    []tie // the true labels grouped by score, best first
	// For each true label: the label, its place, counted from 1, and its group.
	trueLabels []int32
	places     []int
	groupOf    []int

	// inverseOf returns the inverse propensity of a label; it is nil if no measure needs it.
	// inverse holds the inverse propensities of the true labels in their order, and ranked holds
	// them in descending order.
	inverseOf       func(label int32) float64
	inverse, ranked []float64

	scores    []float64 // see read
	discounts dcg.DiscountTable
}

// tie is a group of labels with equal scores, at least one of them true.
type tie struct{ above, size, positives int } // above: the number of labels with higher scores

// read reads row r of a batch. Usually few labels are true, so read sorts only their scores, and
// counts the other labels between them. No branch depends on which of two scores is higher or which
// labels are true, because the processor could not predict it.
func (v *labelRanking) read(b *Batch, r int32) {
	scores, candidates := b.Scored(r)
	truth := b.truthOf(r)
	v.labels = b.Labels
	v.readGroups(scores, truth)
	v.readPlaces(scores, truth)
	for i, at := range v.trueLabels {
		if candidates != nil {
			v.trueLabels[i] = candidates[at]
		}
	}
	if len(scores) < v.labels {
		v.readAbsent(b.True.Row(r), candidates)
	}
	if v.inverseOf != nil {
		v.readPropensities()
	}
}

// readGroups makes one group for each score of a true label, and one more, without a score, for the
// labels below all groups.
func (v *labelRanking) readGroups(scores []float64, truth []bool) {
	v.positives = 0
	v.scores = collections.Resize(v.scores, len(scores)+1)
	for i, s := range scores {
		v.scores[v.positives] = s
		v.positives += oneIf(truth[i])
	}
	v.scores = v.scores[:v.positives]
	slices.Sort(v.scores)
	slices.Reverse(v.scores)
	v.scores = append(slices.Compact(v.scores), math.NaN())
	v.groups = collections.Resize(v.groups, len(v.scores))
	clear(v.groups)
}

// readPlaces counts the labels in the groups and between them, and finds the true labels, in order
// of their indices, and their places.
func (v *labelRanking) readPlaces(scores []float64, truth []bool) {
	n := v.positives
	v.trueLabels, v.places, v.groupOf = collections.Resize(v.trueLabels, n+1), collections.Resize(v.places, n+1), collections.Resize(v.groupOf, n+1)
	groups := len(v.groups) - 1
	found := 0
	for i, s := range scores {
		group := higher(v.scores[:groups], s)
		g, in := &v.groups[group], oneIf(v.scores[group] == s)
		g.size += in
		g.above += 1 - in // for now, the count also includes the labels below the group before
		v.trueLabels[found], v.places[found], v.groupOf[found] = int32(i), g.size, group
		found += oneIf(truth[i])
	}
	v.trueLabels, v.places, v.groupOf, v.groups = v.trueLabels[:n], v.places[:n], v.groupOf[:n], v.groups[:groups]
	above := 0
	for i := range v.groups {
		g := &v.groups[i]
		g.above += above
		above = g.above + g.size
	}
	for i, group := range v.groupOf {
		g := &v.groups[group]
		g.positives++
		v.places[i] += g.above // until now it was the place within the group
	}
}

func (v *labelRanking) readPropensities() {
	v.inverse = v.inverse[:0]
	for _, label := range v.trueLabels {
		v.inverse = append(v.inverse, v.inverseOf(label))
	}
	v.ranked = append(v.ranked[:0], v.inverse...)
	slices.Sort(v.ranked)
	slices.Reverse(v.ranked)
}

// readAbsent adds the true labels without a score. Both lists must increase.
func (v *labelRanking) readAbsent(truth, candidates []int32) { // lower: the number of candidates less than the label
	n, lower := len(candidates), 0 // lower: candidates less than the label
	found := 0
	for _, label := range truth {
		for lower < n && candidates[lower] < label {
			lower++
		}
		if lower < n && candidates[lower] == label {
			continue
		}
		found++
		v.trueLabels = append(v.trueLabels, label)
		v.places = append(v.places, n+int(label)-lower+1)
		v.groupOf = append(v.groupOf, len(v.groups))
	}
	if found > 0 {
		v.positives += found
		v.groups = append(v.groups, tie{above: n, size: v.labels - n, positives: found})
	}
}

// higher returns how many of the scores, which must decrease, are higher than s. It bisects them
// until they are so few that comparing with each is faster.
func higher(scores []float64, s float64) int {
	const few = 8
	first := 0
	for len(scores) > few {
		half := (len(scores) + 1) / 2
		skip := half * oneIf(scores[half-1] > s)
		first += skip
		scores = scores[skip:][:len(scores)-half]
	}
	for _, x := range scores {
		first += oneIf(x > s)
	}
	return first
}

// oneIf returns 1 if b is true and 0 otherwise. The compiler generates no branch for it.
func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// labelRanking returns how the scores of the row rank its labels.
func (r *row) labelRanking() *labelRanking {
	if !r.labelsRead {
		r.labels.read(r.Batch, r.index)
		r.labelsRead = true
	}
	return &r.labels
}

// hitsAt returns the number of true labels among the k best.
func (v *labelRanking) hitsAt(k int) float64 {
	hits := 0
	for _, place := range v.places {
		hits += oneIf(place <= k)
	}
	return float64(hits)
}

// negatives returns the number of labels that are not true.
func (v *labelRanking) negatives() int { return v.labels - v.positives }

// depth returns how far down the ranking one has to go to find all true labels. Among tied labels,
// the true ones come last.
func (v *labelRanking) depth() int {
	if v.positives == 0 {
		return 0
	}
	last := v.groups[len(v.groups)-1]
	return last.above + last.size
}

// averagePrecision returns the mean, over true labels, of the share of true labels among the labels
// with the same score or a higher one.
func (v *labelRanking) averagePrecision() float64 {
	hits, total := 0, 0.0
	for _, g := range v.groups {
		hits += g.positives
		total += float64(float64(g.positives) * (float64(hits) / float64(g.above+g.size)))
	}
	return total / float64(max(v.positives, 1))
}

// ndcg returns the normalised discounted cumulative gain of the first k places. Labels with equal
// scores share the discounts of their places, as in scikit-learn.
func (v *labelRanking) ndcg(k int) float64 {
	if v.positives == 0 {
		return 0
	}
	gain, best, places := 0.0, 0, min(v.positives, k)
	for _, g := range v.groups {
		if g.above >= k {
			break
		}
		if g.above == best && g.positives == g.size {
			best += g.size
		}
		sum := v.discounts.First(min(g.above+g.size, k)) - v.discounts.First(g.above)
		gain += float64(float64(g.positives) * (sum / float64(g.size)))
	}
	if best >= places { // all first places have true labels; the computed gain is rounded
		return 1
	}
	return min(gain/v.discounts.First(places), 1)
}

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
