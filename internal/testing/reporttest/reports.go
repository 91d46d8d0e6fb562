// Package reporttest has reports for tests, and checks of the files written for them.
package reporttest

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/checks"
	"github.com/beameval/beameval/io/report/findings"
	"github.com/beameval/beameval/io/slice"
)

// Reports are the contents of the golden files by name of directory.
var Reports = map[string]func() *report.Report{
	"multilabel": MultilabelReport,
	"multiclass": MulticlassReport,
	"ranking":    RankingReport,
	"binary":     BinaryReport,
	"many":       manyReport,
	"curves":     CurvesReport,
	"confidence": ConfidenceReport,
	"regression": RegressionReport,
	"preference": PreferenceReport,
	"empty":      func() *report.Report { return &report.Report{Task: "regression", Findings: []findings.Finding{}} },
}

// MultilabelReport has names that are hard to write, and every kind of value that is not an
// ordinary number.
func MultilabelReport() *report.Report {
	labels := []string{"sunset", "beach", "a|b `c` *d* <e>", "„日没“ _x_ y_z", "two\nlines, \"quoted\"", ""}
	r := &report.Report{
		Task:     "multilabel",
		Rows:     report.RowCounts{Read: 9000, Evaluated: 8997, Skipped: map[string]int64{"null score": 2, "NaN score": 1}},
		Examples: 8997,
		Labels:   labels,
		Config:   json.RawMessage("{\"task\":\"multilabel\",\"note\":\"```<&>\",\"k\":[1,3]}"),
		Checks:   checks.Of(checks.Warning, "per-label rows for 6 of 7 labels; see `per_label`", "a warning\nof two lines"),
	}
	for i, s := range []slice.Key{
		nil,
		Key("country", slice.String("de")),
		Key("country", slice.String("null")),
		Key("country", slice.Null()),
		Key("country", slice.String("a|b\n\"c\", 日本")),
		Key("year", slice.Int(2026)),
		Key("year", slice.Float(0.5)),
		Key("year", slice.Float(math.NaN())),
		Key("year", slice.String("2026")),
		Key("new", slice.Bool(true)),
		Key("country", slice.String("de"), "new", slice.Bool(false)),
	} {
		n := int64(8997 / (i + 1))
		f := 1 / float64(i+2)
		r.Metrics = append(r.Metrics,
			report.Row{Name: "subset_accuracy", Slice: s, Value: f, Support: n},
			report.Row{Name: "hamming_loss", Slice: s, Value: f / 1000, Support: n},
			report.Row{Name: "f1_macro", Slice: s, Value: f * 0.9, Undefined: "1 of 6 labels undefined", Support: n},
			report.Row{Name: "ndcg@10", Slice: s, Value: 1, Support: n},
			report.Row{Name: "ndcg@3", Slice: s, Value: 1e-7 / 3, Support: n},
			report.Row{Name: "label_cardinality", Slice: s, Value: 12.3456789, Support: n},
			report.Row{Name: "sigmoid_cross_entropy_sum", Slice: s, Value: 1.5e21, Support: n},
			report.Row{Name: "log_loss_macro", Slice: s, Value: math.Inf(1), Support: n},
			report.Row{Name: "roc_auc_macro", Slice: s, Value: math.NaN(), Undefined: "one class absent", Support: n},
			report.Row{Name: "lrap", Slice: s, Value: math.NaN(), Support: n},
		)
		if i > 1 {
			continue
		}
		for j, label := range labels {
			r.Metrics = append(r.Metrics,
				report.Row{Name: "precision", Slice: s, Label: Ptr(label), Value: f, Support: int64(100 - j)},
				report.Row{Name: "recall", Slice: s, Label: Ptr(label), Value: f / 3, Support: int64(100 - j)},
				report.Row{Name: "tp", Slice: s, Label: Ptr(label), Value: float64(j), Support: int64(100 - j)},
			)
			r.Confusion = append(r.Confusion,
				report.ConfusionCell{Slice: s, Label: Ptr(label), True: "1", Predicted: "1", TrueIndex: 1, PredictedIndex: 1, Count: int64(60 + j), Weight: float64(60 + j)},
				report.ConfusionCell{Slice: s, Label: Ptr(label), True: "1", Predicted: "0", TrueIndex: 1, Count: 40, Weight: 40},
				report.ConfusionCell{Slice: s, Label: Ptr(label), True: "0", Predicted: "0", Count: 8000, Weight: 8000},
				report.ConfusionCell{Slice: s, Label: Ptr(label), True: "0", Predicted: "1", PredictedIndex: 1},
			)
		}
		r.Metrics = append(r.Metrics, report.Row{
			Name: "f1", Slice: s, Label: Ptr("beach"), Value: 0, Undefined: "no true and no predicted positives", Support: 100,
		})
	}
	return r
}

