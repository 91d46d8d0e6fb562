package report

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// replicateRow is a row of replicates.parquet: the value of a metric without the examples of a
// group. Rows are in the order of metrics.parquet, and the rows of a metric are sorted by group.
type replicateRow struct {
	of     Row // its name, slice and label
	group  int
	value  float64
	weight float64 // of the examples of the group; NaN in the rows of all metrics but one
}

func replicatesTable() table {
	return table{name: "replicates", wanted: func(r *Report) bool { return r.Confidence != nil }, parquet: (*Report).WriteReplicates}
}

func columnsOfReplicates() []tabular.Column[replicateRow] {
	return tabular.Placed(tabular.Text("name", func(r *replicateRow) *string { return &r.of.Name }),
		func(r *replicateRow) *slice.Key { return &r.of.Slice }, func(r *replicateRow) **string { return &r.of.Label }, nil,
		tabular.Count("group", func(r *replicateRow) *int { return &r.group }),
		tabular.Number("value", func(r *replicateRow) *float64 { return &r.value }),
		tabular.Number("weight", func(r *replicateRow) *float64 { return &r.weight }),
	)
}

// WriteReplicates writes replicates.parquet.
func (r *Report) WriteReplicates(w io.Writer) error {
	for i := range r.Metrics {
		if row := &r.Metrics[i]; len(row.Replicates) != len(row.Folds) || row.Weights != nil && len(row.Weights) != len(row.Folds) {
			return fmt.Errorf("%s of %s has %d values of %d groups", row.Name, row.Place(), len(row.Replicates), len(row.Folds))
		}
	}
	list := tabular.Flatten(r.Metrics, func(row *Row) int { return len(row.Replicates) }, func(row *Row, i int, room *replicateRow) {
		room.of.Name, room.of.Slice, room.of.Label = row.Name, row.Slice, row.Label
		room.group, room.value, room.weight = int(row.Folds[i]), row.Replicates[i], math.NaN()
		if row.Weights != nil {
			room.weight = row.Weights[i]
		}
	})
	return list.WriteParquet(w, "replicateParquet", columnsOfReplicates())
}

// ReadReplicates reads the replicates.parquet of r, which was returned by [Read], into the rows of
// r. Null values become NaN.
func (r *Report) ReadReplicates(file columns.Source) error {
	if r.Confidence == nil {
		return errors.New("report: there are replicates, but no confidence in " + MetricsJSON)
	}
	into := replicateReader{report: r, row: -1}
	if err := tabular.Read(file, "report: "+ReplicatesParquet, columnsOfReplicates(), nil, into.add); err != nil {
		return err
	}
	into.end()
	return nil
}

// replicateReader matches replicates with metric rows, which are in the same order.
type replicateReader struct {
	report  *Report
	row     int       // index of the metric row of the last replicate
	last    Row       // of the last replicate, as the file has it
	groups  []int32   // groups of the replicates of this row
	before  []int32   // groups of the previous row, because most rows of a slice share them
	weights []float64 // of these groups
}

func (d *replicateReader) add(r *replicateRow) error {
	if d.row < 0 || !samePlace(&d.last, &r.of) {
		d.end()
		if !d.find(&r.of) {
			return fmt.Errorf("%s of %s is not in %s, or in another place: the files are of different reports", quote.Short(r.of.Name), quote.Short(r.of.Place()), MetricsJSON)
		}
	}
	if n := len(d.groups); n > 0 && r.group <= int(d.groups[n-1]) || r.group < 0 || r.group >= d.report.Confidence.Folds {
		return fmt.Errorf("%s of %s: group %d is out of order, or there is none", quote.Short(r.of.Name), quote.Short(r.of.Place()), r.group)
	}
	row := &d.report.Metrics[d.row]
	d.groups, d.weights, row.Replicates = append(d.groups, int32(r.group)), append(d.weights, r.weight), append(row.Replicates, r.value)
	return nil
}

// samePlace reports whether two rows are of the same metric, slice and label.
func samePlace(a, b *Row) bool {
	return a.Name == b.Name && slices.Equal(a.Slice, b.Slice) && SameLabel(a.Label, b.Label)
}

// find advances to a row.
func (d *replicateReader) find(of *Row) bool {
	for d.row++; d.row < len(d.report.Metrics); d.row++ {
		if row := &d.report.Metrics[d.row]; samePlace(row, of) {
			d.last, row.Replicates = *of, make([]float64, 0, cap(d.groups))
			return true
		}
	}
	return false
}

// end stores the groups of the row that has been read.
func (d *replicateReader) end() {
	if len(d.groups) == 0 {
		return
	}
	row := &d.report.Metrics[d.row]
	if !slices.Equal(d.groups, d.before) {
		d.before = slices.Clone(d.groups)
	}
	if !slices.ContainsFunc(d.weights, math.IsNaN) {
		row.Weights = slices.Clone(d.weights)
	}
	row.Folds, d.groups, d.weights = d.before, d.groups[:0], d.weights[:0]
}
