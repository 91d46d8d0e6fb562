package report

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"

	"golang.org/x/sync/errgroup"

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
// empty one. Several files are written at a time, each from one goroutine; create is called from
// one alone. The caller closes the files once Write has returned.
//
// Write always writes run.json and metrics.json. metrics.json comes after all others are complete:
// if it is there, the report is complete. thresholds.json is there if r has thresholds, per_query.parquet
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
	if err := writeFiles(r.files(run, formats), create); err != nil {
		return fmt.Errorf("report: %w", err)
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

// writeFiles writes the files that are wanted, on all cores, and the last of them when the others
// are complete.
func writeFiles(list []file, create func(name string) (io.Writer, error)) error {
	list = slices.DeleteFunc(list, func(f file) bool { return !f.want })
	last := list[len(list)-1]
	group, ctx := errgroup.WithContext(context.Background())
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range list[:len(list)-1] {
		if ctx.Err() != nil {
			break // a file failed
		}
		w, err := create(f.name)
		group.Go(func() error { return f.writeTo(w, err) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	w, err := create(last.name)
	return last.writeTo(w, err)
}

// writeTo writes the file to w, unless there was an error when that was created. A panic becomes an
// error: in a goroutine it would end the process.
func (f *file) writeTo(w io.Writer, err error) (failed error) {
	defer func() {
		if p := recover(); p != nil {
			failed = fmt.Errorf("%s: internal error, please report it: %v\n%s", f.name, p, debug.Stack())
		}
	}()
	if err == nil {
		buffered := bufio.NewWriterSize(w, 64<<10)
		err = cmp.Or(f.write(buffered), buffered.Flush())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	return nil
}
