// Package parquet reads columns of Parquet files in typed batches. It does not write files.
//
// [Open] reads the footer of a file, and [File.Read] decodes some columns of a row group.
//
// # Supported features
//
// The package reads three-level lists, and the two-level lists of older writers according to the
// compatibility rules of the format. It reads data pages of versions 1 and 2, every encoding, and
// every codec except LZO and the deprecated framed LZ4. Dates, times and timestamps become ISO 8601
// text. Decimals are read if a float64 or an int64 holds them exactly; others are rounded to the
// nearest float64 if Options allow it. The package cannot read a leaf below two lists, or a type
// that no Go type here holds without loss. Such a leaf does not prevent other columns from being
// read.
//
// # How it works
//
//	footer          schema ► leaves (tree.go, logical.go); row groups ► chunks (open.go)
//	column chunk    dictionary page, data pages (pages.go), decompressed (codecs.go)
//	data page       repetition levels │ definition levels │ values (raw.go)
//	batch           values, nulls and offsets of lists (leafreader.go, rows.go)
//
// A reader decodes one page of one column at a time. What only the decoding needs is in a scratch
// that all columns of a row group share (scratch.go). The buffers of a column back the batches, so
// a batch is valid until the next one; both go back to a pool when the row group is finished
// (spares.go). Reading a batch therefore allocates almost nothing.
//
// parquet-go decodes Thrift and the encodings, but its page reader (ColumnChunk.Pages in version
// 0.32) is not used: it pads pages that decode to fewer values than they claim with stale memory,
// and misreads run-length encoded booleans, both without an error (see TestPageReader). The codecs
// are called directly, with a limit on their output.
//
// A damaged or malicious file results in an *Error. Memory use is bounded by what the pages
// actually contain, at most Options.MaxPage each, not by what they claim.
package parquet

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/columns"
)

// File is an open Parquet file: its source and its decoded footer. It implements [columns.File].
// Several goroutines may use it concurrently if its source allows that.
type File struct {
	columns.Reader
	leaves   []leaf // of the schema, in the order of the column chunks
	metadata map[string]string
	chunks   [][]chunk // by row group and leaf
	warning  string
}

// chunk locates the values of a leaf in a row group.
type chunk struct {
	start, size int64 // offset and length in the file
	values      int64 // including nulls
	codec       format.CompressionCodec
	physical    format.Type
	elsewhere   bool              // the chunk is stored in another file
	encodings   []format.Encoding // of its pages
	coded       bool              // every data page is dictionary-encoded
	compressed  bool              // pages of version 2 are compressed even if they say that they are not
	lowestFirst bool              // levels that are BIT_PACKED begin with the lowest bit
}

const (
	magic          = "PAR1"
	magicEncrypted = "PARE"
)

var errEncrypted = errors.New("encrypted Parquet files are not supported")

// Open reads only the footer of a file.
func Open(src columns.Source, o columns.Options) (*File, error) {
	f := new(File)
	if err := columns.Open(&f.Reader, src, o, f.open); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *File) open() (err error) {
	defer columns.Contain(&err)
	footer, err := readFooter(f.Source, f.Options.Names)
	if err != nil {
		return err
	}
	var m fileMetadata
	if _, err := decodeThrift(footer, &m); err != nil {
		return fmt.Errorf("corrupt footer: %w", undecoded(err))
	}
	if m.Encryption.Value != nil {
		return errEncrypted
	}
	if f.leaves, err = leavesOf(m.Schema, f.Options); err != nil {
		return fmt.Errorf("corrupt footer: %w", err)
	}
	f.metadata = make(map[string]string, len(m.KeyValues))
	for _, kv := range m.KeyValues {
		f.metadata[strings.Clone(kv.Key)] = strings.Clone(kv.Value)
	}
	rows, by := int64(0), writerOf(m.CreatedBy)
	for i := range m.RowGroups {
		g := &m.RowGroups[i]
		if g.NumRows < 0 || len(g.Columns) != len(f.leaves) {
			return fmt.Errorf("corrupt footer: row group %d has %d rows and %d of %d columns",
				i, g.NumRows, len(g.Columns), len(f.leaves))
		}
		rows += g.NumRows
		chunks := make([]chunk, len(g.Columns))
		for j := range g.Columns {
			chunks[j] = by.chunkOf(&g.Columns[j], f.Source.Size())
			f.leaves[j].checkSupport(i, &chunks[j])
		}
		f.Groups, f.chunks = append(f.Groups, g.NumRows), append(f.chunks, chunks)
	}
	switch {
	case m.NumRows == 0 && rows > 0:
		f.warning = fmt.Sprintf("the footer says 0 rows, and its row groups have %d, which are read", rows)
	case rows != m.NumRows:
		return fmt.Errorf("corrupt footer: the file has %d rows, and its row groups have %d", m.NumRows, rows)
	}
	f.Columns = columns.SchemaOf(len(f.leaves), func(i int) columns.Field { return f.leaves[i].Field })
	f.Begin = f.begin
	return nil
}

