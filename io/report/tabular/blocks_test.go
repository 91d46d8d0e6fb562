package tabular

import (
	"bytes"
	"encoding/csv"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/slice"
)

type blockRow struct {
	name  string
	key   slice.Key
	label *string
	value float64
}

// TestBlocksDoNotChangeBytes: files have the bytes that one goroutine writes without blocks, on any
// number of cores, for numbers of rows around the ends of blocks.
func TestBlocksDoNotChangeBytes(t *testing.T) {
	labels := []string{"=label, with \"quotes\"", "", "x", "x", `\.`, " \n", "a\rb", "\u00a0c", "'", "-1.5", "\"", "é,"}
	rows := make([]blockRow, groupRows+csvBlock/2)
	for i := range rows {
		rows[i] = blockRow{name: "m", key: slice.Key{{Column: "c", Value: slice.Int(int64(i / 1000))}}, value: math.Sqrt(float64(i))}
		if i%3 == 0 {
			rows[i].label, rows[i].value = &labels[i/3%len(labels)], math.NaN()
		}
	}
	columns := Placed(Text("name", func(r *blockRow) *string { return &r.name }), func(r *blockRow) *slice.Key { return &r.key }, func(r *blockRow) **string { return &r.label },
		[]string{"c"}, Number("value", func(r *blockRow) *float64 { return &r.value }))
	for _, n := range []int{0, 1, csvBlock, csvBlock + 1, groupRows, len(rows)} {
		wantCSV, wantParquet := serialCSV(t, columns, rows[:n]), serialParquet(t, columns, rows[:n])
		for _, cores := range []int{1, 5} {
			func() {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
				var asCSV, asParquet bytes.Buffer
				require.NoError(t, ListOf(rows[:n]).WriteCSV(&asCSV, columns))
				require.NoError(t, ListOf(rows[:n]).WriteParquet(&asParquet, "test", columns))
				require.True(t, bytes.Equal(wantCSV, asCSV.Bytes()), "CSV of %d rows on %d cores", n, cores)
				require.True(t, bytes.Equal(wantParquet, asParquet.Bytes()), "Parquet of %d rows on %d cores", n, cores)
			}()
		}
	}
}

func serialCSV(t *testing.T, columns []Column[blockRow], rows []blockRow) []byte {
	var b bytes.Buffer
	c := csv.NewWriter(&b)
	require.NoError(t, c.Write(collections.Map(columns, func(c Column[blockRow]) string { return c.name })))
	for i := range rows {
		require.NoError(t, c.Write(collections.Map(columns, func(c Column[blockRow]) string { return string(appendCSV(nil, c.value(&rows[i], new(memo)))) })))
	}
	c.Flush()
	return b.Bytes()
}

// serialParquet lets the library divide the rows into row groups.
func serialParquet(t *testing.T, columns []Column[blockRow], rows []blockRow) []byte {
	var b bytes.Buffer
	fields := collections.Map(columns, func(c Column[blockRow]) parquet.Field { return parquet.Group{c.name: c.node}.Fields()[0] })
	file := parquet.NewWriter(&b, append(parquetOptions(), parquet.NewSchema("test", ordered{parquet.Group{}, fields}))...)
	for chunk := range slices.Chunk(rows, 1024) {
		_, err := file.WriteRows(collections.Map(chunk, func(r blockRow) (row parquet.Row) {
			for j, c := range columns {
				v, level := c.value(&r, new(memo)), 0
				if fields[j].Optional() && !v.IsNull() {
					level = 1
				}
				row = append(row, v.Level(0, level, j))
			}
			return row
		}))
		require.NoError(t, err)
	}
	require.NoError(t, file.Close())
	return b.Bytes()
}

func TestInBlocksEndsWithTheFirstFailure(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const n = 100
	failed := errors.New("failed")
	first := func(from, to int) (int, error) { return from, nil }
	var written []int
	write := func(block int) error { written = append(written, block); return nil }
	require.NoError(t, inBlocks(n, 30, first, write))
	require.Equal(t, []int{0, 30, 60, 90}, written)

	written = nil
	require.Equal(t, failed, inBlocks(n, 10, func(from, to int) (int, error) {
		if from >= 30 {
			return 0, failed
		}
		return from, nil
	}, write))
	require.Equal(t, []int{0, 10, 20}, written)
	require.Equal(t, failed, inBlocks(n, 10, first, func(int) error { return failed }))
	require.Panics(t, func() { _ = inBlocks(n, 10, func(int, int) (int, error) { panic("a bug") }, write) })
}
