package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/bitpacked"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

// TestOldLists reads the layouts of lists and maps in the compatibility rules of the format, each
// with the same levels.
func TestOldLists(t *testing.T) {
	list := func(e format.SchemaElement) format.SchemaElement { return converted(e, deprecated.List) }
	const required, optional, repeated = format.Required, format.Optional, format.Repeated
	for name, test := range map[string]struct {
		schema []format.SchemaElement
		path   string
		def    int // highest level
		want   string
	}{
		"repeated leaf": {
			[]format.SchemaElement{leafOf("v", format.Int64, repeated)},
			"v", 1, "[[1 2] [] [3]]",
		},
		"required list of repeated leaf": {
			[]format.SchemaElement{list(group("v", required, 1)), leafOf("element", format.Int64, repeated)},
			"v", 1, "[[1 2] [] [3]]",
		},
		"optional list of repeated leaf": {
			[]format.SchemaElement{list(group("v", optional, 1)), leafOf("array", format.Int64, repeated)},
			"v", 2, "[[1 2] <nil> [3]]",
		},
		"array is the element": {
			[]format.SchemaElement{list(group("v", required, 1)), group("array", repeated, 1), leafOf("x", format.Int64, required)},
			"v.x", 1, "[[1 2] [] [3]]",
		},
		"_tuple is the element": {
			[]format.SchemaElement{list(group("v", required, 1)), group("v_tuple", repeated, 1), leafOf("x", format.Int64, required)},
			"v.x", 1, "[[1 2] [] [3]]",
		},
		"bag wraps the element": {
			[]format.SchemaElement{list(group("v", required, 1)), group("bag", repeated, 1), leafOf("array_element", format.Int64, required)},
			"v", 1, "[[1 2] [] [3]]",
		},
		"bag of optional elements": {
			[]format.SchemaElement{list(group("v", optional, 1)), group("bag", repeated, 1), leafOf("array_element", format.Int64, optional)},
			"v", 3, "[[1 2] <nil> [3]]",
		},
		"repeated group": {
			[]format.SchemaElement{group("v", repeated, 1), leafOf("x", format.Int64, required)},
			"v.x", 1, "[[1 2] [] [3]]",
		},
		"list in a struct": {
			[]format.SchemaElement{group("s", optional, 1), list(group("v", required, 1)), group("list", repeated, 1), leafOf("element", format.Int64, required)},
			"s.v", 2, "[[1 2] <nil> [3]]",
		},
		"map of the first name": {
			[]format.SchemaElement{converted(group("v", required, 1), deprecated.MapKeyValue), group("map", repeated, 1), leafOf("a", format.Int64, required)},
			"v.key", 1, "[[1 2] [] [3]]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := uint8(test.def)
			page := dataPage(4, format.Plain, encodedLevels(1, 0, 1, 0, 0), encodedLevels(test.def, d, d, 0, d), int64Bytes(1, 2, 3))
			f := mustOpen(t, build(t, test.schema, oneColumn(3, page)))
			require.Len(t, f.Schema().Fields, 1)
			for _, most := range []int{1, 2, 10} {
				require.Equal(t, test.want, fmt.Sprint(mustRead(t, f, most, test.path)[0]))
			}
		})
	}
}

func TestOldListsOfStructs(t *testing.T) {
	schema := []format.SchemaElement{
		converted(group("v", format.Optional, 1), deprecated.List),
		group("element", format.Repeated, 2), // two children: it is the element
		leafOf("a", format.Int64, format.Optional),
		leafOf("b", format.Int64, format.Required),
	}
	reps := encodedLevels(1, 0, 1, 0, 0)
	f := mustOpen(t, build(t, schema, testGroup{rows: 3, chunks: []testChunk{
		{pages: []testPage{dataPage(4, format.Plain, reps, encodedLevels(3, 3, 2, 1, 0), int64Bytes(1))}},
		{pages: []testPage{dataPage(4, format.Plain, reps, encodedLevels(2, 2, 2, 1, 0), int64Bytes(5, 6))}},
	}}))
	all := mustRead(t, f, 10, "v.b", "v.a")
	require.Equal(t, "[[5 6] [] <nil>]", fmt.Sprint(all[0]))
	require.Equal(t, "[[1 <nil>] [] <nil>]", fmt.Sprint(all[1]))
}

