package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// binaryReport has curves of 200 examples, gates and a decision at 0.5.
func binaryReport() *report.Report {
	r := &report.Report{
		Task:     "binary",
		Rows:     report.RowCounts{Read: 203, Evaluated: 200, Skipped: map[string]int64{"null score": 2, "NaN score": 1}},
		Examples: 200,
		Labels:   []string{"not spam", "spam"},
		Config: json.RawMessage(`{"task":"binary","positive_label":"spam","decision":{"threshold":0.5},` +
			`"report":{"title":"Spam filter","model":"gbm-7","data":"mails of November","notes":"Two notes.\nOn two lines."}}`),
		Warnings: []string{"a warning"},
		Meanings: map[string]report.Meaning{"accuracy": {Definition: "(tp + tn) / n", Better: "higher"}},
	}
	rng := rand.New(rand.NewPCG(7, 7))
	type example struct {
		score float64
		label int
	}
	var all []example
	for i := range 200 {
		label := i % 3 / 2
		score := 1 / (1 + math.Exp(-rng.NormFloat64()-2*float64(label)+1))
		all = append(all, example{math.Round(score*512) / 512, label})
	}
	slices.SortFunc(all, func(a, b example) int { return int(512 * (b.score - a.score)) })
	var table [2][2]int64
	total := [2]float64{}
	for _, e := range all {
		total[e.label]++
		predicted := 0
		if e.score >= 0.5 {
			predicted = 1
		}
		table[e.label][predicted]++
	}
	var seen [2]float64
	roc, pr := report.Curve{Name: report.CurveROC}, report.Curve{Name: report.CurvePR}
	add := func(threshold float64) {
		recall, precision := seen[1]/total[1], 1.0
		if n := seen[0] + seen[1]; n > 0 {
			precision = seen[1] / n
		}
		roc.Points = append(roc.Points, report.CurvePoint{X: seen[0] / total[0], Y: recall, Threshold: threshold})
		pr.Points = append(pr.Points, report.CurvePoint{X: recall, Y: precision, Threshold: threshold})
	}
	add(math.Inf(1))
	for i, e := range all {
		seen[e.label]++
		if i+1 == len(all) || all[i+1].score != e.score {
			add(e.score)
		}
	}
	calibration := report.Curve{Name: report.CurveCalibration}
	for i := range 10 {
		n := float64(3 + i%4)
		calibration.Points = append(calibration.Points, report.CurvePoint{
			X: (float64(i) + 0.5) / 10, Y: math.Floor(float64(i)/10*n) / n, Threshold: float64(i) / 10, Weight: n,
		})
	}
	r.Curves = []report.Curve{calibration, pr, roc}
	for truth := range 2 {
		for predicted := range 2 {
			n := table[truth][predicted]
			r.Confusion = append(r.Confusion, report.Cell{
				True: r.Labels[truth], Predicted: r.Labels[predicted], TrueIndex: truth, PredictedIndex: predicted, Count: n, Weight: float64(n),
			})
		}
	}
	tn, fp, fn, tp := float64(table[0][0]), float64(table[0][1]), float64(table[1][0]), float64(table[1][1])
	sure := &report.Confidence{Low: 0.71, High: 0.83, StdError: 0.03, DOF: 40, Groups: 50, Method: "wilson"}
	for name, value := range map[string]float64{
		"accuracy": (tp + tn) / 200, "precision": tp / (tp + fp), "recall": tp / (tp + fn), "f1": 2 * tp / (2*tp + fp + fn), "fpr": fp / (fp + tn),
		"tp": tp, "fp": fp, "fn": fn, "tn": tn,
	} {
		r.Metrics = append(r.Metrics, report.Row{Name: name, Value: value, Support: 200, Confidence: sure})
	}
	for i, country := range []string{"de", "fr", "it"} {
		r.Metrics = append(r.Metrics, report.Row{Name: "accuracy", Slice: key("country", slice.String(country)), Value: 0.7 + float64(i)/20, Support: 60,
			Confidence: &report.Confidence{Low: 0.6, High: 0.9, StdError: 0.05, DOF: 9, Groups: 10, Method: "jackknife"}})
	}
	r.Confidence = &report.Grouping{Level: 0.95, Groups: 2, Digests: []report.GroupDigest{{Rows: 100, Digest: 1}, {Rows: 100, Digest: 2}}}
	r.Judge([]report.Gate{{Metric: "accuracy", Limits: report.Limits{Min: ptr(0.5)}}, {Metric: "precision", Limits: report.Limits{Min: ptr(0.99)}}}, nil)
	return r
}

