package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/heap"
	"github.com/beameval/beameval/io/columns"
)

func TestOpenErrors(t *testing.T) {
	good := buildBytes(t, requiredInt64("v"), oneColumn(1, dataPage(1, format.Plain, int64Bytes(1))))
	footer := func(m format.FileMetaData) []byte { return withFooter([]byte(magic), marshal(t, &m)) }
	root := format.SchemaElement{Name: "root", NumChildren: thrift.New(int32(1))}
	v := leafOf("v", format.Int64, format.Required)
	deep := []format.SchemaElement{root}
	for range 100 {
		deep = append(deep, group("g", format.Required, 1))
	}
	deep = append(deep, v)

	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"empty":            {nil, "not a Parquet file: the file is empty"},
		"short":            {[]byte("PAR1PAR1"), "not a Parquet file: it has only 8 bytes; if it is a text, set Shard.Format to csv, tsv or jsonl"},
		"text":             {[]byte("id,score\n1,0.5\n2,0.7\n"), `not a Parquet file: it begins with "id,s"; if it is a text, set Shard.Format to csv, tsv or jsonl`},
		"JSON lines":       {[]byte("{\"label\": 1}\n{\"label\": 0}\n"), `begins with "{\"la"; if it has a JSON object on each line, set Shard.Format to jsonl`},
		"JSON array":       {[]byte("[{\"label\": 1}, {\"label\": 0}]"), `if it is a JSON array, write each object on a line of its own, and set Shard.Format to jsonl`},
		"workbook":         {[]byte("PK\x03\x04 and so on"), "compress it with gzip or zstd; save a workbook, such as .xlsx, as CSV"},
		"bzip2":            {[]byte("BZh91AY&SYabcdefghijk"), "not a Parquet file: the file is compressed with bzip2, which is not supported: decompress it or, if it is a text, compress it with gzip or zstd"},
		"truncated":        {good[:len(good)-1], "truncated: the file begins as Parquet but does not end in a footer"},
		"footer length":    {append(slices.Clone(good[:len(good)-8]), "\xff\xff\xff\x7fPAR1"...), fmt.Sprintf("truncated or corrupt: a footer of 2147483647 bytes does not fit the %d bytes of the file", len(good))},
		"encrypted footer": {append(slices.Clone(good[:len(good)-4]), magicEncrypted...), "encrypted Parquet files are not supported"},
		"encrypted start":  {[]byte("PARE then it breaks off"), "encrypted Parquet files are not supported"},
		"no thrift":        {withFooter([]byte(magic), []byte("\xff\xff\xff")), "corrupt footer: it cannot be decoded: the file is damaged; write or copy it again"},
		"missing field":    {withFooter([]byte(magic), []byte{0}), "corrupt footer: it lacks a field that the format requires"},
		"empty footer":     {withFooter([]byte(magic), nil), "corrupt footer: it ends early: the file is damaged; write or copy it again"},
		"no schema":        {footer(format.FileMetaData{Schema: thrift.Slice[format.SchemaElement]{}, RowGroups: thrift.Slice[format.RowGroup]{}}), "corrupt footer: no schema"},
		"leaf as root":     {footer(format.FileMetaData{Schema: thrift.Slice[format.SchemaElement]{v}, RowGroups: thrift.Slice[format.RowGroup]{}}), "corrupt footer: schema: the root is not a group"},
		"no children":      {footer(format.FileMetaData{Schema: thrift.Slice[format.SchemaElement]{root}, RowGroups: thrift.Slice[format.RowGroup]{}}), "corrupt footer: schema: a group has fewer children than it says"},
		"extra element":    {footer(format.FileMetaData{Schema: thrift.Slice[format.SchemaElement]{root, v, v}, RowGroups: thrift.Slice[format.RowGroup]{}}), "corrupt footer: schema: 1 elements outside the root"},
		"a name of 9 MB":   {footer(format.FileMetaData{Schema: thrift.Slice[format.SchemaElement]{root, leafOf(strings.Repeat("so long ", 9<<17), format.Int64, 3)}, RowGroups: thrift.Slice[format.RowGroup]{}}), `so long so long … (9437184 bytes)" has repetition type 3`},
		"repetition":       {footer(format.FileMetaData{Schema: thrift.Slice[format.SchemaElement]{root, leafOf("v", format.Int64, 3)}, RowGroups: thrift.Slice[format.RowGroup]{}}), `corrupt footer: schema: "v" has repetition type 3`},
		"deep schema":      {footer(format.FileMetaData{Schema: deep, RowGroups: thrift.Slice[format.RowGroup]{}}), "corrupt footer: schema: nested deeper than 64 groups"},
		"missing column":   {footer(format.FileMetaData{Schema: thrift.Slice[format.SchemaElement]{root, v}, RowGroups: thrift.Slice[format.RowGroup]{{NumRows: 3, Columns: thrift.Slice[format.ColumnChunk]{}}}}), "corrupt footer: row group 0 has 3 rows and 0 of 1 columns"},
		"negative rows":    {buildBytes(t, requiredInt64("v"), oneColumn(-1)), "corrupt footer: row group 0 has -1 rows and 1 of 1 columns"},
		"rows":             {footer(format.FileMetaData{Schema: thrift.Slice[format.SchemaElement]{root, v}, RowGroups: thrift.Slice[format.RowGroup]{}, NumRows: 3}), "corrupt footer: the file has 3 rows, and its row groups have 0"},
		"long list":        {withFooter([]byte(magic), []byte("\x29\xfc\xff\xff\xff\xff\x07")), "corrupt footer: it ends early: the file is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(inMemory(test.file), columns.Options{})
			require.ErrorContains(t, err, test.want)
			var e *columns.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, "test.parquet", e.File)
		})
	}
	for _, file := range []string{"encrypted.footer.parquet", "encrypted.columns.parquet"} {
		data, err := os.ReadFile("testdata/" + file)
		require.NoError(t, err)
		_, err = Open(inMemory(data), columns.Options{})
		require.EqualError(t, err, "test.parquet: encrypted Parquet files are not supported")
	}
}

