package tabular

import (
	"sync"

	"github.com/klauspost/compress/zstd"
	parquetzstd "github.com/parquet-go/parquet-go/compress/zstd"
)

// pageCodec is the library's codec, except that it takes only as much memory as the pages of this
// package need: the library's own compressor takes 8 MB for each file that is being written. The
// output is the same.
type pageCodec struct {
	parquetzstd.Codec
	compressors sync.Pool // holds *zstd.Encoder
}

// pageWindow is larger than a page full of numbers.
const pageWindow = 512 << 10

// Encode compresses a page.
func (c *pageCodec) Encode(dst, src []byte) ([]byte, error) {
	z, ok := c.compressors.Get().(*zstd.Encoder)
	if !ok {
		var err error
		z, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false), zstd.WithWindowSize(pageWindow))
		if err != nil {
			return nil, err
		}
	}
	defer c.compressors.Put(z)
	return z.EncodeAll(src, dst[:0]), nil
}
