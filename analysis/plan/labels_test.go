package plan_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/plan"
	"github.com/beameval/beameval/internal/testing/simulation"
	plans "github.com/beameval/beameval/io/plan"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/power"
)

// judge draws a label and a judgement.
type judge func(r *rand.Rand) (y, f float64)

var (
	noisy     = judge(func(r *rand.Rand) (y, f float64) { y = r.NormFloat64(); return y, 3 + y + r.NormFloat64()/2 })
	shrinking = judge(func(r *rand.Rand) (y, f float64) { y = r.NormFloat64(); return y, (y + r.NormFloat64()/2) / 4 })
	null      = judge(func(r *rand.Rand) (y, f float64) { return r.ExpFloat64(), r.ExpFloat64() })
	opposed   = judge(func(r *rand.Rand) (y, f float64) { y = r.NormFloat64(); return y, r.NormFloat64() - y })
)

var judgedMetrics = []string{"judged_rows", "label_mean_std_error", "prediction_powered_correlation", "prediction_powered_lambda", "prediction_powered_mean", "prediction_powered_mean_std_error"}

// judgedReport returns the report of rows; the first have labels.
func judgedReport(t *testing.T, labels int, ys, fs []float64) *report.Report {
	evaluate := func(names []string, fold func(p *metrics.Partial)) (*metrics.Params, []metrics.Result) {
		p := &metrics.Params{Task: metrics.Regression, Judged: true, Metrics: names}
		partial, err := p.New()
		require.NoError(t, err)
		fold(partial)
		results, err := p.Evaluate(partial, metrics.Options{})
		require.NoError(t, err)
		return p, results
	}
	all := &metrics.Batch{Rows: len(ys), Target: ys, Estimate: fs}
	rows := metrics.AllRows(nil, len(ys))
	p, results := evaluate(judgedMetrics, func(p *metrics.Partial) {
		p.Fold(all, rows[:labels])
		p.FoldUnlabelled(all, rows[labels:])
	})
	intervals := p.Intervals(metrics.IntervalOptions{Level: 0.95}, results, nil)
	var without [][]metrics.Result
	const folds = 40
	for fold := range folds {
		_, results := evaluate([]string{"prediction_powered_correlation"}, func(p *metrics.Partial) {
			p.Fold(all, slices.DeleteFunc(slices.Clone(rows[:labels]), func(r int32) bool { return int(r)%folds == fold }))
		})
		without = append(without, results)
	}
	r := reported()
	r.Examples = int64(labels)
	for i, result := range results {
		c := intervals[i]
		if result.Name == "prediction_powered_correlation" {
			c = p.Intervals(metrics.IntervalOptions{Level: 0.95}, results[i:i+1], without)[0]
		}
		r.Metrics = append(r.Metrics, report.Row{Name: result.Name, Value: result.Number, Undefined: result.Undefined, Support: int64(labels), Confidence: &report.Confidence{
			Low: c.Low, High: c.High, StdError: c.StdError, DOF: c.DOF, Folds: folds, Method: c.Method, NoInterval: c.NoInterval,
		}})
	}
	return r
}

// drawn returns the report of rows that a judge has judged; the first have labels.
func drawn(t *testing.T, r *rand.Rand, of judge, labels, rows int) *report.Report {
	ys, fs := make([]float64, rows), make([]float64, rows)
	for i := range rows {
		ys[i], fs[i] = of(r)
	}
	return judgedReport(t, labels, ys, fs)
}

// labelsOf returns the plan of labels of a report, and the warnings.
func labelsOf(t *testing.T, r *report.Report, o plan.Options) (*plans.Labels, []string) {
	t.Helper()
	o.Metrics, o.Drop, o.Power = []string{"prediction_powered_mean"}, math.NaN(), power.Usual
	p := planned(t, r, nil, nil, o)
	require.Len(t, p.Rows, 1)
	return p.Rows[0].Labels, p.Warnings
}

// TestSimulatedLabels: the ± that reports of 200 labels foresee for 100, 400 and 800 is what evaluations with so many labels
// have, also where judgements vary too little for the best λ.
func TestSimulatedLabels(t *testing.T) {
	trials := simulation.Draws(400)
	for name, of := range map[string]judge{"noisy": noisy, "shrinking": shrinking, "null": null, "opposed": opposed} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(63, 3))
			foreseen, had := map[int64]float64{}, map[int64]float64{}
			for range trials {
				l, _ := labelsOf(t, drawn(t, r, of, 200, 2000), plan.Options{})
				for _, other := range l.Others {
					foreseen[other.Labels] += other.Half
					with, _ := labelsOf(t, drawn(t, r, of, int(other.Labels), 2000), plan.Options{})
					had[other.Labels] += with.HalfWidth
				}
			}
			require.Len(t, had, 3)
			for labels := range had {
				t.Logf("%d labels: ± %.4f foreseen, %.4f had", labels, foreseen[labels]/float64(trials), had[labels]/float64(trials))
				require.InEpsilon(t, had[labels], foreseen[labels], 0.02+0.2/math.Sqrt(float64(trials)), "%d labels", labels)
			}
		})
	}
}

