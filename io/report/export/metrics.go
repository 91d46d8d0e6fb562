package export

import (
	"io"
	"math"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// metricsTable returns the columns of metrics.csv and metrics.parquet: fixed columns, followed by
// one for each column of slices.
func metricsTable(r *report.Report) []tabular.Column[report.Row] {
	sure := func(value func(*report.Confidence) float64) func(*report.Row) float64 {
		return func(row *report.Row) float64 {
			if row.Confidence == nil {
				return math.NaN()
			}
			return value(row.Confidence)
		}
	}
	note := func(text func(*report.Confidence) string) func(*report.Row) string {
		return func(row *report.Row) string {
			if row.Confidence == nil {
				return ""
			}
			return quote.Valid(text(row.Confidence))
		}
	}
	bound := func(value func(*report.Interval) float64) func(*report.Row) float64 {
		return func(row *report.Row) float64 {
			if i := row.Bounds(); i != nil {
				return value(i)
			}
			return math.NaN()
		}
	}
	return tabular.Placed(func(row *report.Row) (string, slice.Key, *string) { return row.Name, row.Slice, row.Label }, sliceColumnsOf(r),
		tabular.Number("value", func(row *report.Row) float64 { return row.Value }),
		tabular.Number("low", bound(func(i *report.Interval) float64 { return i.Low })),
		tabular.Number("high", bound(func(i *report.Interval) float64 { return i.High })),
		tabular.Note("undefined", func(row *report.Row) string { return quote.Valid(row.Reason()) }),
		tabular.Whole("support", 64, func(row *report.Row) int64 { return row.Support }),
		tabular.Number("ci_low", sure(func(c *report.Confidence) float64 { return c.Low })),
		tabular.Number("ci_high", sure(func(c *report.Confidence) float64 { return c.High })),
		tabular.Number("std_error", sure(func(c *report.Confidence) float64 { return c.StdError })),
		tabular.Number("dof", sure(func(c *report.Confidence) float64 { return c.DOF })),
		tabular.Count("groups", func(row *report.Row) (int, bool) {
			if row.Confidence == nil {
				return 0, false
			}
			return row.Confidence.Groups, true
		}),
		tabular.Note("ci_method", note(func(c *report.Confidence) string { return c.Method })),
		tabular.Note("no_interval", note(func(c *report.Confidence) string { return c.NoInterval })),
		tabular.Note("ci_warning", note(func(c *report.Confidence) string { return c.Warning })),
	)
}

func sliceColumnsOf(r *report.Report) []string {
	return tabular.SliceColumns(r.SliceColumns, r.Metrics, func(row *report.Row) slice.Key { return row.Slice })
}

// writeCSV writes metrics.csv.
func writeCSV(r *report.Report, w io.Writer) error {
	return tabular.WriteCSV(w, metricsTable(r), r.Metrics)
}

func writeParquet(r *report.Report, w io.Writer) error {
	return tabular.WriteParquet(w, "metrics", metricsTable(r), r.Metrics)
}
