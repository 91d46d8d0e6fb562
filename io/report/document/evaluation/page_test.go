package evaluation_test

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/checks"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/slice"
)

func TestPagesAreWellFormed(t *testing.T) {
	for name, build := range reporttest.Reports {
		t.Run(name, func(t *testing.T) { reporttest.PageOf(t, build()) })
	}
}

func TestPageOfBinary(t *testing.T) {
	root, _ := reporttest.PageOf(t, reporttest.BinaryReport())
	require.Equal(t, "Spam filter", reporttest.TextOf(reporttest.Find(root, "h1")))
	header := reporttest.TextOf(reporttest.Find(root, "header"))
	for _, part := range []string{"gbm-7", "mails of November", "Failed: 1 of 2 gates.", "Two notes. On two lines.", "spam"} {
		require.Contains(t, header, part)
	}
	require.Contains(t, reporttest.TextOf(reporttest.ByID(root, "checks")), "2 rows skipped: null score")
	require.Contains(t, reporttest.TextOf(reporttest.ByID(root, "metrics")), "higher (tp + tn) / n")
	pictures := reporttest.TextOf(reporttest.ByID(root, "charts"))
	for _, part := range []string{"Confusion matrix", "ROC", "Precision and recall", "Reliability", "Thresholds", "Slices: accuracy", "at the threshold 0.5"} {
		require.Contains(t, pictures, part)
	}
}

func TestPageTellsOfTheBaseline(t *testing.T) {
	r := reporttest.BinaryReport()
	r.Gates = append(r.Gates, report.GateResult{Metric: "recall", Limits: report.Limits{MaxDrop: reporttest.LimitOf(0.01)}, Value: 0.8, Difference: -0.0625, Verdict: report.Fail})
	root, _ := reporttest.PageOf(t, r)
	require.Contains(t, reporttest.TextOf(reporttest.ByID(root, "headlines")), "-0.0625 from the baseline")
}

// A cell of the confusion matrix says what it counts, and has a color of its own if it is an error.
func TestConfusionMatrixOfPage(t *testing.T) {
	r := &report.Report{Task: "multiclass", Labels: []string{"a", "b", "c"}, Metrics: []report.Row{{Name: "accuracy", Value: 0.5}}}
	for i, row := range [][]int64{{90, 10, 0}, {1, 49, 0}, {0, 0, 0}} {
		for j, n := range row {
			r.Confusion = append(r.Confusion, report.ConfusionCell{True: r.Labels[i], Predicted: r.Labels[j], TrueIndex: i, PredictedIndex: j, Count: n, Weight: float64(n)})
		}
	}
	root, page := reporttest.PageOf(t, r)
	require.Contains(t, reporttest.TextOf(reporttest.ByID(root, "charts")), "a 90 (90.0%) 10 (10.0%) 0 (0.0%) 100 (66.7%) b 1 (2.0%) 49 (98.0%) 0 (0.0%) 50 (33.3%) c 0 (0.0%) 0 (0.0%) 0 (0.0%) 0 (0.0%) total 91 (60.7%) 59 (39.3%) 0 (0.0%) 150 (100.0%)")
	for _, cell := range []string{
		`<path class="f h9" .*<title>true a, predicted a: 90 examples, 90.0% of the true class<`, `<path class="f e4" [^>]*><title>true a, predicted b: 10 examples, 10.0% of the true class<`,
		`<path class="f e0" [^>]*><title>true b, predicted a: 1 examples, 2.0% of the true class<`, // a quarter is the darkest
	} {
		require.Regexp(t, cell, string(page))
	}
}

// The slider shows the numbers of metrics.json at its threshold, and counts of examples elsewhere.
func TestSlider(t *testing.T) {
	r := reporttest.BinaryReport()
	root, _ := reporttest.PageOf(t, r)
	curves := knownCurves(t, root)
	require.Len(t, curves, 1)
	want := map[string]float64{}
	for _, row := range r.Metrics {
		if len(row.Slice) == 0 {
			want[row.Name] = row.Value
		}
	}
	c := curves[0]
	require.Equal(t, [3]float64{0.5, want["tp"], want["fp"]}, c.Points[c.Start])
	require.Equal(t, want["tp"]+want["fn"], c.Positives)
	require.Equal(t, want["tn"]+want["fp"], c.Negatives)
	for i, p := range c.Points {
		require.Equal(t, p[1], math.Trunc(p[1]))
		require.Equal(t, p[2], math.Trunc(p[2]))
		if i > 0 {
			require.LessOrEqual(t, p[0], c.Points[i-1][0])
		}
	}
}

