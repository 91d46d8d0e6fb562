package parquet

import (
	"bytes"
	"iter"
	"math"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

// memory is an in-memory file.
type memory struct {
	*bytes.Reader
	name string
}

func inMemory(data []byte) memory { return memory{bytes.NewReader(data), "test.parquet"} }

func (m memory) Name() string { return m.name }

// write makes a Parquet file of rows with parquet-go.
func write[Row any](t testing.TB, rows []Row, options ...parquet.WriterOption) memory {
	t.Helper()
	var buf bytes.Buffer
	w := parquet.NewGenericWriter[Row](&buf, options...)
	_, err := w.Write(rows)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return inMemory(buf.Bytes())
}

// values returns the contents of a column row by row: nil, bool, int64, float64 or string and, for
// lists, []any of these. It keeps no reference to the column.
func values(c *columns.Column, rows int) []any {
	value := func(i int) any {
		switch {
		case c.Null != nil && c.Null[i]:
			return nil
		case c.Type == columns.Bool:
			return c.Ints[i] == 1
		case c.Type == columns.Int:
			return c.Ints[i]
		case c.Type == columns.Float:
			return c.Floats[i]
		}
		return strings.Clone(c.Dict.Values()[c.Codes[i]])
	}
	out := make([]any, rows)
	for i := range out {
		switch {
		case c.Offsets == nil:
			out[i] = value(i)
		case c.RowNull == nil || !c.RowNull[i]:
			list := []any{}
			for j := c.Offsets[i]; j < c.Offsets[i+1]; j++ {
				list = append(list, value(int(j)))
			}
			out[i] = list
		}
	}
	return out
}

// readAll reads some columns of all row groups, and checks the shape of every batch. If reading
// fails, it returns the rows before the failure.
func readAll(t testing.TB, f *File, most int, paths ...string) (all [][]any, err error) {
	t.Helper()
	all = make([][]any, len(paths))
	dicts := []*columns.Strings{new(columns.Strings)}
	for g, rows := range f.RowGroups() {
		for batch, err := range f.Read(g, paths, dicts, most) {
			if err != nil {
				return all, err
			}
			require.Positive(t, batch.Rows)
			require.LessOrEqual(t, batch.Rows, most)
			rows -= int64(batch.Rows)
			require.Len(t, batch.Columns, len(paths))
			for i := range batch.Columns {
				requireShape(t, f, paths[i], &batch.Columns[i], batch.Rows)
				all[i] = append(all[i], values(&batch.Columns[i], batch.Rows)...)
			}
		}
		require.Zero(t, rows)
	}
	return all, nil
}

// failure returns the error with which reading ends.
func failure(batches iter.Seq2[*columns.Batch, error]) (last error) {
	for _, last = range batches {
	}
	return last
}

func requireShape(t testing.TB, f *File, path string, c *columns.Column, rows int) {
	field, err := f.Schema().Lookup(path)
	require.NoError(t, err)
	require.Equal(t, field.Type, c.Type)
	require.Equal(t, field.List, c.Offsets != nil)
	n := c.Len()
	if field.List {
		require.Len(t, c.Offsets, rows+1)
		require.Zero(t, c.Offsets[0])
		require.EqualValues(t, n, c.Offsets[rows])
		require.IsNonDecreasing(t, c.Offsets)
		for i := range rows {
			require.LessOrEqual(t, int(c.Offsets[i+1]-c.Offsets[i]), f.Options.MaxRowValues)
		}
		if c.RowNull != nil {
			require.Len(t, c.RowNull, rows)
			require.Contains(t, c.RowNull, true)
		}
		for i, null := range c.RowNull {
			require.False(t, null && c.Offsets[i] != c.Offsets[i+1])
		}
	} else {
		require.Nil(t, c.RowNull)
		require.Equal(t, rows, n)
	}
	if c.Null != nil {
		require.Len(t, c.Null, n)
		require.Contains(t, c.Null, true)
	}
	for i, null := range c.Null {
		if null {
			switch c.Type {
			case columns.Float:
				require.Zero(t, math.Float64bits(c.Floats[i]))
			case columns.String:
				require.Zero(t, c.Codes[i])
			default:
				require.Zero(t, c.Ints[i])
			}
		}
	}
	require.Equal(t, c.Type == columns.String, c.Dict != nil)
}

// requireEqual compares values: floats by their bits, except that all NaNs are equal.
func requireEqual(t testing.TB, want, got any, where ...any) {
	t.Helper()
	require.Equal(t, canonical(want), canonical(got), where...)
}

func canonical(v any) any {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) {
			return "NaN"
		}
		if v == 0 && math.Signbit(v) {
			return "-0"
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = canonical(v[i])
		}
		return out
	}
	return v
}