func MulticlassReport() *report.Report {
	r := &report.Report{
		Task:     "multiclass",
		Rows:     report.RowCounts{Read: 10_000_000, Evaluated: 10_000_000},
		Examples: 10_000_000,
		Labels:   []string{"setosa", "virginica", "versicolor"},
		Config:   json.RawMessage(`{"task":"multiclass"}`),
	}
	for i, name := range []string{"accuracy", "balanced_accuracy", "f1_macro", "f1_weighted", "mcc", "cohen_kappa",
		"roc_auc_ovr_macro", "log_loss", "ece", "top_k_accuracy@1", "top_k_accuracy@5", "average_precision_micro"} {
		for j, s := range []slice.Key{
			nil,
			Key("country", slice.String("de"), "device", slice.String("phone")),
			Key("country", slice.String("Dolgellau, Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch")),
		} {
			r.Metrics = append(r.Metrics, report.Row{Name: name, Slice: s, Value: math.Sqrt(float64(i+j) / 20), Support: 10_000_000})
		}
	}
	for i, label := range r.Labels {
		for j, name := range []string{"precision", "recall", "f1"} {
			r.Metrics = append(r.Metrics, report.Row{Name: name, Label: Ptr(label), Value: 1 / float64(1+i+j), Support: int64(1000 * i)})
		}
		for j, predicted := range r.Labels {
			r.Confusion = append(r.Confusion, report.ConfusionCell{
				True: label, Predicted: predicted, TrueIndex: i, PredictedIndex: j,
				Count: int64(1000*i + j), Weight: float64(1000*i+j) * 0.3,
			})
		}
	}
	return r
}

func RankingReport() *report.Report {
	r := &report.Report{
		Task:     "ranking",
		Rows:     report.RowCounts{Read: 3, Evaluated: 3, Truth: &report.TruthCounts{Examples: 4, Unmatched: 1}},
		Examples: 3,
		Config:   json.RawMessage(`{}`),
		Queries: &report.Queries{Names: []string{"ndcg@3", "ndcg@10", "map"}, List: []report.Query{
			{ID: slice.Int(10), Values: []float64{0.5, 0.5, 0.5}},
			{ID: slice.Int(9), Values: []float64{1, math.NaN(), 1. / 3}},
			{ID: slice.Int(-1), Values: []float64{math.Copysign(0, -1), 0.25, math.Inf(1)}},
		}},
	}
	for i, name := range []string{"ndcg", "ndcg@1", "ndcg@3", "ndcg@10", "map", "mrr", "precision@3", "precision@10", "auc"} {
		r.Metrics = append(r.Metrics, report.Row{Name: name, Value: float64(i) / 10, Support: 3})
	}
	r.Metrics = append(r.Metrics, report.Row{Name: "queries", Value: 3, Support: 3})
	for _, name := range []string{"ndcg", "ndcg@10", "map"} {
		h := report.Histogram{Name: name}
		for i := range int64(4) {
			h.Bins = append(h.Bins, report.Bin{From: float64(6*i+1) / 20, To: float64(6*i+2) / 20, YFrom: NaN, YTo: NaN, Count: i + 1, Weight: float64(i + 1)})
		}
		if name == "map" {
			h.Bins = append(h.Bins, report.Bin{From: NaN, To: NaN, YFrom: NaN, YTo: NaN, Count: 1, Weight: 1})
		}
		r.Histograms = append(r.Histograms, h)
	}
	return r
}

var NaN = math.NaN()

// RegressionReport has weights and histograms, including outliers and infinite values.
func RegressionReport() *report.Report {
	r := &report.Report{Task: "regression", Rows: report.RowCounts{Read: 500, Evaluated: 500}, Examples: 500}
	for i, name := range []string{"mae", "rmse", "r2", "max_error"} {
		r.Metrics = append(r.Metrics, report.Row{Name: name, Value: float64(i+1) / 8, Support: 500})
	}
	residuals, pairs := report.Histogram{Name: report.HistogramResidual}, report.Histogram{Name: report.HistogramPairs}
	add := func(h *report.Histogram, from, yFrom, side, weight float64) {
		b := report.Bin{From: from, To: from + side, YFrom: NaN, YTo: NaN, Count: int64(math.Ceil(weight)), Weight: weight}
		if h == &pairs {
			b.YFrom, b.YTo = yFrom, yFrom+side
		}
		h.Bins = append(h.Bins, b)
	}
	add(&residuals, -1e6, 0, 0.125, 0.5)
	for i := range 65 {
		x := float64(i)/8 - 4
		add(&residuals, x, 0, 0.125, math.Round(1600*math.Exp(-x*x/2))/16)
	}
	add(&residuals, 70, 0, 0.125, 1)
	for i := range 40 {
		for j := range 40 {
			x, y := float64(i)/4, float64(j)/4+100
			if w := math.Round(64*math.Exp(-(x-y+100)*(x-y+100))) / 4; w > 0 {
				add(&pairs, x+100, y, 0.25, w)
			}
		}
	}
	add(&pairs, 1e9, 105, 0.25, 3)
	for _, h := range []*report.Histogram{&residuals, &pairs} {
		h.Bins = append(h.Bins, report.Bin{From: NaN, To: NaN, YFrom: NaN, YTo: NaN, Count: 2, Weight: 1.5})
		r.Histograms = append(r.Histograms, *h)
	}
	return r
}