type failing struct{ memory }

func (failing) ReadAt([]byte, int64) (int, error) { return 0, errors.New("connection reset") }

func TestSourceErrors(t *testing.T) {
	good := build(t, requiredInt64("v"), oneColumn(1, dataPage(1, format.Plain, int64Bytes(1))))
	_, err := Open(failing{good}, columns.Options{})
	require.EqualError(t, err, "test.parquet: reading the footer: connection reset")
	f := mustOpen(t, good)
	f.Source = failing{good}
	_, err = readAll(t, f, 1, "v")
	require.ErrorContains(t, err, `test.parquet: row group 0: column "v": row 0: reading `)
	require.ErrorContains(t, err, "connection reset")
}

// TestCorruptPages damages pages in ways that a checksum would not detect, or that a faulty writer
// causes, and expects the error to say where.
func TestCorruptPages(t *testing.T) {
	list := []format.SchemaElement{leafOf("v", format.Int64, format.Repeated)}
	text := []format.SchemaElement{leafOf("v", format.ByteArray, format.Required)}
	good := dataPage(3, format.Plain, int64Bytes(1, 2, 3))
	dictionary := dictionaryPage(2, int64Bytes(10, 20))
	change := func(p testPage, f func(*testPage)) testPage { f(&p); return p }
	pageV2 := func(n int, encoding format.Encoding, body []byte) testPage {
		p := testPage{body: body}
		p.Type = format.DataPageV2
		p.DataPageHeaderV2 = thrift.New(format.DataPageHeaderV2{NumValues: int32(n), NumRows: int32(n), Encoding: encoding, IsCompressed: thrift.New(false)})
		return p.sized()
	}
	delta := func(b ...byte) testPage { return dataPage(3, format.DeltaBinaryPacked, b) }

	for name, test := range map[string]struct {
		schema []format.SchemaElement
		rows   int64
		chunk  testChunk
		row    int // -1: found before any
		want   string
	}{
		"few rows":              {requiredInt64("v"), 4, testChunk{pages: []testPage{good}}, 3, "the column has fewer rows than its row group"},
		"many rows":             {requiredInt64("v"), 2, testChunk{pages: []testPage{good}}, 2, "the column has more rows than its row group"},
		"rows without row":      {requiredInt64("v"), 0, testChunk{pages: []testPage{good}}, 0, "the column has more rows than its row group"},
		"many pages":            {requiredInt64("v"), 3, testChunk{pages: []testPage{good, good}}, 3, "the column has more rows than its row group"},
		"few lists":             {list, 3, testChunk{pages: []testPage{dataPage(2, format.Plain, encodedLevels(1, 0, 0), encodedLevels(1, 0, 0))}}, 2, "the column has fewer rows than its row group"},
		"many lists":            {list, 1, testChunk{pages: []testPage{dataPage(2, format.Plain, encodedLevels(1, 0, 0), encodedLevels(1, 0, 0))}}, 1, "the column has more rows than its row group"},
		"value count":           {requiredInt64("v"), 3, testChunk{values: 4, pages: []testPage{good}}, 3, "the column has more rows than its row group"},
		"value count of page":   {requiredInt64("v"), 3, testChunk{values: 2, pages: []testPage{good}}, 0, "corrupt page header: 3 values where the column chunk has 2 left"},
		"chunk ends early":      {requiredInt64("v"), 9, testChunk{values: 9, pages: []testPage{good, good}}, 6, "the column chunk ends 3 values early"},
		"negative values":       {requiredInt64("v"), 3, testChunk{values: 3, pages: []testPage{change(good, func(p *testPage) { p.DataPageHeader.V.NumValues = -3 })}}, 0, "corrupt page header: -3 values"},
		"short page":            {requiredInt64("v"), 4, testChunk{pages: []testPage{change(good, func(p *testPage) { p.DataPageHeader.V.NumValues = 4 })}}, 0, "3 encoded values where the page has 4"},
		"checksum":              {requiredInt64("v"), 6, testChunk{pages: []testPage{good.withCRC(), change(good, func(p *testPage) { p.CRC = 5 })}}, 3, "the page's checksum does not match: the file is corrupt"},
		"page beyond chunk":     {requiredInt64("v"), 3, testChunk{pages: []testPage{change(good, func(p *testPage) { p.CompressedPageSize = math.MaxInt32 })}}, 0, "corrupt page header: a page of 2147483647 bytes where the column chunk has 24 left"},
		"negative size":         {requiredInt64("v"), 3, testChunk{pages: []testPage{change(good, func(p *testPage) { p.CompressedPageSize = -1 })}}, 0, "corrupt page header: -1 bytes, uncompressed 24"},
		"sizes differ":          {requiredInt64("v"), 3, testChunk{pages: []testPage{change(good, func(p *testPage) { p.UncompressedPageSize++ })}}, 0, "decompressing a page (UNCOMPRESSED): 24 bytes instead of 25"},
		"no data page header":   {requiredInt64("v"), 3, testChunk{values: 3, pages: []testPage{change(good, func(p *testPage) { p.DataPageHeader.Valid = false })}}, 0, "corrupt page header"},
		"no header":             {requiredInt64("v"), 3, testChunk{values: 3, change: func(c *format.ColumnChunk) { c.MetaData.TotalCompressedSize = 4; c.MetaData.DataPageOffset = 0 }}, 0, "corrupt page header"},
		"snappy":                {requiredInt64("v"), 3, testChunk{codec: format.Snappy, pages: []testPage{good}}, 0, "decompressing a page (SNAPPY): "},
		"zstd":                  {requiredInt64("v"), 3, testChunk{codec: format.Zstd, pages: []testPage{good}}, 0, "decompressing a page (ZSTD): "},
		"gzip":                  {requiredInt64("v"), 3, testChunk{codec: format.Gzip, pages: []testPage{good}}, 0, "decompressing a page (GZIP): gzip: invalid header"},
		"brotli":                {requiredInt64("v"), 3, testChunk{codec: format.Brotli, pages: []testPage{good}}, 0, "decompressing a page (BROTLI): "},
		"lz4":                   {requiredInt64("v"), 3, testChunk{codec: format.Lz4Raw, pages: []testPage{good}}, 0, "decompressing a page (LZ4_RAW): "},
		"encoding":              {requiredInt64("v"), 3, testChunk{pages: []testPage{dataPage(3, format.DeltaLengthByteArray, []byte{128, 1, 4, 3, 0})}}, 0, "values are encoded in DELTA_LENGTH_BYTE_ARRAY (6), which is not supported"},
		"unknown encoding":      {text, 3, testChunk{pages: []testPage{dataPage(3, 99)}}, 0, "values are encoded in Encoding(?) (99)"},
		"no dictionary":         {requiredInt64("v"), 3, testChunk{pages: []testPage{dataPage(3, format.RLEDictionary, []byte{1, 6, 1})}}, 0, "a page refers to a dictionary, but the column chunk has none"},
		"index out of range":    {requiredInt64("v"), 3, testChunk{pages: []testPage{dictionary, dataPage(3, format.RLEDictionary, []byte{2, 2 << 1, 1, 1 << 1, 2})}}, 2, "dictionary index 2 is out of range: the dictionary has 2 values"},
		"empty dictionary":      {requiredInt64("v"), 3, testChunk{pages: []testPage{dictionaryPage(0), dataPage(3, format.RLEDictionary, []byte{0})}}, 0, "dictionary index 0 is out of range: the dictionary has 0 values"},
		"index of 32 bits":      {requiredInt64("v"), 1, testChunk{pages: []testPage{dictionary, dataPage(1, format.RLEDictionary, []byte{32, 2, 255, 255, 255, 255})}}, 0, "dictionary index 4294967295 is out of range: the dictionary has 2 values"},
		"index width":           {requiredInt64("v"), 3, testChunk{pages: []testPage{dictionary, dataPage(3, format.RLEDictionary, []byte{33, 6, 1})}}, 0, "corrupt dictionary indexes"},
		"no indexes":            {requiredInt64("v"), 3, testChunk{pages: []testPage{dictionary, dataPage(3, format.RLEDictionary)}}, 0, "corrupt dictionary indexes"},
		"few indexes":           {requiredInt64("v"), 3, testChunk{pages: []testPage{dictionary, dataPage(3, format.RLEDictionary, []byte{1, 2 << 1, 1})}}, 0, "the encoded values end early"},
		"empty run":             {requiredInt64("v"), 2, testChunk{pages: []testPage{dictionary, dataPage(2, format.RLEDictionary, []byte{2, 0 << 1, 2 << 1, 2})}}, 0, "corrupt encoding: an empty run"},
		"long run":              {requiredInt64("v"), 2, testChunk{pages: []testPage{dictionary, dataPage(2, format.RLEDictionary, []byte{1, 0xfe, 0xff, 0xff, 0xff, 0x0f, 1})}}, 0, "corrupt encoding: a run of 2147483647 values where 2 are left"},
		"many deltas":           {requiredInt64("v"), 3, testChunk{pages: []testPage{delta(128, 1, 4, 0xff, 0xff, 0xff, 0xff, 0x07, 2)}}, 0, "2147483647 encoded values where the page has 3"},
		"two dictionaries":      {requiredInt64("v"), 3, testChunk{pages: []testPage{dictionary, dictionary, good}}, 0, "reading the dictionary: the column chunk has a second dictionary"},
		"dictionary too short":  {requiredInt64("v"), 3, testChunk{pages: []testPage{dictionaryPage(3, int64Bytes(1, 2)), good}}, 0, "reading the dictionary: 2 encoded values where the page has 3"},
		"dictionary too large":  {requiredInt64("v"), 3, testChunk{pages: []testPage{dictionaryPage(math.MaxInt32, int64Bytes(1, 2)), good}}, 0, "reading the dictionary: 2 encoded values where the page has 2147483647"},
		"negative dictionary":   {requiredInt64("v"), 3, testChunk{pages: []testPage{dictionaryPage(-1, int64Bytes(1, 2)), good}}, 0, "reading the dictionary: corrupt dictionary page header"},
		"dictionary encoding":   {requiredInt64("v"), 3, testChunk{pages: []testPage{change(dictionary, func(p *testPage) { p.DictionaryPageHeader.V.Encoding = format.DeltaBinaryPacked }), good}}, 0, "reading the dictionary: corrupt dictionary page header"},
		"no definition levels":  {optionalInt64("v"), 3, testChunk{pages: []testPage{dataPage(3, format.Plain)}}, 0, "definition levels: the encoded values end early"},
		"few definition levels": {optionalInt64("v"), 3, testChunk{pages: []testPage{dataPage(1, format.Plain, encodedLevels(1, 1), int64Bytes(1)), dataPage(2, format.Plain, encodedLevels(1), int64Bytes(1, 2))}}, 1, "definition levels: the encoded values end early"},
		"level beyond highest":  {[]format.SchemaElement{group("v", format.Optional, 1), optionalInt64("x")[0]}, 2, testChunk{pages: []testPage{dataPage(1, format.Plain, encodedLevels(2, 2), int64Bytes(1)), dataPage(1, format.Plain, encodedLevels(2, 3), int64Bytes(2))}}, 1, "definition levels: 3 is out of range: the highest is 2"},
		"level encoding":        {optionalInt64("v"), 3, testChunk{pages: []testPage{change(dataPage(3, format.Plain), func(p *testPage) { p.DataPageHeader.V.DefinitionLevelEncoding = format.Plain })}}, 0, "definition levels: encoding PLAIN is not supported"},
		"present but no value":  {optionalInt64("v"), 4, testChunk{pages: []testPage{dataPage(4, format.Plain, encodedLevels(1, 0, 1, 0, 1), int64Bytes(1))}}, 0, "1 encoded values where the page has 2"},
		"begins inside a row":   {list, 1, testChunk{pages: []testPage{dataPage(1, format.Plain, encodedLevels(1, 1), encodedLevels(1, 1), int64Bytes(1))}}, 0, "repetition levels: the column begins inside a row"},
		"element of no list":    {list, 1, testChunk{pages: []testPage{dataPage(2, format.Plain, encodedLevels(1, 0, 1), encodedLevels(1, 1, 0), int64Bytes(1))}}, 0, "levels: an element of a list that has none"},
		"element of null list":  {list, 1, testChunk{pages: []testPage{dataPage(2, format.Plain, encodedLevels(1, 0, 1), encodedLevels(1, 0, 1), int64Bytes(1))}}, 0, "levels: an element of a list that has none"},
		"list of no values":     {list, 2, testChunk{pages: []testPage{dataPage(4, format.Plain, encodedLevels(1, 0, 1, 0, 1), encodedLevels(1, 1, 1, 1, 1), int64Bytes(1, 2, 3))}}, 0, "3 encoded values where the page has 4"},
		"few repetition levels": {list, 1, testChunk{pages: []testPage{dataPage(3, format.Plain, encodedLevels(1, 0, 1), encodedLevels(1, 1, 1, 1))}}, 0, "repetition levels: the encoded values end early"},
		"string beyond page":    {text, 2, testChunk{pages: []testPage{dataPage(2, format.Plain, stringBytes("a"), []byte{255, 255, 255, 255, 'b'})}}, 0, "text 1 of the page has 4294967295 bytes, but 1 are left"},
		"string without length": {text, 2, testChunk{pages: []testPage{dataPage(2, format.Plain, stringBytes("a"), []byte{1, 0})}}, 0, "1 encoded values where the page has 2"},
		"few strings":           {text, 2, testChunk{pages: []testPage{dataPage(2, format.Plain, stringBytes("a"))}}, 0, "1 encoded values where the page has 2"},
		"delta without header":  {requiredInt64("v"), 3, testChunk{pages: []testPage{delta(128)}}, 0, "the encoded values end early"},
		"delta without blocks":  {requiredInt64("v"), 3, testChunk{pages: []testPage{delta(128, 1, 0, 3, 0)}}, 0, "corrupt encoding: blocks of 128 values in 0 parts"},
		"delta block size":      {requiredInt64("v"), 3, testChunk{pages: []testPage{delta(100, 4, 3, 0)}}, 0, "corrupt encoding: blocks of 100 values in 4 parts"},
		"few deltas":            {requiredInt64("v"), 3, testChunk{pages: []testPage{delta(128, 1, 4, 2, 0, 2, 0, 0, 0, 0)}}, 0, "2 encoded values where the page has 3"},
		"delta surplus":         {requiredInt64("v"), 3, testChunk{pages: []testPage{delta(128, 1, 4, 3, 0, 0, 0, 0, 0, 0, 1)}}, 0, "1 bytes follow the last value"},
		"delta width":           {requiredInt64("v"), 3, testChunk{pages: []testPage{delta(slices.Concat([]byte{128, 1, 4, 3, 0, 0, 65, 0, 0, 0}, make([]byte, 32*65/8))...)}}, 0, "differences of 65 bits between integers of 64"},
		"delta width of int32":  {[]format.SchemaElement{leafOf("v", format.Int32, format.Required)}, 3, testChunk{pages: []testPage{delta(slices.Concat([]byte{128, 1, 4, 3, 0, 0, 40, 0, 0, 0}, bytes.Repeat([]byte{255}, 32*40/8))...)}}, 0, "1099511627775 does not fit 32 bits"},
		"delta ends inside":     {requiredInt64("v"), 40, testChunk{pages: []testPage{dataPage(40, format.DeltaBinaryPacked, []byte{128, 1, 4, 40, 0, 0, 8, 8, 0, 0}, make([]byte, 38))}}, 0, "the encoded values end early"},
		"delta without widths":  {requiredInt64("v"), 3, testChunk{pages: []testPage{delta(128, 1, 4, 3, 0, 0, 0, 0)}}, 0, "the encoded values end early"},
		"empty packed run":      {requiredInt64("v"), 3, testChunk{pages: []testPage{dictionary, dataPage(3, format.RLEDictionary, []byte{2, 1, 3 << 1, 1})}}, 0, "corrupt encoding: an empty run"},
		"string in padding":     {text, 1, testChunk{pages: []testPage{dataPage(1, format.Plain, stringBytes("a", ""))}}, 0, "4 bytes follow the last value"},
		"delta length surplus":  {text, 1, testChunk{pages: []testPage{dataPage(1, format.DeltaLengthByteArray, []byte{128, 1, 4, 1, 2}, []byte("ab"))}}, 0, "1 bytes follow the last value"},
		"delta length negative": {text, 1, testChunk{pages: []testPage{dataPage(1, format.DeltaLengthByteArray, []byte{128, 1, 4, 1, 1}, []byte("ab"))}}, 0, "text 0 of the page has -1 bytes, but 2 are left"},
		"delta suffix":          {text, 1, testChunk{pages: []testPage{dataPage(1, format.DeltaByteArray, []byte{128, 1, 4, 1, 0}, []byte{128, 1, 4, 1, 4}, []byte("a"))}}, 0, "text 0 of the page ends in 2 bytes, but 1 are left"},
		"delta suffix surplus":  {text, 1, testChunk{pages: []testPage{dataPage(1, format.DeltaByteArray, []byte{128, 1, 4, 1, 0}, []byte{128, 1, 4, 1, 2}, []byte("ab"))}}, 0, "1 bytes follow the last value"},
		"v2 size":               {requiredInt64("v"), 3, testChunk{codec: format.Snappy, pages: []testPage{change(pageV2(3, format.Plain, int64Bytes(1, 2, 3)), func(p *testPage) { p.UncompressedPageSize = 16 })}}, 0, "decompressing a page (UNCOMPRESSED): more than the 16 bytes that its header says"},
		"delta length":          {text, 1, testChunk{pages: []testPage{dataPage(1, format.DeltaLengthByteArray, []byte{128, 1, 4, 1, 20}, []byte("short"))}}, 0, "text 0 of the page has 10 bytes, but 5 are left"},
		"delta prefix":          {text, 1, testChunk{pages: []testPage{dataPage(1, format.DeltaByteArray, []byte{128, 1, 4, 1, 2}, []byte{128, 1, 4, 1, 2}, []byte("a"))}}, 0, "text 0 of the page shares 1 bytes with the one before, which has 0"},
		"other type":            {requiredInt64("v"), 3, testChunk{pages: []testPage{good}, change: func(c *format.ColumnChunk) { c.MetaData.Type = format.Double }}, -1, "corrupt footer: the column chunk has values of DOUBLE, the schema of INT64"},
		"chunk beyond file":     {requiredInt64("v"), 3, testChunk{pages: []testPage{good}, change: func(c *format.ColumnChunk) { c.MetaData.TotalCompressedSize = 1 << 40 }}, -1, "truncated or corrupt: the column chunk of 1099511627776 bytes at 4 is outside the file"},
		"chunk before file":     {requiredInt64("v"), 3, testChunk{pages: []testPage{good}, change: func(c *format.ColumnChunk) { c.MetaData.DataPageOffset = -5 }}, -1, "truncated or corrupt: the column chunk of "},
		"negative value count":  {requiredInt64("v"), 3, testChunk{values: -1, pages: []testPage{good}}, -1, "corrupt footer: a column chunk of -1 values"},
		"chunk offset overflow": {requiredInt64("v"), 3, testChunk{pages: []testPage{good}, change: func(c *format.ColumnChunk) { c.MetaData.DataPageOffset = math.MaxInt64 }}, -1, "truncated or corrupt: the column chunk of "},
	} {
		t.Run(name, func(t *testing.T) {
			// Rows are counted within their row group, here the second.
			first := testGroup{chunks: []testChunk{{}}}
			f := mustOpen(t, build(t, test.schema, first, testGroup{rows: test.rows, chunks: []testChunk{test.chunk}}))
			for _, most := range []int{1, 1000} {
				path := f.Schema().Fields[0].Path
				_, err := readAll(t, f, most, path)
				where := fmt.Sprintf("test.parquet: row group 1: column %q: ", path)
				if test.row >= 0 {
					where += fmt.Sprintf("row %d: ", test.row)
				}
				require.ErrorContains(t, err, where+test.want)
				require.NotErrorIs(t, err, io.EOF)
				var e *columns.Error
				require.ErrorAs(t, err, &e)
				require.EqualValues(t, test.row, e.Row)
			}
		})
	}
}

