package document_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
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
	require.Contains(t, reporttest.TextOf(reporttest.ByID(root, "warnings")), "2 rows skipped: null score")
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
			r.Confusion = append(r.Confusion, report.Cell{True: r.Labels[i], Predicted: r.Labels[j], TrueIndex: i, PredictedIndex: j, Count: n, Weight: float64(n)})
		}
	}
	root, page := reporttest.PageOf(t, r)
	require.Contains(t, reporttest.TextOf(reporttest.ByID(root, "pictures")), "a 90 (90.0%) 10 (10.0%) 0 (0.0%) 100 (66.7%) b 1 (2.0%) 49 (98.0%) 0 (0.0%) 50 (33.3%) c 0 (0.0%) 0 (0.0%) 0 (0.0%) 0 (0.0%) total 91 (60.7%) 59 (39.3%) 0 (0.0%) 150 (100.0%)")
	for _, cell := range []string{
		`<path class="f h9" .*<title>true a, predicted a: 90 examples, 90.0% of the true class<`, `<path class="f e9" [^>]*><title>true a, predicted b: 10 examples, 10.0% of the true class<`,
		`<path class="f e4" [^>]*><title>true b, predicted a: 1 examples, 2.0% of the true class<`, // the root of 2 % of 10 %
	} {
		require.Regexp(t, cell, string(page))
	}
}