func TestNestedTwice(t *testing.T) {
	list := func(e format.SchemaElement) format.SchemaElement { return converted(e, deprecated.List) }
	schema := []format.SchemaElement{
		list(group("v", format.Optional, 1)), list(group("array", format.Repeated, 1)), leafOf("array", format.Int64, format.Repeated),
		leafOf("ok", format.Int64, format.Required),
	}
	page := dataPage(1, format.Plain, encodedLevels(2, 0), encodedLevels(2, 0))
	f := mustOpen(t, build(t, schema, testGroup{rows: 1, chunks: []testChunk{
		{pages: []testPage{page}}, {pages: []testPage{dataPage(1, format.Plain, int64Bytes(7))}},
	}}))
	require.EqualError(t, unreadable(f, "v"), `column "v" cannot be read: it lies below 2 nested lists; one is the most: write one list a row`)
	require.Equal(t, []any{int64(7)}, mustRead(t, f, 1, "ok")[0])
	_, err := readAll(t, f, 1, "v")
	require.EqualError(t, err, `test.parquet: column "v" cannot be read: it lies below 2 nested lists; one is the most: write one list a row`)
}

// TestRowsOverPages has rows that span several pages, and pages in which no row begins.
func TestRowsOverPages(t *testing.T) {
	schema := []format.SchemaElement{leafOf("v", format.Int64, format.Repeated)}
	page := func(reps []uint8, values ...int64) testPage {
		defs := make([]uint8, len(reps))
		for i := range values {
			defs[i] = 1
		}
		return dataPage(len(reps), format.Plain, encodedLevels(1, reps...), encodedLevels(1, defs...), int64Bytes(values...))
	}
	file := build(t, schema, oneColumn(4,
		page([]uint8{0, 1}, 1, 2),
		page([]uint8{1}, 3),
		page([]uint8{1, 0, 0}, 4, 5, 6),
		page(nil),
		page([]uint8{1, 1}, 7, 8),
		page([]uint8{0}),
	))
	f := mustOpen(t, file)
	for most := 1; most < 5; most++ {
		require.Equal(t, "[[1 2 3 4] [5] [6 7 8] []]", fmt.Sprint(mustRead(t, f, most, "v")[0]))
	}
	for limit, want := range map[int]string{4: "", 3: "row 0: the row has 4 values or more, and at most 3 are read: set Options.MaxRowValues to a larger number if that is no mistake", 1: "row 0: the row has 2 values or more, "} {
		f, err := Open(file, columns.Options{MaxRowValues: limit})
		require.NoError(t, err)
		for most := 1; most < 5; most++ {
			_, err := readAll(t, f, most, "v")
			require.Equal(t, want == "", err == nil)
			if err != nil {
				require.ErrorContains(t, err, `test.parquet: row group 0: column "v": `+want)
			}
		}
	}
}

// TestLongRows has rows and batches that end at all positions relative to the blocks in which
// levels are decoded.
func TestLongRows(t *testing.T) {
	schema := []format.SchemaElement{leafOf("v", format.Int64, format.Repeated)}
	var want []any
	var reps, defs []uint8
	var v []int64
	for _, n := range []int{1024 - 1, 1, 1024, 0, 1024 + 1, 3*1024 + 7, 0, 0, 2, 1} {
		row := []any{}
		for i := range n {
			row = append(row, int64(len(v)))
			v = append(v, int64(len(v)))
			reps, defs = append(reps, uint8(min(i, 1))), append(defs, 1)
		}
		if n == 0 {
			reps, defs = append(reps, 0), append(defs, 0)
		}
		want = append(want, row)
	}
	f := mustOpen(t, build(t, schema, oneColumn(10,
		dataPage(len(reps), format.Plain, encodedLevels(1, reps...), encodedLevels(1, defs...), int64Bytes(v...)))))
	for most := 1; most <= 11; most++ {
		require.Equal(t, want, mustRead(t, f, most, "v")[0])
	}
}

