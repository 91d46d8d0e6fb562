package metrics

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/confidence"
)

// TestProjection: ece_debiased of independent examples of weight 1 in bins of equal width has an interval, of
// a label, too; averages over labels, whose examples are the same, have none.
func TestProjection(t *testing.T) {
	const projection, biased = confidence.MethodProjection, confidence.HasBias
	r := source(8)
	for _, c := range []struct {
		params Params
		by     IntervalOptions
		weight float64
		want   []string
	}{
		{Params{Task: Binary}, IntervalOptions{}, 1, []string{projection}},
		{Params{Task: Binary, Curves: BoundedCurves}, IntervalOptions{}, 1, []string{projection}},
		{Params{Task: Binary}, IntervalOptions{Clustered: true}, 1, []string{biased}},
		{Params{Task: Binary}, IntervalOptions{Weighted: true}, 2, []string{biased}},
		{Params{Task: Binary, Quantiles: true}, IntervalOptions{}, 1, []string{biased}},
		{Params{Task: Multilabel, Labels: 2}, IntervalOptions{}, 1, []string{biased, biased, biased, projection, projection}},
	} {
		p := &c.params
		p.Metrics, p.Bins, p.ScoreType = []string{"ece_debiased"}, 10, Probability
		if p.Task == Multilabel {
			p.Metrics = []string{"ece_debiased_micro", "ece_debiased_macro", "ece_debiased_weighted", "ece_debiased"}
		}
		require.NoError(t, p.Complete())
		b := modelled(r, p, 400, 0.8)
		b.Weight = slices.Repeat([]float64{c.weight}, b.Rows)
		all, err := p.Evaluate(collected(t, r, p, b), Options{PerLabel: everyLabel})
		require.NoError(t, err)
		without := slices.Repeat([][]Result{all}, 20)
		c.by.Level = 0.95
		var got []string
		for i, v := range p.Intervals(c.by, all, without) {
			got = append(got, v.Method+v.NoInterval)
			require.Equal(t, v.Method != "", v.Low >= 0 && v.Low <= max(all[i].Number, 0) && all[i].Number <= v.High, all[i].Name)
		}
		require.Equal(t, c.want, got)
	}
}

// TestProjectionOfNegativeValue: what fits better than chance has an estimate below 0, and an interval from 0.
func TestProjectionOfNegativeValue(t *testing.T) {
	p := &Params{Task: Binary, Metrics: []string{"ece_debiased"}, Bins: 10, ScoreType: Probability}
	b := &Batch{Rows: 100, Labels: 1}
	for i := range b.Rows {
		b.Class, b.Probability = append(b.Class, int32(i%2)), append(b.Probability, 0.5)
	}
	all, err := p.Evaluate(collected(t, source(1), p, finish(b, Binary)), Options{})
	require.NoError(t, err)
	require.InDelta(t, -0.5/10*math.Sqrt(2/math.Pi), all[0].Number, 1e-12)
	got := p.Intervals(IntervalOptions{Level: 0.95}, all, nil)[0]
	require.Zero(t, got.Low)
	require.InDelta(t, 2*0.049+0.005, got.High, 0.01)
}