// pageOf returns report.html, parsed and checked.
func pageOf(t *testing.T, r *report.Report) (root *html.Node, data []byte) {
	t.Helper()
	data = write(t, r).bytes(report.ReportHTML)
	return checkPage(t, data), data
}

// checkPage returns a page, parsed, after a check of what every page must be.
func checkPage(t *testing.T, data []byte) *html.Node {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(data))
	require.NoError(t, err)
	ids := map[string]bool{}
	policy := ""
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		require.Contains(t, pageElements, n.Data)
		for _, a := range n.Attr {
			require.False(t, strings.HasPrefix(a.Key, "on") || slices.Contains([]string{"src", "href", "style", "action", "srcdoc"}, a.Key), "%s=%q", a.Key, a.Val)
			if a.Key == "id" {
				require.False(t, ids[a.Val], "two elements have the id %s", a.Val)
				ids[a.Val] = true
			}
			if a.Key == "content" && strings.Contains(a.Val, "default-src") {
				policy = a.Val
			}
		}
		allowed := n.DataAtom == atom.Style || n.DataAtom == atom.Script && attribute(n, "type") == ""
		if allowed {
			sum := sha256.Sum256([]byte(n.FirstChild.Data))
			require.Contains(t, policy, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'", "the policy forbids the %s", n.Data)
		}
		if n.Data == "svg" {
			require.NotNil(t, find(n, "title"))
			require.NotNil(t, find(n, "desc"))
		}
	}
	require.True(t, strings.HasPrefix(policy, "default-src 'none'; "))
	for _, c := range string(data) {
		require.False(t, c < ' ' && c != '\n' || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069, "the page has the character %U", c)
	}
	return root
}

// pageElements are all that a page may have.
var pageElements = strings.Fields(`html head meta title style body header main section h1 h2 p dl div dt dd small ul li figure figcaption details
	summary table thead tbody tr th td pre label select output input script svg desc path text wbr`)

func find(root *html.Node, name string) *html.Node {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == name {
			return n
		}
	}
	return nil
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func byID(root *html.Node, id string) *html.Node {
	for n := range root.Descendants() {
		if attribute(n, "id") == id {
			return n
		}
	}
	return nil
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for n := range n.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func TestPagesAreWellFormed(t *testing.T) {
	for name, build := range reports {
		t.Run(name, func(t *testing.T) { pageOf(t, build()) })
	}
}

func TestPageOfBinary(t *testing.T) {
	root, _ := pageOf(t, binaryReport())
	require.Equal(t, "Spam filter", textOf(find(root, "h1")))
	header := textOf(find(root, "header"))
	for _, part := range []string{"gbm-7", "mails of November", "Failed: 1 of 2 gates.", "Two notes. On two lines.", "spam"} {
		require.Contains(t, header, part)
	}
	require.Contains(t, textOf(byID(root, "warnings")), "2 rows skipped: null score")
	require.Contains(t, textOf(byID(root, "metrics")), "higher (tp + tn) / n")
	pictures := textOf(byID(root, "pictures"))
	for _, part := range []string{"Confusion matrix", "ROC", "Precision and recall", "Reliability", "Thresholds", "Slices: accuracy", "at the threshold 0.5"} {
		require.Contains(t, pictures, part)
	}
}

func TestPageTellsOfTheBaseline(t *testing.T) {
	r := binaryReport()
	r.Gates = append(r.Gates, report.GateResult{Metric: "recall", Limits: report.Limits{MaxDrop: limit(0.01)}, Value: 0.8, Difference: -0.0625, Verdict: report.Fail})
	root, _ := pageOf(t, r)
	require.Contains(t, textOf(byID(root, "headlines")), "-0.0625 from the baseline")
}

// The slider shows what metrics.json has at its threshold, and counts of examples anywhere.
func TestSlider(t *testing.T) {
	r := binaryReport()
	root, _ := pageOf(t, r)
	var curves []struct {
		Positives, Negatives float64
		Start                int
		Points               [][3]float64
	}
	require.NoError(t, json.Unmarshal([]byte(byID(root, "curves").FirstChild.Data), &curves))
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
	names := append(hostileNames(), "<script>alert(1)</script>", `" onmouseover="x`, "'><img src=x onerror=x>", "</style>", "</script>",
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
				r.Curves = append(r.Curves, curveOf(curve, &name, 3, func(x float64) report.CurvePoint {
					return report.CurvePoint{X: x, Y: x, Threshold: 1 - x, Weight: 1}
				}))
			}
		}
		r.Judge([]report.Gate{{Metric: "<script>", Label: &names[0]}}, nil)
		_, data := pageOf(t, r)
		require.Less(t, len(data), 2_000_000)
		message := write(t, r).content[report.SummaryText].String()
		require.LessOrEqual(t, strings.Count(message, "\n"), 15)
		require.Less(t, len(message), 5000)
		require.Equal(t, -1, strings.IndexFunc(message, func(c rune) bool { return c != '\n' && !strconv.IsPrint(c) }))
	}
}

