package metrics

import "math/rand/v2"

// sweepWeighings have sums that float64 holds, so that naive sums are exact and
// equally good thresholds equal.
var sweepWeighings = []func(*rand.Rand) float64{
	nil,
	func(r *rand.Rand) float64 { return pick(r, 0, 0.25, 1, 1, 2.5) },
	func(r *rand.Rand) float64 { return float64(1+r.IntN(64)) / 16 },
}

// sweepBatch returns n rows with or without ties, weights, and labels that are
// always or never true.
func sweepBatch(r *rand.Rand, p *Params, n int) *Batch {
	b := &Batch{Rows: n, Labels: max(p.scored(), 1)}
	if weigh := pick(r, sweepWeighings...); weigh != nil {
		b.Weight = fill(n, func() float64 { return weigh(r) })
	}
	levels := pick(r, 1, 3, 10, 1<<40)
	level := func() float64 { return float64(r.IntN(levels+1)) / float64(levels) }
	if p.Task == Regression {
		b.Target, b.Estimate = fill(n, level), fill(n, level)
		return b
	}
	common := make([]float64, b.Labels) // how common labels are
	for label := range common {
		common[label] = pick(r, 0, 0.1, 0.5, 0.5, 0.9, 1)
	}
	lists := make([][]int32, n)
	b.Class = make([]int32, n)
	for row := range lists {
		for label := range b.Labels {
			if r.Float64() < common[label] {
				lists[row] = append(lists[row], int32(label))
				b.Class[row] = int32(label)
			}
		}
		if p.Task == Binary && len(lists[row]) > 0 {
			b.Class[row] = 1
		}
	}
	if p.Task == Multilabel {
		b.Class, b.True = nil, setsOf(lists)
	}
	switch p.ScoreType {
	case Logit:
		b.Logit = fill(n*b.Labels, func() float64 { return 8 * (level() - 0.5) })
	case RawScore:
		b.Score = fill(n*b.Labels, func() float64 { return 1e6 * (level() - 0.25) })
	default:
		b.Probability = fill(n*b.Labels, level)
	}
	return finish(b, p.Task)
}
