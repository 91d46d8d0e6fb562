package comparison_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/slice"
)

// comparisonOf compares the values of two reports, untested, and shows their curves and queries.
func comparisonOf(a, b *report.Report) *comparison.Comparison {
	a.Sort()
	b.Sort()
	c := &comparison.Comparison{Task: a.Task, A: comparison.Compared{Name: "monday", Examples: a.Examples}, B: comparison.Compared{Name: "tuesday", Examples: b.Examples},
		Level: 0.95, Adjust: comparison.Holm, Pairing: comparison.Untested}
	type place struct{ name, slice, label string }
	at := func(r *report.Row) place {
		p := place{r.Name, r.Slice.Encoded(), ""}
		if r.Label != nil {
			p.label = "is " + *r.Label
		}
		return p
	}
	others := map[place]float64{}
	for i := range b.Metrics {
		others[at(&b.Metrics[i])] = b.Metrics[i].Value
	}
	for i := range a.Metrics {
		r := &a.Metrics[i]
		other, found := others[at(r)]
		d := comparison.Change{Name: r.Name, Slice: r.Slice, Label: r.Label, A: r.Value, B: other, Difference: other - r.Value, StdError: reporttest.NaN, DOF: reporttest.NaN, Low: reporttest.NaN, High: reporttest.NaN,
			PValue: reporttest.NaN, PAdjusted: reporttest.NaN, Pairing: comparison.Untested, Verdict: comparison.Unsure, Reason: "no replicates"}
		if !found {
			d.B, d.Difference, d.Reason = reporttest.NaN, reporttest.NaN, "only in a"
		}
		c.Changes = append(c.Changes, d)
	}
	c.Sort()
	c.Show(a, b)
	return c
}

// binaryComparison compares a model with a worse one, whose true positive rates are lower.
func binaryComparison() *comparison.Comparison {
	a, b := reporttest.BinaryReport(), reporttest.BinaryReport()
	for _, r := range []*report.Report{a, b} {
		r.Metrics = append(r.Metrics, report.Row{Name: "roc_auc", Value: 0.9, Support: 200})
	}
	for _, c := range b.Curves {
		for i := range c.Points {
			c.Points[i].Y *= 0.75 + c.Points[i].X/4
		}
	}
	for i := range b.Metrics {
		b.Metrics[i].Value *= 0.9
	}
	c := comparisonOf(a, b)
	c.Options = []comparison.OptionChange{
		{Key: "decision.threshold", A: json.RawMessage("0.5"), B: json.RawMessage("0.25")},
		{Key: "report.model", B: json.RawMessage(`"<script>"`)},
	}
	return c
}

// rankingComparison has queries that became better, worse, the same, and unknown.
func rankingComparison() *comparison.Comparison {
	a, b := reporttest.RankingReport(), reporttest.RankingReport()
	for i := range b.Metrics {
		b.Metrics[i].Value = b.Metrics[i].Value*0.75 + 0.125
	}
	for _, r := range []*report.Report{a, b} {
		r.Queries = &report.Queries{Names: []string{"ndcg", "map"}}
	}
	for i := range 60 {
		x := float64(i) / 60
		a.Queries.List = append(a.Queries.List, report.Query{ID: slice.String(fmt.Sprint("q", i)), Values: []float64{x, 0.5}})
		b.Queries.List = append(b.Queries.List, report.Query{ID: slice.String(fmt.Sprint("q", i+2)), Values: []float64{0.25, 0.5 + x - x*x}})
	}
	b.Queries.Names = []string{"ndcg", "map"}
	b.Queries.List[30].Values[0] = math.NaN()
	return comparisonOf(a, b)
}

// precisionOf is the precision-recall curve of a label, shifted upwards.
func precisionOf(label *string, above float64) report.Curve {
	return reporttest.CurveOf(report.CurvePR, label, 5, func(x float64) report.CurvePoint {
		return report.CurvePoint{X: x, Y: 1 - x/2 + above*x, Threshold: 1 - x}
	})
}

