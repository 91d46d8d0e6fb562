package mix_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/mix"
)

// reweighed are tasks with metrics that are neither means nor counts.
var reweighed = []struct {
	name    string
	params  metrics.Params
	batchOf func(r *rand.Rand, rows int) *metrics.Batch
}{
	{"binary", metrics.Params{Task: metrics.Binary, Curves: metrics.BoundedCurves, Metrics: []string{"roc_auc", "average_precision", "ks", "ece", "brier_skill", "max_f1", "mcc", "log_loss"}}, func(r *rand.Rand, rows int) *metrics.Batch {
		b := &metrics.Batch{Rows: rows, Labels: 1}
		for range rows {
			y := r.IntN(2)
			p := math.Round(100*(0.3*float64(y)+0.7*r.Float64())) / 100
			b.Truth = append(b.Truth, y == 1)
			b.Class, b.Probability, b.Predicted = append(b.Class, int32(y)), append(b.Probability, p), append(b.Predicted, int32(math.Round(p)))
		}
		return b
	}},
	{"regression", metrics.Params{Task: metrics.Regression, Metrics: []string{"r2", "rmse", "pearson", "spearman", "concordance", "concordance_index"}}, func(r *rand.Rand, rows int) *metrics.Batch {
		b := &metrics.Batch{Rows: rows, Labels: 1}
		for range rows {
			y := r.NormFloat64()
			b.Target, b.Estimate = append(b.Target, y), append(b.Estimate, y+r.NormFloat64())
		}
		return b
	}},
}

// TestReweighted: copies of examples have the metrics of weighted examples.
func TestReweighted(t *testing.T) {
	r := rand.New(rand.NewPCG(62, 3))
	for _, of := range reweighed {
		t.Run(of.name, func(t *testing.T) {
			p := of.params
			require.NoError(t, p.Complete())
			for range 20 {
				n := 1 + r.IntN(4)
				shares, parts, whole := make([]float64, n), make([]*metrics.Partial, n), fresh(t, &p)
				sum := 0.0
				for i := range shares {
					shares[i] = r.ExpFloat64()
					sum += shares[i]
				}
				for i := range shares {
					shares[i] /= sum
					b := of.batchOf(r, 50+r.IntN(100))
					b.Complete(p.Task)
					parts[i] = fresh(t, &p)
					parts[i].Fold(b, metrics.AllRows(nil, b.Rows))
					b.Weight = make([]float64, b.Rows)
					for row := range b.Weight {
						b.Weight[row] = shares[i] / float64(b.Rows)
					}
					whole.Fold(b, metrics.AllRows(nil, b.Rows))
				}
				want, got := valuesOf(t, &p, whole), valuesOf(t, &p, mix.Reweighted(asExamples(parts), shares))
				for name, x := range want {
					require.InDelta(t, x, got[name], 1e-8, name)
				}
			}
		})
	}
}

// TestOwnShares: parts that keep their shares are merged, and nothing is copied.
func TestOwnShares(t *testing.T) {
	r := rand.New(rand.NewPCG(62, 4))
	for _, of := range reweighed {
		p := of.params
		require.NoError(t, p.Complete())
		whole, parts, shares := fresh(t, &p), []*metrics.Partial{nil}, []float64{0}
		for range 3 {
			b := of.batchOf(r, 30+r.IntN(50))
			b.Complete(p.Task)
			part := fresh(t, &p)
			part.Fold(b, metrics.AllRows(nil, b.Rows))
			whole.Merge(part)
			parts = append(parts, part)
		}
		for _, part := range parts[1:] {
			shares = append(shares, part.Weight()/whole.Weight())
		}
		require.Equal(t, whole.Append(nil), mix.Reweighted(asExamples(parts), shares).Append(nil), of.name)
	}
}

// TestLeft: examples that are left out count in no copy.
func TestLeft(t *testing.T) {
	r := rand.New(rand.NewPCG(62, 5))
	for _, of := range reweighed {
		p := of.params
		require.NoError(t, p.Complete())
		parts, rest, shares := make([]mix.Examples, 3), make([]mix.Examples, 3), []float64{0.2, 0.5, 0.3}
		for i := range parts {
			b := of.batchOf(r, 60)
			b.Complete(p.Task)
			rows := metrics.AllRows(nil, b.Rows)
			parts[i] = mix.Examples{All: fresh(t, &p), Left: fresh(t, &p)}
			rest[i].All = fresh(t, &p)
			if p.Task == metrics.Regression {
				b.Estimate[0] = 100 // the largest error is left out
			}
			parts[i].All.Fold(b, rows)
			parts[i].Left.Fold(b, rows[:10+i])
			rest[i].All.Fold(b, rows[10+i:])
			require.Equal(t, rest[i].Weight(), parts[i].Weight())
		}
		require.Equal(t, valuesOf(t, &p, mix.Reweighted(rest, shares)), valuesOf(t, &p, mix.Reweighted(parts, shares)), of.name)
	}
}

func asExamples(parts []*metrics.Partial) (list []mix.Examples) {
	for _, p := range parts {
		list = append(list, mix.Examples{All: p})
	}
	return list
}

func fresh(t *testing.T, p *metrics.Params) *metrics.Partial {
	t.Helper()
	partial, err := p.New()
	require.NoError(t, err)
	return partial
}

func valuesOf(t *testing.T, p *metrics.Params, of *metrics.Partial) map[string]float64 {
	t.Helper()
	results, err := p.Evaluate(of, metrics.Options{})
	require.NoError(t, err)
	values := map[string]float64{}
	for _, r := range results {
		require.Empty(t, r.Undefined, r.Name)
		values[r.Name] = r.Number
	}
	return values
}