func TestBitPackedLevels(t *testing.T) {
	schema := []format.SchemaElement{
		converted(group("v", format.Optional, 1), deprecated.List), group("list", format.Repeated, 1), leafOf("element", format.Int64, format.Optional),
	}
	encode := func(width int, levels ...uint8) []byte {
		b, err := (&bitpacked.Encoding{BitWidth: width}).EncodeLevels(nil, levels)
		require.NoError(t, err)
		return b[:(len(levels)*width+7)/8]
	}
	page := dataPage(5, format.Plain, encode(1, 0, 1, 1, 0, 0), encode(2, 3, 2, 3, 0, 1), int64Bytes(1, 2))
	page.DataPageHeader.V.DefinitionLevelEncoding = format.BitPacked
	page.DataPageHeader.V.RepetitionLevelEncoding = format.BitPacked
	f := mustOpen(t, build(t, schema, oneColumn(3, page)))
	require.Equal(t, "[[1 <nil> 2] <nil> []]", fmt.Sprint(mustRead(t, f, 2, "v")[0]))
}

// TestCodecOfEachChunk uses another codec in the second row group, as in files that were merged.
func TestCodecOfEachChunk(t *testing.T) {
	page := dataPage(3, format.Plain, int64Bytes(1, 2, 3))
	packed := page
	packed.body = snappy.Encode(nil, page.body)
	packed.CompressedPageSize = int32(len(packed.body))
	f := mustOpen(t, build(t, requiredInt64("v"), oneColumn(3, page),
		testGroup{rows: 3, chunks: []testChunk{{codec: format.Snappy, pages: []testPage{packed}}}}))
	require.Equal(t, "[1 2 3 1 2 3]", fmt.Sprint(mustRead(t, f, 2, "v")[0]))
}

// TestDictionaries covers every encoding of indexes.
func TestDictionaries(t *testing.T) {
	dictionary := dictionaryPage(3, int64Bytes(10, 20, 30))
	indexes := func(b ...byte) []byte { return b }
	for name, test := range map[string]struct {
		pages []testPage
		want  string
	}{
		"runs":               {[]testPage{dataPage(4, format.RLEDictionary, indexes(2, 3<<1, 1, 1<<1, 2))}, "[20 20 20 30]"},
		"bit-packed":         {[]testPage{dataPage(4, format.RLEDictionary, indexes(2, 1<<1|1, 0b00100100, 0b00000010))}, "[10 20 30 10]"},
		"cut off":            {[]testPage{dataPage(4, format.RLEDictionary, indexes(2, 1<<1|1, 0b00100100))}, "[10 20 30 10]"},
		"old name":           {[]testPage{dataPage(1, plainDictionary, indexes(2, 1<<1, 1))}, "[20]"},
		"no bits":            {[]testPage{dataPage(3, format.RLEDictionary, indexes(0))}, "[10 10 10]"},
		"wide":               {[]testPage{dataPage(2, format.RLEDictionary, indexes(32, 2<<1, 2, 0, 0, 0))}, "[30 30]"},
		"then plain":         {[]testPage{dataPage(1, format.RLEDictionary, indexes(2, 1<<1, 1)), dataPage(2, format.Plain, int64Bytes(7, 8))}, "[20 7 8]"},
		"plain in between":   {[]testPage{dataPage(1, format.Plain, int64Bytes(7)), dataPage(1, format.RLEDictionary, indexes(2, 1<<1, 1))}, "[7 20]"},
		"unknown page types": {[]testPage{{PageHeader: format.PageHeader{Type: format.IndexPage, CompressedPageSize: 2}, body: []byte{1, 2}}, dataPage(1, format.Plain, int64Bytes(7))}, "[7]"},
	} {
		t.Run(name, func(t *testing.T) {
			rows := int64(0)
			for _, p := range test.pages {
				rows += int64(p.DataPageHeader.V.NumValues)
			}
			f := mustOpen(t, build(t, requiredInt64("v"), oneColumn(rows, append([]testPage{dictionary}, test.pages...)...)))
			for most := range 4 {
				require.Equal(t, test.want, fmt.Sprint(mustRead(t, f, most+1, "v")[0]))
			}
		})
	}
}

