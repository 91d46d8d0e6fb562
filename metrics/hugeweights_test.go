package metrics

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// everyParams returns the parameters of all metrics of all tasks, from all kinds of scores and
// curves.
func everyParams(t *testing.T) (list []*Params) {
	for _, task := range taskNames {
		for _, score := range []ScoreType{Probability, Logit} {
			for _, kind := range []CurveMode{ExactCurves, BoundedCurves} {
				for _, quantiles := range []bool{false, true} {
					p := params(t, task.task, 3, score)
					p.Curves, p.Quantiles = kind, quantiles && task.task&(Ranking|Regression) == 0
					list = append(list, everyMetric(t, *p))
				}
			}
		}
	}
	return list
}

// A metric is the same by whatever power of two all weights are multiplied, or undefined because
// they are too large: it is never another number. Only ece_debiased depends on how many examples
// the weights stand for.
func TestWeightsWhoseSumOverflows(t *testing.T) {
	totals := []string{"tp", "fp", "tn", "fn", "log_loss_sum", "log_loss_sum_micro"} // which are multiplied, too
	for i, p := range everyParams(t) {
		t.Run(fmt.Sprintf("%s %d", p.Task, i), func(t *testing.T) {
			t.Parallel()
			r := source(uint64(i))
			b := drawBatch(r, p, 40)
			if p.Task == Regression {
				b.Target, b.Estimate, b.BaselineEstimate = fill(b.Rows, r.ExpFloat64), fill(b.Rows, r.ExpFloat64), fill(b.Rows, r.ExpFloat64)
			}
			b.Grade, b.Rating = fill(len(b.Grade), r.ExpFloat64), fill(len(b.Rating), r.ExpFloat64)
			if b.Logit != nil {
				b.Logit = fill(len(b.Logit), r.NormFloat64)
				b.Complete(p.Task)
			}
			ordinary := fill(b.Rows, func() float64 { return pick(r, 1, 0.75, 0.5+r.Float64()/2) })
			of := func(exponent int) map[key]Result {
				b.Weight = nil
				for _, w := range ordinary {
					b.Weight = append(b.Weight, math.Ldexp(w, exponent))
				}
				return results(t, p, collected(t, r, p, b), Options{PerLabel: everyLabel})
			}
			want := of(0)
			for _, exponent := range []int{100, 400, 470, 480, 500, 900, 1000, 1015, 1018, 1020, 1023} {
				for k, got := range of(exponent) {
					number := want[k].Number
					if slices.Contains(totals, k.name) || strings.HasPrefix(k.name, "average_popularity") && b.ItemFrequency == nil {
						number = math.Ldexp(number, exponent)
					}
					if k.name == "bradley_terry_std_error" { // as of that many more comparisons
						number *= math.Pow(2, -float64(exponent)/2)
					}
					switch {
					case exponent >= 480:
						require.Equal(t, weightsTooLarge, got.Undefined, "2^%d: %v", exponent, k)
					case !math.IsNaN(number) && strings.HasPrefix(k.name, "ece_debiased"): // so many examples leave no bias
						ece := want[key{strings.Replace(k.name, "ece_debiased", "ece", 1), k.label}]
						require.InDelta(t, ece.Number, got.Number, 1e-9, "2^%d: %v", exponent, k)
					case !math.IsNaN(number):
						require.Equal(t, number, got.Number, "2^%d: %v", exponent, k)
					default:
						require.Equal(t, want[k].Undefined, got.Undefined, "2^%d: %v", exponent, k)
					}
				}
			}
		})
	}
}
