package parquet

import (
	"bytes"
	"slices"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

// TestDictionaryOfFixtures checks, in the files of other writers, that a dictionary reported as
// complete has the values of all rows.
func TestDictionaryOfFixtures(t *testing.T) {
	complete := map[string]int{} // columns, by file
	for name, data := range fixtures(t, "*.parquet") {
		f, err := Open(inMemory(data), columns.Options{})
		if err != nil {
			continue // encrypted
		}
		for _, field := range f.Schema().Fields {
			for g := range f.Groups {
				var dictionary columns.Strings
				all, err := f.Dictionary(g, field.Path, &dictionary)
				require.NoError(t, err, "%s: %s", name, field.Path)
				if !all {
					require.Zero(t, dictionary.Len())
					continue
				}
				require.Contains(t, []columns.Type{columns.String, columns.Int}, field.Type)
				n := dictionary.Len()
				for batch, err := range f.Read(g, []string{field.Path}, []*columns.Strings{&dictionary}, 1<<20) {
					require.NoError(t, err)
					complete[name]++
					for i, x := range batch.Columns[0].Ints {
						if null := batch.Columns[0].Null; field.Type == columns.Int && (null == nil || !null[i]) {
							dictionary.CodeOf(strconv.FormatInt(x, 10))
						}
					}
				}
				require.Equal(t, n, dictionary.Len(), "%s: %s: rows have values that are not in the dictionary", name, field.Path)
			}
		}
	}
	require.Equal(t, 6, complete["empty_groups.v1.parquet"])
	require.Equal(t, 6, complete["duckdb_nested.v1.parquet"]) // no statistics of encodings
	require.Equal(t, 6, complete["duckdb_nested.v2.parquet"])
	require.Zero(t, complete["many.pages_v1.parquet"])
	require.Zero(t, complete["delta_byte_array.v1.parquet"])
}

// TestDictionaryOfLibrary writes dictionaries that become too large, and plain values.
func TestDictionaryOfLibrary(t *testing.T) {
	type row struct {
		Coded string  `parquet:"coded,dict"`
		Plain string  `parquet:"plain,plain"`
		Delta string  `parquet:"delta,delta"`
		Score float64 `parquet:"score,dict"`
		Int   int32   `parquet:"int,dict"`
		Large uint64  `parquet:"large,dict"`
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file)
	_, err := w.Write([]row{{"b", "b", "b", 1, -7, 1}, {"a", "a", "a", 2, 12, 1 << 63}, {"b", "b", "b", 1, -7, 1}})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	f := mustOpen(t, inMemory(file.Bytes()))
	var values columns.Strings
	values.CodeOf("before")
	complete, err := f.Dictionary(0, "coded", &values)
	require.NoError(t, err)
	require.True(t, complete)
	require.Equal(t, []string{"before", "b", "a"}, values.Values())
	for _, path := range []string{"plain", "delta", "score", "large"} {
		complete, err := f.Dictionary(0, path, &values)
		require.NoError(t, err)
		require.False(t, complete, path)
	}
	require.Equal(t, 3, values.Len())
	complete, err = f.Dictionary(0, "int", &values)
	require.NoError(t, err)
	require.True(t, complete)
	require.Equal(t, []string{"before", "b", "a", "-7", "12"}, values.Values())
}

// codedChunk has a dictionary, a page that refers to it and, if there are values, a plain page.
func codedChunk(says func(*format.ColumnMetaData), plain ...string) testChunk {
	pages := []testPage{
		dictionaryPage(3, stringBytes("ham", "spam", "unused")),
		dataPage(2, format.RLEDictionary, []byte{2, 3, 0b0100}),
	}
	if len(plain) > 0 {
		pages = append(pages, dataPage(len(plain), format.Plain, stringBytes(plain...)))
	}
	return testChunk{pages: pages, change: func(c *format.ColumnChunk) { says(&c.MetaData) }}
}

func TestDictionaryIsComplete(t *testing.T) {
	encodings := func(e ...format.Encoding) func(*format.ColumnMetaData) {
		return func(m *format.ColumnMetaData) { m.Encoding = e }
	}
	stats := func(s ...format.PageEncodingStats) func(*format.ColumnMetaData) {
		return func(m *format.ColumnMetaData) {
			m.Encoding, m.EncodingStats = thrift.Slice[format.Encoding]{format.RLEDictionary}, s
		}
	}
	dictionary := format.PageEncodingStats{PageType: format.DictionaryPage, Encoding: format.Plain, Count: 1}
	coded := format.PageEncodingStats{PageType: format.DataPage, Encoding: format.RLEDictionary, Count: 1}
	plain := format.PageEncodingStats{PageType: format.DataPageV2, Encoding: format.Plain, Count: 1}
	for name, test := range map[string]struct {
		chunk testChunk
		want  bool
	}{
		"statistics":            {codedChunk(stats(dictionary, coded)), true},
		"goes on plain":         {codedChunk(stats(dictionary, coded, plain), "eggs", "ham"), false},
		"no data pages":         {codedChunk(stats(dictionary)), false},
		"plain dictionary":      {codedChunk(encodings(plainDictionary, format.RLE, format.BitPacked)), true},
		"RLE dictionary":        {codedChunk(encodings(format.RLE, format.RLEDictionary)), true},
		"plain may be anything": {codedChunk(encodings(format.RLE, format.RLEDictionary, format.Plain)), false},
		"says nothing":          {codedChunk(encodings()), false},
		"levels alone":          {codedChunk(encodings(format.RLE)), false},
		"no values":             {testChunk{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			rows := int64(0)
			for _, p := range test.chunk.pages {
				rows += int64(p.DataPageHeader.V.NumValues)
			}
			schema := []format.SchemaElement{leafOf("v", format.ByteArray, format.Required)}
			f := mustOpen(t, build(t, schema, testGroup{rows, []testChunk{test.chunk}}))
			var values columns.Strings
			complete, err := f.Dictionary(0, "v", &values)
			require.NoError(t, err)
			require.Equal(t, test.want, complete)
			if test.want && rows > 0 {
				require.Equal(t, []string{"ham", "spam", "unused"}, values.Values())
			}
			if rows > 0 {
				got := mustRead(t, f, 10, "v")
				require.Equal(t, []any{"ham", "spam"}, got[0][:2])
			}
		})
	}
}

func TestDictionaryErrors(t *testing.T) {
	schema := []format.SchemaElement{leafOf("v", format.ByteArray, format.Required)}
	coded := func(m *format.ColumnMetaData) { m.Encoding = []format.Encoding{format.RLEDictionary} }
	without, damaged := codedChunk(coded), codedChunk(coded)
	without.pages = without.pages[1:]
	damaged.pages = slices.Clone(damaged.pages)
	damaged.pages[0] = dictionaryPage(3, stringBytes("ham")[:5])
	for want, chunk := range map[string]testChunk{
		`test.parquet: row group 0: column "v": the column chunk has no dictionary, but the footer says so`: without,
		`test.parquet: row group 0: column "v": reading the dictionary: `:                                   damaged,
	} {
		f := mustOpen(t, build(t, schema, testGroup{2, []testChunk{chunk}}))
		complete, err := f.Dictionary(0, "v", new(columns.Strings))
		require.ErrorContains(t, err, want)
		require.False(t, complete)
	}
	f := mustOpen(t, build(t, schema, testGroup{2, []testChunk{codedChunk(coded)}}))
	_, err := f.Dictionary(1, "v", new(columns.Strings))
	require.ErrorContains(t, err, "the file has 1 row groups")
	_, err = f.Dictionary(0, "w", new(columns.Strings))
	require.ErrorContains(t, err, `no column "w"`)
}
