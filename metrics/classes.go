package metrics

import "slices"

// The measures of a row of a multiclass task.
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
		return clippedLoss(r.Probability[i+int(r.Class[r.index])], true, r.logLossEps), true
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
	reciprocalRank = measure{value: func(r *row, _ float64) (float64, bool) {
		return 1 / float64(r.placeOfClass()), true
	}}
	topKAccuracy = measure{value: func(r *row, k float64) (float64, bool) {
		return float64(number(r.placeOfClass() <= int(k))), true
	}}
	// softmaxCrossEntropy is of multilabel tasks, as if the true labels were classes.
	softmaxCrossEntropy = measure{value: func(r *row, _ float64) (float64, bool) {
		logits := r.Logit[int(r.index)*r.Labels:][:r.Labels]
		total, whole := 0.0, logSumExp(logits)
		for _, label := range r.True.Row(r.index) {
			total += whole.loss(logits[label])
		}
		return total, true
	}}
)

// placeOfClass returns the place of the row's true class.
func (r *row) placeOfClass() int {
	if r.classPlace == 0 {
		r.classPlace = placeOfClass(r.Batch, int(r.index))
	}
	return r.classPlace
}

// placeOfClass is the place of the true class by score, best first; of equal
// scores the last classes come first, as in scikit-learn's top_k_accuracy_score.
func placeOfClass(b *Batch, r int) int {
	scores, candidates := b.Scored(int32(r))
	class, before, has := int(b.Class[r]), 0, true
	if candidates == nil {
		before = class
	} else {
		before, has = slices.BinarySearch(candidates, b.Class[r])
	}
	if !has {
		// Tied with all other classes without a score, after all that have one.
		return b.Labels - class + before
	}
	own, place := scores[before], 1
	// Counting without branches takes half the time: scores come in no order.
	for _, s := range scores[:before] {
		place += number(s > own)
	}
	for _, s := range scores[before+1:] {
		place += number(s >= own)
	}
	return place
}
