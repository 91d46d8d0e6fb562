package arrow

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/beameval/beameval/io/columns"
)

const (
	magic = "ARROW1"
	// including padding
	headSize = 8
)

// The limits of a schema. No tool reads deeper or wider tables.
const (
	maxDepth  = 64
	maxFields = 1 << 20
)

// maxMessage limits the size of a message without its buffers: 32 bytes for each of a million
// columns, and as much again.
const maxMessage = 64 << 20

// The indexes of the fields in the flatbuffer tables of the metadata, from Schema.fbs, Message.fbs
// and File.fbs of the format.
const (
	footerSchema, footerDictionaries, footerBatches, footerMetadata = 1, 2, 3, 4
	schemaFields, schemaMetadata                                    = 1, 2
	fieldTypeKind, fieldType, fieldChildren, fieldMetadata          = 2, 3, 5, 6
	unionIDs                                                        = 1
	messageVersion, messageKind, messageHeader                      = 0, 1, 2
	messageBody, messageMetadata                                    = 3, 4
	dictionaryID, dictionaryData, dictionaryDelta                   = 0, 1, 2
	batchLength, batchNodes, batchBuffers, batchCompression         = 0, 1, 2, 3
	batchVariadic                                                   = 4

	kindUnion       = 14
	kindSchema      = 1
	kindDictionary  = 2
	kindRecordBatch = 3
)

var errLists = errors.New("corrupt metadata: a list is longer than the metadata")

// verify checks the claims of the metadata of a file that arrow-go trusts, and returns the file that
// arrow-go reads and the number of rows of each record batch.
func verify(src columns.Source) (file columns.Source, rows []int64, err error) {
	footer, err := readFooter(src)
	if err != nil {
		return nil, nil, err
	}
	f := rootOf(footer)
	schema, ok := f.child(footerSchema)
	if !ok {
		return nil, nil, errors.New("corrupt footer: there is no schema")
	}
	if err := errors.Join(verifySchema(schema), f.check(footerMetadata, 4)); err != nil {
		return nil, nil, err
	}
	var listed stream
	if listed.dictionaries, err = eachBlock(src, f, footerDictionaries, kindDictionary); err != nil {
		return nil, nil, err
	}
	if listed.batches, err = eachBlock(src, f, footerBatches, kindRecordBatch); err != nil {
		return nil, nil, err
	}
	if !slices.ContainsFunc(slices.Concat(listed.dictionaries, listed.batches), func(b block) bool { return b.codec != 0 }) {
		return src, listed.rows(), nil
	}
	p, err := listed.withFooter(src, f.GetInt16Slot(slot(0), 0), footer, int(schema.Pos))
	return p, listed.rows(), err
}

// verifySchema checks the claims of a schema.
func verifySchema(schema table) error {
	w := walker{}
	if err := w.fields(schema, schemaFields, 0); err != nil {
		return err
	}
	return schema.check(schemaMetadata, 4)
}

// readFooter returns the footer without the trailing length and magic.
func readFooter(src columns.Source) ([]byte, error) {
	size := src.Size()
	if size == 0 {
		return nil, errors.New("not an Arrow file: the file is empty")
	}
	head := make([]byte, min(size, int64(len(magic))))
	if err := columns.ReadFull(src, head, 0); err != nil {
		return nil, fmt.Errorf("reading the first bytes: %w", err)
	}
	if string(head) != magic {
		if string(head[:min(4, len(head))]) == "FEA1" {
			return nil, errors.New("a Feather file of version 1, which is not supported: write version 2, the default of pyarrow and pandas")
		}
		if other := columns.OtherFormat(head); other != "" {
			return nil, errors.New("not an Arrow file: " + other)
		}
		return nil, fmt.Errorf("not an Arrow file: it begins with %q", head)
	}
	if size < int64(headSize+4+len(magic)) {
		return nil, errNoFooter
	}
	footer, err := columns.ReadFooter(src, headSize, magic, func(string) error { return errNoFooter })
	if err == nil && len(footer) < 8 {
		err = fmt.Errorf("truncated or corrupt: a footer of %d bytes does not fit the %d bytes of the file", len(footer), size)
	}
	return footer, err
}

var errNoFooter = errors.New("truncated: the file begins as Arrow but does not end in a footer")

// eachBlock checks the messages listed in a vector of the footer, which must be of the given kind,
// and returns their places.
func eachBlock(src columns.Source, footer table, list int, kind uint8) ([]block, error) {
	start, n, err := footer.vector(list, 24)
	if err != nil {
		return nil, err
	}
	blocks := make([]block, n)
	all := int64(0) // total size of the messages, which do not overlap
	for i := range blocks {
		at := footer.Bytes[start+24*i:]
		b := block{offset: int64(binary.LittleEndian.Uint64(at)), meta: int32(binary.LittleEndian.Uint32(at[8:])), body: int64(binary.LittleEndian.Uint64(at[16:]))}
		length := int64(b.meta)
		if b.offset < 0 || length < prefix || b.offset > src.Size() || length > src.Size()-b.offset {
			return nil, fmt.Errorf("truncated or corrupt: message %d of %d bytes at %d is outside the file of %d bytes", i, length, b.offset, src.Size())
		}
		if length > maxMessage {
			return nil, tooLong(i, length)
		}
		if all += length; all > src.Size() {
			return nil, errors.New("corrupt footer: its messages overlap")
		}
		message, err := readBlock(src, &b)
		if err != nil {
			return nil, fmt.Errorf("reading message %d: %w", i, err)
		}
		if err := b.fill(message, kind); err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		blocks[i] = b
	}
	return blocks, nil
}

