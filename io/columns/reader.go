package columns

import (
	"fmt"
	"io"
	"iter"
	"slices"
)

// Reader is the part of a [File] that all formats share: it validates requests, divides row groups
// into batches and adds the location to errors. The file types of the formats embed it and set its
// fields when they open a file.
type Reader struct {
	Source  Source
	Options Options // with defaults filled in
	Columns Schema
	Groups  []int64 // number of rows of each row group
	// Begin starts reading the rows of a row group.
	Begin func(w *Wanted) (Rows, error)
}

// Rows reads the rows of a row group. An error may be an [Error] with a column and a row or a line;
// the reader adds the file and the row group.
type Rows interface {
	// Next reads the next batch as described by [Wanted].
	Next() error
	// Close ends the reading. The last batch is not used afterwards.
	Close()
}

// Wanted is a request: some columns of a row group and, for each batch, its rows.
type Wanted struct {
	RowGroup int
	Paths    []string
	Fields   []Field // fields of the paths
	Peek     bool    // hardly more than the first batch will be read
	Batch    Batch   // First and Rows are set to the rows to read next
	Last     bool    // these are the last rows of the row group
}

// maxRows is the maximum number of rows in a batch.
const maxRows = 1 << 28

// Open sets the fields of a reader that do not depend on the format, and calls read to set the
// others.
func Open(r *Reader, src Source, o Options, read func() error) error {
	r.Source, r.Options = src, o.Complete()
	if err := read(); err != nil {
		return r.Fail(-1, err)
	}
	return nil
}

// Fail adds the file and a row group to an error; -1 means no row group.
func (r *Reader) Fail(rowGroup int, err error) error {
	e, known := err.(*Error)
	if !known {
		e = &Error{Row: -1, Err: err}
	}
	e.File, e.RowGroup = r.Source.Name(), rowGroup
	return e
}

// Schema returns the leaf columns of the file.
func (r *Reader) Schema() Schema { return r.Columns }

// RowGroups returns the number of rows of each row group.
func (r *Reader) RowGroups() []int64 { return slices.Clone(r.Groups) }

// Dictionary reports no dictionary. Formats whose dictionaries are as expensive as the rows inherit
// it.
func (r *Reader) Dictionary(int, string, *Strings) (complete bool, err error) { return false, nil }

// Read reads some columns of a row group; see [File].
func (r *Reader) Read(rowGroup int, paths []string, dicts []*Strings, most int) iter.Seq2[*Batch, error] {
	return r.batches(rowGroup, paths, dicts, most, false)
}

// Peek is like Read, but for callers that are unlikely to need more than the first batch.
func (r *Reader) Peek(rowGroup int, paths []string, dicts []*Strings, most int) iter.Seq2[*Batch, error] {
	return r.batches(rowGroup, paths, dicts, most, true)
}

func (r *Reader) batches(rowGroup int, paths []string, dicts []*Strings, most int, peek bool) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		w, rows, err := r.Start(rowGroup, paths, dicts, most, peek)
		if err != nil {
			yield(nil, err)
			return
		}
		defer rows.Close()
		for left := r.Groups[rowGroup]; !w.Last; {
			w.Batch.First += int64(w.Batch.Rows)
			w.Batch.Rows = int(min(int64(most), maxRows, left))
			left -= int64(w.Batch.Rows)
			w.Last = left == 0
			if err := rows.Next(); err != nil {
				yield(nil, r.Fail(rowGroup, err))
				return
			}
			if w.Batch.Rows > 0 && !yield(&w.Batch, nil) {
				return
			}
		}
	}
}

// Start validates a request and starts reading.
func (r *Reader) Start(rowGroup int, paths []string, dicts []*Strings, most int, peek bool) (*Wanted, Rows, error) {
	switch {
	case rowGroup < 0 || rowGroup >= len(r.Groups):
		return nil, nil, r.Fail(rowGroup, fmt.Errorf("the file has %d row groups", len(r.Groups)))
	case most < 1:
		return nil, nil, r.Fail(rowGroup, fmt.Errorf("asked for %d rows", most))
	}
	w := &Wanted{RowGroup: rowGroup, Paths: paths, Peek: peek}
	for i, path := range paths {
		field, err := r.Columns.Lookup(path)
		if err != nil {
			return nil, nil, r.Fail(-1, err)
		}
		w.Fields = append(w.Fields, field)
		w.Batch.Columns = append(w.Batch.Columns, newColumn(field.Type, dicts, i))
	}
	rows, err := r.Begin(w)
	if err != nil {
		return nil, nil, r.Fail(rowGroup, err)
	}
	return w, rows, nil
}

// EachColumn reads the next batch column by column. read returns the row that failed; it may panic
// on damaged input, see [Contain].
func (w *Wanted) EachColumn(read func(i int) (row int64, err error)) error {
	contained := func(i int) (row int64, err error) {
		row = w.Batch.First
		defer Contain(&err)
		return read(i)
	}
	for i, path := range w.Paths {
		if row, err := contained(i); err != nil {
			return &Error{Column: path, Row: row, Err: err}
		}
	}
	return nil
}

// Ranges returns a reader of some ranges of the source. Unless only the first rows will be read, it
// announces the ranges to sources with high latency.
func (w *Wanted) Ranges(src Source, ranges ...[2]int64) io.ReaderAt {
	if ranger, ok := src.(Ranger); ok && !w.Peek {
		return ranger.Ranges(ranges)
	}
	return src
}