// knownCurve is what the script of a page knows of a label.
type knownCurve struct {
	Name                 string
	Positives, Negatives float64
	Start                int
	Decision             [2]float64
	Points, Bins         [][3]float64
	Scores               [2][]float64
}

func knownCurves(t *testing.T, root *html.Node) (curves []knownCurve) {
	require.NoError(t, json.Unmarshal([]byte(reporttest.ByID(root, "curves").FirstChild.Data), &curves))
	return curves
}

// manyLabels returns a report with n labels. Label i has 20 examples, i % 7 + 1 of them positive;
// all positives score higher than the negatives, except for one negative.
func manyLabels(task string, n int) *report.Report {
	r := &report.Report{Task: task, Metrics: []report.Row{{Name: "accuracy", Value: 0.5}}, Config: json.RawMessage(`{"decision":{"threshold":0.5}}`)}
	for i := range n {
		label, positives := fmt.Sprint("label ", i), float64(i%7+1)
		r.Labels = append(r.Labels, label)
		r.Metrics = append(r.Metrics, report.Row{Name: "roc_auc", Label: &label, Value: float64(i) / 1e3}, report.Row{Name: "roc_auc_ovr", Label: &label, Value: float64(i) / 1e3})
		fpr := 1 / (20 - positives)
		r.Curves = append(r.Curves,
			report.Curve{Label: &label, Name: report.CurveROC, Points: []report.CurvePoint{{Threshold: math.NaN()}, {X: fpr, Threshold: 0.99}, {X: fpr, Y: 1, Threshold: 0.75}, {X: 1, Y: 1, Threshold: 0.03}}},
			report.Curve{Label: &label, Name: report.CurveCalibration, Points: []report.CurvePoint{{X: 0.03, Y: 0, Threshold: 0, Weight: 19 - positives}, {X: 0.8, Y: positives / (positives + 1), Threshold: 0.5, Weight: positives + 1}}})
		for cell, count := range map[[2]string]int64{{"1", "1"}: int64(positives), {"0", "1"}: 1, {"0", "0"}: int64(19 - positives)} {
			c := report.ConfusionCell{Label: &label, True: cell[0], Predicted: cell[1], Count: count, Weight: float64(count)}
			if task == "multiclass" {
				c.Label, c.True, c.TrueIndex, c.Predicted, c.PredictedIndex = nil, label, i, label, i
				if cell[1] != cell[0] {
					continue
				}
			}
			r.Confusion = append(r.Confusion, c)
		}
	}
	return r
}

// The page knows the curve of each label, also if there are very many.
func TestPageKnowsLabels(t *testing.T) {
	for _, n := range []int{4, 1000} {
		root, data := reporttest.PageOf(t, manyLabels("multilabel", n))
		require.Less(t, len(data), 2_000_000)
		curves := knownCurves(t, root)
		require.Len(t, curves, n)
		c := curves[2] // with 3 positives of 20
		require.Equal(t, "label 2", c.Name)
		require.Equal(t, []float64{3, 17}, []float64{c.Positives, c.Negatives})
		require.Equal(t, [2]float64{3, 1}, c.Decision)
		require.Equal(t, [][3]float64{{0.99, 0, 1}, {0.75, 3, 1}, {0.5, 3, 1}, {0.03, 3, 17}}, c.Points)
		require.Equal(t, [3]float64{0.5, 3, 1}, c.Points[c.Start])
		require.Equal(t, [][3]float64{{300, 0, 16}, {8000, 7500, 4}}, c.Bins)
		want := [2][]float64{make([]float64, 20), make([]float64, 20)}
		want[0][15], want[1][19], want[1][0] = 10_000, 588, 9412
		require.Equal(t, want, c.Scores)
		require.NotNil(t, reporttest.ByID(root, "label"), "nothing to choose with")
	}
}

