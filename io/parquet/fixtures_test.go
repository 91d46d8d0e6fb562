package parquet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

func open(t testing.TB, file string) *File {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	f, err := Open(memory{bytes.NewReader(data), filepath.Base(file)}, columns.Options{})
	require.NoError(t, err)
	return f
}

// TestFixtures reads files of other writers, made by testdata/generate.py, and compares them with
// the values recorded there.
func TestFixtures(t *testing.T) {
	files, err := filepath.Glob("testdata/*.parquet")
	require.NoError(t, err)
	require.Greater(t, len(files), 40)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".parquet")
		table, _, _ := strings.Cut(name, ".")
		if table == "encrypted" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			f := open(t, file)
			columns := expected(t, "testdata/"+table+".json")
			var paths, readable []string
			for _, u := range f.Schema().Unreadable {
				require.Contains(t, columns, u.Path)
				require.Nil(t, columns[u.Path], u.Path)
				paths = append(paths, u.Path)
			}
			for _, field := range f.Schema().Fields {
				paths = append(paths, field.Path)
				readable = append(readable, field.Path)
			}
			require.Len(t, columns, len(paths))
			for _, most := range []int{1, 7, 64, 100_000} {
				got, err := readAll(t, f, most, readable...)
				require.NoError(t, err)
				for i, path := range readable {
					field, err := f.Schema().Lookup(path)
					require.NoError(t, err)
					requireEqual(t, typed(columns[path], field), append([]any{}, got[i]...), "%s in batches of %d", path, most)
				}
				// A column does not depend on which others are read, or in which order.
				slices.Reverse(readable)
				readable = readable[:len(readable)/2+len(readable)%2]
			}
		})
	}
}

// expected reads a file of expected values.
func expected(t *testing.T, file string) map[string]any {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var columns map[string]any
	require.NoError(t, d.Decode(&columns))
	return columns
}

// typed converts values from JSON to the types of a field.
func typed(v any, f columns.Field) any {
	switch v := v.(type) {
	case json.Number:
		if f.Type == columns.Float {
			x, err := v.Float64()
			if err != nil {
				panic(err)
			}
			return x
		}
		x, err := v.Int64()
		if err != nil {
			panic(err)
		}
		return x
	case string:
		if f.Type == columns.Float { // NaN, Infinity
			x, err := json.Number(v).Float64()
			if err != nil {
				panic(err)
			}
			return x
		}
		if strings.Contains(f.Physical, "binary") { // each byte is a rune
			var b []byte
			for _, r := range v {
				b = append(b, byte(r))
			}
			return string(b)
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = typed(v[i], f)
		}
		return out
	}
	return v
}

func TestSchema(t *testing.T) {
	describe := func(file string) (lines []string) {
		s := open(t, file).Schema()
		for _, f := range s.Fields {
			lines = append(lines, fmt.Sprintf("%s %s %d %v %s", f.Path, f.Type, f.Bits, f.List, f.Physical))
		}
		for _, u := range s.Unreadable {
			lines = append(lines, u.Path+": "+u.Reason)
		}
		return lines
	}
	require.Equal(t, []string{
		"bool bool 0 false bool",
		"int8 int 64 false int8",
		"int16 int 64 false int16",
		"int32 int 64 false int32",
		"int64 int 64 false int64",
		"uint8 int 64 false uint8",
		"uint16 int 64 false uint16",
		"uint32 int 64 false uint32",
		"uint64 int 64 false uint64",
		"float16 float 16 false halffloat",
		"float float 32 false float",
		"double float 64 false double",
		"string string 0 false string",
		"large_string string 0 false string",
		"binary string 0 false binary",
		"fixed string 0 false fixed_size_binary[3]",
		"category string 0 false string",
		"date string 0 false date",
		"time_ms string 0 false time[ms]",
		"time_us string 0 false time[us]",
		"time_ns string 0 false time[ns]",
		"timestamp_ms string 0 false timestamp[ms]",
		"timestamp_us string 0 false timestamp[us]",
		"timestamp_ns string 0 false timestamp[ns]",
		"timestamp_utc string 0 false timestamp[us, UTC]",
		"timestamp_zone string 0 false timestamp[us, UTC]",
		"uuid string 0 false uuid",
		"decimal4 float 64 false decimal(9, 2)",
		"decimal15 float 64 false decimal(15, 15)",
		"decimal_int int 64 false decimal(18, 0)",
		"null int 64 false null",
		"decimal_long: decimal(38, 10) does not fit a 64-bit number without loss: set Options.RoundDecimals to round it",
	}, describe("testdata/types.v1.parquet"))
	nested := []string{
		"score float 64 false double",
		"m.score float 32 false float",
		"m.in.name string 0 false string",
		"m.tags string 0 true list<string>",
		"scores float 32 true list<float>",
		"classes.label string 0 true list<string>",
		"classes.score float 64 true list<double>",
		"sparse.key string 0 true list<string>",
		"sparse.value float 64 true list<double>",
		"structs.key string 0 true list<string>",
		"structs.value.x int 64 true list<int64>",
		"lists.key string 0 true list<string>",
		"dense int 64 true list<int64>",
		"deep: it lies below 2 nested lists; one is the most: write one list a row",
		"lists.value: it lies below 2 nested lists; one is the most: write one list a row",
	}
	require.Equal(t, nested, describe("testdata/nested.v1.parquet"))
	require.Equal(t, nested, describe("testdata/nested.old_names.parquet"))
}

func TestLookup(t *testing.T) {
	s := open(t, "testdata/nested.v1.parquet").Schema()
	for path, message := range map[string]string{
		"scroe":  `no column "scroe"; did you mean "score"? The file has score, m.score, `,
		"Scores": `no column "Scores"; did you mean "scores"?`,
		"name":   `no column "name"; did you mean "m.in.name"?`,
		"m":      `column "m" is a group of columns: name one of m.score, m.in.name, m.tags`,
		"deep":   `column "deep" cannot be read: it lies below 2 nested lists`,
		"weight": `no column "weight"; the file has score,`,
		"":       `no column ""; the file has score,`,
	} {
		_, err := s.Lookup(path)
		require.ErrorContains(t, err, message)
	}
	_, err := open(t, "testdata/no_columns.v1.parquet").Schema().Lookup("x")
	require.EqualError(t, err, `no column "x": the file has no columns`)

	var wide columns.Schema
	for i := range 100 {
		wide.Fields = append(wide.Fields, columns.Field{Path: fmt.Sprintf("c%02d", i)})
	}
	_, err = wide.Lookup("c")
	require.ErrorContains(t, err, "c18, c19 and 80 more")
}

func TestMetadata(t *testing.T) {
	f := open(t, "testdata/metadata.v1.parquet")
	labels, ok := f.Metadata("labels")
	require.True(t, ok)
	require.Equal(t, `["beach", "sunset"]`, labels)
	_, ok = f.Metadata("other")
	require.False(t, ok)
}

func TestRowGroups(t *testing.T) {
	require.Equal(t, []int64{0, 3, 0, 1, 0}, open(t, "testdata/empty_groups.v1.parquet").RowGroups())
	require.Empty(t, open(t, "testdata/empty.groups.parquet").RowGroups())
	require.EqualError(t, failure(open(t, "testdata/empty.groups.parquet").Read(0, nil, nil, 1)),
		"empty.groups.parquet: row group 0: the file has 0 row groups")
}

// pathOf returns the path of a leaf that can be read.
func (f *File) pathOf(leaf int) string {
	i := slices.IndexFunc(f.Columns.Fields, func(field columns.Field) bool { return field.Leaf == leaf })
	return f.Columns.Fields[i].Path
}
