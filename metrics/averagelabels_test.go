package metrics

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAveragesOverSomeLabels: an average over all labels is the usual one, over one label it is that label's
// value, and no average is over labels that are not among the given ones.
func TestAveragesOverSomeLabels(t *testing.T) {
	for _, c := range []Params{
		{Task: Multiclass, Labels: 5, Decisions: true, Scores: true, Curves: ExactCurves},
		{Task: Multilabel, Labels: 6, Decisions: true, Scores: true, ScoreType: Logit, Curves: ExactCurves, Has: HasBaseline | HasBaselineScores},
		{Task: Multilabel, Labels: 300, Decisions: true},
		{Task: Multilabel, Labels: 7, Decisions: true, Scores: true, Curves: BoundedCurves, Costs: [][]float64{{0, 1}, {7, 0}}},
	} {
		c.SomeAveraged = true
		p := everyMetric(t, c)
		for _, name := range p.Metrics {
			require.NotContains(t, []string{"roc_auc_micro", "ndcg_micro", "max_f1_micro", "roc_auc_ovo_macro"}, name)
		}
		for seed := range uint64(4) {
			t.Logf("seed %d", seed)
			r := source(seed)
			b := drawBatch(r, p, 30)
			partial := collected(t, r, p, b)
			usual := results(t, p, partial, Options{PerLabel: everyLabel})
			every := results(t, p, partial, Options{PerLabel: everyLabel, AverageLabels: firstLabels(p.Labels)})
			for k, want := range usual {
				require.True(t, sameResult(want, every[k]), "%v\n%v", want, every[k])
			}
			one := r.IntN(p.Labels)
			for k, got := range results(t, p, partial, Options{PerLabel: everyLabel, AverageLabels: []int{one}}) {
				base, average, _ := cutAverage(k.name)
				of, perLabel := usual[key{base, one}]
				switch {
				case k.label >= 0 || average == "":
					require.True(t, sameResult(usual[k], got), "%v\n%v", usual[k], got)
				case perLabel && of.Undefined == "":
					near(t, of.Number, got.Number, fmt.Sprint(k))
				}
			}
		}
	}
	p := Params{Task: Multilabel, Labels: 3, Decisions: true, Scores: true, SomeAveraged: true}
	_, err := p.Select([]string{"roc_auc_micro"}, nil)
	require.EqualError(t, err, `metric "roc_auc_micro" is of the scores of all labels together: leave it out, or Spec.AverageLabels`)
	for why, o := range map[string]Options{
		"Options.AverageLabels is empty: averages are over at least one label": {AverageLabels: []int{}},
		"Options.AverageLabels has 3, which is not one of 3 labels":            {AverageLabels: []int{3}},
		"Options.AverageLabels has 1 after 1: labels must increase":            {AverageLabels: []int{1, 1}},
	} {
		_, err := p.Evaluate(new(Partial), o)
		require.EqualError(t, err, why)
	}
	p.SomeAveraged = false
	_, err = p.Evaluate(new(Partial), Options{AverageLabels: []int{1}})
	require.ErrorContains(t, err, "Options.AverageLabels needs Params.SomeAveraged")
}

// cutAverage divides a name at the suffix of an average.
func cutAverage(name string) (base, average string, found bool) {
	for _, suffix := range []string{micro, macro, weighted} {
		if base, found = strings.CutSuffix(name, suffix); found {
			return base, suffix, true
		}
	}
	return name, "", false
}
