package arrow_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"testing"

	arrowgo "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/io/arrow"
	"github.com/beameval/beameval/io/columns"
)

// Record batches with dictionaries are read side by side, each column by its own dictionary: arrow-go
// 18.8 looked for them with one hash, which all readers of a file wrote to.
func TestDictionariesTogether(t *testing.T) {
	const batches, rows, readers, times = 50, 10, 16, 40
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(readers))
	typ := &arrowgo.DictionaryType{IndexType: arrowgo.PrimitiveTypes.Int8, ValueType: arrowgo.BinaryTypes.String}
	schema := arrowgo.NewSchema([]arrowgo.Field{{Name: "left", Type: typ}, {Name: "right", Type: typ}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for i := range rows {
		for column := range schema.Fields() {
			require.NoError(t, b.Field(column).(*array.BinaryDictionaryBuilder).AppendString(fmt.Sprint(schema.Field(column).Name, i%3)))
		}
	}
	record := b.NewRecordBatch()
	defer record.Release()
	var file bytes.Buffer
	w, err := ipc.NewFileWriter(&file, ipc.WithSchema(schema))
	require.NoError(t, err)
	for range batches {
		require.NoError(t, w.Write(record))
	}
	require.NoError(t, w.Close())

	f, err := arrow.Open(inMemory(file.Bytes()), columns.Options{}, nil)
	require.NoError(t, err)
	var together errgroup.Group
	for range readers {
		together.Go(func() error {
			for range times {
				for _, name := range []string{"left", "right"} {
					got, err := values(f, name, rows)
					if err != nil {
						return err
					}
					for i, text := range got {
						if want := strconv.Quote(fmt.Sprint(name, i%rows%3)); text != want {
							return fmt.Errorf("row %d of %s: %s, expected %s", i, name, text, want)
						}
					}
				}
			}
			return nil
		})
	}
	require.NoError(t, together.Wait())
}
