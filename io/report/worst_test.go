package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/document/evaluation"
	"github.com/beameval/beameval/io/slice"
)

// withWorst is a report with worst examples of all examples, a label and a slice, in no order.
func withWorst() *report.Report {
	r := reporttest.MulticlassReport()
	nan, de := math.NaN(), reporttest.Key("country", slice.String("de"))
	at := func(row int64) report.SkippedRow { return report.SkippedRow{File: "p.parquet", RowGroup: 2, Row: row} }
	r.Worst = []report.WorstExample{
		{Name: "log_loss", Rank: 2, ID: slice.String("<b>\xff"), Loss: 3.25, Score: .125, True: "setosa", Predicted: "=virginica", At: report.SkippedRow{File: "t.csv", Line: 7}},
		{Name: "log_loss", Slice: de, Rank: 1, ID: slice.String("x"), Loss: 1, Score: nan, At: at(9)},
		{Name: "log_loss", Label: reporttest.Ptr("virginica"), Rank: 1, ID: slice.Int(5), Loss: .5, Score: nan, At: at(0)},
		{Name: "log_loss", Label: reporttest.Ptr("setosa"), Rank: 1, Loss: .25, Score: math.Inf(-1)},
		{Name: "log_loss", Rank: 1, ID: slice.Int(-3), Loss: math.Inf(1), Score: .5, True: "a\nb", Predicted: "", At: at(4)},
	}
	return r
}

func TestWorstExamplesAreWritten(t *testing.T) {
	f := reporttest.Write(t, withWorst())
	require.Equal(t, `name,slice,label,rank,example,loss,true,predicted,score,slice_country
log_loss,{},,1,-3,,"a
b",,0.5,
log_loss,{},,2,<b>\xff,3.25,setosa,'=virginica,0.125,
log_loss,{},setosa,1,,0.25,,,,
log_loss,{},virginica,1,5,0.5,,,,
log_loss,"{""country"":""de""}",,1,x,1,,,,de
`, f.Content["worst_examples.csv"].String())

	var run struct {
		Places []map[string]any `json:"worst_examples"`
	}
	require.NoError(t, json.Unmarshal(f.Bytes(report.RunJSON), &run))
	require.Equal(t, []map[string]any{
		{"slice": map[string]any{}, "label": nil, "rank": 1., "file": "p.parquet", "row_group": 2., "row": 4.},
		{"slice": map[string]any{}, "label": nil, "rank": 2., "file": "t.csv", "line": 7.},
		{"slice": map[string]any{}, "label": "virginica", "rank": 1., "file": "p.parquet", "row_group": 2., "row": 0.},
		{"slice": map[string]any{"country": "de"}, "label": nil, "rank": 1., "file": "p.parquet", "row_group": 2., "row": 9.},
	}, run.Places)
}

// TestWorstExamplesOnPages: pages show those of all examples, also when they are drawn again; they
// do not name files, which may differ between runs.
func TestWorstExamplesOnPages(t *testing.T) {
	r := withWorst()
	f := reporttest.Write(t, r)
	markdown, page := f.Content[report.ReportMarkdown].String(), f.Content[report.ReportHTML].String()
	require.Contains(t, markdown, "## Worst examples\n\nThe examples with the highest losses. run.json has their files and rows.\n")
	for _, text := range []string{"| rank | example | log_loss | true", "∞", "3.250", "0.1250", "=virginica"} {
		require.Contains(t, markdown, text)
	}
	require.Contains(t, page, ">Worst examples<")
	require.NotContains(t, page, "<b>\\xff")
	for name := range f.Content {
		if name != report.RunJSON {
			require.NotContains(t, f.Content[name].String(), "p.parquet", name)
		}
	}

	again, err := report.Read(f.Bytes(report.MetricsJSON))
	require.NoError(t, err)
	require.NoError(t, again.ReadConfusion(reporttest.SourceOf(f.Bytes(report.ConfusionParquet))))
	require.NoError(t, again.ReadTable("worst_examples", reporttest.SourceOf(f.Bytes("worst_examples.parquet"))))
	require.Len(t, again.Worst, 2)
	again.Meanings = r.Meanings
	var drawn bytes.Buffer
	again.Sort()
	require.NoError(t, evaluation.Write(again, document.Page, &drawn))
	require.Equal(t, page, drawn.String())
	require.ErrorContains(t, again.ReadTable("worst_examples", reporttest.SourceOf(f.Bytes(report.MetricsParquet))), "report: worst_examples.parquet: ")
}

