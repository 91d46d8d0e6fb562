package report

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
)

// replicateParquet is a row of replicates.parquet: the value of a metric without the examples
// of a group. Rows have the order of metrics.parquet, and those of one metric ascending groups.
type replicateParquet struct {
	Name  string   `parquet:"name,dict"`
	Slice string   `parquet:"slice,dict"` // JSON
	Label *string  `parquet:"label,optional,dict"`
	Group int32    `parquet:"group"`
	Value *float64 `parquet:"value,optional"`
}

func (r *Report) writeReplicates(w io.Writer) error {
	groups := map[string][]int32{}
	for i := range r.Confidence.Slices {
		s := &r.Confidence.Slices[i]
		groups[string(s.Slice.AppendBinary(nil))] = s.Groups
	}
	var slice sliceText
	var last *Row
	var of []int32 // the groups of last's slice
	var key []byte
	var err error
	written := writeParquet(w, r.Metrics, func(row *Row, add func(replicateParquet)) {
		if len(row.Replicates) == 0 {
			return
		}
		if last == nil || !slices.Equal(last.Slice, row.Slice) {
			key = row.Slice.AppendBinary(key[:0])
			of = groups[string(key)]
		}
		last = row
		if len(row.Replicates) != len(of) {
			err = fmt.Errorf("%s of %s has %d values of %d groups", row.Name, row.place(), len(row.Replicates), len(of))
			return
		}
		out := replicateParquet{Name: quote.Valid(row.Name), Slice: slice.json(row.Slice), Label: labelText(row.Label)}
		for i, value := range row.Replicates {
			out.Group, out.Value = of[i], finiteOrNil(value)
			add(out)
		}
	})
	return errors.Join(err, written)
}

// ReadReplicates reads the replicates.parquet of r, which [Read] returned, into the rows of r
// and the slices of its Confidence. A value that is null becomes NaN.
func (r *Report) ReadReplicates(file columns.Source) error {
	if r.Confidence == nil {
		return errors.New("report: there are replicates, but no confidence in " + MetricsJSON)
	}
	if err := r.readReplicates(file); err != nil {
		return fmt.Errorf("report: %s: %w", ReplicatesParquet, err)
	}
	return nil
}

// replicateColumns are the columns of replicates.parquet.
var replicateColumns = []parquetColumn{
	{"name", columns.String}, {"slice", columns.String}, {"label", columns.String}, {"group", columns.Int}, {"value", columns.Float},
}

func (r *Report) readReplicates(source columns.Source) error {
	r.Confidence.Slices = nil
	into := replicateReader{report: r, row: -1}
	if err := readParquet(source, replicateColumns, into.add); err != nil {
		return err
	}
	return into.end()
}

// replicateReader finds the metric rows of replicates, which have their order.
type replicateReader struct {
	report *Report
	row    int // of report.Metrics, to which the last replicate belongs
	slice  sliceText
	name   string
	label  *string
	groups []int32 // of the replicates of this row
}

// add adds row i of a batch.
func (d *replicateReader) add(batch []columns.Column, i int) error {
	name, slice, group := textAt(&batch[0], i), textAt(&batch[1], i), &batch[3]
	label := textAt(&batch[2], i)
	if name == nil || slice == nil || group.Null != nil && group.Null[i] {
		return errors.New("a name, slice or group is null")
	}
	if d.row < 0 || *name != d.name || *slice != d.slice.text || !sameLabel(label, d.label) {
		if err := d.end(); err != nil {
			return err
		}
		if !d.find(*name, *slice, label) {
			return fmt.Errorf("%s of %s is not in %s, or in another place: the files are of different reports", *name, *slice, MetricsJSON)
		}
	}
	at := group.Ints[i]
	if n := len(d.groups); n > 0 && at <= int64(d.groups[n-1]) || at < 0 || at >= int64(d.report.Confidence.Groups) {
		return fmt.Errorf("%s of %s: group %d is out of order, or there is none", *name, *slice, at)
	}
	value := numberAt(&batch[4], i)
	row := &d.report.Metrics[d.row]
	d.groups, row.Replicates = append(d.groups, int32(at)), append(row.Replicates, value)
	return nil
}

// find moves on to a row.
func (d *replicateReader) find(name, slice string, label *string) bool {
	for d.row++; d.row < len(d.report.Metrics); d.row++ {
		row := &d.report.Metrics[d.row]
		d.name, d.label = quote.Valid(row.Name), labelText(row.Label)
		if d.slice.json(row.Slice) == slice && d.name == name && sameLabel(d.label, label) {
			row.Replicates = make([]float64, 0, cap(d.groups))
			return true
		}
	}
	return false
}

// end notes the groups of the row that was read. All rows of a slice have the same.
func (d *replicateReader) end() error {
	if len(d.groups) == 0 {
		return nil
	}
	row, of := &d.report.Metrics[d.row], &d.report.Confidence.Slices
	switch n := len(*of); {
	case n == 0 || !slices.Equal((*of)[n-1].Slice, row.Slice):
		*of = append(*of, SliceGroups{row.Slice, d.groups})
		d.groups = make([]int32, 0, len(d.groups)) // the next row probably has as many
	case !slices.Equal((*of)[n-1].Groups, d.groups):
		return fmt.Errorf("%s of %s has other groups than the metrics before it", row.Name, row.place())
	default:
		d.groups = d.groups[:0]
	}
	return nil
}
