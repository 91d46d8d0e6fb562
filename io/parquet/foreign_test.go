package parquet

import (
	"fmt"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

// refooted returns a file with another footer.
func refooted(t testing.TB, data []byte, change func(*format.FileMetaData)) []byte {
	t.Helper()
	footer, err := readFooter(inMemory(data), 0)
	require.NoError(t, err)
	var m format.FileMetaData
	require.NoError(t, thrift.Unmarshal(new(thrift.CompactProtocol), footer, &m))
	change(&m)
	return withFooter(data[:len(data)-8-len(footer)], marshal(t, &m))
}

// TestKeyWithoutValue: parquet.thrift says that the value of a key is optional.
func TestKeyWithoutValue(t *testing.T) {
	data := buildBytes(t, requiredInt64("v"), oneColumn(1, dataPage(1, format.Plain, int64Bytes(7))))
	footer, err := readFooter(inMemory(data), 0)
	require.NoError(t, err)
	list := []byte{0x19, 0x2c, 0x18, 1, 'a', 0, 0x18, 1, 'b', 0x18, 1, 'c', 0} // field 5: [{a}, {b, c}]
	data = withFooter(data[:len(data)-8-len(footer)], append(footer[:len(footer)-1:len(footer)-1], append(list, 0)...))
	f := mustOpen(t, inMemory(data))
	require.Equal(t, "[7]", fmt.Sprint(mustRead(t, f, 1, "v")[0]))
	for key, want := range map[string]string{"a": "", "b": "c"} {
		got, ok := f.Metadata(key)
		require.True(t, ok)
		require.Equal(t, want, got)
	}
}

// TestTypedRoot: the root of a schema is a group even if it has a type.
func TestTypedRoot(t *testing.T) {
	data := refooted(t, buildBytes(t, requiredInt64("v"), oneColumn(1, dataPage(1, format.Plain, int64Bytes(7)))), func(m *format.FileMetaData) {
		m.Schema[0].Type = thrift.New(format.Boolean)
	})
	require.Equal(t, "[7]", fmt.Sprint(mustRead(t, mustOpen(t, inMemory(data)), 1, "v")[0]))
}

// TestFooterOfNoRows: the row groups know better than the footer.
func TestFooterOfNoRows(t *testing.T) {
	data := buildBytes(t, requiredInt64("v"), oneColumn(2, dataPage(2, format.Plain, int64Bytes(7, 8))))
	require.Empty(t, columns.Doubtful(mustOpen(t, inMemory(data))).Warning())
	f := mustOpen(t, inMemory(refooted(t, data, func(m *format.FileMetaData) { m.NumRows = 0 })))
	require.Equal(t, "[7 8]", fmt.Sprint(mustRead(t, f, 1, "v")[0]))
	require.Equal(t, "the footer says 0 rows, and its row groups have 2, which are read", f.Warning())
}

// TestShortChunks: parquet-mr before 1.2.9 left the header of the dictionary page out of the size of
// a column chunk.
func TestShortChunks(t *testing.T) {
	pages := []testPage{dictionaryPage(2, int64Bytes(10, 20)), dataPage(3, format.RLEDictionary, []byte{1, 3 << 1, 1})}
	missing := int64(len(marshal(t, &pages[0].PageHeader)))
	data := buildBytes(t, requiredInt64("v"), testGroup{rows: 3, chunks: []testChunk{{pages: pages, change: func(c *format.ColumnChunk) {
		c.MetaData.DictionaryPageOffset = c.MetaData.DataPageOffset
		c.MetaData.DataPageOffset += missing + int64(len(pages[0].body))
		c.MetaData.TotalCompressedSize -= missing
	}}}})
	for by, fails := range map[string]bool{
		"": true, "parquet-mr version 1.2.9": true, "parquet-mr version 1.10.0 (build x)": true, "impala version 1.2.8": true,
		"parquet-mr version 1.2.8 (build 20a1)": false, "parquet-mr": false, "parquet-mr version 1.2": false, "parquet-mr version 1.0.0-t2": false,
	} {
		all, err := readAll(t, mustOpen(t, inMemory(refooted(t, data, func(m *format.FileMetaData) { m.CreatedBy = by }))), 10, "v")
		if fails {
			require.Error(t, err, by)
			continue
		}
		require.NoError(t, err, by)
		require.Equal(t, "[20 20 20]", fmt.Sprint(all[0]), by)
	}
}

// TestCompressedAfterAll: Arrow C++ before 3.0 said that pages of version 2 are not compressed.
func TestCompressedAfterAll(t *testing.T) {
	body := int64Bytes(7, 8, 9)
	page := testPage{body: snappy.Encode(nil, body)}
	page.Type = format.DataPageV2
	page.CompressedPageSize, page.UncompressedPageSize = int32(len(page.body)), int32(len(body))
	page.DataPageHeaderV2 = thrift.New(format.DataPageHeaderV2{NumValues: 3, NumRows: 3, Encoding: format.Plain, IsCompressed: thrift.New(false)})
	data := buildBytes(t, requiredInt64("v"), testGroup{rows: 3, chunks: []testChunk{{codec: format.Snappy, pages: []testPage{page}}}})
	for by, fails := range map[string]bool{"parquet-cpp-arrow version 3.0.0": true, "parquet-cpp version 2.0.0": true, "parquet-cpp version 1.5.1-SNAPSHOT": false} {
		all, err := readAll(t, mustOpen(t, inMemory(refooted(t, data, func(m *format.FileMetaData) { m.CreatedBy = by }))), 10, "v")
		if fails {
			require.ErrorContains(t, err, "decompressing a page (UNCOMPRESSED): ", by)
			continue
		}
		require.NoError(t, err, by)
		require.Equal(t, "[7 8 9]", fmt.Sprint(all[0]), by)
	}
}

// TestLowestBitFirst: Impala packs levels from the lowest bit of a byte on, and parquet-format from the highest.
func TestLowestBitFirst(t *testing.T) {
	page := dataPage(10, format.Plain, []byte{0b1111_1110, 0b11}, int64Bytes(1, 2, 3, 4, 5, 6, 7, 8, 9))
	page.DataPageHeader.V.DefinitionLevelEncoding = format.BitPacked
	data := buildBytes(t, optionalInt64("v"), oneColumn(10, page))
	for by, want := range map[string]string{
		"impala version 2.11.0-SNAPSHOT (build 6320)": "[<nil> 1 2 3 4 5 6 7 8 9]",
		"parquet-mr version 1.2.9":                    "",
	} {
		all, err := readAll(t, mustOpen(t, inMemory(refooted(t, data, func(m *format.FileMetaData) { m.CreatedBy = by }))), 20, "v")
		if want == "" {
			require.Error(t, err, "the levels are of fewer values")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want, fmt.Sprint(all[0]))
	}
}

// TestNarrowDictionary: integers of fewer bits than are stored are truncated in dictionaries as well.
func TestNarrowDictionary(t *testing.T) {
	schema := []format.SchemaElement{converted(leafOf("v", format.Int32, format.Required), deprecated.Uint8)}
	f := mustOpen(t, build(t, schema, testGroup{rows: 2, chunks: []testChunk{{
		pages: []testPage{dictionaryPage(2, []byte{255, 255, 255, 255, 1, 0, 0, 0}), dataPage(2, format.RLEDictionary, []byte{1, 2 << 1, 0})},
		change: func(c *format.ColumnChunk) {
			c.MetaData.Encoding = thrift.Slice[format.Encoding]{format.RLEDictionary}
		},
	}}}))
	require.Equal(t, "[255 255]", fmt.Sprint(mustRead(t, f, 1, "v")[0]))
	table := new(columns.Strings)
	complete, err := f.Dictionary(0, "v", table)
	require.NoError(t, err)
	require.True(t, complete)
	require.Equal(t, []string{"255", "1"}, table.Values())
}
