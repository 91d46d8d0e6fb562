package text

import (
	"bytes"
	"fmt"
	"strconv"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

// memory is an in-memory file.
type memory struct{ *bytes.Reader }

func (memory) Name() string { return "a.csv" }

func inMemory(content string) columns.Source { return memory{bytes.NewReader([]byte(content))} }

func gzipOf(content string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(content))
	z.Close()
	return b.String()
}

func zstdOf(content string) string {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return string(z.EncodeAll([]byte(content), nil))
}

// table reads some columns of all row groups, as text; null is "null".
func table(t testing.TB, f *File, most int, paths ...string) (rows [][]string) {
	t.Helper()
	groups := f.RowGroups()
	line := int64(0)
	for g := f.layout.first; g < len(groups); g++ {
		n := int64(0)
		for batch, err := range f.Read(g, paths, nil, most) {
			require.NoError(t, err)
			require.Equal(t, n, batch.First)
			require.LessOrEqual(t, batch.Rows, most)
			require.Len(t, batch.Lines, batch.Rows)
			for i := range batch.Rows {
				require.Greater(t, batch.Lines[i], line)
				line = batch.Lines[i]
				var row []string
				for c := range batch.Columns {
					require.Equal(t, batch.Rows, batch.Columns[c].Rows())
					row = append(row, textAt(&batch.Columns[c], i))
				}
				rows = append(rows, row)
			}
			n += int64(batch.Rows)
		}
		require.Equal(t, groups[g], n)
	}
	return rows
}

// textAt returns the value of a row, or its list of values.
func textAt(c *columns.Column, i int) string {
	if c.Offsets == nil {
		return valueAt(c, i)
	}
	if c.RowNull != nil && c.RowNull[i] {
		return "null"
	}
	list := []string{}
	for at := c.Offsets[i]; at < c.Offsets[i+1]; at++ {
		list = append(list, valueAt(c, int(at)))
	}
	return fmt.Sprint(list)
}

func valueAt(c *columns.Column, i int) string {
	switch {
	case c.Null != nil && c.Null[i]:
		return "null"
	case c.Type == columns.String:
		return c.Dict.Values()[c.Codes[i]]
	case c.Type == columns.Float:
		return strconv.FormatFloat(c.Floats[i], 'g', -1, 64)
	case c.Type == columns.Bool:
		return strconv.FormatBool(c.Ints[i] == 1)
	}
	return strconv.FormatInt(c.Ints[i], 10)
}

// pathsOf returns the columns that can be read.
func pathsOf(f *File) (paths []string) {
	for _, field := range f.Schema().Fields {
		paths = append(paths, field.Path)
	}
	return paths
}

// readAll reads all columns; ok is false if a value cannot be read.
func readAll(f *File) (rows [][]string, ok bool) {
	paths := pathsOf(f)
	for g := f.layout.first; g < len(f.RowGroups()); g++ {
		for batch, err := range f.Read(g, paths, nil, 3) {
			if err != nil {
				return nil, false
			}
			for i := range batch.Rows {
				var row []string
				for c := range batch.Columns {
					row = append(row, textAt(&batch.Columns[c], i))
				}
				rows = append(rows, row)
			}
		}
	}
	return rows, true
}