func TestPageShowsValuesOfQueries(t *testing.T) {
	r := rankingReport()
	r.Histograms = nil // as in a report of an older version
	r.Queries.Names, r.Metrics = []string{"ndcg"}, []report.Row{{Name: "ndcg", Value: 0.5, Support: 5}}
	r.Queries.List = nil
	for _, v := range []float64{0, 0.05, 0.99, 1, math.NaN()} {
		r.Queries.List = append(r.Queries.List, report.Query{ID: slice.Float(v), Values: []float64{v}})
	}
	root, _ := pageOf(t, r)
	text := textOf(byID(root, "pictures"))
	for _, part := range []string{"Without 1 query that it is undefined for.", "0 to 0.05 1 25.0% 0.05 to 0.1 1 25.0% 0.1 to 0.15 0", "0.9 to 0.95 0 0.0% 0.95 to 1 2 50.0%"} {
		require.Contains(t, text, part)
	}
	r.Queries.List[0].Values[0] = 1.5 // dcg and the like have no upper bound
	root, _ = pageOf(t, r)
	require.NotContains(t, textOf(root), "Queries: ndcg")
}

func TestLargePages(t *testing.T) {
	r := &report.Report{Task: "multiclass", Rows: report.RowCounts{Read: 1e6, Evaluated: 1e6}}
	r.Metrics = append(r.Metrics, report.Row{Name: "accuracy", Value: 0.5})
	for i := range 10_000 {
		r.Metrics = append(r.Metrics, report.Row{Name: "accuracy", Slice: key("user", slice.Int(int64(i))), Value: float64(i) / 1e4, Support: int64(i)})
	}
	for i := range 1000 {
		class := fmt.Sprint("class ", i)
		r.Labels = append(r.Labels, class)
		r.Metrics = append(r.Metrics, report.Row{Name: "f1", Label: &class, Value: float64(i) / 1e3})
		for _, curve := range []string{report.CurveROC, report.CurvePR} {
			r.Curves = append(r.Curves, curveOf(curve, &class, 100, func(x float64) report.CurvePoint {
				return report.CurvePoint{X: x, Y: math.Sqrt(x), Threshold: 1 - x}
			}))
		}
		r.Confusion = append(r.Confusion, report.Cell{True: class, Predicted: "class 0", TrueIndex: i, Count: int64(i), Weight: float64(i)})
	}
	root, data := pageOf(t, r)
	require.Less(t, len(data), 300_000)
	require.Contains(t, textOf(byID(root, "pictures")), "The 10 of 1,000 labels with the lowest roc_auc_ovr.")
	require.Contains(t, textOf(byID(root, "pictures")), "left out")
}

func TestPagesOfLittle(t *testing.T) {
	nothing := &report.Report{Task: "binary", Rows: report.RowCounts{Read: 3, Skipped: map[string]int64{"null score": 3}}}
	root, _ := pageOf(t, nothing)
	require.Contains(t, textOf(root), "3 rows skipped: null score")
	require.Nil(t, byID(root, "slider"))
	require.Nil(t, byID(root, "pictures"))
	one := &report.Report{
		Task: "binary", Rows: report.RowCounts{Read: 1, Evaluated: 1}, Metrics: []report.Row{{Name: "accuracy", Value: 1, Support: 1}},
		Confusion: []report.Cell{{True: "1", Predicted: "1", TrueIndex: 1, PredictedIndex: 1, Count: 1, Weight: 1}},
		Curves: []report.Curve{
			{Name: report.CurvePR, Points: []report.CurvePoint{{X: 1, Y: 1, Threshold: 0.7}}},
			{Name: report.CurveROC, Points: []report.CurvePoint{{X: math.NaN(), Y: 1, Threshold: 0.7}}},
		},
	}
	root, _ = pageOf(t, one)
	require.Contains(t, textOf(byID(root, "headlines")), "accuracy 1.0000")
}
