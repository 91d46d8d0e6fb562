// Package arrow reads columns of Arrow IPC files, also known as Feather version 2, and of Arrow IPC
// streams in typed batches.
//
// arrow-go decodes the file; this package finds the leaf columns and copies their values:
//
//	magic │ dictionaries │ record batches │ footer │ length │ magic
//	                       one row group each, loaded as a whole
//	record batch ─► array ─► struct field ─► list elements ─► leaf     path of steps (tree.go)
//	                                                           │
//	                                   spans of its values ─► batch    appender (values.go)
//
// A stream consists of the same messages without magic and footer. Planning finds the messages by
// their headers (stream.go); with a footer made from their places, the stream is read as a file
// (footed.go).
//
// Dates, times and timestamps become the same text as in package parquet. A leaf below two lists,
// or of a type that no Go type here holds without loss, cannot be read; other columns can.
//
// arrow-go 18.8 trusts what a file claims about itself: it panics on offsets outside a buffer, reads
// buffers beyond their ends, and allocates as much as the vectors of the metadata claim to hold. This
// package therefore checks the metadata first (see verify), and the buffers before it reads values
// (see sound and checkDeltas), bounds allocations (see limiter), and turns the remaining panics into errors (see
// [columns.Contain]).
package arrow

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/columns"
)

// File is an open Arrow file or stream. It implements [columns.Planned]. Several goroutines may use
// it concurrently if its source allows that.
type File struct {
	columns.Reader
	stream *stream // nil if the file has a footer
	file   *ipc.FileReader
	leaves []leaf

	// arrow-go finds the dictionaries of record batches with one hash of a file, without a lock.
	dictionaries sync.Mutex
}

// Open reads the footer, the dictionaries, and the metadata of the record batches. If plan is not
// nil, it is the plan of the same stream; without it, the headers of all messages of a stream are
// read.
func Open(src columns.Source, o columns.Options, plan []byte) (*File, error) {
	f := new(File)
	if err := columns.Open(&f.Reader, src, o, func() error { return f.open(plan) }); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *File) open(plan []byte) (err error) {
	defer columns.Contain(&err)
	src, err := f.find(plan)
	if err != nil {
		return err
	}
	size := src.Size()
	f.file, err = ipc.NewFileReader(io.NewSectionReader(bytesOf{src}, 0, size), ipc.WithAllocator(newLimiter(&f.Options, size)))
	if err != nil {
		return err
	}
	if err := f.checkDeltas(src); err != nil {
		return err
	}
	f.leaves = leavesOf(f.file.Schema(), f.Options)
	f.Columns = columns.SchemaOf(len(f.leaves), func(i int) columns.Field { return f.leaves[i].Field })
	f.Begin = f.begin
	return nil
}

// find finds the record batches, and returns the bytes that arrow-go reads.
func (f *File) find(plan []byte) (src columns.Source, err error) {
	head := make([]byte, min(f.Source.Size(), int64(len(marker))))
	if err := columns.ReadFull(f.Source, head, 0); err != nil {
		return nil, fmt.Errorf("reading the first bytes: %w", err)
	}
	if string(head) != marker {
		src, f.Groups, err = verify(f.Source)
		return src, err
	}
	if plan == nil {
		f.stream, err = findMessages(f.Source)
	} else {
		f.stream, err = decodePlan(plan, f.Source.Size())
	}
	if err != nil {
		return nil, err
	}
	f.Groups = f.stream.rows()
	return f.stream.asFile(f.Source)
}

// Plan returns the places of some record batches of a stream, or nil if the file has a footer.
func (f *File) Plan(first, groups int) []byte {
	if f.stream == nil {
		return nil
	}
	data, _ := wire.Encode(f.stream.part(first, groups), streamFields) // all fields can be encoded
	return data
}

// Metadata returns a value of the key-value metadata of the file's schema.
func (f *File) Metadata(key string) (string, bool) {
	return f.file.Schema().Metadata().GetValue(key)
}

// load reads a record batch. The caller releases it.
func (f *File) load(rowGroup int) (batch arrow.RecordBatch, err error) {
	defer columns.Contain(&err)
	at := rowGroup
	if f.stream != nil {
		at -= f.stream.first
	}
	if at < 0 {
		return nil, errPlan
	}
	if f.file.NumDictionaries() > 0 {
		f.dictionaries.Lock()
		defer f.dictionaries.Unlock()
	}
	if batch, err = f.file.RecordBatchAt(at); err != nil {
		return nil, columns.Undecoded(err)
	}
	if batch.NumRows() != f.Groups[rowGroup] {
		return nil, errors.New("corrupt: the record batch has another number of rows than its metadata")
	}
	return batch, nil
}

// bytesOf marks the errors of a source, so that they can be told from arrow-go's.
type bytesOf struct{ columns.Source }

// ReadAt implements io.ReaderAt.
func (s bytesOf) ReadAt(p []byte, offset int64) (int, error) {
	n, err := s.Source.ReadAt(p, offset)
	if err != nil && err != io.EOF {
		err = columns.Stop{Err: fmt.Errorf("reading %d bytes at %d: %w", len(p), offset, err)}
	}
	return n, err
}
