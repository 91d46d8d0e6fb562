package arrow

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/beameval/beameval/io/columns"
)

// footed is a stream followed by a footer that lists its messages: an Arrow file, except for its
// first bytes, so that one reader reads both.
type footed struct {
	columns.Source
	tail []byte // footer, length and magic
}

// withFooter returns a stream as a file.
func withFooter(src columns.Source, s *stream) (*footed, error) {
	metadata, err := readMessage(src, s.schema.offset, 0)
	if err != nil {
		return nil, err
	}
	message := rootOf(metadata)
	schema, ok := message.child(messageHeader)
	if found := message.GetByteSlot(slot(messageKind), 0); !ok || found != kindSchema {
		return nil, fmt.Errorf("corrupt metadata: a message of kind %d, expected a schema", found)
	}
	if err := verifySchema(schema); err != nil {
		return nil, err
	}
	tail := s.footer(message.GetInt16Slot(slot(messageVersion), 0), metadata, int(schema.Pos))
	tail = binary.LittleEndian.AppendUint32(tail, uint32(len(tail)))
	return &footed{src, append(tail, magic...)}, nil
}

// footer returns a flatbuffer of the table Footer. It consists of the table, the lists of
// dictionaries and of record batches, and the message with the schema, whose position there is
// given.
func (s *stream) footer(version int16, message []byte, schema int) []byte {
	const (
		vtable   = 4
		root     = vtable + 12 // the table begins here
		atSchema = root + 8
		atLists  = root + 12
		lists    = root + 20
	)
	le := binary.LittleEndian
	b := le.AppendUint32(nil, root)
	for _, v := range []uint16{12, lists - root, 4, atSchema - root, atLists - root, atLists + 4 - root} {
		b = le.AppendUint16(b, v)
	}
	b = le.AppendUint32(b, root-vtable)
	b = le.AppendUint16(b, uint16(version))
	b = append(b, make([]byte, lists-len(b))...)
	for i, list := range [][]block{s.dictionaries, s.batches} {
		at := atLists + 4*i
		for len(b)%8 != 4 { // the length, then elements that are aligned
			b = append(b, 0)
		}
		le.PutUint32(b[at:], uint32(len(b)-at))
		b = le.AppendUint32(b, uint32(len(list)))
		for _, block := range list {
			b = le.AppendUint64(b, uint64(block.offset))
			b = le.AppendUint64(b, uint64(block.meta))
			b = le.AppendUint64(b, uint64(block.body))
		}
	}
	le.PutUint32(b[atSchema:], uint32(len(b)+schema-atSchema))
	return append(b, message...)
}

// Size implements [columns.Source].
func (f *footed) Size() int64 { return f.Source.Size() + int64(len(f.tail)) }

// ReadAt implements io.ReaderAt.
func (f *footed) ReadAt(p []byte, offset int64) (n int, err error) {
	size := f.Source.Size()
	if offset < size {
		own := p[:min(int64(len(p)), size-offset)]
		if err := columns.ReadFull(f.Source, own, offset); err != nil {
			return 0, err
		}
		n, offset = len(own), size
	}
	n += copy(p[n:], f.tail[min(offset-size, int64(len(f.tail))):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
