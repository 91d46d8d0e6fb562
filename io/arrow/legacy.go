package arrow

import (
	"encoding/binary"
	"fmt"
	"strings"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/beameval/beameval/io/columns"
)

// Arrow 0.17 compressed buffers as later versions do, but named the codec in the metadata of the
// message, because the format had no place for it yet. arrow-go does not look there and would take
// the compressed bytes for values. It is therefore shown such messages as later versions write them.

// legacyKey is the key of the codec in the metadata of a message.
const legacyKey = "ARROW:experimental_compression"

// version4 is the version of messages that Arrow 0.17 wrote.
const version4 = 3

// The codecs of the format, plus one; 0 means none.
const (
	legacyLZ4 = 1 + iota
	legacyZstd
)

// legacyCodec returns the codec that the metadata of a message names.
func legacyCodec(message, batch table) (codec int32, err error) {
	if _, known := batch.child(batchCompression); known || message.GetInt16Slot(slot(messageVersion), 0) != version4 {
		return 0, nil
	}
	start, n, err := message.vector(messageMetadata, 4)
	if err != nil {
		return 0, err
	}
	for i := range n {
		pair := message.element(start, i)
		if pair.text(0) != legacyKey {
			continue
		}
		switch name := pair.text(1); strings.ToLower(name) {
		case "uncompressed", "none":
			return 0, nil
		case "lz4", "lz4_frame":
			return legacyLZ4, nil
		case "zstd":
			return legacyZstd, nil
		default:
			return 0, fmt.Errorf("buffers are compressed with %.40q, which is not supported: write the file again", name)
		}
	}
	return 0, nil
}

// text returns the string in a field, or "".
func (t table) text(field int) string {
	at := flatbuffers.UOffsetT(t.Offset(slot(field)))
	if at == 0 {
		return ""
	}
	return string(t.ByteVector(at + t.Pos))
}

// modern returns a message, prefix included, that says in the place of later versions how its body
// is compressed. Its size is a multiple of 8.
func modern(message table, codec int32) ([]byte, error) {
	b := flatbuffers.NewBuilder(1024)
	kind := message.GetByteSlot(slot(messageKind), 0)
	header, _ := message.child(messageHeader)
	batch := header
	if kind == kindDictionary {
		batch, _ = header.child(dictionaryData)
	}
	content, err := addBatch(b, batch, codec)
	if err != nil {
		return nil, err
	}
	if kind == kindDictionary {
		b.StartObject(dictionaryDelta + 1)
		b.PrependInt64Slot(dictionaryID, header.GetInt64Slot(slot(dictionaryID), 0), 0)
		b.PrependUOffsetTSlot(dictionaryData, content, 0)
		b.PrependBoolSlot(dictionaryDelta, header.GetBoolSlot(slot(dictionaryDelta), false), false)
		content = b.EndObject()
	}
	return finish(b, message, kind, content), nil
}

// addBatch adds a copy of a record batch to a flatbuffer. If codec is not 0, its buffers are compressed by
// that.
func addBatch(b *flatbuffers.Builder, batch table, codec int32) (flatbuffers.UOffsetT, error) {
	var lists [batchVariadic + 1]flatbuffers.UOffsetT
	for _, list := range []struct{ field, size int }{{batchNodes, 16}, {batchBuffers, 16}, {batchVariadic, 8}} {
		start, n, err := batch.vector(list.field, list.size)
		if err != nil {
			return 0, err
		}
		if n == 0 && list.field == batchVariadic {
			continue
		}
		b.StartVector(list.size, n, 8)
		for at := start + list.size*n - 8; at >= start; at -= 8 {
			b.PrependUint64(binary.LittleEndian.Uint64(batch.Bytes[at:]))
		}
		lists[list.field] = b.EndVector(n)
	}
	of, compressed := batch.child(batchCompression)
	if codec == 0 && compressed {
		codec = 1 + int32(of.GetInt8Slot(slot(0), 0))
	}
	var compression flatbuffers.UOffsetT
	if codec != 0 {
		b.StartObject(2)
		b.PrependInt8Slot(0, int8(codec-1), 0)
		compression = b.EndObject()
	}
	b.StartObject(batchVariadic + 1)
	b.PrependInt64Slot(batchLength, batch.GetInt64Slot(slot(batchLength), 0), 0)
	for _, field := range []int{batchNodes, batchBuffers, batchVariadic} {
		b.PrependUOffsetTSlot(field, lists[field], 0)
	}
	b.PrependUOffsetTSlot(batchCompression, compression, 0)
	return b.EndObject(), nil
}

// finish returns the message of a flatbuffer, prefix included, with content as its header and otherwise
// what another one says.
func finish(b *flatbuffers.Builder, like table, kind byte, content flatbuffers.UOffsetT) []byte {
	b.StartObject(messageBody + 1)
	b.PrependInt16Slot(messageVersion, like.GetInt16Slot(slot(messageVersion), 0), 0)
	b.PrependByteSlot(messageKind, kind, 0)
	b.PrependUOffsetTSlot(messageHeader, content, 0)
	b.PrependInt64Slot(messageBody, like.GetInt64Slot(slot(messageBody), 0), 0)
	b.Finish(b.EndObject())
	metadata := b.FinishedBytes()
	size := (len(metadata) + 7) / 8 * 8
	out := binary.LittleEndian.AppendUint32([]byte(marker), uint32(size))
	return append(append(out, metadata...), make([]byte, size-len(metadata))...)
}

// modernise moves the messages of blocks that name their codec in the old way behind the bytes of
// p, with metadata that name it in the new way.
func (p *pieces) modernise(src columns.Source, blocks []block) error {
	for i := range blocks {
		b := &blocks[i]
		if b.codec == 0 {
			continue
		}
		if left := src.Size() - b.offset - int64(b.meta); b.body < 0 || b.body > left {
			return fmt.Errorf("truncated or corrupt: a message has a body of %d bytes, but %d are left", b.body, left)
		}
		message, err := readBlock(src, b)
		if err != nil {
			return err
		}
		metadata, err := modern(message, b.codec)
		if err != nil {
			return err
		}
		body := b.offset + int64(b.meta)
		p.pad(8)
		b.offset, b.meta = p.size, int32(len(metadata))
		p.addBytes(metadata)
		p.add(piece{from: body, size: b.body})
	}
	return nil
}
