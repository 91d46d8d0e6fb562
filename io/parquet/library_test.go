package parquet

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"
)

// readPages reads a column with parquet-go's own page reader. On failure, it returns the values
// before the error.
func readPages(t *testing.T, data []byte, column int) (values []string, err error) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	require.NoError(t, err)
	for _, g := range f.RowGroups() {
		pages := g.ColumnChunks()[column].Pages()
		defer pages.Close()
		for {
			page, err := pages.ReadPage()
			if err == io.EOF {
				break
			}
			if err != nil {
				return values, err
			}
			typed := make([]parquet.Value, page.NumValues())
			n, err := page.Values().ReadValues(typed)
			require.ErrorIs(t, err, io.EOF)
			require.EqualValues(t, page.NumValues(), n)
			if values := page.Data(); values.Kind() == encoding.Int64 {
				require.Len(t, values.Int64(), n)
			}
			for _, v := range typed {
				values = append(values, v.String())
			}
			parquet.Release(page)
		}
	}
	return values, nil
}

// TestPageReader shows files that ColumnChunk.Pages and ReadPage of parquet-go 0.32 cannot read, or
// misread without an error and without a trace in Page.Data or Page.NumValues. They are the reason
// for calling its encodings and codecs directly. If this test fails after an upgrade, that reason
// may be gone.
func TestPageReader(t *testing.T) {
	t.Run("fewer deltas than the page says", func(t *testing.T) {
		// The values are cut out of a pooled buffer according to their claimed number.
		data := buildBytes(t, requiredInt64("v"), oneColumn(6,
			dataPage(3, format.DeltaBinaryPacked, []byte{128, 1, 4, 3, 40, 2, 0, 0, 0, 0}),
			dataPage(3, format.DeltaBinaryPacked, []byte{128, 1, 4, 1, 2})))
		got, err := readPages(t, data, 0)
		require.NoError(t, err)
		require.Equal(t, []string{"20", "21", "22", "1"}, got[:4])
		require.Len(t, got, 6) // the last two from nowhere
		t.Log("stale:", got[4:])
		_, err = readAll(t, mustOpen(t, inMemory(data)), 10, "v")
		require.ErrorContains(t, err, "row 3: 1 encoded values where the page has 3")
	})
	t.Run("fewer plain values than the page says", func(t *testing.T) {
		data := buildBytes(t, requiredInt64("v"), testGroup{rows: 3, chunks: []testChunk{{codec: format.Snappy, pages: []testPage{func() testPage {
			p := dataPage(3, format.Plain, snappy.Encode(nil, int64Bytes(7)))
			p.UncompressedPageSize = 8
			return p
		}()}}}})
		got, err := readPages(t, data, 0)
		require.NoError(t, err)
		require.Len(t, got, 3)
		t.Log("stale:", got[1:])
		_, err = readAll(t, mustOpen(t, inMemory(data)), 10, "v")
		require.ErrorContains(t, err, "1 encoded values where the page has 3")
	})
	t.Run("fewer indexes than the page says", func(t *testing.T) {
		data := buildBytes(t, requiredInt64("v"), oneColumn(3,
			dictionaryPage(2, int64Bytes(10, 20)), dataPage(3, format.RLEDictionary, []byte{1, 1 << 1, 1})))
		got, err := readPages(t, data, 0)
		require.NoError(t, err)
		require.Equal(t, []string{"20", "10", "10"}, got) // index 0 for what is missing
		_, err = readAll(t, mustOpen(t, inMemory(data)), 10, "v")
		require.ErrorContains(t, err, "the encoded values end early")
	})
	t.Run("run-length encoded booleans", func(t *testing.T) {
		body := []byte{2, 0, 0, 0, 10 << 1, 1} // ten times true
		data := buildBytes(t, []format.SchemaElement{leafOf("v", format.Boolean, format.Required)},
			oneColumn(10, dataPage(10, format.RLE, body)))
		got, err := readPages(t, data, 0)
		require.NoError(t, err)
		require.Contains(t, got, "false")
		require.Equal(t, "[true true true true true true true true true true]",
			fmt.Sprint(mustRead(t, mustOpen(t, inMemory(data)), 10, "v")[0]))
	})
	t.Run("another codec in the second row group", func(t *testing.T) {
		page := dataPage(3, format.Plain, int64Bytes(1, 1<<40, 1<<50))
		packed := page
		packed.body = snappy.Encode(nil, page.body)
		packed.CompressedPageSize = int32(len(packed.body))
		data := buildBytes(t, requiredInt64("v"), oneColumn(3, page),
			testGroup{rows: 3, chunks: []testChunk{{codec: format.Snappy, pages: []testPage{packed}}}})
		got, err := readPages(t, data, 0)
		t.Log("second row group:", got[3:], err)
		require.NotEqual(t, got[:3], got[3:])
		require.Equal(t, "[1 1099511627776 1125899906842624 1 1099511627776 1125899906842624]",
			fmt.Sprint(mustRead(t, mustOpen(t, inMemory(data)), 10, "v")[0]))
	})
	t.Run("unsigned deltas of DuckDB", func(t *testing.T) {
		data, err := os.ReadFile("testdata/duckdb.v2.parquet")
		require.NoError(t, err)
		for i, field := range mustOpen(t, inMemory(data)).Schema().Fields {
			if field.Path == "uint32" {
				_, err = readPages(t, data, i)
				require.ErrorContains(t, err, "first value out of range")
			}
		}
	})
}