// manyReport has more labels, slices and reasons than documents show.
func manyReport() *report.Report {
	r := &report.Report{Task: "multilabel", Rows: report.RowCounts{Read: 5000, Evaluated: 5000}}
	for i := range 60 {
		label := fmt.Sprintf("label %02d", 59-i)
		r.Labels = append(r.Labels, label)
		r.Metrics = append(r.Metrics, report.Row{Name: "recall", Label: Ptr(label), Value: 0.25, Support: int64(i)})
		r.Confusion = append(r.Confusion, report.ConfusionCell{Label: Ptr(label), True: "0", Predicted: "0", Count: 1, Weight: 1})
	}
	r.Metrics = append(r.Metrics, report.Row{Name: "f1_macro", Value: 0.5, Support: 5000})
	for i := range 120 {
		r.Metrics = append(r.Metrics, report.Row{
			Name: "f1_macro", Slice: Key("user", slice.Int(int64(i))), Value: 0.5,
			Undefined: fmt.Sprintf("%d of 60 labels undefined", i%110+1), Support: int64(i % 115),
		})
	}
	return r
}

// CurvesReport has values with intervals, curves and thresholds.
func CurvesReport() *report.Report {
	inf := math.Inf(1)
	r := &report.Report{
		Task:       "multilabel",
		Rows:       report.RowCounts{Read: 100, Evaluated: 100},
		Labels:     []string{"sunset", "beach", "default", "„日没“"},
		Thresholds: &report.Thresholds{Default: 0.5, Criterion: "max_f1"},
		Checks:     checks.Of(checks.Warning, "a warning"),
	}
	for _, s := range []slice.Key{nil, Key("country", slice.String("de"))} {
		r.Metrics = append(r.Metrics,
			report.Row{Name: "roc_auc_macro", Slice: s, Value: 0.9123, Bounds: &report.Bounds{Low: 0.91199, High: 0.9126}, Support: 100},
			report.Row{Name: "average_precision_macro", Slice: s, Value: 1. / 3, Bounds: &report.Bounds{Low: 0.33333, High: 0.33334}, Support: 100},
			report.Row{Name: "f1_macro", Slice: s, Value: 0.8, Undefined: "1 of 4 labels undefined", Bounds: &report.Bounds{Low: 0.7, High: 0.8}, Support: 100},
			report.Row{Name: "pr_auc_macro", Slice: s, Value: 2e-5, Bounds: &report.Bounds{Low: math.Copysign(0, -1), High: 3e-5}, Support: 100},
			report.Row{Name: "lrap", Slice: s, Value: 0.5, Bounds: &report.Bounds{Low: 0.25, High: inf}, Support: 100},
			report.Row{Name: "hamming_loss", Slice: s, Value: 0.25, Bounds: &report.Bounds{Low: -inf, High: math.NaN()}, Support: 100},
			report.Row{Name: "f1_micro", Slice: s, Value: 0.75, Support: 100},
		)
		for i, label := range append([]*string{nil}, Ptr("sunset"), Ptr("beach")) {
			share := float64(i) / 8
			roc := report.Curve{Slice: s, Label: label, Name: report.CurveROC}
			for j, threshold := range []float64{inf, 0.75, 0.75, -inf} { // duplicate points are allowed
				roc.Points = append(roc.Points, report.CurvePoint{X: float64(j) / 3 * share, Y: float64(j) / 3, Threshold: threshold})
			}
			r.Curves = append(r.Curves, roc,
				report.Curve{Slice: s, Label: label, Name: report.CurvePR, Points: []report.CurvePoint{{X: share, Y: 1, Threshold: 0.25}}},
				report.Curve{Slice: s, Label: label, Name: report.CurveCalibration, Points: []report.CurvePoint{
					{X: share, Y: share, Threshold: math.Copysign(0, -1), Weight: 12.5}, {X: math.NaN(), Y: math.NaN(), Threshold: 0.5},
				}})
		}
		if label := Ptr("sunset"); s == nil {
			r.Metrics = append(r.Metrics,
				report.Row{Name: "roc_auc", Label: label, Value: 0.75, Bounds: &report.Bounds{Low: 0.5, High: 1}, Support: 50},
				report.Row{Name: "average_precision", Label: label, Value: math.NaN(), Undefined: "no true positives", Support: 50},
			)
		}
	}
	for i, label := range []string{"sunset", "beach", "default", "„日没“", "not \"listed\"", "\n"} {
		r.Thresholds.PerLabel = append(r.Thresholds.PerLabel, report.LabelThreshold{Label: label, Threshold: 1e-7 / float64(1+i)})
	}
	return r
}

