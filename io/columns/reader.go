package columns

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// Reader reads some columns of one row group, side by side. It is not safe for
// concurrent use.
type Reader struct {
	file    *File
	group   int
	paths   []string
	columns []columnReader
	rows    int64 // left
	batch   Batch
	err     error // the first, or io.EOF
}

// Read begins to read the columns of these paths. A textual column has its
// codes in the table at the same position of dicts, which may be shared; where
// dicts is too short or nil, the column gets a table of its own.
func (f *File) Read(rowGroup int, paths []string, dicts []*Strings) (*Reader, error) {
	if rowGroup < 0 || rowGroup >= len(f.groups) {
		return nil, f.fail(rowGroup, "", -1, fmt.Errorf("the file has %d row groups", len(f.groups)))
	}
	r := &Reader{file: f, group: rowGroup, paths: paths, rows: f.groups[rowGroup].rows}
	r.batch.Columns = make([]Column, len(paths))
	for i, path := range paths {
		var dict *Strings
		if i < len(dicts) {
			dict = dicts[i]
		}
		c, err := f.column(rowGroup, path, dict, &r.batch.Columns[i])
		if err != nil {
			return nil, err
		}
		r.columns = append(r.columns, c)
	}
	return r, nil
}

// kind is what all readers into one Go type have in common. Readers come and
// go with row groups, and their buffers are large.
type kind[T value] struct {
	pool   sync.Pool // of *leafReader[T]
	assign func(*Column, []T)
}

var (
	intKind   = kind[int64]{assign: func(c *Column, v []int64) { c.Ints = v }}
	floatKind = kind[float64]{assign: func(c *Column, v []float64) { c.Floats = v }}
	codeKind  = kind[int32]{assign: func(c *Column, v []int32) { c.Codes = v }}
)

func (f *File) column(rowGroup int, path string, dict *Strings, c *Column) (columnReader, error) {
	field, err := f.schema.Lookup(path)
	if err != nil {
		return nil, f.fail(-1, "", -1, err)
	}
	leaf, chunk := &f.leaves[field.leaf], f.groups[rowGroup].chunks[field.leaf]
	if err := chunk.check(leaf, f.src.Size()); err != nil {
		return nil, f.fail(rowGroup, path, -1, err)
	}
	c.Type = field.Type
	switch field.Type {
	case Float:
		return newLeafReader(&floatKind, f, leaf, &chunk, leaf.floats), nil
	case String:
		if dict == nil {
			dict = new(Strings)
		}
		c.Dict = dict
		return newLeafReader(&codeKind, f, leaf, &chunk, converter[int32]{one: leaf.codes(dict)}), nil
	}
	return newLeafReader(&intKind, f, leaf, &chunk, leaf.ints), nil
}

// check checks what the footer says about a column chunk.
func (c *chunk) check(l *leaf, size int64) error {
	switch {
	case c.values < 0:
		return fmt.Errorf("corrupt footer: a column chunk of %d values", c.values)
	case c.values == 0:
		c.start, c.size = 0, 0
	case c.physical != l.physical:
		return fmt.Errorf("corrupt footer: the column chunk has values of %s, the schema of %s", c.physical, l.physical)
	case c.start < 0 || c.size < 0 || c.start > size || c.size > size-c.start:
		return fmt.Errorf("truncated or corrupt: the column chunk of %d bytes at %d is outside the file of %d bytes", c.size, c.start, size)
	}
	return nil
}

// Next returns the next rows, at most max, or io.EOF after the last. What it
// returns is valid until the next call.
func (r *Reader) Next(max int) (*Batch, error) {
	if r.err == nil {
		r.err = r.next(max)
	}
	if r.err != nil {
		return nil, r.err
	}
	return &r.batch, nil
}

func (r *Reader) next(max int) error {
	if max < 1 {
		return r.file.fail(r.group, "", -1, fmt.Errorf("asked for %d rows", max))
	}
	r.batch.First += int64(r.batch.Rows)
	r.batch.Rows = int(min(int64(max), maxEntries, r.rows))
	r.rows -= int64(r.batch.Rows)
	for i := range r.columns {
		row, err := r.column(i)
		if err != nil {
			return r.file.fail(r.group, r.paths[i], row, err)
		}
	}
	if r.batch.Rows == 0 {
		return io.EOF
	}
	return nil
}

// column reads one column of the batch.
func (r *Reader) column(i int) (row int64, err error) {
	row = r.batch.First
	defer contain(&err)
	if r.batch.Rows > 0 {
		if row, err = r.columns[i].next(r.batch.Rows, &r.batch.Columns[i]); err != nil {
			return row, err
		}
	}
	if r.rows == 0 {
		// With the last rows, not after them: what they are worth depends on it.
		return r.batch.First + int64(r.batch.Rows), r.columns[i].finish()
	}
	return row, nil
}

// Close ends the reading: the last batch is no longer valid. It does not close
// the file.
func (r *Reader) Close() error {
	for _, c := range r.columns {
		c.recycle()
	}
	r.columns, r.batch, r.err = nil, Batch{}, os.ErrClosed
	return nil
}
