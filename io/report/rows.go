package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// Programs parse metrics.json as a whole. So that it remains small, it omits rows if there are very
// many of them. metrics.parquet always has all rows.

// allMetricsJSON says in metrics.json where all rows are.
type allMetricsJSON struct {
	File string `json:"file"`
	Rows int    `json:"rows"`
}

// rowsInJSON returns the rows to write to metrics.json; see [Report].JSONRows.
func (r *Report) rowsInJSON() []Row {
	if r.JSONRows <= 0 || len(r.Metrics) <= r.JSONRows {
		return r.Metrics
	}
	var overall, aggregated []Row
	for i := range r.Metrics { // there may be millions of large rows
		row := &r.Metrics[i]
		if len(row.Slice) > 0 {
			continue
		}
		overall = append(overall, *row)
		if row.Label == nil {
			aggregated = append(aggregated, *row)
		}
	}
	if len(overall) <= r.JSONRows {
		return overall
	}
	return aggregated
}

// Omits reports whether metrics.json omits metric rows.
func (r *Report) Omits() bool {
	return r.JSONRows > 0 && len(r.Metrics) > r.JSONRows &&
		slices.IndexFunc(r.Metrics, func(row Row) bool { return len(row.Slice) > 0 || row.Label != nil }) >= 0
}

// Omission says that metrics.json omits rows.
func (r *Report) Omission() string {
	return fmt.Sprintf("%s has only %d of the %d metric rows, those of all examples: %s has all", MetricsJSON, len(r.rowsInJSON()), len(r.Metrics), MetricsParquet)
}

// Open reads the report in a directory: metrics.json, like [Read], and metrics.parquet if
// metrics.json omits rows. The error is [fs.ErrNotExist] if there is no report.
func Open(ctx context.Context, dir string) (*Report, error) {
	r, listed, err := open(ctx, dir, func(data []byte) []byte { return data }, func(*Row) bool { return true })
	if err != nil || listed == len(r.Metrics) {
		return r, err
	}
	r.JSONRows = max(1, listed)
	return r, nil
}

// OpenOverview is like Open, but of slices it has only the rows of all labels together, of the metrics that ofSlices
// returns for the report of all examples: summaries show no others, and a report may have millions.
func OpenOverview(ctx context.Context, dir string, ofSlices func(*Report) []string) (*Report, error) {
	var names []string
	keep := func(row *Row) bool {
		return len(row.Slice) == 0 || row.Label == nil && slices.Contains(names, row.Name)
	}
	r, _, err := open(ctx, dir, func(data []byte) (part []byte) {
		part, names = withOverview(data, ofSlices)
		return part
	}, keep)
	return r, err
}

// OpenMetrics is like Open, but has the rows of these metrics only and, if all is set, only the rows
// of all examples. It takes a fraction of the time.
func OpenMetrics(ctx context.Context, dir string, names []string, all bool) (*Report, error) {
	keep := func(row *Row) bool { return (!all || len(row.Slice) == 0) && slices.Contains(names, row.Name) }
	starts := rowStarts(names)
	r, _, err := open(ctx, dir, func(data []byte) []byte {
		return withRows(data, func(row []byte) bool { return (!all || ofAllExamples(row)) && isOf(row, starts) })
	}, keep)
	return r, err
}

// MostJSON is the largest size of a JSON file of a report that is read, in bytes. It is read whole: a smaller
// output.json_rows leaves rows to metrics.parquet.
const MostJSON = 4 << 30

// open reads the part of a report whose rows keep accepts. part removes most of the others from
// metrics.json. open also returns the number of rows in that part of metrics.json.
func open(ctx context.Context, dir string, part func(data []byte) []byte, keep func(*Row) bool) (r *Report, listed int, err error) {
	data, err := files.ReadFile(ctx, files.Join(dir, MetricsJSON), MostJSON)
	if err != nil {
		return nil, 0, err
	}
	r, all, err := read(part(data))
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", files.Join(dir, MetricsJSON), err)
	}
	listed = len(r.Metrics)
	if all == nil {
		r.Metrics = slices.DeleteFunc(r.Metrics, func(row Row) bool { return !keep(&row) })
		return r, listed, nil
	}
	into := rowReader{listed: r.Metrics, keep: keep}
	err = ReadFile(ctx, dir, MetricsParquet, func(file columns.Source) error {
		return tabular.Read(file, "report: "+MetricsParquet, columnsOfRows(nil), into.wants, into.add)
	})
	if err != nil {
		return nil, 0, err
	}
	if into.read != all.Rows || into.found != len(into.listed) {
		return nil, 0, fmt.Errorf("%s: report: %s has %d metric rows, of which %s should have %d, but it is missing or of another report: restore it, or evaluate again",
			dir, MetricsJSON, len(into.listed), MetricsParquet, all.Rows)
	}
	r.Metrics = into.rows
	return r, listed, nil
}

// rowTable has the metric rows.
var rowTable = tabular.Table[Row]{
	Name: "metrics", Row: "metric row", CSV: true, Parquet: true, Columns: columnsOfRows, Empty: true,
	Order: tabular.Order[Row]{First: func(a, b *Row) int { return strings.Compare(a.Name, b.Name) }, Then: compareRows},
}

