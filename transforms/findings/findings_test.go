package findings_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/checks"
	"github.com/beameval/beameval/io/report/differences"
	model "github.com/beameval/beameval/io/report/findings"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/crossfit"
	"github.com/beameval/beameval/transforms/findings"
)

const folds = 50

// part is a slice in which a metric is right in some of n examples.
type part struct {
	key     slice.Key
	hits, n int
}

func country(name string, hits, n int) part {
	return part{slice.Key{{Column: "country", Value: slice.String(name)}}, hits, n}
}

// rows returns the rows of a rate in some slices and in all of their examples, with the replicates and intervals of a run.
func rows(name string, parts ...part) (list []report.Row) {
	var all [folds][2]int
	list = append(list, report.Row{})
	for _, p := range parts {
		order := rand.New(rand.NewPCG(uint64(p.hits), uint64(p.n))).Perm(p.n)
		var of [folds][2]int
		for i, at := range order {
			of[at%folds][1]++
			if i < p.hits {
				of[at%folds][0]++
			}
		}
		for i := range of {
			all[i][0], all[i][1] = all[i][0]+of[i][0], all[i][1]+of[i][1]
		}
		list = append(list, rate(name, p.key, &of))
	}
	list[0] = rate(name, nil, &all)
	return list
}

func rate(name string, key slice.Key, of *[folds][2]int) report.Row {
	hits, n := 0, 0
	for _, f := range of {
		hits, n = hits+f[0], n+f[1]
	}
	row := report.Row{Name: name, Slice: key, Value: float64(hits) / float64(n), Support: int64(n)}
	for i, f := range of {
		row.Folds, row.Replicates = append(row.Folds, int32(i)), append(row.Replicates, float64(hits-f[0])/float64(n-f[1]))
	}
	found := confidence.Estimate{Value: row.Value, Replicates: row.Replicates, Scale: confidence.Proportion, Trials: float64(n), Rarer: folds}.Interval(0.95)
	row.Confidence = &report.Confidence{Low: found.Low, High: found.High, StdError: found.StdError, DOF: found.DOF, Folds: folds, Method: found.Method}
	return row
}

// known is a row of all examples with an interval.
func known(name string, value, low, high float64) report.Row {
	return report.Row{Name: name, Value: value, Support: 1000, Confidence: &report.Confidence{Low: low, High: high, Folds: folds, Method: confidence.MethodJackknife}}
}

func facts(task metrics.Task, rows ...report.Row) *findings.Facts {
	return &findings.Facts{Task: task, Report: &report.Report{
		Task: task.String(), Examples: 1000, Metrics: rows, Confidence: &report.Folding{Level: 0.95, Folds: folds}, Labels: []string{"a", "b", "c"},
	}}
}

// decided returns facts of a binary task whose positives have scores in higher bins. Of each 20 examples of a fold, one is
// predicted positive in present, and better in the first bins that hold positives.
func decided(positivesInSecond int, costs [][]float64) *findings.Facts {
	f := facts(metrics.Binary, rows("f1", part{nil, 500, 1000})...)
	f.Costs, f.Lowest = costs, []float64{0.9, 0.4, 0}
	r := rand.New(rand.NewPCG(3, 9))
	for range folds {
		fold := crossfit.Fold{Positives: []float64{4, 0, 1}, Negatives: []float64{1, 0, 10}}
		for range 20 {
			if second := r.IntN(100) < positivesInSecond; second {
				fold.Positives[1]++
			} else {
				fold.Negatives[1]++
			}
		}
		fold.Decided = crossfit.Counts{crossfit.TP: 4, crossfit.FP: 1, crossfit.FN: 1 + fold.Positives[1], crossfit.TN: 10 + fold.Negatives[1]}
		f.Decided = append(f.Decided, fold)
	}
	return f
}

func with(f *findings.Facts, change func(*findings.Facts)) *findings.Facts {
	change(f)
	return f
}

