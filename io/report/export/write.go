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
// complete: if it exists, the report is complete. Tables that the report does not have are omitted, as are thresholds.json,
// recalibration.json and statistics.bin.
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
	write := evaluation.Writer(r)
	people := func(of document.Output) func(io.Writer) error {
		return func(w io.Writer) error { return write(of, w) }
	}
	other := func(write func(*report.Report, io.Writer) error) func(io.Writer) error {
		return func(w io.Writer) error { return write(r, w) }
	}
	return append(r.TableFiles(formats), []File{
		{Name: report.MetricsPrometheus, Want: slices.Contains(formats, report.Prometheus), Write: other(writePrometheus)},
		{Name: report.MetricsMLflow, Want: slices.Contains(formats, report.MLflow), Write: other(writeMLflow)},
		{Name: report.ReportMarkdown, Want: slices.Contains(formats, report.Markdown), Write: people(document.Markdown)},
		{Name: report.SummaryText, Want: slices.Contains(formats, report.Markdown), Write: people(document.Chat)},
		{Name: report.ReportHTML, Want: slices.Contains(formats, report.HTML), Write: people(document.Page)},
		{Name: report.ThresholdsJSON, Want: r.Thresholds != nil, Write: r.Thresholds.Write},
		{Name: report.RecalibrationJSON, Want: r.Recalibration != nil, Write: r.Recalibration.Write},
		{Name: report.StatisticsBin, Want: r.Statistics != nil, Write: r.Statistics},
		{Name: report.RunJSON, Want: true, Write: run.Write},
		{Name: report.MetricsJSON, Want: true, Write: r.WriteJSON},
	}...)
}

// Replaceable describes what a new report may replace: a finished report, with any of the files
// that a report may have.
func Replaceable() files.Replaceable {
	return Finished("a finished report", report.Schema, filesOf(new(report.Report), new(report.Run), nil))
}
