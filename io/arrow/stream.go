package arrow

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/columns"
)

// marker begins every message of a stream, and therefore the stream. The length of the metadata
// follows it; a length of 0 ends the stream.
const marker = "\xff\xff\xff\xff"

// prefix is the size of the marker and the length.
const prefix = 8

// block is the place of a message, as a footer lists it.
type block struct {
	offset int64
	meta   int32 // size of the prefix and the metadata
	body   int64
	rows   int64 // of a record batch
	codec  int32 // of a message of Arrow 0.17, see legacy.go
}

// end returns the position behind the message.
func (b *block) end() int64 { return b.offset + int64(b.meta) + b.body }

// stream is the places of the messages of a stream, which it does not list itself. It is the plan
// of a [columns.Planned].
type stream struct {
	schema       block
	dictionaries []block
	first        int // number of the first record batch in batches
	batches      []block
}

// findMessages finds the messages of a stream and checks their metadata, without reading their
// bodies.
func findMessages(src columns.Source) (*stream, error) {
	s := new(stream)
	met := make(map[int64]bool) // ids of dictionaries
	at := int64(0)
	for n := 0; ; n++ {
		metadata, err := readMessage(src, at, n)
		if err != nil {
			return nil, err
		}
		if metadata == nil {
			break
		}
		b := block{offset: at, meta: int32(prefix + len(metadata))}
		m := rootOf(metadata)
		b.body = m.GetInt64Slot(slot(messageBody), 0)
		if left := src.Size() - at - int64(b.meta); b.body < 0 || b.body > left {
			return nil, fmt.Errorf("truncated or corrupt: message %d has a body of %d bytes, but %d are left", n, b.body, left)
		}
		if kind := m.GetByteSlot(slot(messageKind), 0); (n == 0) != (kind == kindSchema) {
			return nil, fmt.Errorf("corrupt: message %d is of kind %d: a stream has one schema, which is its first message", n, kind)
		}
		if err := s.add(b, m, met); err != nil {
			return nil, fmt.Errorf("message %d: %w", n, err)
		}
		at = b.end()
	}
	if at == 0 {
		return nil, errors.New("corrupt: the stream has no schema")
	}
	if left := src.Size() - at - prefix; left > 0 {
		return nil, fmt.Errorf("%d bytes follow the end of the stream: write a file for each stream", left)
	}
	return s, nil
}

// add adds a message after checking its metadata.
func (s *stream) add(b block, m table, met map[int64]bool) (err error) {
	switch kind := m.GetByteSlot(slot(messageKind), 0); kind {
	case kindSchema:
		s.schema = b
	case kindDictionary:
		header, _ := m.child(messageHeader)
		if err = b.fill(m, kind); err != nil {
			return err
		}
		id := header.GetInt64Slot(slot(dictionaryID), 0)
		if met[id] && !header.GetBoolSlot(slot(dictionaryDelta), false) {
			return errors.New("a dictionary replaces an earlier one, which is not supported: write the column with a single dictionary (unify_dictionaries in pyarrow) or without")
		}
		met[id] = true
		s.dictionaries = append(s.dictionaries, b)
	default:
		if err = b.fill(m, kindRecordBatch); err != nil {
			return err
		}
		s.batches = append(s.batches, b)
	}
	return nil
}

// readMessage reads the metadata of a message, or nil at the end of the stream. n is the number of
// the message.
func readMessage(src columns.Source, at int64, n int) ([]byte, error) {
	left := src.Size() - at
	if left == 0 {
		return nil, errors.New("truncated: the stream has no end marker: close the writer when all rows are written")
	}
	head := make([]byte, min(left, prefix))
	if err := columns.ReadFull(src, head, at); err != nil {
		return nil, fmt.Errorf("reading message %d: %w", n, err)
	}
	if len(head) < prefix {
		return nil, fmt.Errorf("truncated: the stream ends inside message %d", n)
	}
	if string(head[:len(marker)]) != marker {
		return nil, fmt.Errorf("corrupt: message %d, at %d, begins with %q", n, at, head[:len(marker)])
	}
	length := int64(binary.LittleEndian.Uint32(head[len(marker):]))
	switch left -= prefix; {
	case length == 0:
		return nil, nil
	case length < 8 || length > math.MaxInt32:
		return nil, fmt.Errorf("corrupt: message %d has metadata of %d bytes", n, length)
	case length > left:
		return nil, fmt.Errorf("truncated or corrupt: message %d has metadata of %d bytes, but %d are left", n, length, left)
	case length > maxMessage:
		return nil, tooLong(n, length)
	}
	metadata := make([]byte, length)
	if err := columns.ReadFull(src, metadata, at+prefix); err != nil {
		return nil, fmt.Errorf("reading message %d: %w", n, err)
	}
	return metadata, nil
}

// rows returns the number of rows of each record batch. Batches before the first have none.
func (s *stream) rows() []int64 {
	rows := make([]int64, s.first+len(s.batches))
	for i, b := range s.batches {
		rows[s.first+i] = b.rows
	}
	return rows
}

// part returns the stream with some of its batches.
func (s *stream) part(first, n int) *stream {
	p := *s
	p.first, p.batches = first, s.batches[first-s.first:][:n]
	return &p
}

// streamFields encodes and decodes a stream. Offsets are stored as differences from the end of the
// previous message.
func streamFields(c *wire.Coder, s *stream) {
	end := int64(0)
	fields := func(c *wire.Coder, b *block) {
		skipped := b.offset - end
		wire.Int(c, &skipped)
		wire.Int(c, &b.meta)
		wire.Int(c, &b.body)
		wire.Int(c, &b.rows)
		wire.Int(c, &b.codec)
		b.offset = end + skipped
		end = b.end()
	}
	fields(c, &s.schema)
	wire.List(c, &s.dictionaries, fields)
	wire.Int(c, &s.first)
	wire.List(c, &s.batches, fields)
}

// decodePlan returns the stream that a plan describes, after checking that it may belong to a file
// of this size.
func decodePlan(plan []byte, size int64) (*stream, error) {
	s := new(stream)
	if err := wire.Decode(plan, s, streamFields); err != nil || s.first < 0 || s.first > math.MaxInt32 {
		return nil, errPlan
	}
	for _, list := range [][]block{{s.schema}, s.dictionaries, s.batches} {
		for _, b := range list {
			if b.offset < 0 || b.meta < prefix+8 || b.meta > prefix+maxMessage || b.body < 0 || b.rows < 0 || b.codec < 0 || b.codec > legacyZstd ||
				b.offset > size-int64(b.meta) || b.body > size-int64(b.meta)-b.offset {
				return nil, errPlan
			}
		}
	}
	return s, nil
}

var errPlan = errors.New("the plan of the file is damaged")
