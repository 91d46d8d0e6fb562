package arrow

import (
	"encoding/binary"
	"fmt"
	"io"
	"sort"

	"github.com/beameval/beameval/io/columns"
)

// pieces is a file made of pieces of a source and of other bytes. A stream followed by a footer that
// lists its messages is an Arrow file, except for its first bytes, so that one reader reads both.
type pieces struct {
	columns.Source
	list []piece
	size int64
}

// piece is some bytes of a file.
type piece struct {
	at, size int64  // in the file
	data     []byte // the bytes; nil if they are those of the source, beginning with from
	from     int64
}

// wholeOf returns the pieces of a file that is a source.
func wholeOf(src columns.Source) *pieces {
	p := &pieces{Source: src}
	p.add(piece{size: src.Size()})
	return p
}

// add adds a piece at the end.
func (p *pieces) add(next piece) {
	next.at = p.size
	p.list = append(p.list, next)
	p.size += next.size
}

// addBytes appends bytes that are not in the source.
func (p *pieces) addBytes(data []byte) { p.add(piece{data: data, size: int64(len(data))}) }

// pad adds zeros until the size is a multiple of n.
func (p *pieces) pad(n int64) {
	if rest := p.size % n; rest > 0 {
		p.addBytes(make([]byte, n-rest))
	}
}

// Size implements [columns.Source].
func (p *pieces) Size() int64 { return p.size }

// ReadAt implements io.ReaderAt.
func (p *pieces) ReadAt(b []byte, offset int64) (n int, err error) {
	for len(b) > n && offset < p.size {
		i := sort.Search(len(p.list), func(i int) bool { return p.list[i].at > offset }) - 1
		in := offset - p.list[i].at
		part := b[n:][:min(int64(len(b)-n), p.list[i].size-in)]
		if p.list[i].data != nil {
			copy(part, p.list[i].data[in:])
		} else if err := columns.ReadFull(p.Source, part, p.list[i].from+in); err != nil {
			return n, err
		}
		n, offset = n+len(part), offset+int64(len(part))
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// asFile returns the messages of a stream as a file with a footer. The schema is in the first
// message.
func (s *stream) asFile(src columns.Source) (*pieces, error) {
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
	return s.withFooter(src, message.GetInt16Slot(slot(messageVersion), 0), metadata, int(schema.Pos))
}

// withFooter returns a source followed by a footer that lists the messages, and by what the messages
// of Arrow 0.17 become. The schema is at a position of a flatbuffer.
func (s *stream) withFooter(src columns.Source, version int16, flatbuffer []byte, schema int) (*pieces, error) {
	p, listed := wholeOf(src), *s
	for _, list := range []*[]block{&listed.dictionaries, &listed.batches} {
		*list = append([]block(nil), *list...)
		if err := p.modernise(src, *list); err != nil {
			return nil, err
		}
	}
	tail := listed.footer(version, flatbuffer, schema)
	tail = append(binary.LittleEndian.AppendUint32(tail, uint32(len(tail))), magic...)
	p.addBytes(tail)
	return p, nil
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