// readBlock reads the metadata of a message.
func readBlock(src columns.Source, b *block) (table, error) {
	m := make([]byte, b.meta)
	if err := columns.ReadFull(src, m, b.offset); err != nil {
		return table{}, err
	}
	if binary.LittleEndian.Uint32(m) == math.MaxUint32 { // since version 0.15, a marker precedes the length
		m = m[4:]
	}
	return rootOf(m[4:]), nil
}

// tooLong returns the error for a message whose metadata has too many bytes.
func tooLong(message int, length int64) error {
	return fmt.Errorf("the metadata of message %d has %d bytes, and at most %d are read: write fewer columns or less metadata", message, length, maxMessage)
}

// fill checks a message of the given kind, and sets what it says about the block.
func (b *block) fill(m table, kind uint8) error {
	header, ok := m.child(messageHeader)
	if found := m.GetByteSlot(slot(messageKind), 0); !ok || found != kind {
		return fmt.Errorf("corrupt metadata: a message of kind %d, expected %d", found, kind)
	}
	if kind == kindDictionary {
		if header, ok = header.child(dictionaryData); !ok {
			return errors.New("corrupt metadata: a dictionary without data")
		}
	}
	err := errors.Join(m.check(messageMetadata, 4), header.check(batchNodes, 16))
	if err != nil {
		return err
	}
	_, buffers, err := header.vector(batchBuffers, 16)
	if err != nil {
		return err
	}
	start, views, err := header.vector(batchVariadic, 8)
	if err != nil {
		return err
	}
	for i := range views {
		if n := binary.LittleEndian.Uint64(header.Bytes[start+8*i:]); n > uint64(buffers) {
			return errors.New("corrupt metadata: a column has more buffers than its record batch")
		}
	}
	rows := header.GetInt64Slot(slot(batchLength), 0)
	if rows < 0 || rows > math.MaxInt32 {
		return fmt.Errorf("a record batch of %d rows; at most %d can be read: write smaller ones", rows, math.MaxInt32)
	}
	b.rows = rows
	if b.codec, err = legacyCodec(m, header); err != nil {
		return err
	}
	_, compressed := header.child(batchCompression)
	return checkBuffers(header, m.GetInt64Slot(slot(messageBody), 0), compressed || b.codec != 0)
}

// walker counts the fields of a schema.
type walker struct{ count int }

// fields checks a vector of fields and their descendants.
func (w *walker) fields(parent table, list, depth int) error {
	start, n, err := parent.vector(list, 4)
	if err != nil {
		return err
	}
	if depth > maxDepth {
		return fmt.Errorf("schema: nested deeper than %d fields", maxDepth)
	}
	for i := range n {
		if w.count++; w.count > maxFields {
			return fmt.Errorf("schema: more than %d fields", maxFields)
		}
		field := parent.element(start, i)
		if err := field.check(fieldMetadata, 4); err != nil {
			return err
		}
		if kind, ok := field.child(fieldType); ok && field.GetByteSlot(slot(fieldTypeKind), 0) == kindUnion {
			if err := kind.check(unionIDs, 4); err != nil {
				return err
			}
		}
		if err := w.fields(field, fieldChildren, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// table is a flatbuffer table of the metadata. Access outside the buffer panics; [columns.Contain]
// turns that into an error.
type table struct{ flatbuffers.Table }

func rootOf(b []byte) table {
	return table{flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}}
}

func slot(field int) flatbuffers.VOffsetT { return flatbuffers.VOffsetT(4 + 2*field) }

// child returns the table that a field refers to.
func (t table) child(field int) (table, bool) {
	at := flatbuffers.UOffsetT(t.Offset(slot(field)))
	if at == 0 {
		return table{}, false
	}
	return table{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at + t.Pos)}}, true
}

// element returns table i of the vector that begins at start.
func (t table) element(start, i int) table {
	return table{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(flatbuffers.UOffsetT(start + 4*i))}}
}

// vector returns the position and length of the vector in a field, after checking that all its
// elements, of size bytes each, are inside the metadata.
func (t table) vector(field, size int) (start, n int, err error) {
	at := flatbuffers.UOffsetT(t.Offset(slot(field)))
	if at == 0 {
		return 0, 0, nil
	}
	start, n = int(t.Vector(at)), t.VectorLen(at)
	if start > len(t.Bytes) || n > (len(t.Bytes)-start)/size {
		return 0, 0, errLists
	}
	return start, n, nil
}

// check is like vector, but only validates.
func (t table) check(field, size int) error {
	_, _, err := t.vector(field, size)
	return err
}
