package report

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/beameval/beameval/io/columns"
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
	// Prometheus is read by the textfile collector of the node exporter.
	Prometheus Format = "prometheus"
	// MLflow is read by mlflow.log_metrics.
	MLflow Format = "mlflow"
)

// Formats returns every format.
func Formats() []Format { return []Format{JSON, CSV, Parquet, Markdown, HTML, Prometheus, MLflow} }

// Names of files of a report. Tables name others.
const (
	MetricsJSON            = "metrics.json"
	MetricsParquet         = "metrics.parquet"
	MetricsPrometheus      = "metrics.prom"
	MetricsMLflow          = "metrics.jsonl"
	ConfusionParquet       = "confusion.parquet"
	CurvesParquet          = "curves.parquet"
	ScoreHistogramsParquet = "score_histograms.parquet"
	PerQueryParquet        = "per_query.parquet"
	ReplicatesParquet      = "replicates.parquet"
	ThresholdsJSON         = "thresholds.json"
	RecalibrationJSON      = "recalibration.json"
	ReportMarkdown         = "report.md"
	ReportHTML             = "report.html"
	SummaryText            = "summary.txt"
	StatisticsBin          = "statistics.bin"
	RunJSON                = "run.json"
)

// ReadFile calls read with a file of the report or comparison in dir, if the file exists.
func ReadFile(ctx context.Context, dir, name string, read func(columns.Source) error) error {
	f, err := files.Open(ctx, files.Join(dir, name))
	switch {
	case errors.Is(err, fs.ErrNotExist): // it was not requested, or there was nothing to write
		return nil
	case err != nil:
		return err
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return nil
}
