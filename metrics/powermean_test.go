package metrics

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPowerMeans: which metrics are means over examples shows in the values of two parts of the examples.
func TestPowerMeans(t *testing.T) {
	r := source(62)
	met, wrong := map[int]int{}, []string(nil)
	for _, of := range []struct {
		task   Task
		labels int
		score  ScoreType
	}{{Binary, 1, Probability}, {Multiclass, 4, Probability}, {Multilabel, 4, Probability}, {Multilabel, 4, Logit}, {Regression, 1, Probability}, {Regression, 1, Logit}, {Ranking, 1, Probability}, {Grading, 1, Probability}, {Grading, 1, RawScore}, {Agreement, 4, Probability}} {
		p := params(t, of.task, of.labels, of.score)
		p.Metrics = slices.DeleteFunc(p.Metrics, func(name string) bool {
			c, err := p.lookup(name, nil)
			require.NoError(t, err)
			return c[0].metric.needs&(needCurve|needExactCurve) != 0
		})
		follows, tried := map[string]int{}, map[string]int{}
		for range 10 {
			b := drawBatch(r, p, 60)
			whole := evaluated(t, p, b, Options{ZeroDivision: math.NaN()})
			var results [2]map[key]Result
			var weights [2]float64
			for i, rows := range parts(r, b.Rows, 2) {
				some, err := p.New()
				require.NoError(t, err)
				some.Fold(b, rows)
				weights[i] = some.stats[kindExamples].(*examples).all.Weight()
				results[i] = map[key]Result{}
				list, err := p.Evaluate(some, Options{ZeroDivision: math.NaN()})
				require.NoError(t, err)
				for _, result := range list {
					results[i][key{result.Name, result.Label}] = result
				}
			}
			for k, all := range whole {
				x, y := results[0][k], results[1][k]
				if k.label >= 0 || all.Undefined+x.Undefined+y.Undefined != "" || math.Abs(all.Number) > 1e100 || x.Number == y.Number {
					continue
				}
				order := float64(max(PowerMean(of.task, k.name), 1))
				mean := (weights[0]*math.Pow(x.Number, order) + weights[1]*math.Pow(y.Number, order)) / (weights[0] + weights[1])
				tried[k.name]++
				if math.Abs(mean-math.Pow(all.Number, order)) <= 1e-9*math.Max(1, math.Abs(mean)) {
					follows[k.name]++
				}
			}
		}
		for name, n := range tried {
			order := PowerMean(of.task, name)
			met[order]++
			if (order > 0) != (follows[name] == n) && !(order == 0 && IsOfCounts(of.task, name)) { // counts serve as well
				wrong = append(wrong, fmt.Sprintf("%s of %s: %d of %d, order %d", name, of.task, follows[name], n, order))
			}
		}
	}
	require.Empty(t, wrong)
	require.Greater(t, met[1], 50)
	require.Positive(t, met[2])
	require.Greater(t, met[0], 20)
	require.Zero(t, PowerMean(Binary, "none"))
}

// TestIsOfCounts: metrics of counts follow from the matrices of [Params.Confusion], whatever the numbers of examples.
func TestIsOfCounts(t *testing.T) {
	r := source(63)
	for _, task := range []Task{Binary, Multiclass, Multilabel} {
		p := params(t, task, 4, Probability)
		p.Metrics = slices.DeleteFunc(p.Metrics, func(name string) bool { return !IsOfCounts(task, name) })
		require.Contains(t, p.Metrics, map[Task]string{Binary: "mcc", Multiclass: "f1_macro", Multilabel: "f1_weighted"}[task])
		b := drawBatch(r, p, 60)
		partial := folded(t, p, b)
		o := Options{PerLabel: everyLabel}
		cells := p.Confusion(partial, o)
		only := Params{Task: task, Labels: p.Labels, Metrics: p.Metrics}
		confused, err := only.Confused(cells)
		require.NoError(t, err)
		got, want := results(t, &only, confused, o), results(t, p, partial, o)
		require.Len(t, got, len(want))
		for k, result := range want {
			if math.IsNaN(result.Number) {
				require.True(t, math.IsNaN(got[k].Number), "%v", k)
				continue
			}
			require.InDelta(t, result.Number, got[k].Number, 1e-12, "%v", k)
		}
	}
	require.False(t, IsOfCounts(Binary, "roc_auc"))
	require.False(t, IsOfCounts(Binary, "expected_cost"))
}
