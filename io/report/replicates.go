package report

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/tabular"
)

// replicateParquet is a row of replicates.parquet: the value of a metric without the examples of a
// group. Rows are in the order of metrics.parquet, and those of one metric are sorted by group.
type replicateParquet struct {
	Name  string   `parquet:"name"`
	Slice string   `parquet:"slice"` // JSON
	Label *string  `parquet:"label,optional"`
	Group int32    `parquet:"group"`
	Value *float64 `parquet:"value,optional"`
}

// WriteReplicates writes replicates.parquet.
func (r *Report) WriteReplicates(w io.Writer) error {
	var slice tabular.SliceText
	var err error
	written := tabular.WriteRows(w, r.Metrics, func(row *Row, add func(replicateParquet)) {
		if len(row.Replicates) == 0 {
			return
		}
		if len(row.Replicates) != len(row.Groups) {
			err = fmt.Errorf("%s of %s has %d values of %d groups", row.Name, row.Place(), len(row.Replicates), len(row.Groups))
			return
		}
		out := replicateParquet{Name: quote.Valid(row.Name), Slice: slice.JSON(row.Slice), Label: tabular.LabelText(row.Label)}
		for i, value := range row.Replicates {
			out.Group, out.Value = row.Groups[i], numbers.OrNil(value)
			add(out)
		}
	})
	return errors.Join(err, written)
}

// ReadReplicates reads the replicates.parquet of r, which was returned by [Read], into the rows of
// r. Null values become NaN.
func (r *Report) ReadReplicates(file columns.Source) error {
	if r.Confidence == nil {
		return errors.New("report: there are replicates, but no confidence in " + MetricsJSON)
	}
	into := replicateReader{report: r, row: -1}
	if err := tabular.ReadRows[replicateParquet](file, "report: "+ReplicatesParquet, into.add); err != nil {
		return err
	}
	into.end()
	return nil
}

// replicateReader matches replicates with metric rows, which are in the same order.
type replicateReader struct {
	report *Report
	row    int // index into report.Metrics of the row of the last replicate
	slice  tabular.SliceText
	name   string
	label  *string
	groups []int32 // groups of the replicates of this row
	last   []int32 // groups of the previous row, because most rows of a slice share them
}

// add adds row i of a batch.
func (d *replicateReader) add(batch []columns.Column, i int) error {
	name, slice, group := tabular.TextAt(&batch[0], i), tabular.TextAt(&batch[1], i), &batch[3]
	label := tabular.TextAt(&batch[2], i)
	if name == nil || slice == nil || group.Null != nil && group.Null[i] {
		return errors.New("a name, slice or group is null")
	}
	if d.row < 0 || *name != d.name || *slice != d.slice.Text || !SameLabel(label, d.label) {
		d.end()
		if !d.find(*name, *slice, label) {
			return fmt.Errorf("%s of %s is not in %s, or in another place: the files are of different reports", quote.Short(*name), quote.Short(*slice), MetricsJSON)
		}
	}
	at := group.Ints[i]
	if n := len(d.groups); n > 0 && at <= int64(d.groups[n-1]) || at < 0 || at >= int64(d.report.Confidence.Groups) {
		return fmt.Errorf("%s of %s: group %d is out of order, or there is none", quote.Short(*name), quote.Short(*slice), at)
	}
	value := tabular.NumberAt(&batch[4], i)
	row := &d.report.Metrics[d.row]
	d.groups, row.Replicates = append(d.groups, int32(at)), append(row.Replicates, value)
	return nil
}

// find advances to a row.
func (d *replicateReader) find(name, slice string, label *string) bool {
	for d.row++; d.row < len(d.report.Metrics); d.row++ {
		row := &d.report.Metrics[d.row]
		d.name, d.label = quote.Valid(row.Name), tabular.LabelText(row.Label)
		if d.slice.JSON(row.Slice) == slice && d.name == name && SameLabel(d.label, label) {
			row.Replicates = make([]float64, 0, cap(d.groups))
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
	if !slices.Equal(d.groups, d.last) {
		d.last = slices.Clone(d.groups)
	}
	d.report.Metrics[d.row].Groups, d.groups = d.last, d.groups[:0]
}