// TestSimulatedDoubts: a judge that says nothing is doubted in 93 % of reports or more, and one that helps in hardly any.
func TestSimulatedDoubts(t *testing.T) {
	trials := simulation.Draws(2000)
	for name, of := range map[string]judge{"noisy": noisy, "null": null, "opposed": opposed} {
		r, doubted := rand.New(rand.NewPCG(63, 4)), 0.0
		for range trials {
			if _, warnings := labelsOf(t, drawn(t, r, of, 100, 300), plan.Options{}); len(warnings) > 0 {
				doubted++
			}
		}
		t.Logf("%s: doubted in %.2f %% of reports", name, 100*doubted/float64(trials))
		if name == "noisy" {
			require.LessOrEqual(t, doubted/float64(trials), 0.01)
		} else {
			require.GreaterOrEqual(t, doubted/float64(trials), 0.93)
		}
	}
}

// TestLabels: the labels that a ± takes are the fewest with which the plan has it, and costs say which share is cheapest.
func TestLabels(t *testing.T) {
	r := drawn(t, rand.New(rand.NewPCG(1, 1)), noisy, 200, 1000)
	l, warnings := labelsOf(t, r, plan.Options{})
	require.Empty(t, warnings)
	require.Empty(t, l.Reason)
	require.Equal(t, 1000., l.Judged)
	row := r.Metrics[slices.IndexFunc(r.Metrics, func(row report.Row) bool { return row.Name == "prediction_powered_mean" })]
	require.InDelta(t, (row.Confidence.High-row.Confidence.Low)/2, l.HalfWidth, 1e-15)
	require.InDelta(t, l.HalfWidth/math.Sqrt(1-l.Correlation*l.Correlation*0.8), l.Alone, 1e-12)
	require.Equal(t, []int64{100, 400, 800}, []int64{l.Others[0].Labels, l.Others[1].Labels, l.Others[2].Labels})
	require.True(t, math.IsNaN(l.Needed+l.Share))
	for _, other := range append(l.Others, plans.HalfWidth{Labels: 200, Half: l.HalfWidth}) {
		with, _ := labelsOf(t, r, plan.Options{HalfWidth: other.Half})
		require.EqualValues(t, other.Labels, with.Needed)
		with, _ = labelsOf(t, r, plan.Options{HalfWidth: other.Half * (1 - 1e-9)})
		require.EqualValues(t, other.Labels+1, with.Needed)
	}
	wide, _ := labelsOf(t, r, plan.Options{HalfWidth: 100})
	require.Equal(t, 2., wide.Needed)
	never, _ := labelsOf(t, r, plan.Options{HalfWidth: 0.01})
	require.True(t, math.IsNaN(never.Needed))
	require.Regexp(t, `^labels of all 1000 rows make it ±0\.06\d+$`, never.Reason)
	costs, _ := labelsOf(t, r, plan.Options{LabelCost: 3, JudgeCost: 0.02})
	squared := l.Correlation * l.Correlation
	require.InDelta(t, math.Sqrt((1-squared)/squared*0.02/3), costs.Share, 1e-12)
	strict, _ := labelsOf(t, r, plan.Options{Level: 0.99})
	require.InDelta(t, l.HalfWidth*confidence.NormalQuantile(0.99)/confidence.NormalQuantile(0.95), strict.HalfWidth, 1e-12)
}

// TestLabelsOfClasses: predictions that are judged, and shares of classes, have plans of their own. The ± foreseen from a
// fifth of the labels is what all labels have.
func TestLabelsOfClasses(t *testing.T) {
	names := []string{"a", "b", "c"}
	evaluated := func(labels int) *report.Report {
		random, b := rand.New(rand.NewPCG(1, 4)), &metrics.Batch{Rows: 20_000, Labels: 3}
		mostly := func(class int32) int32 {
			if random.IntN(4) == 0 {
				return random.Int32N(3)
			}
			return class
		}
		for range b.Rows {
			class := random.Int32N(3)
			b.Class, b.Predicted, b.JudgedClass = append(b.Class, class), append(b.Predicted, mostly(class)), append(b.JudgedClass, mostly(class))
		}
		p := &metrics.Params{Task: metrics.Multiclass, Labels: 3, Decisions: true, Has: metrics.HasJudgedClass}
		partial, err := p.New()
		require.NoError(t, err)
		rows := metrics.AllRows(nil, b.Rows)
		partial.Fold(b, rows[:labels])
		partial.FoldUnlabelled(b, rows[labels:])
		results, err := p.Evaluate(partial, metrics.Options{PerLabel: metrics.PerLabel{All: true}})
		require.NoError(t, err)
		r := reported()
		r.Task, r.Examples = "multiclass", int64(labels)
		for i, c := range p.Intervals(metrics.IntervalOptions{Level: 0.95}, results, nil) {
			row := report.Row{Name: results[i].Name, Value: results[i].Number, Support: results[i].Support, Confidence: &report.Confidence{Low: c.Low, High: c.High, StdError: c.StdError, DOF: c.DOF, Method: c.Method, NoInterval: c.NoInterval}}
			if results[i].Label >= 0 {
				row.Label = &names[results[i].Label]
			}
			r.Metrics = append(r.Metrics, row)
		}
		return r
	}
	o := plan.Options{Metrics: []string{"prediction_powered_accuracy", "prediction_powered_mean"}, Drop: math.NaN(), Power: power.Usual}
	few, many := planned(t, evaluated(1000), nil, nil, o), planned(t, evaluated(4000), nil, nil, o)
	require.Len(t, few.Rows, 4)
	for i, row := range few.Rows {
		require.Equal(t, 20_000., row.Labels.Judged)
		require.EqualValues(t, 4000, row.Labels.Others[2].Labels)
		require.InEpsilon(t, many.Rows[i].Labels.HalfWidth, row.Labels.Others[2].Half, 0.03, "%s %v", row.Metric, row.Label)
		require.Less(t, row.Labels.HalfWidth, row.Labels.Alone)
	}
	require.Len(t, few.Warnings, 1, "correlations have no interval here")
}