// multiclassComparison compares a model with one that is better on some classes.
func multiclassComparison() *comparison.Comparison {
	one := func(side int) *report.Report {
		r := reporttest.MulticlassReport()
		for i := range r.Metrics {
			r.Metrics[i].Value *= 1 - float64(side)/8
		}
		for i, name := range r.Labels {
			r.Metrics = append(r.Metrics, report.Row{Name: "average_precision", Label: &name, Value: 0.5 + float64(side*i)/16})
			r.Curves = append(r.Curves, precisionOf(&name, float64(side*i)/8))
		}
		r.Curves = append(r.Curves, precisionOf(nil, 0.25-float64(side)/8))
		roc := report.Curve{Name: report.CurveROC}
		for _, x := range []float64{0, 0.25, 1} {
			roc.Points = append(roc.Points, report.CurvePoint{X: x, Y: math.Sqrt(x) * (1 - (1-x)*float64(side)/8)})
		}
		r.Curves = append(r.Curves, roc)
		return r
	}
	return comparisonOf(one(0), one(1))
}

// multilabelComparison has 30 labels, one of them only in a, and one without curves in b.
func multilabelComparison() *comparison.Comparison {
	one := func(side int) *report.Report {
		r := &report.Report{Task: "multilabel", Examples: 100, Metrics: []report.Row{{Name: "f1_macro", Value: 0.5 + float64(side)/8}}}
		for i := range 30 {
			name := fmt.Sprint("label ", i)
			if side == 1 && i == 7 {
				continue
			}
			r.Labels = append(r.Labels, name)
			r.Metrics = append(r.Metrics, report.Row{Name: "average_precision", Label: &name, Value: 0.5 + float64(side*i)/100})
			if side == 0 || i != 29 {
				r.Curves = append(r.Curves, precisionOf(&name, float64(side*i)/100))
			}
		}
		return r
	}
	return comparisonOf(one(0), one(1))
}

// reread returns the result that the files of a result describe.
func reread(t *testing.T, f *reporttest.Files) comparison.Result {
	t.Helper()
	r, err := comparison.ReadResult(f.Bytes(comparison.JSON))
	require.NoError(t, err)
	if c, ofTwo := r.(*comparison.Comparison); ofTwo {
		for name, read := range map[string]func(columns.Source) error{comparison.CurvesParquet: c.ReadCurves, comparison.QueriesParquet: c.ReadQueries} {
			if f.Content[name] != nil {
				require.NoError(t, read(reporttest.SourceOf(f.Bytes(name))))
			}
		}
	}
	return r
}

// redrawn returns the page regenerated from the other files of a comparison.
func redrawn(t *testing.T, f *reporttest.Files) string {
	t.Helper()
	var page bytes.Buffer
	require.NoError(t, comparison.WritePage(reread(t, f), &page))
	return page.String()
}

// TestRead: a result that is read writes the same files, also the page.
func TestRead(t *testing.T) {
	for name, build := range results() {
		t.Run(name, func(t *testing.T) {
			first := writeComparison(t, build())
			require.Equal(t, first.Content[comparison.HTML].String(), redrawn(t, first))
			again := writeComparison(t, reread(t, first))
			for _, file := range first.Created {
				require.Equal(t, string(first.Bytes(file)), string(again.Bytes(file)), file)
			}
		})
	}
}

// TestPageOfOlderComparison: without curves, queries and options, the page shows the rest.
func TestPageOfOlderComparison(t *testing.T) {
	f := writeComparison(t, rankingComparison())
	delete(f.Content, comparison.QueriesParquet)
	again := redrawn(t, f)
	require.NotContains(t, again, "Queries: ndcg")
	require.Contains(t, again, "Differences at a glance")
	reporttest.CheckPage(t, []byte(again))
}

func pageOfComparison(t *testing.T, c *comparison.Comparison) string {
	t.Helper()
	return reporttest.TextOf(reporttest.CheckPage(t, writeComparison(t, c).Bytes(comparison.HTML)))
}

