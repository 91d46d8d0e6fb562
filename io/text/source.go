package text

import (
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
	case n == 4 && string(head) == "\x28\xb5\x2f\xfd":
		return zstandard, nil
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
		z, err := gzip.NewReader(src)
		if err != nil {
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
	return fmt.Errorf("decompressing %s: %w", c, err)
}
