// Package columns reads Parquet columns in typed batches.
//
// A file is opened by its footer, one row group is read at a time, and the
// columns asked for are decoded side by side into slices: integers and
// booleans as int64, floating point as float64, everything textual as codes
// into a table of distinct strings. A column below one list or map comes with
// offsets. Rows are never built.
//
// # Names of columns
//
// Users name columns as they think of them, so the path of a leaf leaves out
// what only the encoding of lists and maps adds:
//
//	score double                              score
//	m struct<score: double>                   m.score
//	scores list<double>                       scores
//	scores list<struct<label: …, score: …>>   scores.label, scores.score
//	scores map<string, double>                scores.key, scores.value
//
// A name may be in backquotes, within which a dot is a part of it. It must be
// where a path could mean two leaves:
//
//	a.b double, beside a struct<b: double>    `a.b`, `a`.`b`
//
// # What is read
//
// All three-level lists, and the two-level lists of older writers by the
// compatibility rules of the format; data pages of version 1 and 2; every
// encoding and every codec but LZO and the deprecated framed LZ4. Decimals are
// read where a float64 or an int64 holds them exactly, others as the nearest
// float64 if asked for. Dates, times and
// timestamps become ISO 8601 text. A leaf below two lists is not readable, nor
// is a type without a lossless reading; neither stands in the way of other
// columns.
//
// # How it is read
//
// Thrift and encodings are parquet-go's; this package puts them
// together page by page. The library's own page reader (ColumnChunk.Pages, in
// version 0.32) is not used, as it pads pages that decode to fewer values than
// they claim with what was in memory, and reads run-length encoded booleans
// wrongly, both without an error: see TestPageReader. Codecs are those of the
// libraries underneath, which are told where to stop. Damaged files, and files
// made to exhaust memory, end in an *Error: memory follows what pages hold, at
// most Options.MaxPage each, not what they say.
package columns

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Source is a file with random access.
type Source interface {
	io.ReaderAt
	Size() int64
	Name() string // for messages
}

// File is an open Parquet file: its footer, that is. It may be used by several
// goroutines at once if its source may.
type File struct {
	src      Source
	options  Options
	leaves   []leaf // of the schema, in the order of the column chunks
	schema   Schema
	metadata map[string]string
	groups   []rowGroup
}

type rowGroup struct {
	rows   int64
	chunks []chunk
}

// chunk is where the values of one leaf in one row group are.
type chunk struct {
	start, size int64 // in the file
	values      int64 // including nulls
	codec       format.CompressionCodec
	physical    format.Type
	elsewhere   bool              // in another file
	encodings   []format.Encoding // of its pages
	coded       bool              // all data pages refer to a dictionary
}

// Options say how a file is read. The zero value is what suits most.
type Options struct {
	// MaxPage is how many bytes a page may take, as it is stored and decoded: a page
	// that says more is an error. 0 is DefaultMaxPage.
	MaxPage int64
	// RoundDecimals reads decimals that no int64 and no float64 holds exactly, as the
	// nearest float64. Otherwise they cannot be read.
	RoundDecimals bool
}

// DefaultMaxPage is far beyond the pages that writers make, but for some that make one of
// a whole row group.
const DefaultMaxPage = 128 << 20

const (
	magic          = "PAR1"
	magicEncrypted = "PARE"
	trailerSize    = 8 // length of the footer, magic

	// tailSize is read from the end of a file in the hope that it holds the
	// whole footer, to save a round trip.
	tailSize = 64 << 10
)

var errEncrypted = errors.New("encrypted Parquet files are not supported")

// Open reads the footer of a file, and nothing else.
func Open(src Source, o Options) (*File, error) {
	if o.MaxPage == 0 {
		o.MaxPage = DefaultMaxPage
	}
	f := &File{src: src, options: o}
	if err := f.open(); err != nil {
		return nil, f.fail(-1, "", -1, err)
	}
	return f, nil
}

func (f *File) open() (err error) {
	defer contain(&err)
	footer, err := readFooter(f.src)
	if err != nil {
		return err
	}
	var m format.FileMetaData
	if _, err := decodeThrift(footer, &m); err != nil {
		return fmt.Errorf("corrupt footer: %w", err)
	}
	if m.EncryptionAlgorithm.Value != nil {
		return errEncrypted
	}
	if f.leaves, err = leavesOf(m.Schema, f.options); err != nil {
		return fmt.Errorf("corrupt footer: %w", err)
	}
	f.metadata = make(map[string]string, len(m.KeyValueMetadata))
	for _, kv := range m.KeyValueMetadata {
		f.metadata[strings.Clone(kv.Key)] = strings.Clone(kv.Value)
	}
	f.groups = make([]rowGroup, len(m.RowGroups))
	for i := range m.RowGroups {
		g := &m.RowGroups[i]
		if g.NumRows < 0 || len(g.Columns) != len(f.leaves) {
			return fmt.Errorf("corrupt footer: row group %d has %d rows and %d of %d columns",
				i, g.NumRows, len(g.Columns), len(f.leaves))
		}
		f.groups[i] = rowGroup{rows: g.NumRows, chunks: make([]chunk, len(g.Columns))}
		for j := range g.Columns {
			f.groups[i].chunks[j] = chunkOf(&g.Columns[j])
			f.leaves[j].judge(i, &f.groups[i].chunks[j])
		}
	}
	f.schema = schemaOf(f.leaves)
	return nil
}