func TestBothCurvesOfBinary(t *testing.T) {
	text := pageOfComparison(t, binaryComparison())
	for _, part := range []string{
		"ROC In brackets: roc_auc.", "monday (0.9000)", "tuesday (0.8100)", "Precision and recall", "F1 0.8", "Reliability", "F1 by threshold", "decisions of monday", "decisions of tuesday",
		"Options that differ", "decision.threshold 0.5 0.25", `report.model not set "<script>"`,
	} {
		require.Contains(t, text, part)
	}
}

func TestQueriesOfComparison(t *testing.T) {
	text := pageOfComparison(t, rankingComparison())
	for _, part := range []string{
		"ndcg@k", "precision@k",
		// ndcg is i/60 in a, and 1/4 in b: for queries 2 to 59 but 32
		"tuesday is better for 13 of 57 queries, worse for 43, and the same for 1. Without 5 queries that monday or tuesday has no value of.",
		"Queries that lost most: ndcg The first 10 of 43; comparison_queries.parquet has all.",
		"Queries that gained most: ndcg The first 10 of 13; comparison_queries.parquet has all.",
		"q59 0.9833 0.2500 -0.7333",
	} {
		require.Contains(t, text, part)
	}
	type row struct {
		Query      string   `parquet:"query"`
		Name       string   `parquet:"name"`
		A          *float64 `parquet:"a,optional"`
		B          *float64 `parquet:"b,optional"`
		Difference *float64 `parquet:"difference,optional"`
	}
	got := reporttest.ReadRows[row](t, writeComparison(t, rankingComparison()).Bytes(comparison.QueriesParquet))
	require.Len(t, got, 2*62)
	require.Contains(t, got, row{"q15", "ndcg", reporttest.Ptr(0.25), reporttest.Ptr(0.25), reporttest.Ptr(0.)})
	require.Contains(t, got, row{"q0", "ndcg", reporttest.Ptr(0.), nil, nil})
	require.Contains(t, got, row{"q61", "ndcg", nil, reporttest.Ptr(0.25), nil})
}

func TestLabelsThatDifferMost(t *testing.T) {
	text := pageOfComparison(t, multilabelComparison())
	require.NotContains(t, text, "Precision and recall: label 29", "b has no curve of it")
	require.Contains(t, text, "Precision and recall: label 28 In brackets: average_precision; difference +0.2800. One of the 10 of 28 labels that differ most.")
	require.Contains(t, text, "Precision and recall: label 20")
	require.NotContains(t, text, "Precision and recall: label 19")
}

// TestNothingOfBoth: what only one report has is not drawn.
func TestNothingOfBoth(t *testing.T) {
	bare := reporttest.BinaryReport()
	bare.Curves = nil
	text := pageOfComparison(t, comparisonOf(reporttest.BinaryReport(), bare))
	require.NotContains(t, text, "ROC")
	require.NotContains(t, text, "F1 by threshold")
	f := writeComparison(t, comparisonOf(bare, reporttest.BinaryReport()))
	require.NotContains(t, f.Created, comparison.CurvesParquet)
	other := reporttest.RankingReport()
	other.Queries = nil
	require.NotContains(t, pageOfComparison(t, comparisonOf(reporttest.RankingReport(), other)), "Queries:")
	other.Queries = &report.Queries{}
	require.NotContains(t, pageOfComparison(t, comparisonOf(reporttest.RankingReport(), other)), "Queries:")
}

