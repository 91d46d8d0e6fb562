package metrics

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// calibrated draws calibrated scores from Beta(a, b), a < 1, which span hundreds of magnitudes if a is small (Jöhnk
// 1964), and the classes of their examples.
func calibrated(r *rand.Rand, n int, a, b float64) *Batch {
	batch := &Batch{Rows: n, Labels: 1}
	for len(batch.Score) < n {
		x, y := math.Pow(r.Float64(), 1/a), math.Pow(r.Float64(), 1/b)
		if x+y > 1 || x+y == 0 {
			continue
		}
		score := x / (x + y)
		positive := r.Float64() < score
		batch.Score, batch.Probability = append(batch.Score, score), append(batch.Probability, score)
		batch.Truth = append(batch.Truth, positive)
		batch.Class = append(batch.Class, 0)
		if positive {
			batch.Class[len(batch.Class)-1] = 1
		}
	}
	return batch
}

// curveWithout returns roc_auc, average_precision and max_f1 of the rows that are not in a group, which are in order of
// falling scores.
func curveWithout(b *Batch, order []int, groups []int, without int) [3]float64 {
	var tp, fp, area, ap, best float64
	positives := 0.0
	for i, row := range order {
		if b.Truth[row] && groups[i] != without {
			positives++
		}
	}
	for i := 0; i < len(order); {
		beforeTP, beforeFP := tp, fp
		for score := b.Score[order[i]]; i < len(order) && b.Score[order[i]] == score; i++ {
			switch {
			case groups[i] == without:
			case b.Truth[order[i]]:
				tp++
			default:
				fp++
			}
		}
		area += (fp - beforeFP) * (tp + beforeTP) / 2
		if tp > beforeTP {
			ap += (tp - beforeTP) * tp / (tp + fp)
			best = max(best, 2*tp/(positives+tp+fp))
		}
	}
	return [3]float64{area / (tp * fp), ap / tp, best}
}

// TestStandardErrorsOfBoundedCurves are those of exact curves, also where scores span hundreds of magnitudes and
// positives are rare. With bins of images, too coarse for the highest scores and not the same for every group, some are
// 0.75 of them, and others many times as large.
func TestStandardErrorsOfBoundedCurves(t *testing.T) {
	t.Parallel()
	const n, m = 100_000, 50
	p := &Params{Task: Binary, Scores: true, ScoreType: Probability, Curves: BoundedCurves, Metrics: []string{"roc_auc", "average_precision", "max_f1"}}
	require.NoError(t, p.Complete())
	of := p.OfGroups()
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := source(seed)
			b := calibrated(r, n, 0.05, 1.98)
			rows, partials := make([][]int32, m), make([]*Partial, m)
			group := make([]int, n)
			for i := range n {
				group[i] = r.IntN(m)
				rows[group[i]] = append(rows[group[i]], int32(i))
			}
			for g := range partials {
				var err error
				partials[g], err = of.New()
				require.NoError(t, err)
				partials[g].Fold(b, rows[g])
			}
			order := make([]int, n)
			for i := range order {
				order[i] = i
			}
			slices.SortFunc(order, func(x, y int) int { return cmp.Compare(b.Score[y], b.Score[x]) })
			groups := make([]int, n)
			for i, row := range order {
				groups[i] = group[row]
			}
			var exact, bounded [3][]float64
			require.NoError(t, LeaveOneOut(partials, func(g int, others *Partial) error {
				results, err := of.Evaluate(others, Options{})
				if err != nil {
					return err
				}
				want := curveWithout(b, order, groups, g)
				for k, name := range p.Metrics {
					i := slices.IndexFunc(results, func(r Result) bool { return r.Name == name })
					exact[k], bounded[k] = append(exact[k], want[k]), append(bounded[k], results[i].Number)
				}
				return nil
			}))
			for k, name := range p.Metrics {
				require.InDelta(t, 1, standardError(bounded[k])/standardError(exact[k]), 0.05, name)
			}
		})
	}
}

func standardError(replicates []float64) float64 {
	mean, sum := 0.0, 0.0
	for _, v := range replicates {
		mean += v / float64(len(replicates))
	}
	for _, v := range replicates {
		sum += (v - mean) * (v - mean)
	}
	return math.Sqrt(sum * float64(len(replicates)-1) / float64(len(replicates)))
}
