package parquet

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/heap"
)

// withStatistics is a page whose header contains values of the given size.
func withStatistics(size int, p testPage) testPage {
	p.DataPageHeader.V.Statistics.MaxValue = bytes.Repeat([]byte("x"), size)
	return p
}

func TestLargeHeaders(t *testing.T) {
	for _, size := range []int{1, 4 << 10, 1<<20 - 40, 1 << 20, 3 << 20, maxHeader - 100} {
		f := build(t, requiredInt64("v"), oneColumn(4,
			withStatistics(size, dataPage(2, format.Plain, int64Bytes(1, 2)).withCRC()),
			withStatistics(1, dataPage(1, format.Plain, int64Bytes(3))),
			withStatistics(size, dataPage(1, format.Plain, int64Bytes(4)).withCRC())))
		require.Equal(t, [][]any{{int64(1), int64(2), int64(3), int64(4)}}, mustRead(t, mustOpen(t, f), 10, "v"), size)
	}
}

// TestTruncatedHeader: a header that does not fit the first read is decoded again with more bytes.
func TestTruncatedHeader(t *testing.T) {
	page := withStatistics(30, dataPage(1, format.Plain, int64Bytes(1)))
	header := marshal(t, &page.PageHeader)
	for n := range header {
		_, err := decodeThrift(header[:n], new(format.PageHeader))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, n)
	}
}

// TestHeaderTooLarge: headers are not trusted. A damaged one can claim that a value has 2 GB.
func TestHeaderTooLarge(t *testing.T) {
	page := dataPage(1, format.Plain, int64Bytes(1))
	damaged := func(size int) []byte {
		body := append([]byte{
			0x15, 0, 0x15, 16, 0x15, 16, // type, sizes
			0x2c, 0x15, 2, 0x15, 0, 0x15, 6, 0x15, 6, // data page: values, encodings
			0x1c, 0x18, 0xff, 0xff, 0xff, 0xff, 0x07, // statistics: a value of 1<<31 - 1 bytes
		}, make([]byte, size)...)
		chunk := testChunk{values: 1, pages: []testPage{page}, change: func(c *format.ColumnChunk) {
			c.MetaData.DataPageOffset, c.MetaData.TotalCompressedSize = int64(len(magic)), int64(len(body))
		}}
		file := buildBytes(t, requiredInt64("v"), testGroup{rows: 1, chunks: []testChunk{chunk}})
		footer, err := readFooter(inMemory(file), 0)
		require.NoError(t, err)
		return withFooter(append([]byte(magic), body...), footer)
	}
	const beyond = "corrupt page header, or one of more than 16777216 bytes: write the file again without statistics of pages"
	for name, test := range map[string]struct {
		file  []byte
		want  string
		limit uint64 // bytes allocated, with room for the race detector
	}{
		"damaged":          {damaged(100), "corrupt page header: ", 8 << 20},
		"damaged, of 2 MB": {damaged(2 << 20), "corrupt page header: ", 12 << 20},
		"damaged, of more": {damaged(90 << 20), beyond, 40 << 20},
		"legal":            {buildBytes(t, requiredInt64("v"), oneColumn(1, withStatistics(maxHeader, page))), beyond, 40 << 20},
		"noise":            {bytes.Replace(damaged(90<<20), []byte{0x2c, 0x15, 2}, []byte{0x2c, 0xff, 0xff}, 1), "corrupt page header: ", 8 << 20},
	} {
		f := mustOpen(t, inMemory(test.file))
		var err error
		n := heap.Allocated(func() { _, err = readAll(t, f, 1, "v") })
		require.ErrorContains(t, err, fmt.Sprintf("test.parquet: row group 0: column %q: row 0: %s", "v", test.want), name)
		require.Less(t, n, test.limit, name)
	}
}
