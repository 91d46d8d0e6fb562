package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

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

// differencesInJSON returns the differences to write to metrics.json: those of all examples if it
// omits rows.
func (r *Report) differencesInJSON() []differences.Change {
	if !r.Omits() {
		return r.Differences
	}
	return slices.DeleteFunc(slices.Clone(r.Differences), func(d differences.Change) bool { return len(d.Slice) > 0 })
}

// ReadDifferences reads the differences.parquet of r, which [Open] returned: metrics.json may omit some.
func (r *Report) ReadDifferences(file columns.Source) (err error) {
	r.Differences, err = differences.Read(file, "report: "+DifferencesParquet)
	return err
}

// Omits reports whether metrics.json omits metric rows.
func (r *Report) Omits() bool {
	return r.JSONRows > 0 && len(r.Metrics) > r.JSONRows &&
		slices.IndexFunc(r.Metrics, func(row Row) bool { return len(row.Slice) > 0 || row.Label != nil }) >= 0
}

// omission is the warning that metrics.json omits rows.
func (r *Report) omission() string {
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
	if last := len(r.Warnings) - 1; last >= 0 && r.Warnings[last] == r.omission() { // AllWarnings adds it
		r.Warnings = OrNil(r.Warnings[:last])
	}
	return r, nil
}

// OpenOverview is like Open, but has of the rows of slices only those of all labels together, and of the metrics that
// ofSlices returns for the report of all examples: summaries show no others, and a report may have millions.
func OpenOverview(ctx context.Context, dir string, ofSlices func(*Report) []string) (*Report, error) {
	var names []string
	keep := func(row *Row) bool {
		return len(row.Slice) == 0 || row.Label == nil && slices.Contains(names, row.Name)
	}
	r, _, err := open(ctx, dir, func(data []byte) (part []byte) {
		part, names = withOverview(data, ofSlices)
		return part
	}, keep)
	if err != nil {
		return nil, err
	}
	r.Metrics = slices.DeleteFunc(r.Metrics, func(row Row) bool { return !keep(&row) })
	return r, nil
}

// OpenMetrics is like Open, but has the rows of these metrics only, and only those of all examples if
// all is set. It takes a fraction of the time.
func OpenMetrics(ctx context.Context, dir string, names []string, all bool) (*Report, error) {
	keep := func(row *Row) bool { return (!all || len(row.Slice) == 0) && slices.Contains(names, row.Name) }
	r, _, err := open(ctx, dir, withMetrics(names, all), keep)
	if err != nil {
		return nil, err
	}
	r.Metrics = slices.DeleteFunc(r.Metrics, func(row Row) bool { return !keep(&row) })
	return r, nil
}

// MostJSON is the largest size of a JSON file of a report that is read, in bytes. It is read whole: a smaller
// output.json_rows leaves rows to metrics.parquet.
const MostJSON = 4 << 30

// open reads the part of a report whose rows keep accepts. part removes the others from
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
	if all == nil {
		return r, len(r.Metrics), nil
	}
	into := rowReader{listed: r.Metrics, keep: keep}
	err = ReadFile(ctx, dir, MetricsParquet, func(file columns.Source) error {
		return tabular.ReadRows[rowParquet](file, "report: "+MetricsParquet, into.add)
	})
	if err != nil {
		return nil, 0, err
	}
	if into.read != all.Rows || into.found != len(into.listed) {
		return nil, 0, fmt.Errorf("%s: report: %s has %d metric rows, of which %s should have %d, but it is missing or of another report: restore it, or evaluate again",
			dir, MetricsJSON, len(into.listed), MetricsParquet, all.Rows)
	}
	r.Metrics = into.rows
	return r, len(into.listed), nil
}

// rowParquet has the columns of metrics.parquet that make a row; see package export.
type rowParquet struct {
	Name       string   `parquet:"name"`
	Slice      string   `parquet:"slice"` // JSON
	Label      *string  `parquet:"label,optional"`
	Value      *float64 `parquet:"value,optional"`
	Low        *float64 `parquet:"low,optional"`
	High       *float64 `parquet:"high,optional"`
	Undefined  *string  `parquet:"undefined,optional"`
	Support    int64    `parquet:"support"`
	CILow      *float64 `parquet:"ci_low,optional"`
	CIHigh     *float64 `parquet:"ci_high,optional"`
	StdError   *float64 `parquet:"std_error,optional"`
	DOF        *float64 `parquet:"dof,optional"`
	Groups     *int32   `parquet:"groups,optional"`
	Method     *string  `parquet:"ci_method,optional"`
	NoInterval *string  `parquet:"no_interval,optional"`
	Warning    *string  `parquet:"ci_warning,optional"`
}

// rowReader collects the rows of metrics.parquet.
type rowReader struct {
	listed []Row // the rows of metrics.json, which are in the same order
	keep   func(*Row) bool

	rows        []Row
	read, found int       // the numbers of all rows and of those that are listed
	key         slice.Key // of the last row, shared by the rows of a slice
	text        string    // of key
}

// add adds row i of a batch.
func (d *rowReader) add(batch []columns.Column, i int) error {
	name, key, support := tabular.TextAt(&batch[0], i), tabular.TextAt(&batch[1], i), &batch[7]
	if name == nil || key == nil || support.Null != nil && support.Null[i] {
		return fmt.Errorf("metric row %d: a name, slice or support is null", d.read+1)
	}
	if *key != d.text {
		if err := d.key.UnmarshalJSON([]byte(*key)); err != nil {
			return fmt.Errorf("metric row %d: %w", d.read+1, err)
		}
		d.text = *key
	}
	text := func(column int) string { return *cmp.Or(tabular.TextAt(&batch[column], i), new("")) }
	number := func(column int) float64 { return tabular.NumberAt(&batch[column], i) }
	row := Row{Name: *name, Slice: d.key, Label: tabular.NameAt(&batch[2], i)}
	d.read++
	kept := d.keep(&row)
	if !kept && d.found == len(d.listed) {
		return nil
	}
	row.Value, row.Interval, row.Undefined, row.Support = number(3), intervalOf(number(4), number(5)), text(6), support.Ints[i]
	if groups := &batch[12]; groups.Null == nil || !groups.Null[i] {
		row.Confidence = &Confidence{
			Low: number(8), High: number(9), StdError: number(10), DOF: number(11), Groups: int(groups.Ints[i]),
			Method: text(13), NoInterval: text(14), Warning: text(15),
		}
	}
	if d.found < len(d.listed) && sameRow(&d.listed[d.found], &row) {
		d.found++
	}
	if kept {
		d.rows = append(d.rows, row)
	}
	return nil
}

// intervalOf returns the interval with the given ends, of which NaN is no bound; nil without any.
func intervalOf(low, high float64) *Interval {
	if math.IsNaN(low) && math.IsNaN(high) {
		return nil
	}
	interval := &Interval{math.Inf(-1), math.Inf(1)}
	if !math.IsNaN(low) {
		interval.Low = low
	}
	if !math.IsNaN(high) {
		interval.High = high
	}
	return interval
}

// sameRow reports whether two rows state the same value of the same metric.
func sameRow(a, b *Row) bool {
	return a.Name == b.Name && slices.Equal(a.Slice, b.Slice) && SameLabel(a.Label, b.Label) && a.Support == b.Support &&
		cmp.Compare(a.Value, b.Value) == 0 // NaN is equal to NaN
}

// errOmitted is the error of reading metrics.json alone.
var errOmitted = errors.New("report: " + MetricsJSON + " omits metric rows, which " + MetricsParquet + " has: read the directory of the report")
