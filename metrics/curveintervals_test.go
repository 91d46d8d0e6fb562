package metrics

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/simulation"
	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/scoreruns"
)

// calibrated draws calibrated scores from Beta(a, b), a < 1, which span hundreds of magnitudes if a
// is small (Jöhnk 1964), and the classes of their examples.
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

// replicated are the metrics whose standard errors are compared. Those at a bound lie between
// points: without interpolation their standard errors would be off by half and more.
var replicated = []string{"roc_auc", "average_precision", "max_f1", "precision_at_recall@0.8", "recall_at_fpr@0.1", "specificity_at_sensitivity@0.9", "sensitivity_at_specificity@0.9"}

// foldsOf divides rows into folds at random.
func foldsOf(r *rand.Rand, rows, folds int) []int {
	list := make([]int, rows)
	for i := range list {
		list[i] = r.IntN(folds)
	}
	return list
}

// histogramsOf returns the partial of each fold with bounded curves.
func histogramsOf(t *testing.T, p *Params, b *Batch, folds []int, m int) []*Partial {
	t.Helper()
	partials, rows := make([]*Partial, m), make([][]int32, m)
	for i, fold := range folds {
		rows[fold] = append(rows[fold], int32(i))
	}
	for fold := range partials {
		var err error
		partials[fold], err = p.OfFolds().New()
		require.NoError(t, err)
		partials[fold].Fold(b, rows[fold])
	}
	return partials
}

// binsOf returns the bins of each fold, and the traced curves of all examples.
func binsOf(t *testing.T, p *Params, b *Batch, folds []int, m int) (partials []*Partial, all *Partial) {
	t.Helper()
	plan, err := p.CurvePlan()
	require.NoError(t, err)
	s := curves.Tracer{Totals: make([]scoreruns.Totals, 1)}
	var builder scoreruns.Builder
	var totals scoreruns.Totals
	same := make([]uint32, 2*m)
	for tag := range same {
		same[tag] = uint32(tag)
		s.Tags = append(s.Tags, scoreruns.Tag{Class: int32(tag % 2), Fold: int32(tag / 2), Slices: []int32{0}})
	}
	for i, fold := range folds {
		builder.Add(scoreruns.Image(b.Score[i]), 0, uint32(2*fold)+uint32(b.Class[i]), 1)
		totals.Positive.AddOnes(int64(b.Class[i]))
		totals.Negative.AddOnes(int64(1 - b.Class[i]))
	}
	var sorter scoreruns.Sorter
	sorter.Start(len(folds), 1, len(s.Tags), scoreruns.Everything)
	require.NoError(t, sorter.Add(scoreruns.Run{Data: builder.AppendRun(nil), Tags: same}))
	var collector Collector
	require.NoError(t, collector.Collect(plan, 0, &s, []scoreruns.Totals{totals}, nil, sorter.Sort()))
	partials, all = make([]*Partial, m), new(Partial)
	collector.AddTo(all, 0)
	collector.AddBinsTo(0, func(fold int32) *Partial {
		partials[fold] = new(Partial)
		return partials[fold]
	})
	return partials, all
}

// exactWithout returns the replicates of exact curves, by metric.
func exactWithout(t *testing.T, p *Params, b *Batch, folds []int, m int) [][]float64 {
	t.Helper()
	without := *p
	without.Curves = ExactCurves
	plan, err := without.CurvePlan()
	require.NoError(t, err)
	replicates := make([][]float64, len(p.Metrics))
	for fold := range m {
		s := curves.Tracer{Tags: without.classTags(), Totals: make([]scoreruns.Totals, 1)}
		var builder scoreruns.Builder
		var totals scoreruns.Totals
		for i := range folds {
			if folds[i] != fold {
				builder.Add(scoreruns.Image(b.Score[i]), 0, uint32(b.Class[i]), 1)
				totals.Positive.AddOnes(int64(b.Class[i]))
				totals.Negative.AddOnes(int64(1 - b.Class[i]))
			}
		}
		var collector Collector
		partial := new(Partial)
		require.NoError(t, collector.Collect(plan, 0, &s, []scoreruns.Totals{totals}, nil, sorted(t, &without, []scoreruns.Run{{Data: builder.AppendRun(nil), Tags: []uint32{0, 1}}})))
		collector.AddTo(partial, 0)
		results, err := without.Evaluate(partial, Options{})
		require.NoError(t, err)
		for k, r := range results {
			replicates[k] = append(replicates[k], r.Number)
		}
	}
	return replicates
}

