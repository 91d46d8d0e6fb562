package parts

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// Reader reads a file: first Head, then Each.
type Reader struct {
	// Table and Run receive the scores that are kept, during Each; nil if nobody wants them.
	Table, Run func([]byte) error

	name   string
	file   io.ReaderAt
	size   int64
	at     int64
	sum    uint32
	blocks int

	left   []byte // of the block
	last   []byte // the key of the last slice
	slices uint64
	close  func() error
}

// Open opens a version of a file, and reads its head.
func Open(ctx context.Context, name string, v files.Version) (*Reader, *Head, error) {
	f, err := files.OpenWhole(ctx, name, v)
	if err != nil {
		return nil, nil, err
	}
	r, err := NewReader(f, f.Size(), name)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	r.close = f.Close
	head, err := r.Head()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return r, head, nil
}

// NewReader returns a Reader of a file of the given size. The name is for messages.
func NewReader(f io.ReaderAt, size int64, name string) (*Reader, error) {
	r := &Reader{name: name, file: f, size: size, close: func() error { return nil }}
	start, err := r.take(int64(len(magic)) + 1)
	switch {
	case errors.Is(err, errShort) || err == nil && string(start[:len(magic)]) != magic:
		return nil, fmt.Errorf("%s is no file of statistics: beameval writes statistics.bin with output.statistics", quote.Line(name))
	case err != nil:
		return nil, err
	case start[len(magic)] != Version:
		return nil, fmt.Errorf("%s has version %d, and this program reads version %d: use a newer beameval", quote.Line(name), start[len(magic)], Version)
	}
	r.sum = crc32.Checksum(start, castagnoli)
	return r, nil
}

// Close closes the file.
func (r *Reader) Close() error { return r.close() }

// damaged returns the error for a file that differs from what was written.
func (r *Reader) damaged(format string, args ...any) error {
	return fmt.Errorf("%s is damaged: %s; evaluate the predictions again, or take another copy of the file", quote.Line(r.name), fmt.Sprintf(format, args...))
}

// errShort says that the file ends too early.
var errShort = errors.New("the file ends too early")

// take returns the next n bytes.
func (r *Reader) take(n int64) ([]byte, error) {
	if n > r.size-r.at {
		return nil, errShort
	}
	data := make([]byte, n)
	if _, err := r.file.ReadAt(data, r.at); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	r.at += n
	return data, nil
}

// block returns the data of the next block, without its first byte, which must be kind.
func (r *Reader) block() (kind byte, raw []byte, err error) {
	r.blocks++
	start, err := r.take(8)
	if errors.Is(err, errShort) {
		return 0, nil, r.damaged("it ends after %d bytes, in block %d: it is truncated", r.size, r.blocks)
	}
	if err != nil {
		return 0, nil, err
	}
	data, err := r.take(int64(binary.LittleEndian.Uint32(start)))
	if errors.Is(err, errShort) {
		return 0, nil, r.damaged("it ends after %d bytes, in block %d: it is truncated", r.size, r.blocks)
	}
	if err != nil {
		return 0, nil, err
	}
	r.sum = crc32.Update(crc32.Update(r.sum, castagnoli, start[:4]), castagnoli, data)
	if r.sum != binary.LittleEndian.Uint32(start[4:]) {
		return 0, nil, r.damaged("block %d has another checksum than was written", r.blocks)
	}
	if raw, err = decompress(data); err != nil {
		return 0, nil, r.damaged("block %d: %v", r.blocks, err)
	}
	if len(raw) == 0 {
		return 0, nil, r.damaged("block %d is empty", r.blocks)
	}
	return raw[0], raw[1:], nil
}

// decompress decompresses the data of a block. Memory grows with what there is, not with what the data say of
// themselves.
func decompress(data []byte) ([]byte, error) {
	zip, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, err
	}
	defer zip.Close()
	var raw bytes.Buffer
	if _, err := io.Copy(&raw, io.LimitReader(zip, MostBlock+1)); err != nil {
		return nil, err
	}
	if raw.Len() > MostBlock {
		return nil, fmt.Errorf("it has more than %d bytes", MostBlock)
	}
	return raw.Bytes(), nil
}

// Head reads the head.
func (r *Reader) Head() (*Head, error) {
	kind, raw, err := r.block()
	if err != nil {
		return nil, err
	}
	if kind != headBlock {
		return nil, r.damaged("it has no head")
	}
	h := new(Head)
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(h); err != nil {
		return nil, fmt.Errorf("%s: its head: %w: use the version of beameval that wrote it, or a newer one", quote.Line(r.name), err)
	}
	if err := h.check(); err != nil {
		return nil, r.damaged("its head: %v", err)
	}
	return h, nil
}

// Each calls do with each slice, by their keys. The error of do gets the name of the file.
func (r *Reader) Each(do func(key []byte, p *shuffle.Partial) error) error {
	for {
		key, p, err := r.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := do(key, p); err != nil {
			return fmt.Errorf("%s: %w", quote.Line(r.name), err)
		}
	}
}

// next returns the next slice, and io.EOF after the last one, if the file is complete.
func (r *Reader) next() (key []byte, p *shuffle.Partial, err error) {
	for len(r.left) == 0 {
		kind, raw, err := r.block()
		switch {
		case err != nil:
			return nil, nil, err
		case kind == endBlock:
			return nil, nil, r.end(raw)
		case kind == idsBlock && r.slices == 0:
			continue
		case kind == tableBlock && r.Table != nil:
			err = r.Table(raw)
		case kind == runBlock && r.Run != nil:
			err = r.Run(raw)
		case kind != slicesBlock && kind != tableBlock && kind != runBlock:
			return nil, nil, r.damaged("block %d is of unknown kind %d", r.blocks, kind)
		}
		if err != nil {
			return nil, nil, r.damaged("block %d: %v", r.blocks, err)
		}
		if kind == slicesBlock {
			r.left = raw
		}
	}
	var e entry
	n, err := wire.DecodePart(r.left, &e, entryFields)
	if err != nil {
		return nil, nil, r.damaged("block %d: %v", r.blocks, err)
	}
	r.left = r.left[n:]
	if r.slices > 0 && bytes.Compare(e.key, r.last) <= 0 {
		return nil, nil, r.damaged("block %d: slices are not in order", r.blocks)
	}
	r.slices++
	r.last = append(r.last[:0], e.key...)
	return bytes.Clone(e.key), e.partial, nil
}

// end checks that nothing is missing, and returns io.EOF.
func (r *Reader) end(raw []byte) error {
	d := wire.NewDecoder(raw)
	switch n := d.Uint(); {
	case d.Err() != nil || d.Len() > 0 || n != r.slices:
		return r.damaged("it has %d slices, and had others when it was written", r.slices)
	case r.at < r.size:
		return r.damaged("%d bytes follow its end", r.size-r.at)
	}
	return io.EOF
}
