package report_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// movesReport has moves in another order than that of classes, and of a slice.
func movesReport() *report.Report {
	of := slice.Key{{Column: "country", Value: slice.String("de")}}
	row := func(name string, value float64) report.Row {
		return report.Row{Name: name, Slice: of, Value: value, Support: 5}
	}
	return &report.Report{
		Task: "multiclass", Labels: []string{"<a>", "b\xff", ""},
		Metrics: []report.Row{row("flip_rate", 0.4), row("improvement_rate", 0.125), row("regression_rate", 0.25)},
		Moves: []report.Move{
			{Slice: of, Baseline: "<a>", Predicted: "b\xff", PredictedIndex: 1, Count: 1, Weight: 1},
			{Baseline: "", Predicted: "<a>", BaselineIndex: 2, Count: 2, Weight: 7.5, BecameRight: 2.5, BecameWrong: 5},
			{Baseline: "<a>", Predicted: "b\xff", PredictedIndex: 1, Count: 9, Weight: 9, BecameWrong: 8},
			{Baseline: "<a>", Predicted: "<a>", Count: 30, Weight: 30},
		},
	}
}

func TestReadMoves(t *testing.T) {
	r := movesReport()
	f := reporttest.Write(t, r)
	again, err := report.Read(f.Bytes(report.MetricsJSON))
	require.NoError(t, err)
	require.Empty(t, again.Moves)
	require.NoError(t, again.ReadTable("moves", reporttest.SourceOf(f.Bytes("moves.parquet"))))
	require.Len(t, again.Moves, 3)     // without those of the slice
	for i, want := range r.Moves[:3] { // Write has sorted them
		got := again.Moves[i]
		require.Equal(t, []any{want.Baseline, want.Predicted, want.Count, want.Weight, want.BecameRight, want.BecameWrong, want.Changed()},
			[]any{got.Baseline, got.Predicted, got.Count, got.Weight, got.BecameRight, got.BecameWrong, got.Changed()})
	}
	require.ErrorContains(t, again.ReadTable("moves", reporttest.SourceOf(f.Bytes(report.MetricsParquet))), "report: moves.parquet: ")
	require.NotContains(t, reporttest.Write(t, &report.Report{Task: "multiclass"}).Content, "moves.parquet")
}

func TestMovesForPeople(t *testing.T) {
	r := movesReport()
	r.Histograms = []report.Histogram{{Name: report.HistogramMoves, Bins: []report.Bin{
		{From: 0, To: 0.25, YFrom: 0.5, YTo: 0.75, Count: 3, Weight: 3}, {From: 0.75, To: 1, YFrom: 0, YTo: 0.25, Count: 1, Weight: 1},
	}}}
	f := reporttest.Write(t, r)
	markdown, page := f.Content[report.ReportMarkdown].String(), f.Content[report.ReportHTML].String()
	for _, want := range []string{"## Changes since the baseline\n", "| baseline | now | weight | became right | became wrong |", "Slices by regression_rate\n", "regression_rate | improvement_rate"} {
		require.Contains(t, markdown, want)
	}
	for _, want := range []string{">Changes since the baseline<", ">Slices by regression_rate<", "Moves between classes", "Now against the baseline", "of the baseline&#39;s class"} {
		require.Contains(t, page, want)
	}
	require.NotContains(t, page, "<a>\xff")

	stayed := &report.Report{Task: "binary", Moves: []report.Move{{Baseline: "0", Predicted: "0", Count: 3, Weight: 3}}}
	require.Contains(t, reporttest.Write(t, stayed).Content[report.ReportMarkdown].String(), "No example moved to another class.")
	without := reporttest.Write(t, &report.Report{Task: "binary"}).Content[report.ReportMarkdown].String()
	require.NotContains(t, without, "baseline")
}