func TestFewAndManyWorstExamples(t *testing.T) {
	r := reporttest.MulticlassReport()
	require.NotContains(t, reporttest.Write(t, r).Content, "worst_examples.parquet")
	r.Worst = []report.WorstExample{}
	f := reporttest.Write(t, r)
	require.Contains(t, f.Content[report.ReportMarkdown].String(), "## Worst examples\n\n- No example has a loss.\n")
	require.NoError(t, r.ReadTable("worst_examples", reporttest.SourceOf(f.Bytes("worst_examples.parquet"))))
	require.Empty(t, r.Worst)
	require.NotContains(t, string(f.Bytes(report.RunJSON)), "worst_examples")
	for i := range 60 {
		r.Worst = append(r.Worst, report.WorstExample{Name: "log_loss", Rank: i + 1, ID: slice.String(fmt.Sprintf("id %d", i+1)), Loss: 1, Score: math.NaN()})
	}
	markdown := reporttest.Write(t, r).Content[report.ReportMarkdown].String()
	require.Contains(t, markdown, "The first 50 of 60.")
	require.Contains(t, markdown, "id 50")
	require.NotContains(t, markdown, "id 51")
}

// withChanged is a report with changes of all examples, a label and a slice, in no order.
func withChanged() *report.Report {
	r := reporttest.MulticlassReport()
	nan, de := math.NaN(), reporttest.Key("country", slice.String("de"))
	r.Changed = []report.ChangedExample{
		{Slice: de, Improved: true, Rank: 1, ID: slice.String("x"), True: "setosa", Predicted: "setosa", Baseline: "virginica", Score: nan, BaselineScore: nan, Change: nan},
		{Improved: true, Rank: 1, True: "setosa", Predicted: "setosa", Baseline: "virginica", Score: .5, BaselineScore: .25, Change: math.Inf(1)},
		{Label: reporttest.Ptr("setosa"), Rank: 1, ID: slice.Int(5), True: "setosa", Predicted: "virginica", Baseline: "setosa", Score: .5, BaselineScore: .75, Change: .125},
		{Rank: 2, ID: slice.String("<b>\xff"), True: "=a", Predicted: "b", Baseline: "=a", Score: nan, BaselineScore: .75, Change: nan},
		{Rank: 1, ID: slice.Int(-3), True: "setosa", Predicted: "virginica", Baseline: "setosa", Score: .5, BaselineScore: .75, Change: .125, At: report.SkippedRow{File: "p.parquet", RowGroup: 2, Row: 4}},
	}
	return r
}

// TestChangedExamplesAreWritten: regressions come before improvements, and the page drawn again from the
// files is the same.
func TestChangedExamplesAreWritten(t *testing.T) {
	r := withChanged()
	f := reporttest.Write(t, r)
	require.Equal(t, `name,slice,label,rank,example,true,baseline_predicted,predicted,baseline_score,score,change,slice_country
regression,{},,1,-3,setosa,setosa,virginica,0.75,0.5,0.125,
regression,{},,2,<b>\xff,'=a,'=a,b,0.75,,,
improvement,{},,1,,setosa,virginica,setosa,0.25,0.5,,
regression,{},setosa,1,5,setosa,setosa,virginica,0.75,0.5,0.125,
improvement,"{""country"":""de""}",,1,x,setosa,virginica,setosa,,,,de
`, f.Content["changed_examples.csv"].String())
	var run struct {
		Places []map[string]any `json:"changed_examples"`
	}
	require.NoError(t, json.Unmarshal(f.Bytes(report.RunJSON), &run))
	require.Equal(t, []map[string]any{{"name": "regression", "slice": map[string]any{}, "label": nil, "rank": 1., "file": "p.parquet", "row_group": 2., "row": 4.}}, run.Places)

	markdown, page := f.Content[report.ReportMarkdown].String(), f.Content[report.ReportHTML].String()
	require.Contains(t, markdown, "## Examples that regressed\n\nThe baseline predicts these right, and they are now predicted wrong.")
	require.Contains(t, markdown, "## Examples that improved\n")
	require.NotContains(t, page, "<b>\\xff")
	again, err := report.Read(f.Bytes(report.MetricsJSON))
	require.NoError(t, err)
	require.NoError(t, again.ReadConfusion(reporttest.SourceOf(f.Bytes(report.ConfusionParquet))))
	require.NoError(t, again.ReadTable("changed_examples", reporttest.SourceOf(f.Bytes("changed_examples.parquet"))))
	require.Len(t, again.Changed, 3)
	again.Meanings = r.Meanings
	var drawn bytes.Buffer
	again.Sort()
	require.NoError(t, evaluation.Write(again, document.Page, &drawn))
	require.Equal(t, page, drawn.String())
	require.ErrorContains(t, again.ReadTable("changed_examples", reporttest.SourceOf(f.Bytes(report.MetricsParquet))), "report: changed_examples.parquet: ")

	r.Changed = []report.ChangedExample{}
	f = reporttest.Write(t, r)
	require.Contains(t, f.Content[report.ReportMarkdown].String(), "## Examples that regressed\n\n- There are none.\n\n## Examples that improved\n\n- There are none.\n")
	require.NoError(t, again.ReadTable("changed_examples", reporttest.SourceOf(f.Bytes("changed_examples.parquet"))))
	require.Empty(t, again.Changed)
}
