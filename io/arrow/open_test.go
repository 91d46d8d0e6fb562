package arrow_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/arrow"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/parquet"
)

// source is a file in memory.
type source struct {
	*bytes.Reader
	name string
}

func (s source) Name() string { return s.name }

func sourceOf(t testing.TB, name string) source {
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return source{bytes.NewReader(data), name}
}

// values returns the rows of a column as text, read in batches of the given size.
func values(f columns.File, path string, most int) (rows []string, err error) {
	for group := range f.RowGroups() {
		for b, err := range f.Read(group, []string{path}, nil, most) {
			if err != nil {
				return rows, err
			}
			c := &b.Columns[0]
			for r := range b.Rows {
				rows = append(rows, rowText(c, r))
			}
		}
	}
	return rows, nil
}

func rowText(c *columns.Column, r int) string {
	if c.Offsets == nil {
		return valueText(c, r)
	}
	if c.RowNull != nil && c.RowNull[r] {
		return "null list"
	}
	var list []string
	for i := c.Offsets[r]; i < c.Offsets[r+1]; i++ {
		list = append(list, valueText(c, int(i)))
	}
	return fmt.Sprint(list)
}

func valueText(c *columns.Column, i int) string {
	if c.Null != nil && c.Null[i] {
		return "null"
	}
	switch c.Type {
	case columns.Float:
		return fmt.Sprintf("%x", math.Float64bits(c.Floats[i]))
	case columns.String:
		return fmt.Sprintf("%q", c.Dict.Values()[c.Codes[i]])
	}
	return fmt.Sprint(c.Ints[i])
}

// TestLikeParquet: a table has the same columns and values as in Parquet, whatever the compression
// and the division into batches.
func TestLikeParquet(t *testing.T) {
	for _, o := range []columns.Options{{}, {RoundDecimals: true}} {
		want, err := parquet.Open(sourceOf(t, "table.parquet"), o)
		require.NoError(t, err)
		for _, name := range []string{"plain.arrow", "zstd.arrow", "lz4.feather", "sliced.arrow", "stream.arrows", "zstd.arrows"} {
			got, err := arrow.Open(sourceOf(t, name), o, nil)
			require.NoError(t, err, name)
			rows := int64(0)
			for _, n := range got.RowGroups() {
				rows += n
			}
			require.EqualValues(t, 40, rows)
			require.Greater(t, len(got.RowGroups()), 2)
			labels, found := got.Metadata("labels")
			require.True(t, found)
			require.Equal(t, `["a", "b"]`, labels)
			require.Len(t, got.Schema().Fields, len(want.Schema().Fields))
			for _, field := range want.Schema().Fields {
				other, err := got.Schema().Lookup(field.Path)
				require.NoError(t, err)
				require.Equal(t, []any{field.Type, field.Bits, field.List}, []any{other.Type, other.Bits, other.List}, field.Path)
				if !strings.HasPrefix(field.Path, "clock") && field.Path != "local" && field.Path != "instant" { // of which Parquet stores other units
					require.Equal(t, field.Physical, other.Physical, field.Path)
				}
				expected, err := values(want, field.Path, 1000)
				require.NoError(t, err)
				for _, most := range []int{1, 3, 1000} {
					actual, err := values(got, field.Path, most)
					require.NoError(t, err, "%s of %s", field.Path, name)
					require.Equal(t, expected, actual, "%s of %s", field.Path, name)
				}
			}
			require.Equal(t, reasons(want), reasons(got))
		}
	}
}

func reasons(f columns.File) (list []string) {
	for _, u := range f.Schema().Unreadable {
		list = append(list, u.Path+": "+u.Reason)
	}
	return list
}

// TestOtherTypes: types that Parquet lacks.
func TestOtherTypes(t *testing.T) {
	f, err := arrow.Open(sourceOf(t, "other.arrow"), columns.Options{}, nil)
	require.NoError(t, err)
	for path, want := range map[string]string{
		"large_string":  `"a" "b" "a" null "a"`,
		"string_view":   `"a" "longer than twelve bytes" "a" null "a"`,
		"large_list":    `[1 2] [] [1 2] null list [1 2]`,
		"fixed_list":    `[3fd0000000000000 3fe8000000000000] [3ff0000000000000 0] [3fd0000000000000 3fe8000000000000] null list [3fd0000000000000 3fe8000000000000]`,
		"coded_numbers": `5 7 5 null 5`,
		"coded_list":    `["u" "v"] ["v"] ["u" "v"] null list ["u" "v"]`,
		"date64":        `"2026-11-22" "2026-11-22" "2026-11-22" null "2026-11-22"`,
		"seconds":       `"2026-11-22T00:00:00" "2026-11-22T00:00:00" "2026-11-22T00:00:00" null "2026-11-22T00:00:00"`,
	} {
		got, err := values(f, path, 7)
		require.NoError(t, err)
		require.Len(t, got, 40)
		require.Equal(t, want, strings.Join(got[:5], " "), path)
	}
	require.Equal(t, []string{"duration: type duration is not supported"}, reasons(f))
}
