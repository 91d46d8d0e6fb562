package parts

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// Writer writes a file: first Head, then ID for each example if they are kept, then Slice for each slice in the order of the keys, then Scores if they are kept, then End. After an
// error, it writes nothing; End returns it.
type Writer struct {
	to     io.Writer
	zip    *zstd.Encoder
	sum    uint32
	raw    []byte
	ids    []shuffle.MetID
	last   []byte // the key of the last slice
	slices uint64
	err    error
}

// NewWriter returns a Writer.
func NewWriter(to io.Writer) *Writer {
	w := &Writer{to: to}
	w.zip, w.err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithWindowSize(window))
	w.put(append([]byte(magic), Version))
	return w
}

// window is how far back compression looks; a reader takes as much memory.
const window = 1 << 20

func (w *Writer) put(data []byte) {
	w.sum = crc32.Update(w.sum, castagnoli, data)
	w.write(data)
}

func (w *Writer) write(data []byte) {
	if w.err == nil {
		_, w.err = w.to.Write(data)
	}
}

// block writes a block, if it has any data.
func (w *Writer) block(raw []byte) {
	if w.err != nil {
		return
	}
	if len(raw) > MostBlock {
		w.err = fmt.Errorf("the statistics of a slice, with key %q, take %d bytes, and may take %d", w.last, len(raw), MostBlock)
		return
	}
	data := w.zip.EncodeAll(raw, nil)
	length := binary.LittleEndian.AppendUint32(nil, uint32(len(data)))
	w.sum = crc32.Update(crc32.Update(w.sum, castagnoli, length), castagnoli, data)
	w.write(binary.LittleEndian.AppendUint32(length, w.sum))
	w.write(data)
}

// Head writes the head.
func (w *Writer) Head(h *Head) {
	data, err := json.Marshal(h)
	w.err = cmp.Or(w.err, err)
	w.block(append([]byte{headBlock}, data...))
}

// Slice writes a slice.
func (w *Writer) Slice(key []byte, p *shuffle.Partial) {
	w.flushIDs()
	if w.slices > 0 && bytes.Compare(key, w.last) <= 0 {
		w.err = cmp.Or(w.err, fmt.Errorf("slice %q is written after %q", key, w.last))
	}
	w.last = append(w.last[:0], key...)
	w.slices++
	if len(w.raw) == 0 {
		w.raw = append(w.raw, slicesBlock)
	}
	e := entry{key, p}
	raw, err := wire.Append(w.raw, &e, entryFields)
	w.raw, w.err = raw, cmp.Or(w.err, err)
	if len(w.raw) >= fullBlock {
		w.flush()
	}
}

func (w *Writer) flush() {
	if len(w.raw) > 0 {
		w.block(w.raw)
	}
	w.raw = w.raw[:0]
}

// Scores writes scores that are kept, after all slices.
func (w *Writer) Scores(k *ranges.Kept) {
	w.flush()
	w.block(append([]byte{tableBlock}, k.Table...))
	for _, run := range k.Runs {
		w.block(append([]byte{runBlock}, run...))
	}
}

// End writes the end, and returns the first error.
func (w *Writer) End() error {
	w.flushIDs()
	w.flush()
	w.block(wire.AppendUint([]byte{endBlock}, w.slices))
	return w.err
}

// entry is a slice in a block.
type entry struct {
	key     []byte
	partial *shuffle.Partial
}

func entryFields(c *wire.Coder, e *entry) {
	c.Bytes(&e.key)
	if c.Reading() {
		made := shuffle.NewPartial()
		e.partial = &made
	}
	c.Embed(func(dst []byte) ([]byte, error) { return wire.Append(dst, e.partial, shuffle.KeptFields) },
		func(data []byte) error { return wire.Decode(data, e.partial, shuffle.KeptFields) })
}
