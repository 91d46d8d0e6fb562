package report_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
)

func pairsReport(task string) *report.Report {
	nan := math.NaN()
	return &report.Report{Task: task, LabelPairs: []report.LabelPair{
		{Label: "<b>\xff", Predicted: "null", Count: 3, Weight: 7.5, Share: 0.75, Lift: 12.5, Gain: nan},
		{Label: "", Predicted: "=a\n|", Count: 1, Weight: nan, Share: nan, Lift: nan, Gain: nan},
	}}
}

func TestReadLabelPairs(t *testing.T) {
	r := pairsReport("multilabel")
	f := reporttest.Write(t, r)
	again, err := report.Read(f.Bytes(report.MetricsJSON))
	require.NoError(t, err)
	require.Nil(t, again.LabelPairs)
	require.NoError(t, again.ReadTable("label_pairs", reporttest.SourceOf(f.Bytes("label_pairs.parquet"))))
	require.Equal(t, f.Bytes("label_pairs.parquet"), reporttest.Write(t, again).Bytes("label_pairs.parquet"))
	require.Len(t, again.LabelPairs, 2)
	for i, p := range again.LabelPairs {
		require.Equal(t, []any{r.LabelPairs[i].Label, r.LabelPairs[i].Predicted, r.LabelPairs[i].Count}, []any{p.Label, p.Predicted, p.Count})
	}
	require.ErrorContains(t, again.ReadTable("label_pairs", reporttest.SourceOf(f.Bytes(report.MetricsParquet))), "report: label_pairs.parquet: ")
	require.NotContains(t, reporttest.Write(t, &report.Report{Task: "multilabel"}).Content, "label_pairs.parquet")
}

func TestLabelPairsForPeople(t *testing.T) {
	f := reporttest.Write(t, pairsReport("multilabel"))
	markdown, page := f.Content[report.ReportMarkdown].String(), f.Content[report.ReportHTML].String()
	require.Contains(t, markdown, "## Labels in place of others\n")
	require.Contains(t, markdown, "| label | predicted instead | weight | share of the misses | lift |")
	require.Contains(t, page, ">Labels in place of others<")
	require.NotContains(t, page, "<b>\xff")

	r := &report.Report{Task: "multiclass"}
	for range 400 {
		r.LabelPairs = append(r.LabelPairs, report.LabelPair{Label: "a", Predicted: "b", Count: 2, Weight: 2, Share: 0.5, Lift: 1, Gain: 0.25})
	}
	f = reporttest.Write(t, r)
	markdown, page = f.Content[report.ReportMarkdown].String(), f.Content[report.ReportHTML].String()
	require.Contains(t, markdown, "The first 50 of 400.")
	require.Contains(t, markdown, "| label | predicted instead | examples | share of the misses | lift | gain |")
	require.Contains(t, page, "The first 300 of 400.")
	require.Contains(t, page, "Show all 300 rows")

	f = reporttest.Write(t, &report.Report{Task: "multilabel", LabelPairs: []report.LabelPair{}})
	require.Contains(t, f.Content[report.ReportMarkdown].String(), "No label was missed in an example in which another was wrongly predicted.")
	require.Contains(t, f.Content, "label_pairs.parquet")
}

// FuzzReadLabelPairs reads damaged files: nothing panics, neither reading nor writing what was read.
func FuzzReadLabelPairs(f *testing.F) {
	whole := reporttest.Write(f, pairsReport("multilabel")).Bytes("label_pairs.parquet")
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(whole[:9])
	for _, other := range []string{report.MetricsParquet, report.ConfusionParquet} { // Parquet with other columns
		f.Add(reporttest.Write(f, reporttest.MulticlassReport()).Bytes(other))
	}
	for _, n := range []int{0, 1, 1000} { // row groups of other sizes
		r := &report.Report{Task: "multiclass", LabelPairs: make([]report.LabelPair, n)}
		for i := range r.LabelPairs {
			r.LabelPairs[i] = report.LabelPair{Label: strings.Repeat("a", i%7), Predicted: "b", Count: int64(i), Weight: float64(i), Lift: math.Inf(1)}
		}
		f.Add(reporttest.Write(f, r).Bytes("label_pairs.parquet"))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, task := range []string{"multilabel", "multiclass"} {
			r := &report.Report{Task: task}
			if r.ReadTable("label_pairs", reporttest.SourceOf(file)) == nil {
				_ = reporttest.Write(t, r)
			}
		}
	})
}
