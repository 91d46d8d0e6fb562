package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/quote"
)

// Format is a form in which a report can be written.
type Format string

// The formats. JSON is always written.
const (
	JSON     Format = "json"
	CSV      Format = "csv"
	Parquet  Format = "parquet"
	Markdown Format = "markdown"
)

// Formats returns every format.
func Formats() []Format { return []Format{JSON, CSV, Parquet, Markdown} }

// ParseFormat returns the format of that name.
func ParseFormat(name string) (Format, error) {
	known := Formats()
	if f := Format(name); slices.Contains(known, f) {
		return f, nil
	}
	names := make([]string, len(known))
	for i, f := range known {
		names[i] = string(f)
	}
	return "", fmt.Errorf("unknown format %q: did you mean %s? There are %s", name, quote.Nearest(name, names), strings.Join(names, ", "))
}

// Names of the files of a report.
const (
	MetricsJSON      = "metrics.json"
	MetricsCSV       = "metrics.csv"
	MetricsParquet   = "metrics.parquet"
	ConfusionParquet = "confusion.parquet"
	CurvesParquet    = "curves.parquet"
	PerQueryParquet  = "per_query.parquet"
	ThresholdsJSON   = "thresholds.json"
	ReportMarkdown   = "report.md"
	RunJSON          = "run.json"
)

// Write writes r and run as files, each of which it asks of create. It sorts r
// first; a nil run is an empty one. A file is complete when the next one is created, the last one when
// Write returns; closing them is up to the caller.
//
// metrics.json and run.json are always written, thresholds.json whenever r has
// thresholds, and per_query.parquet whenever it has queries. metrics.json comes
// last, so that its presence marks a complete report. confusion.parquet is left
// out when r has no cells, curves.parquet when it has no points.
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
	parquet := slices.Contains(formats, Parquet)
	files := []struct {
		name  string
		want  bool
		write func(io.Writer) error
	}{
		{MetricsCSV, slices.Contains(formats, CSV), r.writeCSV},
		{MetricsParquet, parquet, r.writeParquet},
		{ConfusionParquet, parquet && len(r.Confusion) > 0, r.writeConfusion},
		{CurvesParquet, parquet && len(r.Curves) > 0, r.writeCurves},
		{ReportMarkdown, slices.Contains(formats, Markdown), r.writeMarkdown},
		{PerQueryParquet, r.Queries != nil, r.writeQueries},
		{ThresholdsJSON, r.Thresholds != nil, r.Thresholds.write},
		{RunJSON, true, run.write},
		{MetricsJSON, true, r.writeJSON},
	}
	for _, f := range files {
		if !f.want {
			continue
		}
		w, err := create(f.name)
		if err != nil {
			return fmt.Errorf("report: %s: %w", f.name, err)
		}
		buffered := bufio.NewWriterSize(w, 64<<10)
		if err := f.write(buffered); err != nil {
			return fmt.Errorf("report: %s: %w", f.name, err)
		}
		if err := buffered.Flush(); err != nil {
			return fmt.Errorf("report: %s: %w", f.name, err)
		}
	}
	return nil
}