// judge finds a leaf unreadable that a chunk of it, in some row group, is written in a
// way that is not supported.
func (l *leaf) judge(group int, c *chunk) {
	if l.reason != "" || c.values == 0 {
		return
	}
	if err := c.supported(); err != nil {
		l.reason = fmt.Sprintf("row group %d: %s", group, err)
	}
}

// supported says whether values are stored in a way that can be read.
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

// encodings are those that columns of some type can have.
var encodings = map[format.Encoding]bool{
	format.Plain: true, plainDictionary: true, format.RLE: true, format.BitPacked: true, format.RLEDictionary: true,
	format.DeltaBinaryPacked: true, format.DeltaLengthByteArray: true, format.DeltaByteArray: true, format.ByteStreamSplit: true,
}

func chunkOf(c *format.ColumnChunk) chunk {
	m := &c.MetaData
	start := m.DataPageOffset
	if d := m.DictionaryPageOffset; d > 0 && d < start {
		start = d
	}
	return chunk{
		start: start, size: m.TotalCompressedSize, values: m.NumValues,
		codec: m.Codec, physical: m.Type, elsewhere: c.FilePath != "", encodings: slices.Clone(m.Encoding),
		coded: isCoded(m),
	}
}

// readFooter returns the bytes of the footer, without its length and magic.
func readFooter(src Source) ([]byte, error) {
	size := src.Size()
	if size == 0 {
		return nil, errors.New("not a Parquet file: the file is empty")
	}
	if size < int64(len(magic)+trailerSize) {
		return nil, fmt.Errorf("not a Parquet file: it has only %d bytes", size)
	}
	tail := make([]byte, min(size, tailSize))
	if err := readFull(src, tail, size-int64(len(tail))); err != nil {
		return nil, fmt.Errorf("reading the footer: %w", err)
	}
	trailer := tail[len(tail)-trailerSize:]
	switch string(trailer[4:]) {
	case magic:
	case magicEncrypted:
		return nil, errEncrypted
	default:
		return nil, noMagic(src)
	}
	length := int64(binary.LittleEndian.Uint32(trailer))
	if length > size-int64(len(magic)+trailerSize) {
		return nil, fmt.Errorf("truncated or corrupt: a footer of %d bytes does not fit the %d bytes of the file", length, size)
	}
	if n := int64(len(tail)) - trailerSize; length <= n {
		return tail[n-length : n], nil
	}
	footer := make([]byte, length)
	if err := readFull(src, footer, size-trailerSize-length); err != nil {
		return nil, fmt.Errorf("reading the footer: %w", err)
	}
	return footer, nil
}

// noMagic tells a truncated Parquet file from any other file.
func noMagic(src Source) error {
	head := make([]byte, len(magic))
	if err := readFull(src, head, 0); err != nil {
		return fmt.Errorf("reading the first bytes: %w", err)
	}
	switch string(head) {
	case magic:
		return errors.New("truncated: the file begins as Parquet but does not end in a footer")
	case magicEncrypted:
		return errEncrypted
	}
	return fmt.Errorf("not a Parquet file: it begins with %q", head)
}

// readFull is ReadAt for sources that report the end of the file together with
// the last bytes.
func readFull(src io.ReaderAt, p []byte, offset int64) error {
	n, err := src.ReadAt(p, offset)
	switch {
	case n == len(p):
		return nil
	case err == nil || err == io.EOF:
		return io.ErrUnexpectedEOF
	}
	return err
}

func (f *File) fail(rowGroup int, path string, row int64, err error) error {
	return &Error{File: f.src.Name(), RowGroup: rowGroup, Column: path, Row: row, Err: err}
}

// Schema returns the leaf columns of the file.
func (f *File) Schema() Schema { return f.schema }

// Metadata returns a value of the file's own key-value metadata.
func (f *File) Metadata(key string) (string, bool) {
	v, ok := f.metadata[key]
	return v, ok
}

// RowGroups returns how many rows each row group has.
func (f *File) RowGroups() []int64 {
	rows := make([]int64, len(f.groups))
	for i := range f.groups {
		rows[i] = f.groups[i].rows
	}
	return rows
}

// decodeThrift decodes the struct at the start of b and returns its length. v
// may refer to b afterwards.
func decodeThrift(b []byte, v any) (int, error) {
	var p thrift.CompactProtocol
	r := thriftReader{p.NewReaderFromBytes(b), len(b)}
	err := noEOF(thrift.NewDecoder(r).Decode(v))
	return r.BytesRead(), err
}

// thriftReader refuses lists that are longer than the bytes that are left: the
// decoder allocates them before it reads the elements, and memory that there
// is not ends the process.
type thriftReader struct {
	thrift.BytesReader
	size int
}

func (r thriftReader) ReadList() (thrift.List, error) {
	l, err := r.BytesReader.ReadList()
	least := 1
	if l.Type == thrift.STRUCT {
		least = 3 // no list has structs of fewer bytes than a union's
	}
	if err == nil && int(l.Size) > (r.size-r.BytesRead())/least {
		err = io.ErrUnexpectedEOF
	}
	return l, err
}

// Discard is what the decoder skips with.
func (r thriftReader) Discard(n int) (int, error) {
	return r.BytesReader.(interface{ Discard(int) (int, error) }).Discard(n)
}
