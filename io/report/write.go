package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"github.com/beameval/beameval/io/files"
)

// Format is a form in which a report can be written.
type Format string

// The formats. JSON is always written.
const (
	JSON     Format = "json"
	CSV      Format = "csv"
	Parquet  Format = "parquet"
	Markdown Format = "markdown"
	HTML     Format = "html"
	// Prometheus is for the textfile collector of its node exporter.
	Prometheus Format = "prometheus"
	// MLflow is for mlflow.log_metrics.
	MLflow Format = "mlflow"
)

// Formats returns every format.
func Formats() []Format { return []Format{JSON, CSV, Parquet, Markdown, HTML, Prometheus, MLflow} }

// Names of the files of a report.
const (
	MetricsJSON       = "metrics.json"
	MetricsCSV        = "metrics.csv"
	MetricsParquet    = "metrics.parquet"
	MetricsPrometheus = "metrics.prom"
	MetricsMLflow     = "metrics.jsonl"
	ConfusionParquet  = "confusion.parquet"
	CurvesParquet     = "curves.parquet"
	HistogramsParquet = "histograms.parquet"
	PerQueryParquet   = "per_query.parquet"
	ReplicatesParquet = "replicates.parquet"
	ThresholdsJSON    = "thresholds.json"
	ReportMarkdown    = "report.md"
	ReportHTML        = "report.html"
	SummaryText       = "summary.txt"
	RunJSON           = "run.json"
)

// Write sorts r, and writes r and run to files that it gets from create. A nil run is an
// empty one. A file is complete when the next one is created, or when Write returns. The
// caller closes the files.
//
// Write always writes run.json and metrics.json. metrics.json comes last: if it is there,
// the report is complete. thresholds.json is there if r has thresholds, per_query.parquet
// if it has queries. Of the files of a format, confusion.parquet is left out if r has no
// cells, curves.parquet if it has no points, histograms.parquet if it has no histograms, and
// replicates.parquet if it has no confidence.
func Write(r *Report, run *Run, formats []Format, create func(name string) (io.Writer, error)) error {
	for _, f := range formats {
		if !slices.Contains(Formats(), f) {
			return fmt.Errorf("report: unknown format %q", f)
		}
	}
	if run == nil {
		run = &Run{}
	}
	r.Sort()
	for _, f := range r.files(run, formats) {
		if !f.want {
			continue
		}
		if err := writeFile(f.name, create, f.write); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}

// file is a file of a report.
type file struct {
	name  string
	want  bool
	write func(io.Writer) error
}

// files are those of a report, in the order in which they are written.
func (r *Report) files(run *Run, formats []Format) []file {
	parquet := slices.Contains(formats, Parquet)
	return []file{
		{MetricsCSV, slices.Contains(formats, CSV), r.writeCSV},
		{MetricsParquet, parquet, r.writeParquet},
		{ConfusionParquet, parquet && len(r.Confusion) > 0, r.writeConfusion},
		{CurvesParquet, parquet && len(r.Curves) > 0, r.writeCurves},
		{HistogramsParquet, parquet && len(r.Histograms) > 0, r.writeHistograms},
		{ReplicatesParquet, parquet && r.Confidence != nil, r.writeReplicates},
		{MetricsPrometheus, slices.Contains(formats, Prometheus), r.writePrometheus},
		{MetricsMLflow, slices.Contains(formats, MLflow), r.writeMLflow},
		{ReportMarkdown, slices.Contains(formats, Markdown), r.writeMarkdown},
		{SummaryText, slices.Contains(formats, Markdown), r.writeChat},
		{ReportHTML, slices.Contains(formats, HTML), r.writePage},
		{PerQueryParquet, r.Queries != nil, r.writeQueries},
		{ThresholdsJSON, r.Thresholds != nil, r.Thresholds.write},
		{RunJSON, true, run.write},
		{MetricsJSON, true, r.writeJSON},
	}
}

// Replaceable is what a new report may replace: a finished report, with any of the files that a
// report may have.
func Replaceable() files.Replaceable {
	finished := files.Replaceable{What: "a finished report"}
	for _, f := range new(Report).files(new(Run), nil) {
		if f.want {
			finished.Always = append(finished.Always, f.name)
		}
		finished.Names = append(finished.Names, f.name)
	}
	return finished
}

// writeFile writes a file that it gets from create.
func writeFile(name string, create func(name string) (io.Writer, error), write func(io.Writer) error) error {
	w, err := create(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	buffered := bufio.NewWriterSize(w, 64<<10)
	if err := write(buffered); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
