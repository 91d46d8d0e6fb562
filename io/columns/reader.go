package columns

import (
	"fmt"
	"io"
	"iter"
	"slices"
)

// Reader is what files of all formats do alike: it checks what is asked for, divides row groups
// into batches, and says of errors where they are. The file of a format embeds it, and sets its
// fields when it is opened.
type Reader struct {
	Source  Source
	Options Options // complete
	Columns Schema
	Groups  []int64 // the rows of each row group
	// Begin begins to read the rows of a row group.
	Begin func(w *Wanted) (Rows, error)
}

// Rows reads the rows of a row group. An error may be an [Error] that says the column and the row or
// the line; the reader adds the file and the row group.
type Rows interface {
	// Next reads the rows of the next batch, as [Wanted] says.
	Next() error
	// Close is called when the rows are no longer read. The last batch is no longer used then.
	Close()
}

// Wanted is what is to be read: some columns of a row group and, from batch to batch, some rows.
type Wanted struct {
	RowGroup int
	Paths    []string
	Fields   []Field // of the paths
	Peek     bool    // little more than the first batch will be read
	Batch    Batch   // its First and Rows say which rows come next
	Last     bool    // the rows are the last of the row group
}

// maxRows is the largest number of rows in a batch.
const maxRows = 1 << 28

// Open sets the fields of a reader that all formats know, and has read set the others.
func Open(r *Reader, src Source, o Options, read func() error) error {
	r.Source, r.Options = src, o.Complete()
	if err := read(); err != nil {
		return r.Fail(-1, err)
	}
	return nil
}

// Fail returns the error for a row group; -1 is none.
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

// Dictionary returns nothing, for formats whose dictionaries cost as much as the rows, or that have
// none.
func (r *Reader) Dictionary(int, string, *Strings) (complete bool, err error) { return false, nil }

// Read reads some columns of a row group; see [File].
func (r *Reader) Read(rowGroup int, paths []string, dicts []*Strings, most int) iter.Seq2[*Batch, error] {
	return r.batches(rowGroup, paths, dicts, most, false)
}

// Peek is Read for a caller that will hardly want more than the first batch.
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

// Start begins to read what is asked for, if there is such.
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

// EachColumn has the rows of the next batch read column by column, by a function that returns the row at
// which it fails. It may panic on damaged bytes; see [Contain].
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

// Ranges returns a reader of these ranges of the source. If all of them will be read, a source that
// is slow to answer is told beforehand.
func (w *Wanted) Ranges(src Source, ranges ...[2]int64) io.ReaderAt {
	if ranger, ok := src.(Ranger); ok && !w.Peek {
		return ranger.Ranges(ranges)
	}
	return src
}