// Without the script, the curves of the three worst labels are in front of the others, which are grey,
// with the points of their decisions.
func TestCurvesOfLabels(t *testing.T) {
	_, data := reporttest.PageOf(t, manyLabels("multilabel", 20))
	roc := regexp.MustCompile(`(?s)<title id="[^"]*">ROC</title>.*?</svg>`).FindString(string(data))
	require.Equal(t, 17, strings.Count(roc, `<path class="s b"`))
	for i := range 3 {
		require.Contains(t, roc, fmt.Sprintf(`>label %d (%s)</text>`, i, document.Number(float64(i)/1e3)))
	}
	require.Regexp(t, `<title>label 3 \([^<]*</title>`, roc)
	require.NotRegexp(t, `>label 3 \([^<]*</text>`, roc, "the legend names a grey curve")
	require.Equal(t, 3, strings.Count(roc, ", at the threshold 0.5: fpr 0.0"))
	require.Equal(t, 1, strings.Count(roc, ">at the threshold 0.5</text>"))
	_, data = reporttest.PageOf(t, manyLabels("multiclass", 20))
	require.Contains(t, string(data), "label 0, as predicted: fpr 0.0000, recall 1.0000")
}

// The gain of the highest scores, with examples of equal score shared.
func TestGain(t *testing.T) {
	r := &report.Report{Task: "binary", Metrics: []report.Row{{Name: "accuracy", Value: 0.5}}}
	for i, row := range [][]float64{{70, 10}, {10, 10}} {
		for j, w := range row {
			r.Confusion = append(r.Confusion, report.ConfusionCell{True: fmt.Sprint(i), Predicted: fmt.Sprint(j), TrueIndex: i, PredictedIndex: j, Count: int64(w), Weight: w})
		}
	}
	// 10 examples score 0.9, 5 of them positive; 20 score 0.5, 10 positive; 70 score 0.1, 5 positive.
	r.Curves = []report.Curve{{Name: report.CurveROC, Points: []report.CurvePoint{
		{Threshold: math.NaN()}, {X: 5. / 80, Y: 0.25, Threshold: 0.9}, {X: 15. / 80, Y: 0.75, Threshold: 0.5}, {X: 1, Y: 1, Threshold: 0.1},
	}}}
	root, data := reporttest.PageOf(t, r)
	require.Contains(t, reporttest.TextOf(reporttest.ByID(root, "charts")),
		"1% 1 0.5 50.0% 2.5% 2.50 0.9000 5% 5 2.5 50.0% 12.5% 2.50 0.9000 10% 10 5 50.0% 25.0% 2.50 0.9000 20% 20 10 50.0% 50.0% 2.50 0.5000 30% 30 15 50.0% 75.0% 2.50 0.5000 40% 40 15.7 39.3% 78.6% 1.96 0.1000")
	require.Contains(t, reporttest.TextOf(reporttest.ByID(root, "charts")), "100% 100 20 20.0% 100.0% 1.00 0.1000")
	require.Contains(t, string(data), "positives, 0.50 to 0.55: 50.0%")
	require.Contains(t, string(data), "negatives, 0.50 to 0.55: 12.5%")

	// The 70 examples score -Inf, and the 10 score +Inf.
	for _, i := range []int{1, 3} {
		r.Curves[0].Points[i].Threshold = math.Inf(2 - i)
	}
	r.Curves[0].Points = slices.Insert(r.Curves[0].Points, 3, report.CurvePoint{X: 15. / 80, Y: 0.8, Threshold: 0.3})
	root, data = reporttest.PageOf(t, r)
	require.Contains(t, reporttest.TextOf(reporttest.ByID(root, "charts")), "5% 5 2.5 50.0% 12.5% 2.50 –")
	require.Contains(t, reporttest.TextOf(reporttest.ByID(root, "charts")), "100% 100 20 20.0% 100.0% 1.00 –")
	require.Contains(t, string(data), "positives, 0.95 to 1.00: 25.0%")
	require.Contains(t, string(data), "negatives, 0.00 to 0.05: 81.2%")
}