func TestHostileNamesOfBothReports(t *testing.T) {
	valid := func(s string) string { return strings.ToValidUTF8(s, "?") } // names of metrics and queries come from files
	names := append(reporttest.HostileNames()[:40], "<script>alert(1)</script>", `" onmouseover="x`, "</style>", "<!--", "{{.}}", "\u202eabc", strings.Repeat("long ", 2000))
	for _, task := range []string{"binary", "multiclass", "multilabel", "ranking"} {
		one := func(side float64) *report.Report {
			r := &report.Report{Task: task, Labels: names, Queries: &report.Queries{Names: []string{"ndcg", valid(names[0])}}}
			r.Metrics = append(r.Metrics, report.Row{Name: "ndcg", Value: side})
			for i, name := range names {
				value := side * float64(i) / 100
				r.Metrics = append(r.Metrics, report.Row{Name: "average_precision", Label: &name, Value: value}, report.Row{Name: valid(name), Value: value},
					report.Row{Name: "ndcg", Slice: slice.Key{{Column: name, Value: slice.String(name)}}, Value: value})
				for _, curve := range []string{report.CurvePR, report.CurveROC} {
					r.Curves = append(r.Curves, reporttest.CurveOf(curve, &name, 3, func(x float64) report.CurvePoint {
						return report.CurvePoint{X: x, Y: x * side, Threshold: 1 - x}
					}))
				}
				r.Queries.List = append(r.Queries.List, report.Query{ID: slice.String(valid(name)), Values: []float64{value, side}})
			}
			return r
		}
		c := comparisonOf(one(0.5), one(1))
		c.A.Name, c.B.Name = names[len(names)-1], "</title><script>"
		c.Warnings = names
		for _, name := range names {
			value, err := json.Marshal(name)
			require.NoError(t, err)
			c.Options = append(c.Options, comparison.OptionChange{Key: valid(name), A: value})
		}
		f := writeComparison(t, c)
		data := f.Bytes(comparison.HTML)
		reporttest.CheckPage(t, data)
		require.Less(t, len(data), 2_000_000)
		require.Equal(t, string(data), redrawn(t, f))
	}
}

// TestLargePageOfComparison: pictures and tables are limited, and say so.
func TestLargePageOfComparison(t *testing.T) {
	one := func(side float64) *report.Report {
		r := &report.Report{Task: "multilabel", Queries: &report.Queries{Names: []string{"ndcg"}}}
		r.Metrics = append(r.Metrics, report.Row{Name: "f1_macro", Value: side})
		for i := range 10_000 {
			r.Metrics = append(r.Metrics, report.Row{Name: "f1_macro", Slice: reporttest.Key("user", slice.Int(int64(i))), Value: side * float64(i) / 1e4})
		}
		for i := range 1000 {
			name := fmt.Sprint("label ", i)
			r.Metrics = append(r.Metrics, report.Row{Name: "average_precision", Label: &name, Value: side * float64(i) / 1e3})
			r.Curves = append(r.Curves, reporttest.CurveOf(report.CurvePR, &name, 100, func(x float64) report.CurvePoint {
				return report.CurvePoint{X: x, Y: side * math.Sqrt(1-x), Threshold: 1 - x}
			}))
		}
		return r
	}
	c := comparisonOf(one(0.5), one(1))
	for i := range 1000 {
		c.Options = append(c.Options, comparison.OptionChange{Key: fmt.Sprint("decision.threshold.", i), A: json.RawMessage("0.5")})
	}
	f := writeComparison(t, c)
	root, text := f.Bytes(comparison.HTML), ""
	text = reporttest.TextOf(reporttest.CheckPage(t, root))
	require.Less(t, len(root), 300_000)
	for _, part := range []string{"One of the 10 of 999 labels that differ most.", "The 20 of 10,000 that are surest.", "The first 100 of 1,000; comparison.json has all."} {
		require.Contains(t, text, part)
	}
	require.Equal(t, string(root), redrawn(t, f))

	many := func(side float64) *report.Report {
		r := &report.Report{Task: "ranking", Metrics: []report.Row{{Name: "ndcg", Value: side}}, Queries: &report.Queries{Names: []string{"ndcg"}}}
		for i := range 100_000 {
			r.Queries.List = append(r.Queries.List, report.Query{ID: slice.Int(int64(i)), Values: []float64{math.Mod(float64(i)*side, 1)}})
		}
		return r
	}
	f = writeComparison(t, comparisonOf(many(0.37), many(0.73)))
	require.Less(t, len(f.Bytes(comparison.HTML)), 100_000)
	require.Contains(t, f.Content[comparison.HTML].String(), "of 100,000 queries")
}

