package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// This package calls the libraries below parquet-go directly. The codecs of parquet-go
// decompress to the end, however far beyond the size in the page header, and its LZ4 codec
// never ends on some damaged bytes.

// decoder decompresses src to size bytes, or to a few more if src holds more. It may use
// the memory of dst. How much it allocates depends on the bytes that come out, not on size,
// which a damaged page header may overstate.
type decoder func(dst, src []byte, size int) ([]byte, error)

// decoders holds the decoder of each codec that can be read.
var decoders = map[format.CompressionCodec]decoder{
	format.Uncompressed: func(_, src []byte, _ int) ([]byte, error) { return src, nil },
	format.Snappy:       decodeSnappy,
	format.Gzip:         streams(func() stream { return new(gzip.Reader) }),
	format.Brotli:       streams(func() stream { return new(brotli.Reader) }),
	format.Zstd:         decodeZstd,
	format.Lz4Raw:       decodeLZ4,
}

// decompress decompresses src, which must become exactly size bytes.
func decompress(codec format.CompressionCodec, dst, src []byte, size int) (_ []byte, err error) {
	decode, known := decoders[codec]
	switch {
	case !known:
		return nil, unknownCodec(codec)
	case size > 0 || codec == format.Uncompressed:
		dst, err = decode(dst, src, size)
	default:
		dst = dst[:0]
	}
	switch {
	case err == nil && len(dst) > size:
		err = fmt.Errorf("more than the %d bytes that its header says", size)
	case err == nil && len(dst) < size:
		err = fmt.Errorf("%d bytes instead of %d", len(dst), size)
	}
	if err != nil {
		return nil, fmt.Errorf("decompressing a page (%s): %w", codec, err)
	}
	return dst, nil
}

func unknownCodec(codec format.CompressionCodec) error {
	return fmt.Errorf("the column is compressed with %s (%d), which is not supported: write the file again with another codec, such as zstd", codec, codec)
}

// eager is how many bytes are allocated before the size in a page header is proved true.
const eager = 16 << 20

// room returns how many bytes to allocate at first for a page of this size.
func room(src []byte, size int) int { return min(size, max(eager, 32*len(src))) }

// decodeSnappy checks the length in src first, because the decoder allocates that much.
func decodeSnappy(dst, src []byte, size int) ([]byte, error) {
	const most = 22 // bytes that one byte can become
	if n, _ := binary.Uvarint(src); n != uint64(size) || size > most*len(src) {
		return nil, fmt.Errorf("%d bytes cannot become %d", len(src), size)
	}
	return snappy.Decode(slices.Grow(dst[:0], size)[:size], src)
}

func decodeLZ4(dst, src []byte, size int) ([]byte, error) {
	const most = 255 // bytes that one byte can become
	if size > most*len(src) {
		return nil, fmt.Errorf("%d bytes cannot become %d", len(src), size)
	}
	return grow(dst, src, size, func(dst []byte) ([]byte, error) {
		n, err := lz4.UncompressBlock(src, dst)
		return dst[:max(n, 0)], err
	})
}

// sharedZstd has no state between pages.
var sharedZstd = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true))
})

func decodeZstd(dst, src []byte, size int) ([]byte, error) {
	z, err := sharedZstd()
	if err != nil {
		return nil, err
	}
	return grow(dst, src, size, func(dst []byte) ([]byte, error) { return z.DecodeAll(src, dst[:0]) })
}

// grow decodes into more and more memory until that is enough: the decoder has one error
// for too little memory and for damage. It gives dst some capacity beyond its length, because
// zstd is slow without it.
func grow(dst, src []byte, size int, decode func(dst []byte) ([]byte, error)) ([]byte, error) {
	for n := room(src, size); ; n = min(2*n, size) {
		const spare = 64
		dst = slices.Grow(dst[:0], n+spare)
		out, err := decode(dst[: n : n+spare])
		if err == nil || n == size {
			return out, err
		}
	}
}

// stream decompresses through a reader. The zero values of the readers of gzip and Brotli
// can be reset.
type stream interface {
	io.Reader
	Reset(io.Reader) error
}

// streams keeps the readers of a codec for further pages: their tables are large.
func streams(newStream func() stream) decoder {
	type reader struct {
		src bytes.Reader
		stream
	}
	pool := sync.Pool{New: func() any { return &reader{stream: newStream()} }}
	return func(dst, src []byte, size int) ([]byte, error) {
		r := pool.Get().(*reader)
		r.src.Reset(src)
		if err := r.Reset(&r.src); err != nil {
			return nil, noEOF(err)
		}
		dst, err := fill(dst, r, size, room(src, size))
		if err == nil && len(dst) <= size { // the reader is at its end, so it can be used again
			r.src.Reset(nil)
			pool.Put(r)
		}
		return dst, err
	}
}

// fill reads to the end, or one byte more than size.
func fill(dst []byte, r io.Reader, size, room int) ([]byte, error) {
	dst = slices.Grow(dst[:0], room+1)
	for len(dst) <= size {
		n, err := r.Read(dst[len(dst):min(cap(dst), size+1)])
		dst = dst[:len(dst)+n]
		switch {
		case err == io.EOF:
			return dst, nil
		case err != nil:
			return dst, err
		case len(dst) == cap(dst):
			dst = slices.Grow(dst, min(len(dst), size+1-len(dst)))
		}
	}
	return dst, nil
}
