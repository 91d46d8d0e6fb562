package curves

import "github.com/beameval/beameval/metrics/exact"

// ROCAUC is the area under the ROC curve: of the pairs of a positive and a
// negative, the share with the positive's score higher, ties counting one half
// (Hanley and McNeil 1982). A pair weighs the product of its weights. It is
// undefined if a class is absent.
func (a *Accumulator) ROCAUC() Value {
	var twice exact.Sum
	twice.Merge(&a.optimistic)
	twice.Merge(&a.pessimistic)
	return a.shareOfPairs(twice.Float64() / 2)
}

// ROCAUCOptimistic is ROCAUC with ties counting 1, as if they were broken in
// favour of positives.
func (a *Accumulator) ROCAUCOptimistic() Value { return a.shareOfPairs(a.optimistic.Float64()) }

// ROCAUCPessimistic is ROCAUC with ties counting 0.
func (a *Accumulator) ROCAUCPessimistic() Value { return a.shareOfPairs(a.pessimistic.Float64()) }

// Gini is 2 ROCAUC - 1, within [-1, 1].
func (a *Accumulator) Gini() Value {
	v := a.ROCAUC()
	v.Number = 2*v.Number - 1
	return v
}

// AveragePrecision is the sum, over the points of the curve, of the precision
// times by how much recall grew, as scikit-learn's average_precision_score:
// within (0, 1]. Without negatives it is 1, without positives undefined (there
// scikit-learn returns 0 and warns).
func (a *Accumulator) AveragePrecision() Value { return a.shareOfPositives(a.steps.Float64()) }

// PRAUC is the area under the precision-recall curve with straight lines
// between its points, as scikit-learn's auc over precision_recall_curve, which
// starts with precision 1 at recall 0. It overestimates (Davis and Goadrich
// 2006). Without negatives it is 1, without positives undefined.
func (a *Accumulator) PRAUC() Value { return a.shareOfPositives(a.trapezoids.Float64() / 2) }

// Operating returns the operating point of a criterion that the accumulator was
// made with.
func (a *Accumulator) Operating(c Criterion) Operating {
	for i := range a.criteria {
		if a.criteria[i] == c {
			return c.operating(a.bests[i], &a.scale, a.totals)
		}
	}
	return Operating{undefined(notLookedFor), undefined(notLookedFor)}
}

func (a *Accumulator) shareOfPairs(area float64) Value {
	if reason := a.totals.missing(true); reason != "" {
		return undefined(reason)
	}
	return share(area, a.scale.area())
}

func (a *Accumulator) shareOfPositives(area float64) Value {
	if reason := a.totals.missing(false); reason != "" {
		return undefined(reason)
	}
	return share(area, a.scale.totals.Positives)
}
