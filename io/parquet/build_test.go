package parquet

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

// The tests below build files page by page, to obtain old layouts and damaged files that no
// available writer produces.

type testGroup struct {
	rows   int64
	chunks []testChunk
}

type testChunk struct {
	codec  format.CompressionCodec
	values int64 // 0: those of the pages
	pages  []testPage
	change func(*format.ColumnChunk)
}

type testPage struct {
	format.PageHeader
	body []byte
}

// build makes a file. Schemas are given without their root.
func build(t testing.TB, schema []format.SchemaElement, groups ...testGroup) memory {
	t.Helper()
	return inMemory(buildBytes(t, schema, groups...))
}

func buildBytes(t testing.TB, schema []format.SchemaElement, groups ...testGroup) []byte {
	t.Helper()
	file := []byte(magic)
	m := format.FileMetaData{Version: 2, Schema: thrift.Slice[format.SchemaElement]{{Name: "root"}}, RowGroups: thrift.Slice[format.RowGroup]{}}
	m.Schema = append(m.Schema, schema...)
	var leaves []format.Type
	nested := int32(0)
	for i := range schema {
		nested += schema[i].NumChildren.V
		if schema[i].Type.Valid {
			leaves = append(leaves, schema[i].Type.V)
		}
	}
	m.Schema[0].NumChildren = thrift.New(int32(len(schema)) - nested)
	for _, g := range groups {
		group := format.RowGroup{NumRows: g.rows}
		for i, c := range g.chunks {
			start := len(file)
			values := int64(0)
			for _, p := range c.pages {
				values += int64(p.DataPageHeader.V.NumValues + p.DataPageHeaderV2.V.NumValues)
				file = append(file, marshal(t, &p.PageHeader)...)
				file = append(file, p.body...)
			}
			if c.values != 0 {
				values = c.values
			}
			chunk := format.ColumnChunk{MetaData: format.ColumnMetaData{
				Type:                leaves[i],
				Encoding:            thrift.Slice[format.Encoding]{},
				PathInSchema:        thrift.Slice[string]{},
				Codec:               c.codec,
				NumValues:           values,
				DataPageOffset:      int64(start),
				TotalCompressedSize: int64(len(file) - start),
			}}
			if c.change != nil {
				c.change(&chunk)
			}
			group.Columns = append(group.Columns, chunk)
		}
		m.NumRows += g.rows
		m.RowGroups = append(m.RowGroups, group)
	}
	return withFooter(file, marshal(t, &m))
}

func withFooter(file, footer []byte) []byte {
	file = append(slices.Clip(file), footer...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(footer)))
	return append(file, magic...)
}

func marshal(t testing.TB, v any) []byte {
	t.Helper()
	b, err := thrift.Marshal(new(thrift.CompactProtocol), v)
	require.NoError(t, err)
	return b
}

// Elements of schemas.

func leafOf(name string, typ format.Type, repetition format.FieldRepetitionType) format.SchemaElement {
	return format.SchemaElement{Name: name, Type: thrift.New(typ), RepetitionType: thrift.New(repetition)}
}

func group(name string, repetition format.FieldRepetitionType, children int32) format.SchemaElement {
	return format.SchemaElement{Name: name, RepetitionType: thrift.New(repetition), NumChildren: thrift.New(children)}
}

func converted(e format.SchemaElement, t deprecated.ConvertedType) format.SchemaElement {
	e.ConvertedType = thrift.New(t)
	return e
}

func logicalType(e format.SchemaElement, t format.LogicalTypeValue) format.SchemaElement {
	e.LogicalType.Value = t
	return e
}

func requiredInt64(name string) []format.SchemaElement {
	return []format.SchemaElement{leafOf(name, format.Int64, format.Required)}
}

func optionalInt64(name string) []format.SchemaElement {
	return []format.SchemaElement{leafOf(name, format.Int64, format.Optional)}
}

// Pages.

