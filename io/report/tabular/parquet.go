package tabular

import (
	"cmp"
	"io"
	"sync"

	"github.com/parquet-go/parquet-go"

	"github.com/beameval/beameval/io/columns"
)

// WriteParquet writes the rows as Parquet. The file calls a row by a name.
func (l List[T]) WriteParquet(w io.Writer, name string, columns []Column[T]) error {
	var fields []parquet.Field
	columns = inFiles(columns)
	for _, c := range columns {
		fields = append(fields, parquet.Group{c.name: c.node}.Fields()...)
	}
	schema := parquet.NewSchema(name, ordered{parquet.Group{}, fields})
	file := parquet.NewWriter(w, append(parquetOptions(), schema)...)
	groups := sync.Pool{New: func() any { return file.BeginRowGroup() }}
	err := inBlocks(l.Len, groupRows, func(from, to int) (*parquet.ConcurrentRowGroupWriter, error) {
		group := groups.Get().(*parquet.ConcurrentRowGroupWriter)
		return group, fillGroup(group, fields, columns, l, from, to)
	}, func(group *parquet.ConcurrentRowGroupWriter) error {
		defer groups.Put(group)
		_, err := group.Commit()
		return err
	})
	return cmp.Or(err, file.Close())
}

// fillGroup writes items of a list to a row group, as WriteRows of the library does, but column by column, so that no
// value is copied from a row to a column.
func fillGroup[T any](group *parquet.ConcurrentRowGroupWriter, fields []parquet.Field, columns []Column[T], l List[T], from, to int) error {
	rooms, rows, values := make([]T, pageStep), make([]*T, pageStep), make([]parquet.Value, pageStep)
	seen := make([]memo, len(columns))
	writers := group.ColumnWriters()
	for ; from < to; from += pageStep {
		n := min(pageStep, to-from)
		for i := range n {
			rows[i] = l.At(from+i, &rooms[i])
		}
		for j := range columns {
			values = columns[j].appendValues(values[:0], rows[:n], j, fields[j].Optional(), &seen[j])
			if _, err := writers[j].WriteRowValues(values); err != nil {
				return err
			}
		}
	}
	return nil
}

// pageStep is the number of rows behind which the library may end a page.
const pageStep = 64

// appendValues appends the values of rows in a column.
func (c *Column[T]) appendValues(values []parquet.Value, rows []*T, column int, optional bool, seen *memo) []parquet.Value {
	for _, row := range rows {
		if c.values != nil {
			values = c.values(values, row, column)
			continue
		}
		v := c.value(row, seen)
		if optional && !v.IsNull() {
			v = v.Level(0, 1, column) // definition level
		}
		values = append(values, v)
	}
	return values
}

// appendList appends the numbers of a list in a column.
func appendList(values []parquet.Value, list []float64, column int) []parquet.Value {
	if len(list) == 0 {
		return append(values, parquet.Value{}.Level(0, 0, column))
	}
	for k, x := range list {
		values = append(values, parquet.DoubleValue(x).Level(min(k, 1), 1, column))
	}
	return values
}

// groupRows is the number of rows in each row group but the last.
const groupRows = 128 << 10

// ordered is a group whose fields keep their order. The fields of [parquet.Group] are sorted by
// name.
type ordered struct {
	parquet.Group
	fields []parquet.Field
}

// Fields implements parquet.Node.
func (o ordered) Fields() []parquet.Field { return o.fields }

// parquetOptions fixes everything that shapes the bytes of a file, because defaults may change with
// the version of the library. No column has a dictionary, because the library divides the indexes
// into runs differently on each processor. After compression, repeated strings are as small without
// one.
func parquetOptions() []parquet.WriterOption {
	return []parquet.WriterOption{
		parquet.CreatedBy("beameval", "1.0.0", "report"),
		parquet.Compression(new(pageCodec)),
		parquet.DefaultEncoding(&parquet.Plain),
		parquet.DataPageVersion(1), // every reader supports it
		parquet.PageBufferSize(256 << 10),
		parquet.MaxRowsPerRowGroup(groupRows),
	}
}

// readAs says as which types columns are read.
var readAs = map[parquet.Kind]columns.Type{parquet.ByteArray: columns.String, parquet.Double: columns.Float, parquet.Int32: columns.Int, parquet.Int64: columns.Int}