func TestHostileNamesInPage(t *testing.T) {
	names := append(reporttest.HostileNames(), "<script>alert(1)</script>", `" onmouseover="x`, "'><img src=x onerror=x>", "</style>", "</script>",
		"<!--", "]]>", "&amp;", "{{.}}", "\u202eabc", strings.Repeat("long ", 2000))
	for _, task := range []string{"binary", "multiclass", "multilabel", "ranking", "regression"} {
		config, err := json.Marshal(map[string]any{
			"positive_label": "</script><script>x", "decision": map[string]any{"threshold": map[string]float64{"default": 0.5, names[0]: 0.25}},
			"report": map[string]string{"title": names[len(names)-1], "model": "<script>", "data": "</title>", "notes": "<b>\n\u202e"},
		})
		require.NoError(t, err)
		r := &report.Report{Task: task, Labels: names[len(names)-60:], Config: config, Checks: checks.Of(checks.Warning, names...), Rows: report.RowCounts{Skipped: map[string]int64{}}}
		for _, name := range r.Labels {
			r.Rows.Skipped[name] = 1
			s := slice.Key{{Column: name, Value: slice.String(name)}}
			for _, metric := range []string{"f1", "accuracy", "mae", name} {
				r.Metrics = append(r.Metrics, report.Row{Name: metric, Slice: s, Value: 0.5}, report.Row{Name: metric, Label: &name, Value: 0.5},
					report.Row{Name: metric, Undefined: name, Value: math.NaN()})
			}
			for _, c := range []int{0, 1} {
				r.Confusion = append(r.Confusion, report.ConfusionCell{Label: &name, True: fmt.Sprint(c), Predicted: "1", TrueIndex: c, PredictedIndex: 1, Count: 5, Weight: 5})
				r.Confusion = append(r.Confusion, report.ConfusionCell{True: name, Predicted: names[c], Count: 1, Weight: 1})
			}
			for _, curve := range []string{report.CurveROC, report.CurvePR, report.CurveCalibration} {
				r.Curves = append(r.Curves, reporttest.CurveOf(curve, &name, 3, func(x float64) report.CurvePoint {
					return report.CurvePoint{X: x, Y: x, Threshold: 1 - x, Weight: 1}
				}))
			}
		}
		comparison.Judge(r, []report.Gate{{Metric: "<script>", Label: &names[0]}}, nil)
		_, data := reporttest.PageOf(t, r)
		require.Less(t, len(data), 2_000_000)
		message := reporttest.Write(t, r).Content[report.SummaryText].String()
		require.LessOrEqual(t, strings.Count(message, "\n"), 15)
		require.Less(t, len(message), 5000)
		require.Equal(t, -1, strings.IndexFunc(message, func(c rune) bool { return c != '\n' && !strconv.IsPrint(c) }))
	}
}

func TestPageShowsValuesOfQueries(t *testing.T) {
	r := reporttest.RankingReport()
	r.Histograms = nil // as in a report of an older version
	r.Queries.Names, r.Metrics = []string{"ndcg"}, []report.Row{{Name: "ndcg", Value: 0.5, Support: 5}}
	r.Queries.List = nil
	for _, v := range []float64{0, 0.05, 0.99, 1, math.NaN()} {
		r.Queries.List = append(r.Queries.List, report.Query{ID: slice.Float(v), Values: []float64{v}})
	}
	root, _ := reporttest.PageOf(t, r)
	text := reporttest.TextOf(reporttest.ByID(root, "charts"))
	for _, part := range []string{"Without 1 query that it is undefined for.", "0.00 to 0.05 1 25.0% 0.05 to 0.10 1 25.0% 0.10 to 0.15 0", "0.90 to 0.95 0 0.0% 0.95 to 1.00 2 50.0%"} {
		require.Contains(t, text, part)
	}
	r.Queries.List[0].Values[0] = 1.5 // dcg and the like have no upper bound
	root, _ = reporttest.PageOf(t, r)
	require.NotContains(t, reporttest.TextOf(root), "Queries: ndcg")
}