// dataPage is an uncompressed page of version 1.
func dataPage(n int, encoding format.Encoding, parts ...[]byte) testPage {
	p := testPage{body: slices.Concat(parts...)}
	p.Type = format.DataPage
	p.DataPageHeader = thrift.New(format.DataPageHeader{
		NumValues: int32(n), Encoding: encoding,
		DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
	})
	return p.sized()
}

func dictionaryPage(n int, parts ...[]byte) testPage {
	p := testPage{body: slices.Concat(parts...)}
	p.Type = format.DictionaryPage
	p.DictionaryPageHeader = thrift.New(format.DictionaryPageHeader{NumValues: int32(n), Encoding: format.Plain})
	return p.sized()
}

func (p testPage) sized() testPage {
	p.CompressedPageSize, p.UncompressedPageSize = int32(len(p.body)), int32(len(p.body))
	return p
}

func (p testPage) withCRC() testPage {
	p.CRC = int32(crc32.ChecksumIEEE(p.body))
	return p
}

// levels encodes levels as version 1 pages have them.
func encodedLevels(highest int, levels ...uint8) []byte {
	b, err := (&rle.Encoding{BitWidth: bits.Len(uint(highest))}).EncodeLevels(nil, levels)
	if err != nil {
		panic(err)
	}
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
}

func int64Bytes(values ...int64) (b []byte) {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

func stringBytes(values ...string) (b []byte) {
	for _, v := range values {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(v))), v...)
	}
	return b
}

func oneColumn(rows int64, pages ...testPage) testGroup {
	return testGroup{rows: rows, chunks: []testChunk{{pages: pages}}}
}

func mustOpen(t testing.TB, src columns.Source) *File {
	t.Helper()
	f, err := Open(src, columns.Options{})
	require.NoError(t, err)
	return f
}

func mustRead(t testing.TB, f *File, most int, paths ...string) [][]any {
	t.Helper()
	all, err := readAll(t, f, most, paths...)
	require.NoError(t, err)
	return all
}

// pageKinds are schemas with one leaf.
var pageKinds = [][]format.SchemaElement{
	requiredInt64("v"),
	optionalInt64("v"),
	{leafOf("v", format.Int64, format.Repeated)},
	{converted(group("v", format.Optional, 1), deprecated.List), group("list", format.Repeated, 1), leafOf("element", format.Double, format.Optional)},
	{leafOf("v", format.ByteArray, format.Required)},
	{leafOf("v", format.ByteArray, format.Optional)},
	{leafOf("v", format.Boolean, format.Optional)},
	{leafOf("v", format.Float, format.Required)},
	{converted(leafOf("v", format.Int32, format.Optional), deprecated.Date)},
	{logicalType(format.SchemaElement{Name: "v", Type: thrift.New(format.FixedLenByteArray), TypeLength: thrift.New[int32](2)}, new(format.Float16Type))},
	{converted(format.SchemaElement{Name: "v", Type: thrift.New(format.ByteArray), Precision: thrift.New[int32](9)}, deprecated.Decimal)},
	{leafOf("v", format.Int96, format.Required)},
}

// pageOfKind is a file of one page of 20 values, after a dictionary page.
func pageOfKind(t testing.TB, kind, encoding uint8, body, dictionary []byte) []byte {
	page := dataPage(20, format.Encoding(encoding%10), body)
	if encoding&0x80 != 0 {
		page.DataPageHeader.V.DefinitionLevelEncoding = format.BitPacked
		page.DataPageHeader.V.RepetitionLevelEncoding = format.BitPacked
	}
	codec := format.CompressionCodec(encoding / 10 % 8)
	page.UncompressedPageSize = max(page.CompressedPageSize, 100*int32(min(1, codec)))
	pages := []testPage{page}
	if len(dictionary) > 0 {
		d := dictionaryPage(int(dictionary[0]), dictionary[1:])
		pages = []testPage{d, page}
	}
	return buildBytes(t, pageKinds[int(kind)%len(pageKinds)], testGroup{rows: 20, chunks: []testChunk{{codec: codec, pages: pages}}})
}

// unreadable is the reason why a column cannot be read.
func unreadable(f *File, path string) error {
	_, err := f.Schema().Lookup(path)
	return err
}