func TestUint64Overflow(t *testing.T) {
	const want = `: value 9223372036854775808 does not fit a signed 64-bit integer: write an id or a name as text, and a number as double`
	required := converted(leafOf("v", format.Int64, format.Required), deprecated.Uint64)
	optional := converted(leafOf("v", format.Int64, format.Optional), deprecated.Uint64)
	repeated := converted(leafOf("v", format.Int64, format.Repeated), deprecated.Uint64)
	dictionary := dictionaryPage(2, int64Bytes(math.MinInt64, 7))
	for name, test := range map[string]struct {
		schema format.SchemaElement
		pages  []testPage
		row    int // -1: it is not in any
	}{
		"plain":             {required, []testPage{dataPage(3, format.Plain, int64Bytes(1, 2, math.MinInt64))}, 2},
		"second page":       {required, []testPage{dataPage(2, format.Plain, int64Bytes(1, 2)), dataPage(1, format.Plain, int64Bytes(math.MinInt64))}, 2},
		"optional":          {optional, []testPage{dataPage(3, format.Plain, encodedLevels(1, 1, 0, 1), int64Bytes(1, math.MinInt64))}, 2},
		"list":              {repeated, []testPage{dataPage(5, format.Plain, encodedLevels(1, 0, 1, 0, 0, 1), encodedLevels(1, 1, 1, 0, 1, 1), int64Bytes(1, 2, math.MinInt64, 3))}, 2},
		"dictionary":        {required, []testPage{dictionary, dataPage(3, format.RLEDictionary, []byte{1, 1 << 1, 1, 2 << 1, 0})}, 1},
		"not in dictionary": {required, []testPage{dictionary, dataPage(3, format.RLEDictionary, []byte{1, 3 << 1, 1})}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			f := mustOpen(t, build(t, []format.SchemaElement{test.schema}, oneColumn(3, test.pages...)))
			for _, most := range []int{1, 2, 3} {
				all, err := readAll(t, f, most, "v")
				if test.row < 0 {
					require.NoError(t, err)
					require.Equal(t, "[7 7 7]", fmt.Sprint(all[0]))
					continue
				}
				require.EqualError(t, err, fmt.Sprintf(`test.parquet: row group 0: column "v": row %d`, test.row)+want)
			}
		})
	}
}