// CurveOf returns a curve with n points, whose x goes from 0 to 1.
func CurveOf(name string, label *string, n int, point func(x float64) report.CurvePoint) report.Curve {
	c := report.Curve{Name: name, Label: label}
	for i := range n {
		c.Points = append(c.Points, point(float64(i)/float64(n-1)))
	}
	return c
}

// Shuffle returns r with everything unordered in another order.
func Shuffle(r *report.Report, seed uint64) *report.Report {
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(r.Metrics), func(i, j int) { r.Metrics[i], r.Metrics[j] = r.Metrics[j], r.Metrics[i] })
	rng.Shuffle(len(r.Confusion), func(i, j int) { r.Confusion[i], r.Confusion[j] = r.Confusion[j], r.Confusion[i] })
	rng.Shuffle(len(r.Curves), func(i, j int) { r.Curves[i], r.Curves[j] = r.Curves[j], r.Curves[i] })
	rng.Shuffle(len(r.ScoreHistograms), func(i, j int) {
		r.ScoreHistograms[i], r.ScoreHistograms[j] = r.ScoreHistograms[j], r.ScoreHistograms[i]
	})
	if t := r.Thresholds; t != nil {
		rng.Shuffle(len(t.PerLabel), func(i, j int) { t.PerLabel[i], t.PerLabel[j] = t.PerLabel[j], t.PerLabel[i] })
	}
	if q := r.Queries; q != nil {
		rng.Shuffle(len(q.List), func(i, j int) { q.List[i], q.List[j] = q.List[j], q.List[i] })
	}
	skipped := map[string]int64{}
	for _, reason := range slices.Backward([]string{"NaN score", "null score"}) {
		if n, ok := r.Rows.Skipped[reason]; ok {
			skipped[reason] = n
		}
	}
	r.Rows.Skipped = skipped
	return r
}

// BinaryReport has curves of 200 examples, gates, and decisions at 0.5.
func BinaryReport() *report.Report {
	r := &report.Report{
		Task:     "binary",
		Rows:     report.RowCounts{Read: 203, Evaluated: 200, Skipped: map[string]int64{"null score": 2, "NaN score": 1}},
		Examples: 200,
		Labels:   []string{"not spam", "spam"},
		Config: json.RawMessage(`{"task":"binary","positive_label":"spam","decision":{"threshold":0.5},` +
			`"report":{"title":"Spam filter","model":"gbm-7","data":"mails of November","notes":"Two notes.\nOn two lines."}}`),
		Checks:   checks.Of(checks.Warning, "a warning"),
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
			r.Confusion = append(r.Confusion, report.ConfusionCell{True: r.Labels[truth], Predicted: r.Labels[predicted], TrueIndex: truth, PredictedIndex: predicted, Count: n, Weight: float64(n)})
		}
	}
	tn, fp, fn, tp := float64(table[0][0]), float64(table[0][1]), float64(table[1][0]), float64(table[1][1])
	sure := &report.Confidence{Low: 0.71, High: 0.83, StdError: 0.03, DOF: 40, Folds: 50, Method: "wilson"}
	for name, value := range map[string]float64{
		"accuracy": (tp + tn) / 200, "precision": tp / (tp + fp), "recall": tp / (tp + fn), "f1": 2 * tp / (2*tp + fp + fn), "fpr": fp / (fp + tn),
		"tp": tp, "fp": fp, "fn": fn, "tn": tn,
	} {
		r.Metrics = append(r.Metrics, report.Row{Name: name, Value: value, Support: 200, Confidence: sure})
	}
	for i, country := range []string{"de", "fr", "it"} {
		r.Metrics = append(r.Metrics, report.Row{Name: "accuracy", Slice: Key("country", slice.String(country)), Value: 0.7 + float64(i)/20, Support: 60,
			Confidence: &report.Confidence{Low: 0.6, High: 0.9, StdError: 0.05, DOF: 9, Folds: 10, Method: "jackknife"}})
	}
	r.Confidence = &report.Folding{Level: 0.95, Folds: 2, Digests: []report.FoldDigest{{Rows: 100, Digest: 1}, {Rows: 100, Digest: 2}}}
	comparison.Judge(r, []report.Gate{{Metric: "accuracy", Limits: report.Limits{Min: Ptr(0.5)}}, {Metric: "precision", Limits: report.Limits{Min: Ptr(0.99)}}}, nil)
	return r
}
