package tabular

import (
	"cmp"
	"io"
	"sync"

	"github.com/parquet-go/parquet-go"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// WriteParquet writes items as Parquet.
func WriteParquet[T any](w io.Writer, name string, columns []Column[T], items []T) error {
	return listOf(items).WriteParquet(w, name, columns)
}

// WriteParquet writes the rows as [WriteParquet] does.
func (l List[T]) WriteParquet(w io.Writer, name string, columns []Column[T]) error {
	var fields []parquet.Field
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
			for i, row := range rows[:n] {
				v := columns[j].value(row, &seen[j])
				if fields[j].Optional() && !v.IsNull() {
					v = v.Level(0, 1, j) // definition level
				}
				values[i] = v
			}
			if _, err := writers[j].WriteRowValues(values[:n]); err != nil {
				return err
			}
		}
	}
	return nil
}

// pageStep is the number of rows behind which the library may end a page.
const pageStep = 64

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

// SliceText formats slices as JSON. It caches the last one, because rows are sorted by slice.
type SliceText struct {
	key  slice.Key
	Text string
}

// JSON formats a slice.
func (t *SliceText) JSON(key slice.Key) string {
	if t.Text == "" || !sameKey(key, t.key) {
		t.key, t.Text = key, string(key.AppendJSON(nil))
	}
	return t.Text
}

// LabelText returns the written form of a label; nil stays nil.
func LabelText(label *string) *string {
	if label == nil {
		return nil
	}
	return new(quote.Escape(*label))
}

// WriteRows writes the rows that convert adds for each item.
func WriteRows[T, P any](w io.Writer, items []T, convert func(item *T, add func(P))) error {
	file := parquet.NewGenericWriter[P](w, parquetOptions()...)
	batch := make([]P, 0, 1024)
	var err error
	write := func() {
		if err == nil {
			_, err = file.Write(batch)
		}
		batch = batch[:0]
	}
	add := func(row P) {
		if len(batch) == cap(batch) {
			write()
		}
		batch = append(batch, row)
	}
	for i := range items {
		if convert(&items[i], add); err != nil {
			return err
		}
	}
	if write(); err != nil {
		return err
	}
	return file.Close()
}

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

// fieldsOf returns the columns of a file with rows of type P.
func fieldsOf[P any]() []parquet.Field { return parquet.SchemaOf(new(P)).Fields() }
