// Package arrow reads columns of Arrow IPC files, which are also called Feather version 2, in
// typed batches.
//
// arrow-go decodes; this package finds the leaf columns and copies their values. A record batch
// is a row group, and is read whole. Dates, times and timestamps become the text that package
// parquet makes of them. A leaf below two lists, or of a type that no Go type here holds without
// loss, cannot be read; other columns can.
//
// arrow-go 18.8 believes what a file says about itself: it panics on offsets outside of a buffer
// and makes room for what lists of the metadata claim to hold. Package arrow therefore checks the
// metadata first (see verify), limits what is decoded (see limiter), and turns the panics that
// are left into errors (see [columns.Contain]).
package arrow

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/beameval/beameval/io/columns"
)

// File is an open Arrow file. It is a [columns.File]. Several goroutines may use it at once if
// they may use its source.
type File struct {
	src     columns.Source
	options columns.Options
	reader  *ipc.FileReader
	groups  []int64 // rows of each record batch
	leaves  []leaf
	schema  columns.Schema
}

// Open reads the footer of a file, its dictionaries, and how many rows its record batches have.
func Open(src columns.Source, o columns.Options) (*File, error) {
	f := &File{src: src, options: o.Complete()}
	if err := f.open(); err != nil {
		return nil, f.fail(-1, "", -1, err)
	}
	return f, nil
}

func (f *File) open() (err error) {
	defer columns.Contain(&err)
	if f.groups, err = verify(f.src); err != nil {
		return err
	}
	size := f.src.Size()
	f.reader, err = ipc.NewFileReader(io.NewSectionReader(bytesOf{f.src}, 0, size), ipc.WithAllocator(newLimiter(&f.options, size)))
	if err != nil {
		return err
	}
	f.leaves = leavesOf(f.reader.Schema(), f.options)
	f.schema = columns.SchemaOf(len(f.leaves), func(i int) (columns.Field, string) { return f.leaves[i].field() })
	return nil
}

func (f *File) fail(rowGroup int, path string, row int64, err error) error {
	return &columns.Error{File: f.src.Name(), RowGroup: rowGroup, Column: path, Row: row, Err: err}
}

// Schema returns the leaf columns of the file.
func (f *File) Schema() columns.Schema { return f.schema }

// RowGroups returns the number of rows of each record batch.
func (f *File) RowGroups() []int64 { return slices.Clone(f.groups) }

// Metadata returns a value of the key-value metadata of the file's schema.
func (f *File) Metadata(key string) (string, bool) {
	return f.reader.Schema().Metadata().GetValue(key)
}

// load reads a record batch. The caller releases it.
func (f *File) load(rowGroup int) (batch arrow.RecordBatch, err error) {
	defer columns.Contain(&err)
	if rowGroup < 0 || rowGroup >= len(f.groups) {
		return nil, fmt.Errorf("the file has %d row groups", len(f.groups))
	}
	if batch, err = f.reader.RecordBatchAt(rowGroup); err != nil {
		return nil, columns.Undecoded(err)
	}
	if batch.NumRows() != f.groups[rowGroup] {
		return nil, errors.New("corrupt: the record batch has another number of rows than its metadata")
	}
	return batch, nil
}

// bytesOf is a source whose errors are told from those of arrow-go.
type bytesOf struct{ columns.Source }

// ReadAt reads bytes.
func (s bytesOf) ReadAt(p []byte, offset int64) (int, error) {
	n, err := s.Source.ReadAt(p, offset)
	if err != nil && err != io.EOF {
		err = columns.Stop{Err: fmt.Errorf("reading %d bytes at %d: %w", len(p), offset, err)}
	}
	return n, err
}