func TestDictionaryOffset(t *testing.T) {
	pages := []testPage{dictionaryPage(1, stringBytes("a")), dataPage(2, format.RLEDictionary, []byte{0})}
	for _, stated := range []bool{true, false} {
		chunk := testChunk{pages: pages}
		if stated {
			chunk.change = func(c *format.ColumnChunk) {
				c.MetaData.DictionaryPageOffset = c.MetaData.DataPageOffset
				c.MetaData.DataPageOffset += 20 // some writers mean the first data page
			}
		}
		f := mustOpen(t, build(t, []format.SchemaElement{leafOf("v", format.ByteArray, format.Required)},
			testGroup{rows: 2, chunks: []testChunk{chunk}}))
		require.Equal(t, "[a a]", fmt.Sprint(mustRead(t, f, 2, "v")[0]))
	}
}

func TestVersion2(t *testing.T) {
	page := func(compressed thrift.Null[bool], values ...int64) testPage {
		defs := []byte{byte(len(values) << 1), 1, 1 << 1, 0} // the last is null
		data := int64Bytes(values...)
		size := len(defs) + len(data)
		if v, ok := compressed.Get(); v || !ok {
			data = snappy.Encode(nil, data)
		}
		p := testPage{body: slices.Concat([]byte{0xff}, defs, data)}
		p.Type = format.DataPageV2
		p.DataPageHeaderV2 = thrift.New(format.DataPageHeaderV2{
			NumValues: int32(len(values) + 1), NumNulls: 1, NumRows: int32(len(values) + 1),
			RepetitionLevelsByteLength: 1, // to be passed over
			DefinitionLevelsByteLength: int32(len(defs)), IsCompressed: compressed,
		})
		p = p.sized()
		p.UncompressedPageSize = int32(size + 1)
		return p.withCRC()
	}
	f := mustOpen(t, build(t, optionalInt64("v"), testGroup{rows: 7, chunks: []testChunk{{codec: format.Snappy, pages: []testPage{
		page(thrift.New(true), 1, 2), page(thrift.New(false), 3), page(thrift.Null[bool]{}, 4),
	}}}}))
	require.Equal(t, "[1 2 <nil> 3 <nil> 4 <nil>]", fmt.Sprint(mustRead(t, f, 3, "v")[0]))
}

