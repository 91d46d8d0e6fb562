package tabular

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	parquetzstd "github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/stretchr/testify/require"
)

// TestPageCodecWritesWhatTheLibraryWrites: the output is equal for pages of any size up to the
// window.
func TestPageCodecWritesWhatTheLibraryWrites(t *testing.T) {
	var page []byte
	for i := 0; len(page) < pageWindow; i++ {
		page = binary.LittleEndian.AppendUint64(page, math.Float64bits(math.Sqrt(float64(i/3%5000))))
	}
	mine, library := new(pageCodec), &parquetzstd.Codec{Level: parquetzstd.SpeedFastest}
	for _, size := range []int{0, 1, 100, 1 << 10, 127 << 10, 128 << 10, 129 << 10, 256 << 10, pageWindow} {
		want, err := library.Encode(nil, page[:size])
		require.NoError(t, err)
		got, err := mine.Encode(nil, page[:size])
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got), size)
		back, err := mine.Decode(nil, got)
		require.NoError(t, err)
		require.True(t, bytes.Equal(page[:size], back), size)
	}
}