// TestClusteredLabels: an interval by the jackknife stays as much wider as clusters make it.
func TestClusteredLabels(t *testing.T) {
	r := drawn(t, rand.New(rand.NewPCG(1, 2)), noisy, 200, 1000)
	before, _ := labelsOf(t, r, plan.Options{})
	for i := range r.Metrics {
		if c := r.Metrics[i].Confidence; r.Metrics[i].Name == "prediction_powered_mean" {
			c.Method, c.DOF, c.Low, c.High = confidence.MethodJackknife, 12, r.Metrics[i].Value-1, r.Metrics[i].Value+1
		}
	}
	l, _ := labelsOf(t, r, plan.Options{})
	require.InDelta(t, 1, l.HalfWidth, 1e-12)
	require.InDelta(t, before.Others[1].Half/before.HalfWidth, l.Others[1].Half, 1e-12)
	strict, _ := labelsOf(t, r, plan.Options{Level: 0.99})
	require.InDelta(t, confidence.TQuantile(0.99, 12)/confidence.TQuantile(0.95, 12), strict.HalfWidth, 1e-12)
}

// TestNoPlanOfLabels: what is not known says why.
func TestNoPlanOfLabels(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 3))
	all := drawn(t, random, noisy, 300, 300)
	l, _ := labelsOf(t, all, plan.Options{HalfWidth: 1})
	require.Equal(t, "all judged rows have a label", l.Reason)

	same := drawn(t, random, func(r *rand.Rand) (y, f float64) { return r.NormFloat64(), 2 }, 100, 300)
	l, warnings := labelsOf(t, same, plan.Options{})
	require.Equal(t, l.HalfWidth, l.Alone)
	require.Equal(t, []string{"the judge may help nothing, because chance alone may correlate its judgements with labels: prediction_powered_mean of overall: labels or judgements are all equal"}, warnings)

	r := drawn(t, random, noisy, 100, 300)
	lacking := func(name string) *report.Report {
		some := *r
		some.Metrics = slices.DeleteFunc(slices.Clone(r.Metrics), func(row report.Row) bool { return row.Name == name })
		return &some
	}
	for _, name := range []string{"prediction_powered_correlation", "prediction_powered_lambda", "judged_rows"} {
		l, _ = labelsOf(t, lacking(name), plan.Options{})
		require.Equal(t, "the report needs prediction_powered_correlation, prediction_powered_lambda and judged_rows: add them to metrics", l.Reason)
		require.True(t, math.IsNaN(l.HalfWidth))
	}
	l, _ = labelsOf(t, lacking("label_mean_std_error"), plan.Options{})
	require.Empty(t, l.Reason, "λ is below 1")

	few := drawn(t, random, noisy, 100, 300)
	for i := range few.Metrics {
		few.Metrics[i].Confidence.Method, few.Metrics[i].Confidence.NoInterval = "", confidence.FewFolds
	}
	l, _ = labelsOf(t, few, plan.Options{})
	require.Equal(t, "few groups", l.Reason)

	_, err := plan.Make(reported(row("roc_auc", nil, 0.8, 1e-3)), nil, nil, plan.Options{Metrics: []string{"roc_auc"}, Drop: math.NaN(), Power: power.Usual, HalfWidth: 0.1})
	require.ErrorContains(t, err, "no planned metric is an estimate from labels and judgements: ")

	var many []report.Row
	for i := range 9 {
		for _, row := range same.Metrics {
			row.Slice = in(fmt.Sprint(i))
			many = append(many, row)
		}
	}
	same.Metrics = append(same.Metrics, many...)
	o := plan.Options{Metrics: []string{"prediction_powered_mean"}, Drop: math.NaN(), Power: power.Usual}
	require.Regexp(t, "; 5 more$", planned(t, same, nil, nil, o).Warnings[0])
}