// TestSimulatedStandardErrorsOfCurves: replicates from bins and from histograms vary as much as
// replicates from exact curves do, even where scores span hundreds of magnitudes and positives are
// rare.
func TestSimulatedStandardErrorsOfCurves(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	t.Parallel()
	const m = 50
	for _, c := range []struct {
		name       string
		n          int
		a, b       float64
		binned     []float64 // tolerances of the mean ratio, by metric
		histograms []float64
	}{
		{"30 % of 20,000", 20_000, 0.6, 1.4, []float64{.002, .005, .01, .06, .06, .06, .06}, []float64{.002, .005, .01, .1, .05, .05, .05}},
		{"2.5 % of 100,000", 100_000, 0.05, 1.98, []float64{.002, .005, .015, .1, .05, .25, .05}, []float64{.002, .005, .015, .05, .05, .1, .05}},
		{"0.1 % of 100,000", 100_000, 0.05, 50, []float64{.002, .005, .005, .05, .05, .5, .05}, []float64{.005, .03, .07, .1, .05, .05, .05}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sets := simulation.Draws(60)
			var binned, histograms [7]float64
			for seed := range uint64(sets) {
				r := source(seed)
				b := calibrated(r, c.n, c.a, c.b)
				folds := foldsOf(r, c.n, m)
				p := Params{Task: Binary, Scores: true, ScoreType: Probability, Metrics: replicated}
				bounded := p
				p.Curves, bounded.Curves = ExactCurves, BoundedCurves
				require.NoError(t, p.Complete())
				require.NoError(t, bounded.Complete())
				exact := exactWithout(t, &p, b, folds, m)
				bins, all := binsOf(t, &p, b, folds, m)
				for k, ratio := range ratiosOf(t, &p, bins, all, exact) {
					binned[k] += ratio / float64(sets)
				}
				for k, ratio := range ratiosOf(t, &bounded, histogramsOf(t, &bounded, b, folds, m), nil, exact) {
					histograms[k] += ratio / float64(sets)
				}
			}
			for k, name := range replicated {
				require.InDelta(t, 1, binned[k], c.binned[k], "%s: %v, %v", name, binned, histograms)
				require.InDelta(t, 1, histograms[k], c.histograms[k], "%s with bounded curves: %v", name, histograms)
			}
		})
	}
}

// TestWhole: Whole gives what leaving out an empty fold gives, also the scores of bins: without
// them, the values at a bound would not be interpolated.
func TestWhole(t *testing.T) {
	t.Parallel()
	const m = 12
	r := source(5)
	b := calibrated(r, 3000, 0.6, 1.4)
	folds := foldsOf(r, b.Rows, m)
	p := Params{Task: Binary, Scores: true, ScoreType: Probability, Metrics: replicated, Curves: ExactCurves}
	bounded := p
	bounded.Curves = BoundedCurves
	require.NoError(t, p.Complete())
	require.NoError(t, bounded.Complete())
	bins, traced := binsOf(t, &p, b, folds, m)
	for _, c := range []struct {
		p     *Params
		folds []*Partial
		all   *Partial
	}{{&p, bins, traced}, {&bounded, histogramsOf(t, &bounded, b, folds, m), folded(t, &bounded, b)}} {
		without, err := c.p.WithoutFolds(nil)
		require.NoError(t, err)
		before := c.all.Append(nil)
		got, err := without.Evaluate(Whole(c.folds, c.all), Options{})
		require.NoError(t, err)
		require.NoError(t, LeaveOneOut(append(c.folds, nil), c.all, func(i int, others *Partial) error {
			if i < m {
				return nil
			}
			want, err := without.Evaluate(others, Options{})
			for k := range want {
				require.Equal(t, want[k].Value, got[k].Value, want[k].Name)
			}
			return err
		}))
		require.Equal(t, before, c.all.Append(nil))
	}
}

// ratiosOf returns the standard errors from the bins or histograms of folds, divided by the
// standard errors from exact replicates.
func ratiosOf(t *testing.T, p *Params, folds []*Partial, all *Partial, exact [][]float64) (ratios []float64) {
	t.Helper()
	without, err := p.WithoutFolds(nil)
	require.NoError(t, err)
	require.True(t, without.Binned())
	replicates := make([][]float64, len(exact))
	require.NoError(t, LeaveOneOut(folds, all, func(_ int, others *Partial) error {
		results, err := without.Evaluate(others, Options{})
		for k, r := range results {
			replicates[k] = append(replicates[k], r.Number)
		}
		return err
	}))
	for k := range exact {
		ratios = append(ratios, standardError(replicates[k])/standardError(exact[k]))
	}
	return ratios
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
