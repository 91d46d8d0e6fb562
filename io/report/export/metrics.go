package export

import (
	"cmp"
	"io"
	"math"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// metricsTable returns the columns of metrics.csv and metrics.parquet: fixed columns, followed by
// one for each column of slices.
func metricsTable(r *report.Report) []tabular.Column[report.Row] {
	nan := math.NaN()
	unknown, unbounded := &report.Confidence{Low: nan, High: nan, StdError: nan, DOF: nan}, &report.Interval{Low: nan, High: nan}
	confidence := func(row *report.Row) *report.Confidence { return cmp.Or(row.Confidence, unknown) }
	bounds := func(row *report.Row) *report.Interval { return cmp.Or(row.Bounds(), unbounded) }
	return tabular.Placed(func(row *report.Row) (string, slice.Key, *string) { return row.Name, row.Slice, row.Label }, sliceColumnsOf(r),
		tabular.Number("value", func(row *report.Row) float64 { return row.Value }),
		tabular.Number("low", func(row *report.Row) float64 { return bounds(row).Low }),
		tabular.Number("high", func(row *report.Row) float64 { return bounds(row).High }),
		tabular.Note("undefined", func(row *report.Row) string { return quote.Valid(row.Reason()) }),
		tabular.Whole("support", func(row *report.Row) int64 { return row.Support }),
		tabular.Number("ci_low", func(row *report.Row) float64 { return confidence(row).Low }),
		tabular.Number("ci_high", func(row *report.Row) float64 { return confidence(row).High }),
		tabular.Number("std_error", func(row *report.Row) float64 { return confidence(row).StdError }),
		tabular.Number("dof", func(row *report.Row) float64 { return confidence(row).DOF }),
		tabular.Count("groups", func(row *report.Row) int { return row.Confidence.Groups }).If(func(row *report.Row) bool { return row.Confidence != nil }),
		tabular.Note("ci_method", func(row *report.Row) string { return quote.Valid(confidence(row).Method) }),
		tabular.Note("no_interval", func(row *report.Row) string { return quote.Valid(confidence(row).NoInterval) }),
		tabular.Note("ci_warning", func(row *report.Row) string { return quote.Valid(confidence(row).Warning) }),
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

// writeDifferencesCSV writes differences.csv.
func writeDifferencesCSV(r *report.Report, w io.Writer) error {
	return tabular.WriteCSV(w, differences.Table(r.Differences), r.Differences)
}

// writeDifferences writes differences.parquet.
func writeDifferences(r *report.Report, w io.Writer) error {
	return tabular.WriteParquet(w, "differences", differences.Table(r.Differences), r.Differences)
}
