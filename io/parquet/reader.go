package parquet

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/beameval/beameval/io/columns"
)

// Read reads some columns of a row group side by side, in batches of at most most rows. A
// batch is valid until the next one. An error ends the batches. The codes of a textual
// column refer to the table at the same index of dicts, which columns may share. Where dicts
// is too short or nil, the column gets a table of its own.
func (f *File) Read(rowGroup int, paths []string, dicts []*columns.Strings, most int) iter.Seq2[*columns.Batch, error] {
	return f.batches(rowGroup, paths, dicts, most, false)
}

// Peek is Read for a caller that will hardly want more than the first batch: it reads few bytes
// at a time.
func (f *File) Peek(rowGroup int, paths []string, dicts []*columns.Strings, most int) iter.Seq2[*columns.Batch, error] {
	return f.batches(rowGroup, paths, dicts, most, true)
}

func (f *File) batches(rowGroup int, paths []string, dicts []*columns.Strings, most int, peek bool) iter.Seq2[*columns.Batch, error] {
	return func(yield func(*columns.Batch, error) bool) {
		r, err := f.reader(rowGroup, paths, dicts, peek)
		if err != nil {
			yield(nil, err)
			return
		}
		defer r.recycle()
		for more := true; more; more = r.rows > 0 {
			if err := r.next(most); err != nil {
				yield(nil, err)
				return
			}
			if r.batch.Rows > 0 && !yield(&r.batch, nil) {
				return
			}
		}
	}
}

// reader reads some columns of one row group.
type reader struct {
	file    *File
	group   int
	paths   []string
	columns []columnReader
	scratch *scratch
	rows    int64 // still to be read
	batch   columns.Batch
}

func (f *File) reader(rowGroup int, paths []string, dicts []*columns.Strings, peek bool) (*reader, error) {
	if rowGroup < 0 || rowGroup >= len(f.groups) {
		return nil, f.fail(rowGroup, "", -1, fmt.Errorf("the file has %d row groups", len(f.groups)))
	}
	r := &reader{file: f, group: rowGroup, paths: paths, rows: f.groups[rowGroup].rows}
	r.batch.Columns = make([]columns.Column, len(paths))
	fields, chunks := make([]columns.Field, len(paths)), make([]chunk, len(paths))
	for i, path := range paths {
		var err error
		if fields[i], chunks[i], err = f.chunk(rowGroup, path); err != nil {
			return nil, err
		}
	}
	src := f.origin(chunks, peek)
	r.scratch = scratches.get()
	for i := range paths {
		r.batch.Columns[i] = columns.NewColumn(fields[i].Type, dicts, i)
		r.columns = append(r.columns, f.column(fields[i], &chunks[i], src, r.scratch, r.batch.Columns[i].Dict))
	}
	return r, nil
}

// recycle hands the memory of the last batch on to other readers.
func (r *reader) recycle() {
	for _, c := range r.columns {
		c.recycle()
	}
	scratches.put(r.scratch)
}

// leafReaders holds the readers into one Go type: their buffers are large.
type leafReaders[T value] struct {
	spares spares[leafReader[T]]
	assign func(*columns.Column, []T)
}

var (
	intReaders   = leafReaders[int64]{assign: func(c *columns.Column, v []int64) { c.Ints = v }}
	floatReaders = leafReaders[float64]{assign: func(c *columns.Column, v []float64) { c.Floats = v }}
	codeReaders  = leafReaders[int32]{assign: func(c *columns.Column, v []int32) { c.Codes = v }}
)

// chunk returns a column and where its values in a row group are.
func (f *File) chunk(rowGroup int, path string) (columns.Field, chunk, error) {
	field, err := f.schema.Lookup(path)
	if err != nil {
		return field, chunk{}, f.fail(-1, "", -1, err)
	}
	c := f.groups[rowGroup].chunks[field.Leaf]
	if err := c.check(&f.leaves[field.Leaf], f.src.Size()); err != nil {
		return field, c, f.fail(rowGroup, path, -1, err)
	}
	return field, c, nil
}

func (f *File) column(field columns.Field, chunk *chunk, src io.ReaderAt, s *scratch, dict *columns.Strings) columnReader {
	leaf := &f.leaves[field.Leaf]
	switch field.Type {
	case columns.Float:
		return newLeafReader(&floatReaders, f, leaf, chunk, src, s, leaf.floats)
	case columns.String:
		return newLeafReader(&codeReaders, f, leaf, chunk, src, s, converter[int32]{one: leaf.codes(dict)})
	}
	return newLeafReader(&intReaders, f, leaf, chunk, src, s, leaf.ints)
}

// check returns an error if what the footer says about a column chunk cannot be true.
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

// next reads the next batch, which is empty only if the row group is.
func (r *reader) next(most int) error {
	if most < 1 {
		return r.file.fail(r.group, "", -1, fmt.Errorf("asked for %d rows", most))
	}
	r.batch.First += int64(r.batch.Rows)
	r.batch.Rows = int(min(int64(most), maxEntries, r.rows))
	r.rows -= int64(r.batch.Rows)
	for i := range r.columns {
		row, err := r.column(i)
		if err != nil {
			return r.file.fail(r.group, r.paths[i], row, err)
		}
	}
	return nil
}

// column reads one column of the batch.
func (r *reader) column(i int) (row int64, err error) {
	row = r.batch.First
	defer columns.Contain(&err)
	if r.batch.Rows > 0 {
		if row, err = r.columns[i].next(r.batch.Rows, &r.batch.Columns[i]); err != nil {
			return row, err
		}
	}
	if r.rows == 0 {
		// Check with the last rows, not after them: surplus values make the rows suspect.
		return r.batch.First + int64(r.batch.Rows), r.columns[i].finish()
	}
	return row, nil
}

var errShort = errors.New("the encoded values end early")