// TestNothingAfterErrors has a column that fails after good rows.
func TestNothingAfterErrors(t *testing.T) {
	f := mustOpen(t, build(t, requiredInt64("v"), oneColumn(3, dataPage(2, format.Plain, int64Bytes(1, 2)))))
	var got []string
	for b, err := range f.Read(0, []string{"v"}, nil, 2) {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, fmt.Sprint(b.Columns[0].Ints))
	}
	require.Equal(t, []string{"[1 2]", `test.parquet: row group 0: column "v": row 2: the column has fewer rows than its row group`}, got)
	require.EqualError(t, failure(f.Read(0, []string{"v"}, nil, 0)), "test.parquet: row group 0: asked for 0 rows")
}

// TestNoColumns counts rows without reading any column.
func TestNoColumns(t *testing.T) {
	f := mustOpen(t, build(t, requiredInt64("v"), oneColumn(3, dataPage(3, format.Plain, int64Bytes(1, 2, 3)))))
	var rows []int
	for b, err := range f.Read(0, nil, nil, 2) {
		require.NoError(t, err)
		rows = append(rows, b.Rows)
	}
	require.Equal(t, []int{2, 1}, rows)
}

// TestClaims: small files that claim to be large do not take much memory.
func TestClaims(t *testing.T) {
	packed := func(size int, body string) testPage {
		p := dataPage(size/8, format.Plain, []byte(body))
		p.UncompressedPageSize = int32(size)
		return p
	}
	const size = 1 << 30
	large := columns.Options{MaxPage: 2 * size}
	for codec, test := range map[format.CompressionCodec]struct{ body, want string }{
		format.Snappy: {"\x80\x80\x80\x80\x04\x00", "decompressing a page (SNAPPY): 6 bytes cannot become 1073741824"},
		format.Lz4Raw: {"\xff\xff\xff", "decompressing a page (LZ4_RAW): 3 bytes cannot become 1073741824"},
		format.Zstd:   {"\x28\xb5\x2f\xfd\x00\x58\x01\x00\x00", "decompressing a page (ZSTD): 0 bytes instead of 1073741824"},
		format.Brotli: {"\x06", "decompressing a page (BROTLI): 0 bytes instead of 1073741824"},
		format.Gzip: {"\x1f\x8b\b\x00\x00\x00\x00\x00\x02\xff\x01\x00\x00\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00",
			"decompressing a page (GZIP): 0 bytes instead of 1073741824"},
	} {
		t.Run(codec.String(), func(t *testing.T) {
			f, err := Open(build(t, requiredInt64("v"), testGroup{rows: size / 8, chunks: []testChunk{{codec: codec, pages: []testPage{packed(size, test.body)}}}}), large)
			require.NoError(t, err)
			require.Less(t, heap.Allocated(func() { _, err = readAll(t, f, 1000, "v") }), uint64(64<<20)) // the race detector allocates some
			require.ErrorContains(t, err, test.want)
		})
	}
}

