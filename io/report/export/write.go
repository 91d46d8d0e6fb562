// Package export writes all files of a report: the pages for people, which package document
// renders, the files of the report itself, and the same numbers in formats for other programs.
package export

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/document/evaluation"
)

// Write sorts r, sets its JSONRows to 0 unless metrics.parquet is written, and writes r and run to files obtained from create. A nil run stands for an empty
// one. run.json also says where the worst and changed examples of r are. Several files are written concurrently, each by one goroutine, but create is never called
// concurrently. The caller closes the files after Write has returned.
//
// Write always writes run.json and metrics.json. It writes metrics.json when all other files are
// complete: if it exists, the report is complete. thresholds.json exists if r has thresholds,
// recalibration.json if it has a map from scores to probabilities, per_query.parquet if it has queries, statistics.bin if it has Statistics. Among the files of the requested formats, confusion.parquet
// is omitted if r has no cells, moves.parquet if it has no moves, label_pairs.parquet if it does not list pairs, curves.parquet if it
// has no points, histograms.parquet and score_histograms.parquet if it has no such histograms,
// replicates.parquet if it has no confidence, worst_examples and changed_examples if r does not list them, found_slices if it
// has no search, and differences if it has no baseline.
func Write(r *report.Report, run *report.Run, formats []report.Format, create func(name string) (io.Writer, error)) error {
	for _, f := range formats {
		if !slices.Contains(report.Formats(), f) {
			return fmt.Errorf("report: unknown format %q", f)
		}
	}
	run = new(*cmp.Or(run, new(report.Run)))
	r.Sort()
	if !slices.Contains(formats, report.Parquet) {
		r.JSONRows = 0 // no other file has the types and all digits of metrics.json
	}
	run.WorstExamples, run.ChangedExamples = r.WorstPlaces(), r.ChangedPlaces()
	if err := WriteFiles(filesOf(r, run, formats), create); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// filesOf returns the files of a report in the order in which they are written.
func filesOf(r *report.Report, run *report.Run, formats []report.Format) []File {
	parquet := slices.Contains(formats, report.Parquet)
	write := evaluation.Writer(r)
	people := func(of document.Output) func(io.Writer) error {
		return func(w io.Writer) error { return write(of, w) }
	}
	other := func(write func(*report.Report, io.Writer) error) func(io.Writer) error {
		return func(w io.Writer) error { return write(r, w) }
	}
	return []File{
		{report.MetricsCSV, slices.Contains(formats, report.CSV), r.WriteMetricsCSV},
		{report.MetricsParquet, parquet, r.WriteMetrics},
		{report.ConfusionParquet, parquet && len(r.Confusion) > 0, r.WriteConfusion},
		{report.MovesParquet, parquet && len(r.Moves) > 0, r.WriteMoves},
		{report.LabelPairsParquet, parquet && r.LabelPairs != nil, r.WriteLabelPairs},
		{report.CurvesParquet, parquet && len(r.Curves) > 0, r.WriteCurves},
		{report.HistogramsParquet, parquet && len(r.Histograms) > 0, r.WriteHistograms},
		{report.ScoreHistogramsParquet, parquet && len(r.ScoreHistograms) > 0, r.WriteScoreHistograms},
		{report.ReplicatesParquet, parquet && r.Confidence != nil, r.WriteReplicates},
		{report.WorstCSV, slices.Contains(formats, report.CSV) && r.Worst != nil, r.WriteWorstCSV},
		{report.WorstParquet, parquet && r.Worst != nil, r.WriteWorst},
		{report.ChangedCSV, slices.Contains(formats, report.CSV) && r.Changed != nil, r.WriteChangedCSV},
		{report.ChangedParquet, parquet && r.Changed != nil, r.WriteChanged},
		{report.FoundCSV, slices.Contains(formats, report.CSV) && r.Search != nil, r.Search.WriteCSV},
		{report.FoundParquet, parquet && r.Search != nil, r.Search.WriteParquet},
		{report.DifferencesCSV, slices.Contains(formats, report.CSV) && r.Differences != nil, r.WriteDifferencesCSV},
		{report.DifferencesParquet, parquet && r.Differences != nil, r.WriteDifferences},
		{report.MetricsPrometheus, slices.Contains(formats, report.Prometheus), other(writePrometheus)},
		{report.MetricsMLflow, slices.Contains(formats, report.MLflow), other(writeMLflow)},
		{report.ReportMarkdown, slices.Contains(formats, report.Markdown), people(document.Markdown)},
		{report.SummaryText, slices.Contains(formats, report.Markdown), people(document.Chat)},
		{report.ReportHTML, slices.Contains(formats, report.HTML), people(document.Page)},
		{report.PerQueryParquet, r.Queries != nil, r.WriteQueries},
		{report.ThresholdsJSON, r.Thresholds != nil, r.Thresholds.Write},
		{report.RecalibrationJSON, r.Recalibration != nil, r.Recalibration.Write},
		{report.StatisticsBin, r.Statistics != nil, r.Statistics},
		{report.RunJSON, true, run.Write},
		{report.MetricsJSON, true, r.WriteJSON},
	}
}

// Replaceable describes what a new report may replace: a finished report, with any of the files
// that a report may have.
func Replaceable() files.Replaceable {
	return Finished("a finished report", report.Schema, filesOf(new(report.Report), new(report.Run), nil))
}