// checkSupport marks a leaf as unreadable if one of its chunks uses an unsupported feature.
func (l *leaf) checkSupport(group int, c *chunk) {
	if l.Reason != "" || c.values == 0 {
		return
	}
	if err := c.supported(); err != nil {
		l.Reason = fmt.Sprintf("row group %d: %s", group, err)
	}
}

// supported returns an error if the values of the chunk cannot be read.
func (c *chunk) supported() error {
	if c.elsewhere {
		return errors.New("the column chunk is in another file, which is not supported")
	}
	if decoders[c.codec] == nil {
		return unknownCodec(c.codec)
	}
	for _, e := range c.encodings {
		if !encodings[e] {
			return unsupported(e)
		}
	}
	return nil
}

// encodings is the set of supported encodings.
var encodings = map[format.Encoding]bool{
	format.Plain: true, plainDictionary: true, format.RLE: true, format.BitPacked: true, format.RLEDictionary: true,
	format.DeltaBinaryPacked: true, format.DeltaLengthByteArray: true, format.DeltaByteArray: true, format.ByteStreamSplit: true,
}

// readFooter returns the footer without the trailing length and magic.
func readFooter(src columns.Source, names settings.Names) ([]byte, error) {
	size := src.Size()
	if size == 0 {
		return nil, errors.New("not a Parquet file: the file is empty")
	}
	if size < int64(len(magic)+4+len(magic)) {
		return nil, fmt.Errorf("not a Parquet file: it has only %d bytes; if it is a text, set %s to csv, tsv or jsonl", size, names.Of(settings.Format))
	}
	return columns.ReadFooter(src, len(magic), magic, func(found string) error {
		if found == magicEncrypted {
			return errEncrypted
		}
		return noMagic(src, names)
	})
}

// noMagic distinguishes a truncated Parquet file from a file of another format.
func noMagic(src columns.Source, names settings.Names) error {
	head := make([]byte, len(magic))
	if err := columns.ReadFull(src, head, 0); err != nil {
		return fmt.Errorf("reading the first bytes: %w", err)
	}
	switch string(head) {
	case magic:
		return errors.New("truncated: the file begins as Parquet but does not end in a footer")
	case magicEncrypted:
		return errEncrypted
	}
	if other := columns.OtherFormat(head); other != "" {
		return errors.New("not a Parquet file: " + other)
	}
	found := fmt.Sprintf("not a Parquet file: it begins with %q; ", head)
	switch head[0] {
	case '{':
		return fmt.Errorf("%sif it has a JSON object on each line, set %s to jsonl", found, names.Of(settings.Format))
	case '[':
		return fmt.Errorf("%sif it is a JSON array, write each object on a line of its own, and set %s to jsonl", found, names.Of(settings.Format))
	}
	return fmt.Errorf("%sif it is a text, set %s to csv, tsv or jsonl", found, names.Of(settings.Format))
}

// Metadata returns a value of the key-value metadata of the file.
func (f *File) Metadata(key string) (string, bool) {
	v, ok := f.metadata[key]
	return v, ok
}

// Warning implements [columns.Doubtful].
func (f *File) Warning() string { return f.warning }

// decodeThrift decodes the struct at the start of b into v and returns its length. v may keep
// references to b.
func decodeThrift(b []byte, v any) (int, error) {
	var p thrift.CompactProtocol
	r := thriftReader{p.NewReaderFromBytes(b), len(b)}
	err := noEOF(thrift.NewDecoder(r).Decode(v))
	return r.BytesRead(), err
}

// thriftReader rejects lists that have more elements than the remaining bytes can hold. The decoder
// allocates a list before it reads the elements, and running out of memory would end the process.
type thriftReader struct {
	thrift.BytesReader
	size int
}

func (r thriftReader) ReadList() (thrift.List, error) {
	l, err := r.BytesReader.ReadList()
	least := 1
	if l.Type == thrift.STRUCT {
		least = 3 // a union is the smallest struct in a list
	}
	if err == nil && int(l.Size) > (r.size-r.BytesRead())/least {
		err = io.ErrUnexpectedEOF
	}
	return l, err
}

// Discard lets the decoder skip bytes.
func (r thriftReader) Discard(n int) (int, error) {
	return r.BytesReader.(interface{ Discard(int) (int, error) }).Discard(n)
}