// TestUnsupported: unsupported features are detected in the footer, and do not prevent other
// columns from being read.
func TestUnsupported(t *testing.T) {
	good := testChunk{pages: []testPage{dataPage(1, format.Plain, int64Bytes(7))}}
	with := func(change func(*format.ColumnChunk)) testChunk {
		return testChunk{pages: good.pages, change: change}
	}
	schema := append(requiredInt64("v"), requiredInt64("other")...)
	for want, chunk := range map[string]testChunk{
		"the column is compressed with LZO (3), which is not supported: write the file again with another codec, such as zstd": {codec: format.LZO, pages: good.pages},
		"the column is compressed with LZ4 (5), which is not supported: write the file again with another codec, such as zstd": {codec: format.Lz4, pages: good.pages},
		"values are encoded in Encoding(?) (99), which is not supported": with(func(c *format.ColumnChunk) {
			c.MetaData.Encoding = thrift.Slice[format.Encoding]{format.RLE, 99}
		}),
		"the column chunk is in another file, which is not supported": with(func(c *format.ColumnChunk) { c.FilePath = "x" }),
	} {
		first := testGroup{rows: 1, chunks: []testChunk{good, good}}
		f := mustOpen(t, build(t, schema, first, testGroup{rows: 1, chunks: []testChunk{chunk, good}}))
		require.EqualError(t, unreadable(f, "v"), `column "v" cannot be read: row group 1: `+want)
		require.Equal(t, []any{int64(7), int64(7)}, mustRead(t, f, 1, "other")[0])
	}
	none := testChunk{codec: format.LZO}
	f := mustOpen(t, build(t, requiredInt64("v"), testGroup{chunks: []testChunk{none}}, testGroup{rows: 1, chunks: []testChunk{good}}))
	require.Equal(t, []any{int64(7)}, mustRead(t, f, 1, "v")[0])
}