func metricsTable() table {
	t := in(&rowTable, func(r *Report) *[]Row { return &r.Metrics })
	t.wanted = func(*Report) bool { return true }
	t.json = func(r *Report) tabular.Lines { return rowTable.JSON(r.rowsInJSON()) }
	t.show = nil // see Open
	t.places = func(r *Report, each eachPlace) {
		for i := range r.Metrics {
			m := &r.Metrics[i]
			each(m.Slice, m.Label, 1+len(m.Replicates)) // in metrics.parquet and in replicates.parquet
		}
	}
	return t
}

// compareRows compares rows of the same metric, slice and label. No two should be the same. If two are, their order must
// not depend on the order of arrival.
func compareRows(a, b *Row) int {
	return cmp.Or(
		cmp.Compare(a.Value, b.Value),
		compareBounds(a.Bounds, b.Bounds),
		strings.Compare(a.Undefined, b.Undefined),
		cmp.Compare(a.Support, b.Support),
	)
}

// differencesTable has the differences. If metrics.json omits metric rows, it has only the differences of all examples.
func differencesTable() table {
	t := in(&differences.Table, func(r *Report) *[]differences.Change { return &r.Differences })
	t.json = func(r *Report) tabular.Lines {
		kept := r.Differences
		if r.Omits() {
			kept = slices.DeleteFunc(slices.Clone(kept), func(d differences.Change) bool { return len(d.Slice) > 0 })
		}
		if len(kept) == 0 {
			return nil
		}
		return differences.Table.JSON(kept)
	}
	return t
}

// columnsOfRows returns the columns of metric rows: fixed columns, followed by one for each column of slices.
func columnsOfRows(ofSlices []string) []tabular.Column[Row] {
	nan := math.NaN()
	return tabular.Placed(tabular.Text("name", func(r *Row) *string { return &r.Name }),
		func(r *Row) *slice.Key { return &r.Slice }, func(r *Row) **string { return &r.Label }, ofSlices,
		slices.Concat(
			[]tabular.Column[Row]{tabular.Number("value", func(r *Row) *float64 { return &r.Value })},
			tabular.Within((*Row).FiniteBounds, func(r *Row) **Bounds { return &r.Bounds }, Bounds{math.Inf(-1), math.Inf(1)},
				tabular.Number("low", func(i *Bounds) *float64 { return &i.Low }),
				tabular.Number("high", func(i *Bounds) *float64 { return &i.High }),
			),
			[]tabular.Column[Row]{
				tabular.Note("undefined", func(r *Row) *string { return &r.Undefined }).As((*Row).Reason),
				tabular.Whole("support", func(r *Row) *int64 { return &r.Support }),
			},
			tabular.Within(func(r *Row) *Confidence { return r.Confidence }, func(r *Row) **Confidence { return &r.Confidence }, Confidence{Low: nan, High: nan, StdError: nan, DOF: nan},
				tabular.Number("ci_low", func(c *Confidence) *float64 { return &c.Low }).Omitted(),
				tabular.Number("ci_high", func(c *Confidence) *float64 { return &c.High }).Omitted(),
				tabular.Number("std_error", func(c *Confidence) *float64 { return &c.StdError }).Omitted(),
				tabular.Number("dof", func(c *Confidence) *float64 { return &c.DOF }).Omitted(),
				tabular.Count("groups", func(c *Confidence) *int { return &c.Folds }),
				tabular.Note("ci_method", func(c *Confidence) *string { return &c.Method }),
				tabular.Note("no_interval", func(c *Confidence) *string { return &c.NoInterval }),
				tabular.Note("ci_warning", func(c *Confidence) *string { return &c.Warning }),
			))...)
}

// ColumnsOfSlices returns the columns for which metrics.csv and metrics.parquet have a column of values.
func (r *Report) ColumnsOfSlices() []string {
	return tabular.ListOf(r.Metrics).SliceColumns(r.SliceColumns, func(row *Row) slice.Key { return row.Slice })
}

// rowReader collects the rows of metrics.parquet.
type rowReader struct {
	listed []Row // the rows of metrics.json, which are in the same order
	keep   func(*Row) bool

	rows        []Row
	read, found int // the numbers of all rows and of the listed rows
}

// wants reports whether to read the rest of a row.
func (d *rowReader) wants(row *Row) bool {
	d.read++
	return d.found < len(d.listed) || d.keep(row)
}

func (d *rowReader) add(row *Row) error {
	if d.found < len(d.listed) && sameRow(&d.listed[d.found], row) {
		d.found++
	}
	if d.keep(row) {
		d.rows = append(d.rows, *row)
	}
	return nil
}

// LargestSupport returns the largest support of rows of all labels together. Of all rows of a slice, it is the number of
// its examples.
func LargestSupport(rows []Row) (most int64) {
	for i := range rows {
		if rows[i].Label == nil {
			most = max(most, rows[i].Support)
		}
	}
	return most
}

// sameRow reports whether two rows state the same value of the same metric.
func sameRow(a, b *Row) bool {
	return samePlace(a, b) && a.Support == b.Support &&
		cmp.Compare(a.Value, b.Value) == 0 // NaN is equal to NaN
}

// errOmitted is the error of reading metrics.json alone.
var errOmitted = errors.New("report: " + MetricsJSON + " omits metric rows, which " + MetricsParquet + " has: read the directory of the report")