func TestLargePages(t *testing.T) {
	r := &report.Report{Task: "multiclass", Rows: report.RowCounts{Read: 1e6, Evaluated: 1e6}}
	r.Metrics = append(r.Metrics, report.Row{Name: "accuracy", Value: 0.5})
	for i := range 10_000 {
		r.Metrics = append(r.Metrics, report.Row{Name: "accuracy", Slice: reporttest.Key("user", slice.Int(int64(i))), Value: float64(i) / 1e4, Support: int64(i)})
	}
	for i := range 1000 {
		class := fmt.Sprint("class ", i)
		r.Labels = append(r.Labels, class)
		r.Metrics = append(r.Metrics, report.Row{Name: "f1", Label: &class, Value: float64(i) / 1e3})
		for _, curve := range []string{report.CurveROC, report.CurvePR} {
			r.Curves = append(r.Curves, reporttest.CurveOf(curve, &class, 100, func(x float64) report.CurvePoint {
				return report.CurvePoint{X: x, Y: math.Sqrt(x), Threshold: 1 - x}
			}))
		}
		r.Confusion = append(r.Confusion, report.ConfusionCell{True: class, Predicted: "class 0", TrueIndex: i, Count: int64(i), Weight: float64(i)})
	}
	root, data := reporttest.PageOf(t, r)
	require.Less(t, len(data), 2_000_000)
	for id, want := range map[string]int{"slices": 1000, "labels": 1000} {
		section := reporttest.ByID(root, id)
		require.Equal(t, want, strings.Count(reporttest.TextOf(section), map[string]string{"slices": "user=", "labels": "class "}[id]))
		require.Contains(t, reporttest.TextOf(section), "Show all 1000 rows")
	}
	require.Contains(t, reporttest.TextOf(reporttest.ByID(root, "charts")), "The 3 of 1,000 classes with the lowest roc_auc_ovr.")
	require.Contains(t, reporttest.TextOf(reporttest.ByID(root, "charts")), "left out")
	require.NotContains(t, string(data), `class="s b"`, "many labels have no grey curves")
}

// TestMostConfusedClasses: the pairs of many classes have a weight if rows do, else a number of examples.
func TestMostConfusedClasses(t *testing.T) {
	for weight, want := range map[float64]string{1: "class 1 → class 0: examples 7, share of the true class 100.0%", 0.5: "class 1 → class 0: weight 3.5000, share of the true class 100.0%"} {
		r := &report.Report{Task: "multiclass"}
		for i := range 40 {
			class := fmt.Sprint("class ", i)
			r.Labels = append(r.Labels, class)
			r.Confusion = append(r.Confusion, report.ConfusionCell{True: class, Predicted: "class 0", TrueIndex: i, Count: 7, Weight: 7 * weight})
		}
		_, data := reporttest.PageOf(t, r)
		require.Contains(t, string(data), want)
		require.Equal(t, weight == 1, strings.Contains(string(data), "by how many examples"))
		require.Equal(t, weight != 1, strings.Contains(string(data), "by the weight of their examples"))
	}
}

// TestPageOfManyMetrics: what a table holds is limited by its bytes, too.
func TestPageOfManyMetrics(t *testing.T) {
	r := &report.Report{Task: "binary"}
	names := make([]string, 100)
	for m := range names {
		names[m] = fmt.Sprint("m", m)
		r.Metrics = append(r.Metrics, report.Row{Name: names[m], Value: 0.5, Support: 1000})
		for i := range 300 {
			r.Metrics = append(r.Metrics, report.Row{Name: names[m], Slice: reporttest.Key("user", slice.Int(int64(i))), Value: float64(i) / 300, Support: 100})
		}
	}
	config, err := json.Marshal(map[string]any{"metrics": names})
	require.NoError(t, err)
	r.Config = config
	root, data := reporttest.PageOf(t, r)
	require.Less(t, len(data), 600_000)
	text := reporttest.TextOf(root)
	require.Contains(t, text, "Sorted by name; left out: ")
	require.Contains(t, text, "m99")
}