// The slider shows the numbers of metrics.json at its threshold, and counts of examples elsewhere.
func TestSlider(t *testing.T) {
	r := reporttest.BinaryReport()
	root, _ := reporttest.PageOf(t, r)
	var curves []struct {
		Positives, Negatives float64
		Start                int
		Points               [][3]float64
	}
	require.NoError(t, json.Unmarshal([]byte(reporttest.ByID(root, "curves").FirstChild.Data), &curves))
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

func TestHostileNamesInPage(t *testing.T) {
	names := append(reporttest.HostileNames(), "<script>alert(1)</script>", `" onmouseover="x`, "'><img src=x onerror=x>", "</style>", "</script>",
		"<!--", "]]>", "&amp;", "{{.}}", "\u202eabc", strings.Repeat("long ", 2000))
	for _, task := range []string{"binary", "multiclass", "multilabel", "ranking", "regression"} {
		config, err := json.Marshal(map[string]any{
			"positive_label": "</script><script>x", "decision": map[string]any{"threshold": map[string]float64{"default": 0.5, names[0]: 0.25}},
			"report": map[string]string{"title": names[len(names)-1], "model": "<script>", "data": "</title>", "notes": "<b>\n\u202e"},
		})
		require.NoError(t, err)
		r := &report.Report{Task: task, Labels: names[len(names)-60:], Config: config, Warnings: names, Rows: report.RowCounts{Skipped: map[string]int64{}}}
		for _, name := range r.Labels {
			r.Rows.Skipped[name] = 1
			s := slice.Key{{Column: name, Value: slice.String(name)}}
			for _, metric := range []string{"f1", "accuracy", "mae", name} {
				r.Metrics = append(r.Metrics, report.Row{Name: metric, Slice: s, Value: 0.5}, report.Row{Name: metric, Label: &name, Value: 0.5},
					report.Row{Name: metric, Undefined: name, Value: math.NaN()})
			}
			for _, c := range []int{0, 1} {
				r.Confusion = append(r.Confusion, report.Cell{Label: &name, True: fmt.Sprint(c), Predicted: "1", TrueIndex: c, PredictedIndex: 1, Count: 5, Weight: 5})
				r.Confusion = append(r.Confusion, report.Cell{True: name, Predicted: names[c], Count: 1, Weight: 1})
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
	for _, part := range []string{"Without 1 query that it is undefined for.", "0 to 0.05 1 25.0% 0.05 to 0.1 1 25.0% 0.1 to 0.15 0", "0.9 to 0.95 0 0.0% 0.95 to 1 2 50.0%"} {
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
		r.Confusion = append(r.Confusion, report.Cell{True: class, Predicted: "class 0", TrueIndex: i, Count: int64(i), Weight: float64(i)})
	}
	root, data := reporttest.PageOf(t, r)
	require.Less(t, len(data), 1_000_000)
	for id, want := range map[string]int{"slices": 1000, "labels": 1000} {
		section := reporttest.ByID(root, id)
		require.Equal(t, want, strings.Count(reporttest.TextOf(section), map[string]string{"slices": "user=", "labels": "class "}[id]))
		require.Contains(t, reporttest.TextOf(section), "Show all 1000 rows")
	}
	require.Contains(t, reporttest.TextOf(reporttest.ByID(root, "charts")), "The 10 of 1,000 labels with the lowest roc_auc_ovr.")
	require.Contains(t, reporttest.TextOf(reporttest.ByID(root, "charts")), "left out")
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

// TestPageShowsIntervalsAlike: all with the same number of decimals, as [low, high].
func TestPageShowsIntervalsAlike(t *testing.T) {
	r := &report.Report{Task: "binary", Confidence: &report.Grouping{Level: 0.95, Groups: 20}}
	around := func(low, high float64) *report.Confidence {
		return &report.Confidence{Low: low, High: high, Groups: 20, Method: "jackknife"}
	}
	r.Metrics = []report.Row{
		{Name: "accuracy", Value: 0.90415, Support: 100, Confidence: around(0.89, 0.91)},
		{Name: "recall", Value: 0.2, Support: 100, Confidence: around(0.00004, 0.6)},
		{Name: "roc_auc", Value: 0.75, Support: 100, Interval: &report.Interval{Low: 0.7499, High: 0.7502}},
		{Name: "log_loss", Value: 0.00001, Support: 100, Confidence: around(0.000005, 0.00002)},
		{Name: "accuracy", Slice: reporttest.Key("c", slice.Int(1)), Value: 0.5, Support: 100, Confidence: around(0.25, 0.875)},
	}
	root, data := reporttest.PageOf(t, r)
	text := strings.ReplaceAll(reporttest.TextOf(root), "\u00a0", " ")
	for _, part := range []string{
		"accuracy 0.9042 [0.8900, 0.9100]", "recall 0.2000 [0.0000, 0.6000]", "roc_auc 0.7500 [0.7499, 0.7502]",
		"log_loss 1.000e-05 [5.000e-06, 2.000e-05]", "c=1 100 0.500 [0.250, 0.875]", "[ ]: 95% confidence",
	} {
		require.Contains(t, text, part)
	}
	require.NotContains(t, reporttest.TextOf(reporttest.ByID(root, "slices")), "±")
	require.Contains(t, string(data), `d="M89.0 4H91.0"/><path class="f k" d="M90.4 0h1v8h-1z"/>`, "the interval on a scale from 0 to 1")
}

// TestGatesOnPage: those that failed are open and rounded, those that passed are folded; without
// gates there is no verdict.
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
	require.Equal(t, "1 gate passed gate metric slice asked found pass recall overall min 0.5 0.6543", reporttest.TextOf(reporttest.Find(passed, "details")))
	require.Contains(t, reporttest.TextOf(reporttest.Find(root, "header")), "Failed: 1 of 2 gates.")
	r.Gates = nil
	root, _ = reporttest.PageOf(t, r)
	require.NotContains(t, reporttest.TextOf(root), "No gates")
}

// TestContentsAndFoot: all sections are listed, and the foot names the files that say the rest.
func TestContentsAndFoot(t *testing.T) {
	r := reporttest.BinaryReport()
	r.Config = []byte(`{"report":{"data":"mails of November","date":"2026-11-19"}}`)
	root, _ := reporttest.PageOf(t, r)
	sections, links := 0, 0
	for n := range root.Descendants() {
		switch {
		case n.Data == "section":
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
		Confusion: []report.Cell{{True: "1", Predicted: "1", TrueIndex: 1, PredictedIndex: 1, Count: 1, Weight: 1}},
		Curves: []report.Curve{
			{Name: report.CurvePR, Points: []report.CurvePoint{{X: 1, Y: 1, Threshold: 0.7}}},
			{Name: report.CurveROC, Points: []report.CurvePoint{{X: math.NaN(), Y: 1, Threshold: 0.7}}},
		},
	}
	root, _ = reporttest.PageOf(t, one)
	require.Contains(t, reporttest.TextOf(reporttest.ByID(root, "headlines")), "accuracy 1.0000")
}
