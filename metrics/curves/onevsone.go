package curves

import "math"

// OneVsOneROCAUC is the mean, over all pairs of two classes that have examples,
// of their ROC AUC: of the mean of A(i|j), by the scores of class i, and A(j|i)
// (Hand and Till 2001). It is scikit-learn's roc_auc_score with
// multi_class="ovo" and average="macro". pairs has the pairs by the scores of
// each class; weights are the classes' total weights. With fewer than two such
// classes it is undefined.
func OneVsOneROCAUC(pairs []Pairs, weights []float64) Value {
	return oneVsOne(pairs, weights, func(_, _ float64) float64 { return 1 })
}

// OneVsOneROCAUCWeighted is OneVsOneROCAUC with pairs of classes weighing as
// much as their examples do: scikit-learn's average="weighted".
func OneVsOneROCAUCWeighted(pairs []Pairs, weights []float64) Value {
	return oneVsOne(pairs, weights, func(a, b float64) float64 { return a + b })
}

func oneVsOne(pairs []Pairs, weights []float64, importance func(a, b float64) float64) Value {
	total, all := 0.0, 0.0
	n := min(len(pairs), len(weights))
	for j := range n {
		for i := range j {
			if !(weights[i] > 0 && weights[j] > 0) {
				continue
			}
			auc := (pairs[i].Won(j) + pairs[j].Won(i)) / 2 / weights[i] / weights[j]
			w := importance(weights[i], weights[j])
			total += float64(w * auc)
			all += w
		}
	}
	switch {
	case all == 0:
		return undefined(noPairs)
	case math.IsInf(all, 0) || math.IsInf(total, 0) || math.IsNaN(total):
		return undefined(tooLarge)
	}
	return share(total, all)
}