func TestReadOfComparisonFails(t *testing.T) {
	f := writeComparison(t, rankingComparison())
	for text, want := range map[string]string{
		`{"schema":"beameval.comparison/v0"}`: `comparison: the schema is "beameval.comparison/v0", not "beameval.comparison/v1"`,
		`{"schema":`:                          "comparison: unexpected end of JSON input",
		`{"schema":"beameval.comparison/v1","differences":[{"slice":7}]}`: "comparison: ",
	} {
		_, err := comparison.Read([]byte(text))
		require.ErrorContains(t, err, want)
	}
	var c comparison.Comparison
	require.ErrorContains(t, c.ReadCurves(reporttest.SourceOf(f.Bytes(comparison.QueriesParquet))), "comparison: comparison_curves.parquet: ")
	require.ErrorContains(t, c.ReadQueries(reporttest.SourceOf(f.Bytes(comparison.Parquet))), "comparison: comparison_queries.parquet: ")
	for want, ids := range map[string][]string{"query b has other metrics than the first": {"a", "b", "b"}, "query c has other metrics than the first": {"a", "a", "c"}, "query d has other metrics than the first": {"a", "a", "d", "e", "e"}} {
		q := &comparison.QueryChanges{Names: []string{"ndcg"}}
		for _, id := range ids {
			q.List = append(q.List, comparison.QueryChange{ID: id, A: []float64{1}, B: []float64{1}})
		}
		damaged := writeComparison(t, &comparison.Comparison{Queries: q})
		require.ErrorContains(t, c.ReadQueries(reporttest.SourceOf(damaged.Bytes(comparison.QueriesParquet))), want)
	}
}

// TestBecause: one sentence says why the first metric changed that changed significantly.
func TestBecause(t *testing.T) {
	key := func(country string) slice.Key { return reporttest.Key("country", slice.String(country)) }
	part := func(x float64) report.Estimate {
		return report.Estimate{Value: x, Low: reporttest.NaN, High: reporttest.NaN}
	}
	c := &comparison.Comparison{Task: "binary", A: comparison.Compared{Name: "a"}, B: comparison.Compared{Name: "b"}, Level: 0.95, Pairing: comparison.Unpaired,
		Changes: []comparison.Change{
			{Name: "accuracy", A: 0.813, B: 0.8, Difference: -0.013, Verdict: comparison.NoSignificantChange, Pairing: comparison.Unpaired},
			{Name: "log_loss", A: 0.5, B: 0.513, Difference: 0.013, Low: 0.005, High: 0.021, Verdict: comparison.Worse, Pairing: comparison.Unpaired},
		},
		Why: []comparison.Why{
			{Metric: "accuracy", By: []string{"device"}, Difference: -0.013, Mix: part(-0.01), Performance: part(-0.003)},
			{Metric: "log_loss", By: []string{"device"}, Difference: 0.013, Mix: part(0.001), Performance: part(0.012)},
			{Metric: "log_loss", By: []string{"country"}, Difference: 0.013, Mix: part(0.002), Performance: part(0.011), Slices: []comparison.WhySlice{
				{Slice: key("de"), ShareA: 0.1, ShareB: 0.2, Mix: part(0.003), Performance: part(0.0078)},
				{Slice: key("fr"), ShareA: 0.9, ShareB: 0.8, Mix: part(-0.001), Performance: part(0.0032)},
			}},
		},
	}
	summary := func() string {
		var text bytes.Buffer
		require.NoError(t, comparison.Summary(c, &text, document.Screen{}))
		return strings.Join(strings.Fields(text.String()), " ")
	}
	require.Contains(t, summary(), "log_loss rose by 0.0130 ± 0.0080. By country, mix makes +0.002000 (above all because country=de has 20% of the examples, not 10%), "+
		"and performance within the slices +0.01100 (71% of it in country=de).")
	c.Why[2].Mix, c.Why[1].Mix = part(0), part(0)
	require.Contains(t, summary(), "log_loss rose by 0.0130 ± 0.0080. By country, all of it is performance, because the shares of the slices are the same (71% of it in country=de).")
	c.Changes[1].Verdict = comparison.NoSignificantChange
	require.NotContains(t, summary(), "mix")
}