func cells(f *findings.Facts, matrix ...[]int64) *findings.Facts {
	for i, row := range matrix {
		for j, n := range row {
			f.Report.Confusion = append(f.Report.Confusion, report.ConfusionCell{True: string(rune('a' + i)), Predicted: string(rune('a' + j)), TrueIndex: i, PredictedIndex: j, Count: n, Weight: float64(n)})
		}
	}
	return f
}

func groups(hits, n int) *findings.Facts {
	list := rows("recall", country("de", 850, 1000), country("fr", hits, n))
	list = append(list, report.Row{Name: "recall_group_min"}, report.Row{Name: "precision", Value: 0.5})
	f := facts(metrics.Binary, list...)
	f.Report.Config = []byte(`{"groups":{"by":["country"],"metrics":["recall"]},"metrics":["precision"]}`)
	return f
}

// asLoss turns rows of a rate into rows of a mean loss.
func asLoss(list []report.Row) []report.Row {
	for i := range list {
		row := &list[i]
		row.Value = 1 - row.Value
		for j := range row.Replicates {
			row.Replicates[j] = 1 - row.Replicates[j]
		}
		c := row.Confidence
		c.Low, c.High, c.Method = 1-c.High, 1-c.Low, confidence.MethodJackknife
	}
	return list
}

