package report

import (
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// cellParquet is a row of confusion.parquet.
type cellParquet struct {
	Slice     string  `parquet:"slice"` // JSON
	Label     *string `parquet:"label,optional"`
	True      string  `parquet:"true"`
	Predicted string  `parquet:"predicted"`
	Count     int64   `parquet:"count"`
	Weight    float64 `parquet:"weight"`
}

func (r *Report) writeParquet(w io.Writer) error {
	return writeTableParquet(w, "metrics", r.table(), r.Metrics)
}

// writeTableParquet writes items as Parquet.
func writeTableParquet[T any](w io.Writer, name string, columns []tableColumn[T], items []T) error {
	var fields []parquet.Field
	for _, c := range columns {
		fields = append(fields, parquet.Group{c.name: c.node}.Fields()...)
	}
	schema := parquet.NewSchema(name, ordered{parquet.Group{}, fields})
	file := parquet.NewWriter(w, append(parquetOptions(), schema)...)
	const batch = 1024
	values := make([]parquet.Value, 0, batch*len(columns))
	var rows []parquet.Row
	for i := range items {
		start := len(values)
		for j := range columns {
			f := columns[j].field(&items[i])
			values = append(values, f.parquet(fields[j], j))
		}
		rows = append(rows, values[start:])
		if len(rows) < batch && i < len(items)-1 {
			continue
		}
		if _, err := file.WriteRows(rows); err != nil {
			return err
		}
		values, rows = values[:0], rows[:0]
	}
	return file.Close()
}

// parquet returns a field as a value of a column.
func (f *field) parquet(of parquet.Node, column int) parquet.Value {
	level := 0 // of definition
	if of.Optional() && f.is != isNull {
		level = 1
	}
	var v parquet.Value
	switch f.is {
	case isText:
		v = parquet.ValueOf(f.text)
	case isNumber:
		v = parquet.DoubleValue(f.number)
	case isWhole:
		v = parquet.Int64Value(f.whole)
		if of.Type().Kind() == parquet.Int32 {
			v = parquet.Int32Value(int32(f.whole))
		}
	}
	return v.Level(0, level, column)
}

// ordered is a group of fields in their own order. That of [parquet.Group] is by name.
type ordered struct {
	parquet.Group
	fields []parquet.Field
}

// Fields returns the fields.
func (o ordered) Fields() []parquet.Field { return o.fields }

func (r *Report) writeConfusion(w io.Writer) error {
	var slice sliceText
	return writeParquet(w, r.Confusion, func(c *Cell, add func(cellParquet)) {
		if c.Count == 0 && c.Weight == 0 {
			return
		}
		add(cellParquet{
			Slice:     slice.json(c.Slice),
			Label:     labelText(c.Label),
			True:      quote.Escape(c.True),
			Predicted: quote.Escape(c.Predicted),
			Count:     c.Count,
			Weight:    c.Weight,
		})
	})
}

// finiteOrNil returns f, or nil if f is not finite.
func finiteOrNil(f float64) *float64 {
	switch {
	case !finite(f):
		return nil
	case f == 0:
		f = 0 // not negative zero
	}
	return &f
}

// sliceText writes slices as JSON. It keeps the last one: rows are sorted by slice.
type sliceText struct {
	key  slice.Key
	text string
}

func (t *sliceText) json(key slice.Key) string {
	if t.text == "" || !slices.Equal(key, t.key) {
		t.key, t.text = key, string(key.AppendJSON(nil))
	}
	return t.text
}

func labelText(label *string) *string {
	if label == nil {
		return nil
	}
	text := quote.Escape(*label)
	return &text
}

// writeParquet writes the rows that convert adds for each item.
func writeParquet[T, P any](w io.Writer, items []T, convert func(item *T, add func(P))) error {
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

// parquetOptions sets whatever shapes the bytes of a file: defaults may change with the version of
// the library. No column has a dictionary, because the library divides the indices into runs in another
// way on each processor. Compressed, strings that repeat are as small without one.
func parquetOptions() []parquet.WriterOption {
	return []parquet.WriterOption{
		parquet.CreatedBy("beameval", "1.0.0", "report"),
		parquet.Compression(new(pageCodec)),
		parquet.DefaultEncoding(&parquet.Plain),
		parquet.DataPageVersion(1), // which every reader knows
		parquet.PageBufferSize(256 << 10),
		parquet.MaxRowsPerRowGroup(128 << 10),
	}
}
