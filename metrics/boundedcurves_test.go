package metrics

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// boundedCases are the tasks that have bounded curves, in so many bins.
func boundedCases(t testing.TB, bins int) []*Params {
	var list []*Params
	for _, p := range curveCases(t) {
		if p.Task != Regression && !p.Quantiles {
			list = append(list, curveParams(t, Params{Task: p.Task, Labels: p.Labels, Scores: true, ScoreType: p.ScoreType, Curves: BoundedCurves, CurveBins: bins}))
		}
	}
	return list
}

// exactly returns p with exact curves, with the metrics that bounded ones have.
func exactly(p *Params) *Params {
	exact := *p
	exact.Curves = ExactCurves
	return &exact
}

// TestBoundedIsExactWithEnoughBins: with a bin for each score, results have the same bits as exact
// curves.
func TestBoundedIsExactWithEnoughBins(t *testing.T) {
	t.Parallel()
	for _, p := range boundedCases(t, 1000) {
		for seed := range uint64(60) {
			r := source(seed)
			b := curveBatch(r, p, rowsOf(seed, p))
			if weigh := pick(r, weighings[:4]...); weigh != nil {
				b.Weight = fill(b.Rows, func() float64 { return weigh(r) })
			}
			want, err := exactly(p).Evaluate(collected(t, r, exactly(p), b), Options{PerLabel: everyLabel})
			require.NoError(t, err)
			got, err := p.Evaluate(reassembled(t, p, b, parts(r, b.Rows, 3)), Options{PerLabel: everyLabel})
			require.NoError(t, err)
			requireSame(t, want, got)
		}
	}
}

// TestIntervalsHoldTheExactValues with few bins, of averages too.
func TestIntervalsHoldTheExactValues(t *testing.T) {
	t.Parallel()
	bounded, averages := 0, 0
	for _, bins := range []int{1, 2, 5} {
		for _, p := range boundedCases(t, bins) {
			for seed := range uint64(36) {
				r := source(seed)
				b := curveBatch(r, p, rowsOf(seed, p))
				want := results(t, exactly(p), collected(t, r, exactly(p), b), Options{PerLabel: everyLabel})
				got := results(t, p, reassembled(t, p, b, parts(r, b.Rows, 3)), Options{PerLabel: everyLabel})
				require.Len(t, got, len(want))
				for k, v := range got {
					w := want[k]
					require.Equal(t, w.Support, v.Support)
					if isThreshold(k.name) && !v.Bounded {
						continue // some lower end of a bin
					}
					require.Equal(t, w.Undefined, v.Undefined, "seed %d: %v", seed, k)
					if math.IsNaN(w.Number) {
						require.True(t, math.IsNaN(v.Number))
						require.False(t, v.Bounded)
						continue
					}
					low, high := v.Number, v.Number
					if v.Bounded {
						bounded++
						low, high = v.Low, v.High
						if k.label < 0 && p.Task != Binary {
							averages++
						}
					}
					require.LessOrEqual(t, low, w.Number, "seed %d, %d bins: %v", seed, bins, k)
					require.GreaterOrEqual(t, high, w.Number, "seed %d, %d bins: %v", seed, bins, k)
					require.True(t, low <= v.Number && v.Number <= high, "seed %d: %v", seed, k)
				}
			}
		}
	}
	require.Greater(t, bounded, 1500)
	require.Greater(t, averages, 200)
}

// TestBoundedThresholds: an estimated threshold is the end of a bin, and has no interval.
func TestBoundedThresholds(t *testing.T) {
	p := curveParams(t, Params{Task: Binary, Scores: true, Curves: BoundedCurves, CurveBins: 4})
	b := binary([]bool{true, true, false, true, false, false, false, true}, []float64{0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2}, nil)
	got := evaluated(t, p, finish(b, Binary), Options{})
	for _, name := range []string{"ks_threshold", "max_f1_threshold", "youden_threshold"} {
		v := got[key{name, -1}]
		require.False(t, v.Bounded, name)
		require.Empty(t, v.Undefined, name)
	}
	at := got[key{"threshold_at_recall@0.9", -1}]
	require.True(t, at.Bounded)
	require.True(t, at.Low <= 0.2 && 0.2 <= at.High)
}

func TestMetricsThatNeedExactCurves(t *testing.T) {
	ofTwo := Params{Task: Binary, Scores: true}
	multiclass := Params{Task: Multiclass, Labels: 3, Scores: true}
	multilabel := Params{Task: Multilabel, Labels: 3, Scores: true}
	for _, c := range []struct {
		p    Params
		mode CurveMode
		name string
		want string
	}{
		{ofTwo, BoundedCurves, "ace", `metric "ace" needs exact curves: set Params.Curves to ExactCurves`},
		{multiclass, BoundedCurves, "roc_auc_ovo_macro", `metric "roc_auc_ovo_macro" needs exact curves: set Params.Curves to ExactCurves`},
		{multiclass, BoundedCurves, "roc_auc_ovo_weighted", `metric "roc_auc_ovo_weighted" needs exact curves: set Params.Curves to ExactCurves`},
		{multilabel, BoundedCurves, "ndcg_micro", `metric "ndcg_micro" needs exact curves: set Params.Curves to ExactCurves`},
		{Params{Task: Regression}, BoundedCurves, "median_absolute_error", `metric "median_absolute_error" needs exact curves: set Params.Curves to ExactCurves`},
		{Params{Task: Multiclass, Labels: 3, Scores: true, Quantiles: true}, BoundedCurves, "classwise_ece", `metric "classwise_ece" needs exact curves: set Params.Curves to ExactCurves`},
		{Params{Task: Binary, Scores: true, Quantiles: true}, NoCurves, "mce", `metric "mce" needs curves`},
		{ofTwo, NoCurves, "roc_auc", `metric "roc_auc" needs curves`},
		{Params{Task: Regression}, NoCurves, "median_absolute_error", `metric "median_absolute_error" needs curves`},
		{Params{Task: Binary}, ExactCurves, "roc_auc", `metric "roc_auc" needs scores: set Params.Scores if examples have them`},
		{Params{Task: Binary, Scores: true, ScoreType: RawScore}, ExactCurves, "ace", `metric "ace" needs probabilities: Params.ScoreType is RawScore, not Probability or Logit`},
		{Params{Task: Multilabel, Labels: 3, Scores: true, Sparse: true}, ExactCurves, "roc_auc_macro", `metric "roc_auc_macro" needs a score for every label: the scores are sparse`},
	} {
		c.p.Curves = c.mode
		_, err := c.p.Select([]string{c.name}, DefaultArguments())
		require.EqualError(t, err, c.want)
		c.p.Decisions = true
		names, err := c.p.Select(nil, DefaultArguments())
		require.NoError(t, err)
		require.NotContains(t, names, c.name)
	}
}