// TestPageShowsIntervalsAlike: all with the same number of decimals, as [low, high] unless both halves are the same.
func TestPageShowsIntervalsAlike(t *testing.T) {
	r := &report.Report{Task: "binary", Confidence: &report.Folding{Level: 0.95, Folds: 20}}
	around := func(low, high float64) *report.Confidence {
		return &report.Confidence{Low: low, High: high, Folds: 20, Method: "jackknife"}
	}
	r.Metrics = []report.Row{
		{Name: "accuracy", Value: 0.90415, Support: 100, Confidence: around(0.89, 0.91)},
		{Name: "recall", Value: 0.2, Support: 100, Confidence: around(0.00004, 0.6)},
		{Name: "mcc", Value: 0.5, Support: 100, Confidence: around(0.4, 0.6)},
		{Name: "roc_auc", Value: 0.75, Support: 100, Bounds: &report.Bounds{Low: 0.7499, High: 0.7502}},
		{Name: "log_loss", Value: 0.00001, Support: 100, Confidence: around(0.000005, 0.00002)},
		{Name: "accuracy", Slice: reporttest.Key("c", slice.Int(1)), Value: 0.5, Support: 100, Confidence: around(0.25, 0.875)},
	}
	root, data := reporttest.PageOf(t, r)
	text := strings.ReplaceAll(reporttest.TextOf(root), "\u00a0", " ")
	for _, part := range []string{
		"accuracy 0.9042 [0.8900, 0.9100]", "recall 0.2000 [0.0000, 0.6000]", "roc_auc 0.7500 [0.7499, 0.7502]", "mcc 0.5000 ± 0.1000",
		"log_loss 1.000e-05 [5.000e-06, 2.000e-05]", "c=1 100 0.500 [0.250, 0.875]", "± and [ ]: 95% confidence",
	} {
		require.Contains(t, text, part)
	}
	require.Contains(t, string(data), `d="M89.0 4H91.0"/><path class="f k" d="M90.4 0h1v8h-1z"/>`, "the interval on a scale from 0 to 1")
}

// TestOrderOfPage: the most important metrics, whether gates hold, what was asked for, then slices, charts and all metrics.
func TestOrderOfPage(t *testing.T) {
	sections := func(r *report.Report) (ids []string) {
		_, data := reporttest.PageOf(t, r)
		for _, m := range regexp.MustCompile(`<section id="([^"]+)"`).FindAllSubmatch(data, -1) {
			ids = append(ids, string(m[1]))
		}
		return ids
	}
	r := reporttest.BinaryReport()
	r.Worst = []report.WorstExample{{Name: "log_loss", Rank: 1, ID: slice.Int(1), Loss: 1}}
	require.Equal(t, []string{"headlines", "gates", "passed-gates", "checks", "worst-examples", "slices", "charts", "slider", "metrics", "configuration"}, sections(r))
	ids := sections(reporttest.PreferenceReport())
	require.Equal(t, []string{"ranks", "wins", "headlines"}, ids[:3], "the winner comes first")
	root, _ := reporttest.PageOf(t, r)
	for _, id := range []string{"metrics", "configuration"} {
		require.NotNil(t, reporttest.Find(reporttest.ByID(root, id), "details"), "%s is folded", id)
	}
}

// TestManyLabels: of many labels, the page shows distributions, and first those that miss most examples.
func TestManyLabels(t *testing.T) {
	r := manyLabels("multilabel", 31)
	r.Confusion = nil
	for i, name := range r.Labels {
		missed, found := int64(i%3), int64(i+1)
		r.Metrics = append(r.Metrics, report.Row{Name: "f1", Label: &name, Value: float64(i) / 31})
		for truth, row := range [][]int64{{20, 0}, {missed, found}} {
			for predicted, n := range row {
				r.Confusion = append(r.Confusion, report.ConfusionCell{Label: &name, True: fmt.Sprint(truth), Predicted: fmt.Sprint(predicted), TrueIndex: truth, PredictedIndex: predicted, Count: n, Weight: float64(n)})
			}
		}
	}
	root, _ := reporttest.PageOf(t, r)
	charts := reporttest.TextOf(reporttest.ByID(root, "charts"))
	for _, part := range []string{"Distribution of f1", "0.00 to 0.05 2 6.5%", "Distribution of roc_auc", "Support and f1", "The 3 of 31 labels with the lowest roc_auc."} {
		require.Contains(t, charts, part)
	}
	require.NotContains(t, charts, "In grey")
	require.NotContains(t, charts, "Labels: f1")
	labels := reporttest.TextOf(reporttest.ByID(root, "labels"))
	require.Contains(t, labels, "Sorted from the most missed examples: support × (1 − recall).")
	require.Regexp(t, `label 2 0 2 .*label 29 0 2 .*label 1 0 1 .*label 28 0 1 .*label 0 0 0 `, labels)
	require.Equal(t, "names", attributeOf(reporttest.ByID(root, "label"), "list"), "readers type a name")
	root, _ = reporttest.PageOf(t, manyLabels("multilabel", 30))
	require.Equal(t, "select", reporttest.ByID(root, "label").Data)
}