// TestEachFinding has for each finding data that have it, and data that barely do not.
func TestEachFinding(t *testing.T) {
	accuracy := func(hits int) *findings.Facts {
		return facts(metrics.Binary, rows("accuracy", country("br", hits, 90), country("de", 840, 1000))...)
	}
	slope := func(high, ece float64) *findings.Facts {
		return facts(metrics.Binary, known("calibration_slope", 0.8, 0.7, high), report.Row{Name: "ece", Value: ece})
	}
	debiased := func(low float64) *findings.Facts {
		return facts(metrics.Binary, known("calibration_slope", 1.2, 1.1, 1.3), known("ece_debiased", 0.02, low, 0.03))
	}
	// bins have 200 examples each, whose probabilities are x.
	bins := func(task metrics.Task, n int64, x, y []float64) *findings.Facts {
		f := facts(task, report.Row{Name: "ece", Value: 0.1}, known("accuracy", 0.7, 0.6, 0.8))
		f.Report.Examples = n
		c := report.Curve{Name: report.CurveCalibration}
		for i := range x {
			c.Points = append(c.Points, report.CurvePoint{X: x[i], Y: y[i], Weight: 200})
		}
		c.Points = append(c.Points, report.CurvePoint{X: math.NaN(), Y: math.NaN()})
		f.Report.Curves = []report.Curve{c, {Name: report.CurveCalibration, Label: new("a"), Points: []report.CurvePoint{{X: 0.1, Y: 0.9, Weight: 200}}}}
		return f
	}
	lossOf := func(hits int) *findings.Facts {
		list := rows("accuracy", country("br", 400, 500), country("de", 1600, 2000))
		return facts(metrics.Binary, append(list, asLoss(rows("log_loss", country("br", hits, 500), country("de", 1600, 2000)))...)...)
	}
	check := func(name string) func(*findings.Facts) {
		return func(f *findings.Facts) {
			f.Report.Checks = []checks.Check{{Name: name, Message: "there are fewer examples", Count: 70}}
			f.Report.Baseline = &report.Baseline{Reports: 1, Examples: 100}
		}
	}
	change := func(verdict differences.Verdict) *findings.Facts {
		return with(facts(metrics.Binary, known("accuracy", 0.8, 0.7, 0.9)), func(f *findings.Facts) {
			f.Report.Differences = []differences.Change{{Name: "accuracy", A: 0.85, B: 0.8, Difference: -0.05, Low: -0.06, High: -0.04, PAdjusted: 0.01, Verdict: verdict}}
		})
	}
	explained := func(mix float64) *findings.Facts {
		return with(facts(metrics.Binary, known("accuracy", 0.8, 0.7, 0.9)), func(f *findings.Facts) {
			f.Compared = &comparison.Comparison{Changes: []differences.Change{{Name: "accuracy", A: 0.85, B: 0.8, Difference: -0.05, Low: -0.06, High: -0.04, Verdict: differences.Worse}},
				Why: []comparison.Why{{Metric: "accuracy", By: []string{"country"}, Mix: report.Estimate{Value: mix, Low: math.NaN(), High: math.NaN()}, Performance: report.Estimate{Value: -0.06, Low: math.NaN(), High: math.NaN()}}}}
			if math.IsNaN(mix) {
				f.Compared.Changes[0].Verdict = differences.NoSignificantChange
			}
		})
	}
	costs := [][]float64{{0, 1}, {4, 0}}
	for i, c := range []struct {
		finding   string
		has, lack *findings.Facts
		message   string
		see       string
	}{
		{"worst_slice", accuracy(64), accuracy(67), "country=br: accuracy 0.71, all others 0.84 (difference −0.13 ± 0.09); 8 % of examples, 14 % of errors", "slices"},
		{"best_threshold", decided(27, costs), decided(22, costs), "A threshold of 0.4 instead of the predictions would lower expected_cost from", "charts"},
		{"best_threshold", decided(34, nil), decided(26, nil), "A threshold of 0.4 instead of the predictions would raise f1 from", "charts"},
		{"miscalibrated", slope(0.999, 0.01), slope(1, 0.01), "Probabilities are over-confident, closer to 0 and 1 than is right: calibration_slope is 0.80 [0.70, 1.00], where 1 is right, and they are off by 0.010 on average (ece)", "charts"},
		{"miscalibrated", slope(0.999, 0.01), slope(0.999, 0.0099), "recalibration would mend it", "charts"},
		{"miscalibrated", debiased(0.001), debiased(0), "under-confident", "charts"},
		{"miscalibrated", bins(metrics.Binary, 400, []float64{0.1, 0.9}, []float64{0.16, 0.84}), bins(metrics.Binary, 400, []float64{0.1, 0.9}, []float64{0.13, 0.87}),
			"Probabilities are over-confident: on average, they are 0.06 ± 0.05 farther from their mean, 0.50, than the shares of positives are; recalibration would mend it", "charts"},
		{"miscalibrated", bins(metrics.Binary, 400, []float64{0.3, 0.7}, []float64{0.22, 0.78}), bins(metrics.Binary, 400, []float64{0.3, 0.7}, []float64{0.26, 0.74}), "under-confident: on average, they are 0.08 ± 0.06 closer to", "charts"},
		{"miscalibrated", bins(metrics.Binary, 400, []float64{0.3, 0.7}, []float64{0.2, 0.65}), bins(metrics.Binary, 400, []float64{0.3, 0.7}, []float64{0.27, 0.67}),
			"Probabilities are too high on the whole: their mean is 0.50, and the share of positives is 0.42 (difference +0.08 ± 0.06)", "charts"},
		{"miscalibrated", bins(metrics.Multiclass, 400, []float64{0.3, 0.7}, []float64{0.45, 0.75}), bins(metrics.Multiclass, 400, []float64{0.3, 0.7}, []float64{0.32, 0.72}),
			"Probabilities are under-confident: the highest of a row is 0.50 on average, and its class is right in 60 % of the rows (difference −0.10 ± 0.05)", "charts"},
		{"miscalibrated", bins(metrics.Multiclass, 100, []float64{0.3, 0.7}, []float64{0.2, 0.6}), with(bins(metrics.Multiclass, 100, []float64{0.3, 0.7}, []float64{0.2, 0.6}), func(f *findings.Facts) {
			f.Weighted = true
			f.Report.Metrics[1].Confidence.StdError = 0.1 // as of 21 independent examples
		}), "over-confident", "charts"},
		{"worst_slice", lossOf(340), lossOf(375), "country=br: log_loss 0.32, all others 0.20 (difference +0.12 ± 0.05); 20 % of examples, 29 % of the log loss", "slices"},
		{"dominant_confusion", cells(facts(metrics.Multiclass), []int64{300, 60, 1}, []int64{35, 300, 1}, []int64{1, 1, 301}), cells(facts(metrics.Multiclass), []int64{300, 55, 1}, []int64{38, 300, 1}, []int64{1, 1, 304}),
			"a is taken for b more often than any other class for another: 60 examples, 61 % of all errors; next is b taken for a, 35 %", "confusion"},
		{"never_predicted", cells(facts(metrics.Multiclass), []int64{300, 10, 0}, []int64{10, 300, 0}, []int64{20, 10, 0}), cells(facts(metrics.Multiclass), []int64{300, 10, 0}, []int64{10, 300, 0}, []int64{20, 9, 0}), "c is never predicted, though 30 examples have it", "labels"},
		{"never_predicted", cells(facts(metrics.Multiclass), []int64{300, 0, 0}, []int64{1500, 0, 0}, []int64{30, 0, 0}), cells(facts(metrics.Multiclass), []int64{300, 1, 0}, []int64{1500, 0, 0}, []int64{29, 0, 1}), "2 of 3 classes are never predicted: b (1,500 examples) and c (30 examples)", "labels"},
		{"no_better_than_chance", with(facts(metrics.Binary, known("brier_skill", 0.01, -0.02, 0.04)), check("no_better_than_chance")), facts(metrics.Binary, known("brier_skill", 0.01, -0.02, 0.04)),
			"The model is not shown to be better than always predicting how frequent classes are: brier_skill is 0.01 [−0.02, 0.04], where 0 is chance", "checks"},
		{"groups_differ", groups(300, 400), groups(325, 400), "Groups differ in recall: 0.75 for country=fr (400 examples), but 0.85 for country=de (1,000 examples) (difference +0.10 ± 0.05)", "groups"},
		{"position_bias", facts(metrics.Preference, known("first_win_rate", 0.55, 0.501, 0.6)), facts(metrics.Preference, known("first_win_rate", 0.55, 0.5, 0.6)), "Comparisons favour the first of two answers, whichever system gave it: first_win_rate is 0.55 [0.50, 0.60], where 0.5 is right", "metrics"},
		{"position_bias", facts(metrics.Preference, known("first_win_rate", 0.45, 0.4, 0.499)), facts(metrics.Preference, known("first_win_rate", 0.45, 0.4, 0.5)), "the second of two", "metrics"},
		{"narrow_intervals", facts(metrics.Regression, known("interval_coverage@0.8", 0.71, 0.6, 0.799)), facts(metrics.Regression, known("interval_coverage@0.8", 0.71, 0.6, 0.8)), "Forecast intervals are too narrow: those of 80 % contain the true value in 71 % of the examples", "metrics"},
		{"changed", change(differences.Worse), change(differences.NoSignificantChange), "Since the baseline, accuracy became worse: 0.80, before 0.85 (difference −0.05 ± 0.01)", "differences"},
		{"changed", explained(0.01), explained(math.NaN()), "Since the baseline, accuracy became worse: 0.80, before 0.85 (difference −0.05 ± 0.01). By country, mix makes +0.01", "gates"},
		{"volume", with(facts(metrics.Binary, known("accuracy", 0.8, 0.7, 0.9)), check("volume")), facts(metrics.Binary, known("accuracy", 0.8, 0.7, 0.9)), "There are fewer examples", "checks"},
	} {
		t.Run(fmt.Sprint(c.finding, i), func(t *testing.T) {
			require.Nil(t, named(findings.Make(c.lack), c.finding))
			found := named(findings.Make(c.has), c.finding)
			require.NotNil(t, found)
			require.Contains(t, found.Message, c.message)
			require.Equal(t, c.see, found.See)
			require.LessOrEqual(t, len(found.Message), 300, "pages cut longer ones")
		})
	}
}

