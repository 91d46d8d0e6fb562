package parquet

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/heap"
	"github.com/beameval/beameval/io/columns"
)

// encoders compress what they are given.
var encoders = map[format.CompressionCodec]func(t testing.TB, data []byte) []byte{
	format.Uncompressed: func(_ testing.TB, data []byte) []byte { return data },
	format.Snappy:       func(_ testing.TB, data []byte) []byte { return snappy.Encode(nil, data) },
	format.Gzip:         streamed(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }),
	format.Brotli:       streamed(func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) }),
	format.Zstd: streamed(func(w io.Writer) io.WriteCloser {
		z, err := zstd.NewWriter(w) // which does not say how long the content is
		if err != nil {
			panic(err)
		}
		return z
	}),
	format.Lz4Raw: func(t testing.TB, data []byte) []byte {
		dst := make([]byte, lz4.CompressBlockBound(len(data)))
		n, err := lz4.CompressBlock(data, dst, nil)
		require.NoError(t, err)
		return dst[:n]
	},
}

func streamed(newWriter func(io.Writer) io.WriteCloser) func(testing.TB, []byte) []byte {
	return func(t testing.TB, data []byte) []byte {
		var b bytes.Buffer
		w := newWriter(&b)
		_, err := w.Write(data)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return b.Bytes()
	}
}

func TestDecompress(t *testing.T) {
	var plain bytes.Buffer
	for i := 0; plain.Len() <= eager; i++ {
		fmt.Fprintf(&plain, "%d,", i*i%977)
	}
	data := plain.Bytes()
	require.Greater(t, len(data), eager)
	for codec, encode := range encoders {
		t.Run(codec.String(), func(t *testing.T) {
			t.Parallel()
			for _, n := range []int{1, 100, 100_000, eager - 1, eager, eager + 1} {
				src := encode(t, data[:n])
				buffers := [][]byte{nil, make([]byte, 0, 1000), make([]byte, n+100)}
				for i, dst := range buffers {
					got, err := decompress(codec, dst, src, n)
					require.NoError(t, err, "%d bytes", n)
					require.True(t, bytes.Equal(data[:n], got), "%d bytes", n)
					if wrong := []int{n + 1, n - 1, n / 3}[i]; wrong > 0 {
						_, err := decompress(codec, dst, src, wrong)
						require.Error(t, err, "%d bytes, said to be %d", n, wrong)
					}
				}
				_, err := decompress(codec, nil, src, 2*n)
				require.Error(t, err, "%d bytes, said to be twice as many", n)
			}
		})
	}
}

// TestBombs: small pages that become large, or claim to. Memory is bounded by the limit, not by
// what the bytes could become.
func TestBombs(t *testing.T) {
	const size = 100 << 20
	bomb := bytes.Repeat([]byte{1, 0, 0, 0, 'a', 0, 0, 0}, size/8)
	text := []format.SchemaElement{leafOf("v", format.ByteArray, format.Required)}
	for codec, encode := range encoders {
		if codec == format.Uncompressed {
			continue
		}
		body := encode(t, bomb)
		file := func(schema []format.SchemaElement, says, values int) memory {
			p := dataPage(values, format.Plain, body)
			p.UncompressedPageSize = int32(says)
			return build(t, schema, testGroup{rows: int64(values), chunks: []testChunk{{codec: codec, pages: []testPage{p}}}})
		}
		for name, test := range map[string]struct {
			file  memory
			limit int64
			want  string
		}{
			"more than it says":       {file(text, 1000, 100), size, "decompressing a page (" + codec.String() + "): "},
			"more than its values":    {file(requiredInt64("v"), size, 100), size, "corrupt page header: 104857600 bytes are too many for 100 values"},
			"more than the limit":     {file(text, size, 100), 64 << 20, "a page of 104857600 bytes is larger than the limit of 67108864 bytes"},
			"many values":             {file(requiredInt64("v"), 1000, size/8), 64 << 20, "a page of 13107200 values, of 8 bytes each, is larger than the limit of 67108864 bytes"},
			"a dictionary of its own": {dictionaryBomb(t, codec, body, size), size, "reading the dictionary: corrupt page header: 104857600 bytes are too many for 2 values"},
		} {
			t.Run(codec.String()+" "+name, func(t *testing.T) {
				f, err := Open(test.file, columns.Options{MaxPage: test.limit})
				require.NoError(t, err)
				require.Less(t, heap.Allocated(func() { _, err = readAll(t, f, 1000, "v") }), uint64(32<<20)) // the race detector allocates some
				require.ErrorContains(t, err, test.want)
			})
		}
	}
}

func dictionaryBomb(t testing.TB, codec format.CompressionCodec, body []byte, size int) memory {
	d := dictionaryPage(2, body)
	d.UncompressedPageSize = int32(size)
	indexes := encoders[codec](t, []byte{1, 6, 1})
	p := dataPage(3, format.RLEDictionary, indexes)
	p.UncompressedPageSize = 3
	return build(t, requiredInt64("v"), testGroup{rows: 3, chunks: []testChunk{{codec: codec, pages: []testPage{d, p}}}})
}

// FuzzDecompress: whatever the bytes are, the output is not larger than requested, and nothing
// panics.
func FuzzDecompress(f *testing.F) {
	for codec, encode := range encoders {
		f.Add(int32(codec), uint16(12), encode(f, []byte("abcabcabcabc")))
		f.Add(int32(codec), uint16(1000), encode(f, bytes.Repeat([]byte("x"), 60_000)))
	}
	f.Fuzz(func(t *testing.T, codec int32, size uint16, src []byte) {
		var got []byte
		var err error
		used := heap.Allocated(func() {
			defer columns.Contain(&err)
			got, err = decompress(format.CompressionCodec(codec), nil, src, int(size))
		})
		if err == nil {
			require.Len(t, got, int(size))
		}
		require.Less(t, used, uint64(40<<20))
	})
}

func BenchmarkDecompress(b *testing.B) {
	var plain bytes.Buffer
	for i := 0; plain.Len() < 1<<20; i++ {
		fmt.Fprintf(&plain, "%d,", i*i%977)
	}
	for codec, encode := range encoders {
		b.Run(codec.String(), func(b *testing.B) {
			src := encode(b, plain.Bytes())
			dst := make([]byte, 0, plain.Len()+64)
			b.SetBytes(int64(plain.Len()))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decompress(codec, dst, src, plain.Len()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