// TestTextsThatGrow: texts that share prefixes may become many more bytes than their page has, but
// not more than a page may have.
func TestTextsThatGrow(t *testing.T) {
	const n = 200
	e := parquet.LookupEncoding(format.DeltaBinaryPacked)
	prefixes, sizes := make([]int32, n), make([]int32, n)
	for i := range prefixes {
		prefixes[i] = 1000
	}
	prefixes[0], sizes[0] = 0, 1000
	a, err := e.EncodeInt32(nil, prefixes)
	require.NoError(t, err)
	b, err := e.EncodeInt32(nil, sizes)
	require.NoError(t, err)
	src := build(t, []format.SchemaElement{leafOf("v", format.ByteArray, format.Required)}, oneColumn(n, dataPage(n, format.DeltaByteArray, a, b, bytes.Repeat([]byte("x"), 1000))))
	for most, want := range map[int64]string{n * 1000: "", n*1000 - 1: "a page of more than 199999 bytes of text is larger than the limit of 199999 bytes: raise Options.MaxPage"} {
		f, err := Open(src, columns.Options{MaxPage: most})
		require.NoError(t, err)
		_, err = readAll(t, f, 1000, "v")
		if want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want)
		}
	}
}

// TestLongNames: a text longer than a name may be is an error of its row, takes no memory beside its
// page, and is in no dictionary.
func TestLongNames(t *testing.T) {
	type row struct {
		Coded string `parquet:"coded,dict,zstd"`
	}
	var data bytes.Buffer
	w := parquet.NewGenericWriter[row](&data)
	_, err := w.Write([]row{{"a"}, {"b"}, {strings.Repeat("x", 5_000_000)}})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	f, err := Open(inMemory(data.Bytes()), columns.Options{})
	require.NoError(t, err)
	require.Less(t, heap.Allocated(func() { _, err = readAll(t, f, 1, "coded") }), uint64(64<<20))
	require.ErrorContains(t, err, `column "coded": row 2: a text of 5000000 bytes, and names of at most 65536 are read: write shorter names, or set Options.MaxName to a larger number`)
	var dictionary columns.Strings
	complete, err := f.Dictionary(0, "coded", &dictionary)
	require.NoError(t, err)
	require.True(t, complete)
	require.Equal(t, []string{"a", "b"}, dictionary.Values())

	f, err = Open(inMemory(data.Bytes()), columns.Options{MaxName: 5_000_000})
	require.NoError(t, err)
	_, err = readAll(t, f, 3, "coded")
	require.NoError(t, err)
}