func named(list []model.Finding, name string) *model.Finding {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// TestNoIntervals: what cannot be said is said, with what adds it.
func TestNoIntervals(t *testing.T) {
	has := rows("accuracy", country("br", 64, 90), country("de", 840, 1000))
	require.Nil(t, named(findings.Make(facts(metrics.Binary, has...)), model.NoIntervals))

	without := facts(metrics.Binary, has...)
	without.Report.Confidence = nil
	for i := range has {
		has[i].Confidence, has[i].Folds, has[i].Replicates = nil, nil, nil
	}
	list := findings.Make(without)
	require.Len(t, list, 1)
	require.Contains(t, list[0].Message, "There are no intervals")
	require.Contains(t, list[0].Message, "add `confidence: {}` to the configuration, or --set confidence={} to the command")

	few := facts(metrics.Binary, report.Row{Name: "accuracy", Confidence: &report.Confidence{NoInterval: confidence.FewFolds}})
	require.Contains(t, findings.Make(few)[0].Message, "There are too few examples for intervals")

	overall := rows("accuracy", country("br", 64, 90), country("de", 840, 1000))
	overall[1].Confidence, overall[2].Confidence = nil, nil
	require.Contains(t, findings.Make(facts(metrics.Binary, overall...))[0].Message, "Slices have no intervals")
}

// TestMostFindings: of many findings, the first five are said.
func TestMostFindings(t *testing.T) {
	f := groups(300, 400)
	f.Report.Config = []byte(`{"groups":{"by":["country"],"metrics":["recall"]}}`)
	f.Report.Metrics = append(f.Report.Metrics, rows("accuracy", country("br", 50, 90), country("de", 840, 1000))...)
	f.Report.Metrics = append(f.Report.Metrics, known("calibration_slope", 0.8, 0.7, 0.9), report.Row{Name: "ece", Value: 0.1}, known("brier_skill", 0.01, -0.02, 0.04))
	f.Report.Checks = []checks.Check{{Name: "no_better_than_chance"}, {Name: "volume", Message: "fewer"}}
	f.Report.Baseline = &report.Baseline{}
	f.Report.Differences = []differences.Change{{Name: "accuracy", A: 0.8, B: 0.9, Difference: 0.1, Low: 0.05, High: 0.15, Verdict: differences.Better}}
	var names []string
	for _, found := range findings.Make(f) {
		names = append(names, found.Name)
	}
	require.Equal(t, []string{"worst_slice", "miscalibrated", "no_better_than_chance", "groups_differ", "changed"}, names)
}

// TestNothing: a report of nothing has no findings, and the list is not nil.
func TestNothing(t *testing.T) {
	list := findings.Make(facts(metrics.Binary, rows("accuracy", country("br", 84, 100), country("de", 840, 1000))...))
	require.NotNil(t, list)
	require.Empty(t, list)
}

// TestAdjusted: what a single slice would show, one of fifty does not.
func TestAdjusted(t *testing.T) {
	parts := []part{country("br", 68, 100)}
	one := facts(metrics.Binary, rows("accuracy", append(parts, country("de", 4000, 5000))...)...)
	require.NotNil(t, named(findings.Make(one), "worst_slice"))
	for i := range 50 {
		parts = append(parts, country(fmt.Sprint(i), 80, 100))
	}
	require.Nil(t, named(findings.Make(facts(metrics.Binary, rows("accuracy", parts...)...)), "worst_slice"))
}

// TestDocs: docs/findings.md has each finding, in the order of the table.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/findings.md")
	require.NoError(t, err)
	var documented []string
	for line := range strings.Lines(string(page)) {
		if name, found := strings.CutPrefix(line, "| `"); found {
			name, _, _ = strings.Cut(name, "`")
			documented = append(documented, name)
		}
	}
	require.Equal(t, findings.Names(), documented)
}
