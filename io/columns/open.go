package columns

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

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
