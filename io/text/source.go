package text

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/beameval/beameval/io/columns"
)

// compression is the compression of a file, which is detected by its first bytes.
type compression int

const (
	plain compression = iota
	gzipped
	zstandard
)

func (c compression) String() string { return []string{"plain", "gzip", "zstd"}[c] }

func compressionOf(src columns.Source) (compression, error) {
	head := make([]byte, 4)
	n, err := src.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return plain, err
	}
	switch head = head[:n]; {
	case n >= 2 && head[0] == 0x1f && head[1] == 0x8b:
		return gzipped, nil
	case n == 4 && (string(head) == "\x28\xb5\x2f\xfd" || head[0]&0xf0 == 0x50 && string(head[1:]) == "\x2a\x4d\x18"): // the latter may be skipped
		return zstandard, nil
	}
	if other := columns.OtherFormat(head); other != "" {
		return plain, errors.New(other)
	}
	return plain, nil
}

// maxWindow limits the memory of a zstd stream. It suffices for everything that zstd --ultra
// writes; only --long=28 and above need more.
const maxWindow = 128 << 20

// stream returns the decompressed text of src. The caller closes it.
func (c compression) stream(src io.Reader) (io.ReadCloser, error) {
	switch c {
	case gzipped:
		z := &members{in: bufio.NewReader(src)}
		if err := z.begin(); err != nil {
			return nil, c.damaged(err)
		}
		return io.NopCloser(decompressor{c, z}), nil
	case zstandard:
		z, err := zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, c.damaged(err)
		}
		return struct {
			io.Reader
			io.Closer
		}{decompressor{c, z}, z.IOReadCloser()}, nil
	}
	return io.NopCloser(src), nil
}

// members reads the members of a gzip stream. Zeros between and after them are padding, as on tapes.
type members struct {
	in *bufio.Reader
	gzip.Reader
	met bool
}

// begin begins the next member.
func (m *members) begin() error {
	err := m.Reset(m.in)
	m.Multistream(false)
	if m.met && (errors.Is(err, gzip.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF)) {
		return errors.New("bytes that are no gzip follow the stream: write the file again, or cut them off (gzip -dc FILE | gzip)")
	}
	m.met = true
	return err
}

// Read implements io.Reader.
func (m *members) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	if err != io.EOF {
		return n, err
	}
	for {
		b, err := m.in.ReadByte()
		if err != nil {
			return n, err
		}
		if b != 0 {
			break
		}
	}
	if err := m.in.UnreadByte(); err != nil {
		return n, err
	}
	return n, m.begin()
}

// decompressor explains errors of decompression.
type decompressor struct {
	compression
	io.Reader
}

func (d decompressor) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = d.damaged(err)
	}
	return n, err
}

func (c compression) damaged(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fmt.Errorf("the %s stream ends early: the file is cut; write or copy it again", c)
	}
	if errors.Is(err, zstd.ErrMagicMismatch) { // the first frame has been there
		return fmt.Errorf("decompressing %s: bytes that are no zstd follow the stream: write the file again, or cut them off (zstd -dc FILE | zstd)", c)
	}
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return fmt.Errorf("decompressing %s: its window is larger than %d MiB: compress it with --long=27 at most, or without --long", c, maxWindow>>20)
	}
	return fmt.Errorf("decompressing %s: %w", c, err)
}
