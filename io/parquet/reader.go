package parquet

import (
	"errors"
	"fmt"
	"io"

	"github.com/beameval/beameval/io/columns"
)

// reader reads some columns of one row group.
type reader struct {
	*columns.Wanted
	columns []columnReader
	scratch *scratch
}

// begin checks what the footer claims about the column chunks and starts reading them.
func (f *File) begin(w *columns.Wanted) (columns.Rows, error) {
	var ranges [][2]int64
	for i, field := range w.Fields {
		c := &f.chunks[w.RowGroup][field.Leaf]
		if err := c.check(&f.leaves[field.Leaf], f.Source.Size()); err != nil {
			return nil, &columns.Error{Column: w.Paths[i], Row: -1, Err: err}
		}
		ranges = append(ranges, [2]int64{c.start, c.start + c.size})
	}
	src := w.Ranges(f.Source, ranges...)
	r := &reader{Wanted: w, scratch: scratches.get()}
	for i, field := range w.Fields {
		r.columns = append(r.columns, f.column(field, &f.chunks[w.RowGroup][field.Leaf], src, r.scratch, w.Batch.Columns[i].Dict))
	}
	return r, nil
}

// Next reads the next batch, which is empty only if the row group is empty.
func (r *reader) Next() error {
	return r.EachColumn(func(i int) (row int64, err error) {
		if r.Batch.Rows > 0 {
			if row, err = r.columns[i].next(r.Batch.Rows, &r.Batch.Columns[i]); err != nil {
				return row, err
			}
		}
		if r.Last {
			// Check together with the last rows, not afterwards: surplus values make these rows
			// suspect.
			return r.Batch.First + int64(r.Batch.Rows), r.columns[i].finish()
		}
		return row, nil
	})
}

// Close releases the memory of the last batch to other readers.
func (r *reader) Close() {
	for _, c := range r.columns {
		c.recycle()
	}
	scratches.put(r.scratch)
}

// leafReaders pools the readers of one Go type, because their buffers are large.
type leafReaders[T value] struct {
	spares spares[leafReader[T]]
	assign func(*columns.Column, []T)
}

var (
	intReaders   = leafReaders[int64]{assign: func(c *columns.Column, v []int64) { c.Ints = v }}
	floatReaders = leafReaders[float64]{assign: func(c *columns.Column, v []float64) { c.Floats = v }}
	codeReaders  = leafReaders[int32]{assign: func(c *columns.Column, v []int32) { c.Codes = v }}
)

func (f *File) column(field columns.Field, chunk *chunk, src io.ReaderAt, s *scratch, dict *columns.Strings) columnReader {
	leaf := &f.leaves[field.Leaf]
	switch field.Type {
	case columns.Float:
		return newLeafReader(&floatReaders, f, leaf, chunk, src, s, leaf.logical.floats)
	case columns.String:
		return newLeafReader(&codeReaders, f, leaf, chunk, src, s, leaf.logical.codes(dict))
	}
	return newLeafReader(&intReaders, f, leaf, chunk, src, s, leaf.logical.ints)
}

// check returns an error if the footer makes impossible claims about a column chunk.
func (c *chunk) check(l *leaf, size int64) error {
	switch {
	case c.values < 0:
		return fmt.Errorf("corrupt footer: a column chunk of %d values", c.values)
	case c.values == 0:
		return nil
	case c.physical != l.physical:
		return fmt.Errorf("corrupt footer: the column chunk has values of %s, the schema of %s", c.physical, l.physical)
	case c.start < 0 || c.size < 0 || c.start > size || c.size > size-c.start:
		return fmt.Errorf("truncated or corrupt: the column chunk of %d bytes at %d is outside the file of %d bytes", c.size, c.start, size)
	}
	return nil
}

var errShort = errors.New("the encoded values end early")