func TestLogicalTypes(t *testing.T) {
	fixed := func(n int32) format.SchemaElement {
		e := leafOf("v", format.FixedLenByteArray, format.Required)
		e.TypeLength = thrift.New(n)
		return e
	}
	bytes := leafOf("v", format.ByteArray, format.Required)
	int32s, int64s := leafOf("v", format.Int32, format.Required), leafOf("v", format.Int64, format.Required)
	decimal := func(e format.SchemaElement, precision, scale int32) format.SchemaElement {
		e = converted(e, deprecated.Decimal)
		e.Precision, e.Scale = thrift.New(precision), thrift.New(scale)
		return e
	}
	utc := func(u format.TimeUnitValue) format.LogicalTypeValue {
		return &format.TimestampType{IsAdjustedToUTC: true, Unit: format.TimeUnit{Value: u}}
	}
	day := func(nanos int64, julian uint32) []byte {
		return binary.LittleEndian.AppendUint32(int64Bytes(nanos), julian)
	}
	int32Bytes := func(v int32) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(v)) }

	for name, test := range map[string]struct {
		schema format.SchemaElement
		data   []byte
		want   any // or why it cannot be read
	}{
		"int8":                  {converted(int32s, deprecated.Int8), int32Bytes(-5), int64(-5)},
		"uint8":                 {converted(int32s, deprecated.Uint8), int32Bytes(250), int64(250)},
		"uint8 as int32":        {converted(int32s, deprecated.Uint8), int32Bytes(-1), int64(255)},
		"uint16 as int32":       {converted(int32s, deprecated.Uint16), int32Bytes(-1), int64(65535)},
		"int8 as uint8":         {converted(int32s, deprecated.Int8), int32Bytes(255), int64(-1)},
		"int16 as uint16":       {logicalType(int32s, &format.IntType{BitWidth: 16, IsSigned: true}), int32Bytes(65535), int64(-1)},
		"uint32":                {converted(int32s, deprecated.Uint32), int32Bytes(-1), int64(math.MaxUint32)},
		"uint64":                {converted(int64s, deprecated.Uint64), int64Bytes(math.MaxInt64), int64(math.MaxInt64)},
		"date":                  {converted(int32s, deprecated.Date), int32Bytes(19820), "2024-04-07"},
		"time ms":               {converted(int32s, deprecated.TimeMillis), int32Bytes(43200500), "12:00:00.5"},
		"time us":               {converted(int64s, deprecated.TimeMicros), int64Bytes(1), "00:00:00.000001"},
		"timestamp ms":          {converted(int64s, deprecated.TimestampMillis), int64Bytes(1712491200000), "2024-04-07T12:00:00Z"},
		"timestamp us":          {converted(int64s, deprecated.TimestampMicros), int64Bytes(1712491200123456), "2024-04-07T12:00:00.123456Z"},
		"timestamp ns":          {logicalType(int64s, utc(new(format.NanoSeconds))), int64Bytes(-1), "1969-12-31T23:59:59.999999999Z"},
		"timestamp far":         {logicalType(int64s, utc(new(format.MilliSeconds))), int64Bytes(253402300800000), "10000-01-01T00:00:00Z"},
		"int96":                 {leafOf("v", format.Int96, format.Required), day(43200_000000001, 2460408), "2024-04-07T12:00:00.000000001Z"},
		"int96 long ago":        {leafOf("v", format.Int96, format.Required), day(1, math.MaxUint32), "-4713-11-23T00:00:00.000000001Z"},
		"int96 far":             {leafOf("v", format.Int96, format.Required), day(0, 109_192_578), "294247-01-09T00:00:00Z"},
		"int96 of an overflow":  {leafOf("v", format.Int96, format.Required), day(0, 1<<32-105_863_000), errorText("a timestamp of the Julian day -105863000")},
		"int96 of no day":       {leafOf("v", format.Int96, format.Required), day(0, 0), "-4713-11-24T00:00:00Z"},
		"end of the day":        {converted(int32s, deprecated.TimeMillis), int32Bytes(86400000), "24:00:00"},
		"negative time":         {converted(int64s, deprecated.TimeMicros), int64Bytes(-1500000), "-00:00:01.5"},
		"long time":             {converted(int64s, deprecated.TimeMicros), int64Bytes(31*3600e6 + 30*60e6), "31:30:00"},
		"longest time":          {converted(int64s, deprecated.TimeMicros), int64Bytes(math.MinInt64), "-2562047788:00:54.775808"},
		"enum":                  {converted(bytes, deprecated.Enum), stringBytes("on"), "on"},
		"json":                  {logicalType(bytes, new(format.JsonType)), stringBytes("{}"), "{}"},
		"uuid":                  {logicalType(fixed(16), new(format.UUIDType)), []byte("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff"), "00112233-4455-6677-8899-aabbccddeeff"},
		"fixed":                 {fixed(3), []byte("a\x00\xff"), "a\x00\xff"},
		"decimal int32":         {decimal(int32s, 9, 2), int32Bytes(-12345), -123.45},
		"decimal int64":         {decimal(int64s, 15, 15), int64Bytes(100000000000000), 0.1},
		"decimal bytes":         {decimal(bytes, 10, 1), stringBytes("\xff\xfe"), -0.2},
		"decimal long bytes":    {decimal(bytes, 10, 1), stringBytes("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03"), 0.3},
		"decimal fixed":         {decimal(fixed(5), 11, 3), []byte{0, 0, 0, 4, 0}, 1.024},
		"decimal integer":       {decimal(fixed(9), 18, 0), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe}, int64(-2)},
		"wrong annotation":      {converted(int64s, deprecated.UTF8), int64Bytes(5), int64(5)},
		"all null":              {logicalType(int32s, new(format.NullType)), int32Bytes(0), int64(0)},
		"unreadable decimal":    {decimal(int64s, 16, 1), nil, "decimal(16, 1) does not fit a 64-bit number without loss: set Options.RoundDecimals to round it"},
		"unreadable scale":      {decimal(int64s, 3, 4), nil, "decimal(3, 4) is not a valid decimal"},
		"unreadable float":      {decimal(leafOf("v", format.Double, format.Required), 3, 1), nil, "decimal(3, 1) is not stored as an integer or as bytes"},
		"unreadable interval":   {converted(fixed(12), deprecated.Interval), nil, "intervals are not supported"},
		"unreadable length":     {leafOf("v", format.FixedLenByteArray, format.Required), nil, "a fixed-length type without a length"},
		"unreadable float16":    {logicalType(fixed(3), new(format.Float16Type)), nil, "a float16 of 3 bytes"},
		"unreadable uuid":       {logicalType(fixed(15), new(format.UUIDType)), nil, "a UUID of 15 bytes"},
		"unreadable type":       {leafOf("v", 99, format.Required), nil, "unknown physical type 99"},
		"unreadable unit":       {logicalType(int64s, &format.TimestampType{}), nil, "a timestamp of unknown unit"},
		"unreadable time":       {logicalType(int64s, &format.TimeType{}), nil, "a time of unknown unit"},
		"value too long":        {decimal(bytes, 10, 1), stringBytes("\x01\x00\x00\x00\x00\x00\x00\x00\x00\x03"), errorText("more than the 10 digits")},
		"value beyond its type": {decimal(int32s, 2, 1), int32Bytes(100), errorText("more than the 2 digits")},
		"value without bytes":   {decimal(bytes, 2, 1), stringBytes(""), errorText("more than the 2 digits")},
	} {
		t.Run(name, func(t *testing.T) {
			f := mustOpen(t, build(t, []format.SchemaElement{test.schema, leafOf("other", format.Int64, format.Required)},
				testGroup{rows: 1, chunks: []testChunk{
					{pages: []testPage{dataPage(1, format.Plain, test.data)}}, {pages: []testPage{dataPage(1, format.Plain, int64Bytes(5))}},
				}}))
			require.Equal(t, "[5]", fmt.Sprint(mustRead(t, f, 1, "other")[0]))
			switch {
			case test.data == nil:
				require.EqualError(t, unreadable(f, "v"), `column "v" cannot be read: `+test.want.(string))
			default:
				all, err := readAll(t, f, 1, "v")
				if want, ok := test.want.(errorText); ok {
					require.ErrorContains(t, err, string(want))
					require.ErrorContains(t, err, `test.parquet: row group 0: column "v": row 0: `)
					return
				}
				require.NoError(t, err)
				require.Equal(t, []any{test.want}, all[0])
			}
		})
	}
}

type errorText string

func TestAmbiguousPath(t *testing.T) {
	schema := []format.SchemaElement{
		leafOf("a.b", format.Int64, format.Required), group("a", format.Required, 1), leafOf("b", format.Int64, format.Required),
	}
	_, err := mustOpen(t, build(t, schema)).Schema().Lookup("a.b")
	require.EqualError(t, err, "column \"a.b\" is ambiguous: write `a.b` or `a`.`b`")
}
