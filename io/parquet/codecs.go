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

// The codecs are called directly, not through parquet-go, because pages may be damaged. The codecs
// of parquet-go decompress to the end of the stream even if it is far larger than the page header
// claims, and its LZ4 codec loops forever on some damaged input.

// decoder decompresses src to size bytes, or to slightly more if src holds more. It may reuse the
// memory of dst. It allocates in proportion to its output, not to size, because a damaged page
// header may overstate the size.
type decoder func(dst, src []byte, size int) ([]byte, error)

// decoders maps each supported codec to its decoder.
var decoders = map[format.CompressionCodec]decoder{
	format.Uncompressed: func(_, src []byte, _ int) ([]byte, error) { return src, nil },
	format.Snappy:       decodeSnappy,
	format.Gzip:         streams(func() stream { return new(gzip.Reader) }),
	format.Brotli:       streams(func() stream { return new(brotli.Reader) }),
	format.Zstd:         decodeZstd,
	format.Lz4Raw:       decodeLZ4,
}

// decompress decompresses src and returns an error unless the result has exactly size bytes.
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

// eager is the largest allocation that is made on the word of a page header alone.
const eager = 16 << 20

// room returns the size of the first allocation for a page of size bytes.
func room(src []byte, size int) int { return min(size, max(eager, 32*len(src))) }

// decodeSnappy checks the length stored in src first, because the library allocates that much.
func decodeSnappy(dst, src []byte, size int) ([]byte, error) {
	const most = 22 // the highest compression ratio of Snappy
	if n, _ := binary.Uvarint(src); n != uint64(size) || size > most*len(src) {
		return nil, fmt.Errorf("%d bytes cannot become %d", len(src), size)
	}
	return snappy.Decode(slices.Grow(dst[:0], size)[:size], src)
}

func decodeLZ4(dst, src []byte, size int) ([]byte, error) {
	const most = 255 // the highest compression ratio of LZ4
	if size > most*len(src) {
		return nil, fmt.Errorf("%d bytes cannot become %d", len(src), size)
	}
	return grow(dst, src, size, func(dst []byte) ([]byte, error) {
		n, err := lz4.UncompressBlock(src, dst)
		return dst[:max(n, 0)], err
	})
}

// sharedZstd is shared by all goroutines: DecodeAll keeps no state between calls.
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

// grow doubles the output buffer until decode succeeds or the buffer holds size bytes, because the
// decoders return the same error for a short buffer and for damaged input. The buffer has some
// capacity beyond its length, because zstd is slow without it.
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

// stream is a decompressor that reads from an io.Reader. The zero values of the gzip and Brotli
// readers accept Reset.
type stream interface {
	io.Reader
	Reset(io.Reader) error
}

// streams returns a decoder that pools its readers, because their tables are large.
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
		if err == nil && len(dst) <= size { // the reader reached its end, so it can be reused
			r.src.Reset(nil)
			pool.Put(r)
		}
		return dst, err
	}
}

// fill reads src to its end, but at most size+1 bytes, so that the caller can detect a surplus.
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