func attributeOf(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// TestOrderedSlices: bins of numbers are drawn in their order, with a line; names of slices of one column are their values.
func TestOrderedSlices(t *testing.T) {
	r := &report.Report{Task: "regression", Metrics: []report.Row{{Name: "mae", Value: 3, Support: 100}}}
	add := func(column string, value slice.Value, mae float64) {
		r.Metrics = append(r.Metrics, report.Row{Name: "mae", Slice: slice.Key{{Column: column, Value: value}}, Value: mae, Support: 50})
	}
	for i, mae := range []float64{1, 5, 2} {
		add("horizon", slice.Interval(float64(10*i), float64(10*i+10)), mae)
	}
	root, data := reporttest.PageOf(t, r)
	require.Regexp(t, `Data slices mae support horizon in \[0, 10\) .*horizon in \[10, 20\) .*horizon in \[20, 30\) `, reporttest.TextOf(reporttest.ByID(root, "charts")))
	require.Contains(t, string(data), `stroke-width="1.8" d="M`)
	require.Equal(t, 1, strings.Count(string(data), "Slices: mae by horizon</title>"))
	add("shop", slice.String("a"), 1)
	add("shop", slice.String("b"), 7)
	root, _ = reporttest.PageOf(t, r)
	charts := reporttest.TextOf(reporttest.ByID(root, "charts"))
	require.Contains(t, charts, "Slices: mae Sorted from the worst mae")
	require.Contains(t, charts, "Slices: mae by horizon")
	require.NotContains(t, charts, "by shop")
}

// TestGatesOnPage: failed gates are open and rounded, passed gates are folded; without gates there
// is no verdict.
func TestGatesOnPage(t *testing.T) {
	r := reporttest.BinaryReport()
	low, high, nan := 0.5, 0.9, math.NaN()
	r.Gates = []report.GateResult{
		{Metric: "f1", Limits: report.Limits{Min: &high}, Value: 0.8999999123456, Low: nan, High: nan, Difference: nan, PAdjusted: nan, Verdict: report.Fail},
		{Metric: "recall", Limits: report.Limits{Min: &low}, Value: 0.654321987, Low: nan, High: nan, Difference: nan, PAdjusted: nan, Verdict: report.Pass},
	}
	root, _ := reporttest.PageOf(t, r)
	require.Equal(t, "Gates gate metric slice asked found fail f1 overall min 0.9 0.8999999", reporttest.TextOf(reporttest.ByID(root, "gates")))
	passed := reporttest.ByID(root, "passed-gates")
	require.NotNil(t, reporttest.Find(passed, "h3"), "it belongs to the gates")
	require.Equal(t, "1 gate passed gate metric slice asked found pass recall overall min 0.5 0.6543", reporttest.TextOf(reporttest.Find(passed, "details")))
	require.Contains(t, reporttest.TextOf(reporttest.Find(root, "header")), "Failed: 1 of 2 gates.")
	r.Gates = nil
	root, _ = reporttest.PageOf(t, r)
	require.Contains(t, reporttest.TextOf(reporttest.Find(root, "header")), "No gates. 1 warning.")
	require.Nil(t, reporttest.ByID(root, "gates"))
}

// TestContentsAndFoot: all sections that belong to no other are listed, and the foot names the files that say the rest.
func TestContentsAndFoot(t *testing.T) {
	r := reporttest.BinaryReport()
	r.Config = []byte(`{"report":{"data":"mails of November","date":"2026-11-19"}}`)
	root, _ := reporttest.PageOf(t, r)
	sections, links := 0, 0
	for n := range root.Descendants() {
		switch {
		case n.Data == "h2":
			sections++
		case n.Data == "a":
			links++
		}
	}
	require.Equal(t, sections, links)
	foot := reporttest.TextOf(reporttest.Find(root, "footer"))
	for _, part := range []string{"Data: mails of November. Date: 2026-11-19. Rows: ", "metrics.json", "run.json"} {
		require.Contains(t, foot, part)
	}
}

func TestPagesOfLittle(t *testing.T) {
	nothing := &report.Report{Task: "binary", Rows: report.RowCounts{Read: 3, Skipped: map[string]int64{"null score": 3}}}
	root, _ := reporttest.PageOf(t, nothing)
	require.Contains(t, reporttest.TextOf(root), "3 rows skipped: null score")
	require.Nil(t, reporttest.ByID(root, "slider"))
	require.Nil(t, reporttest.ByID(root, "charts"))
	one := &report.Report{
		Task: "binary", Rows: report.RowCounts{Read: 1, Evaluated: 1}, Metrics: []report.Row{{Name: "accuracy", Value: 1, Support: 1}},
		Confusion: []report.ConfusionCell{{True: "1", Predicted: "1", TrueIndex: 1, PredictedIndex: 1, Count: 1, Weight: 1}},
		Curves: []report.Curve{
			{Name: report.CurvePR, Points: []report.CurvePoint{{X: 1, Y: 1, Threshold: 0.7}}},
			{Name: report.CurveROC, Points: []report.CurvePoint{{X: math.NaN(), Y: 1, Threshold: 0.7}}},
		},
	}
	root, _ = reporttest.PageOf(t, one)
	require.Contains(t, reporttest.TextOf(reporttest.ByID(root, "headlines")), "accuracy 1.0000")
}

// The isotonic fit is in the reliability diagram, or has one of its own if there are no bins.
func TestIsotonicFitOfPage(t *testing.T) {
	r := reporttest.BinaryReport()
	fit := report.Curve{Name: report.CurveIsotonic, Points: []report.CurvePoint{{X: 0.1, Y: 0, Threshold: 0.1}, {X: 0.4, Y: 0.3, Threshold: 0.4}, {X: 0.8, Y: 1, Threshold: 0.8}}}
	r.Curves = append(r.Curves, fit)
	for i := range r.Curves[0].Points {
		r.Curves[0].Points[i].Weight *= 100
		r.Examples += int64(r.Curves[0].Points[i].Weight)
	}
	r.Examples -= reporttest.BinaryReport().Examples
	root, _ := reporttest.PageOf(t, r)
	text := reporttest.TextOf(reporttest.ByID(root, "charts"))
	require.Contains(t, text, "bins isotonic fit")
	require.Contains(t, text, "Bands: where 95 % of samples are if probabilities are right.")
	require.Contains(t, text, "if calibrated, in 95 % of samples")

	independent := r.Confidence
	r.Confidence = &report.Folding{Clustered: true}
	root, _ = reporttest.PageOf(t, r)
	require.NotContains(t, reporttest.TextOf(reporttest.ByID(root, "charts")), "Bands:")
	r.Confidence = independent

	// The band of the fit replaces the bands of bins.
	ends := []report.Curve{{Name: report.CurveIsotonicLower, Points: []report.CurvePoint{{X: 0.1, Y: 0}, {X: 0.8, Y: 0.7}}},
		{Name: report.CurveIsotonicUpper, Points: []report.CurvePoint{{X: 0.1, Y: 0.2}, {X: 0.8, Y: 0.9}}}}
	r.Curves = append(r.Curves, ends...)
	root, _ = reporttest.PageOf(t, r)
	text = reporttest.TextOf(reporttest.ByID(root, "charts"))
	require.Contains(t, text, "Shaded: where the isotonic fit is in 95 % of samples if probabilities are right.")
	require.NotContains(t, text, "Bands:")
	require.NotContains(t, text, "if calibrated")

	r = reporttest.BinaryReport()
	for _, band := range [][]report.Curve{nil, ends, ends[:1]} {
		r.Curves = append([]report.Curve{fit}, band...)
		root, _ = reporttest.PageOf(t, r)
		text = reporttest.TextOf(reporttest.ByID(root, "charts"))
		require.Contains(t, text, "The share of positives by probability: an isotonic fit.")
		require.NotContains(t, text, "if calibrated")
		require.Equal(t, len(band) == 2, strings.Contains(text, "Shaded: where"))
	}
}
