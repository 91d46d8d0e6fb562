package parquet

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

// benchmarkRead reads all values of a column, and counts them.
func benchmarkRead[Row any](b *testing.B, rows []Row, path string, values int, options ...parquet.WriterOption) {
	data := write(b, rows, options...)
	f, err := Open(data, columns.Options{})
	require.NoError(b, err)
	b.SetBytes(data.Size())
	b.ReportAllocs()
	for b.Loop() {
		dict := new(columns.Strings)
		n := 0
		for g := range f.RowGroups() {
			for batch, err := range f.Read(g, []string{path}, []*columns.Strings{dict}, 8192) {
				if err != nil {
					b.Fatal(err)
				}
				n += batch.Columns[0].Len()
			}
		}
		require.Equal(b, values, n)
	}
	b.ReportMetric(float64(values)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mvalues/s")
}

const benchmarkRows = 1 << 20

func BenchmarkReadDouble(b *testing.B) {
	type row struct {
		V float64 `parquet:"v"`
	}
	rows := make([]row, benchmarkRows)
	for i := range rows {
		rows[i].V = rand.Float64()
	}
	benchmarkRead(b, rows, "v", len(rows))
}

func BenchmarkReadDoubleSnappy(b *testing.B) {
	type row struct {
		V float64 `parquet:"v,snappy"`
	}
	rows := make([]row, benchmarkRows)
	for i := range rows {
		rows[i].V = rand.Float64()
	}
	benchmarkRead(b, rows, "v", len(rows))
}

func BenchmarkReadOptionalDouble(b *testing.B) {
	type row struct {
		V *float64 `parquet:"v,optional"`
	}
	for _, nulls := range []int{0, 10, 50} {
		b.Run(fmt.Sprintf("nulls=%d%%", nulls), func(b *testing.B) {
			rows := make([]row, benchmarkRows)
			for i := range rows {
				if rand.IntN(100) >= nulls {
					rows[i].V = new(rand.Float64())
				}
			}
			benchmarkRead(b, rows, "v", len(rows))
		})
	}
}

func BenchmarkReadListFloat(b *testing.B) {
	type row struct {
		V []float32 `parquet:"v,list"`
	}
	for _, length := range []int{3, 100} {
		b.Run(fmt.Sprintf("length=%d", length), func(b *testing.B) {
			rows := make([]row, benchmarkRows/length)
			for i := range rows {
				rows[i].V = make([]float32, length)
				for j := range rows[i].V {
					rows[i].V[j] = rand.Float32()
				}
			}
			benchmarkRead(b, rows, "v", len(rows)*length)
		})
	}
	b.Run("ragged", func(b *testing.B) {
		rows := make([]row, benchmarkRows/3)
		n := 0
		for i := range rows {
			rows[i].V = make([]float32, rand.IntN(6))
			n += len(rows[i].V)
		}
		benchmarkRead(b, rows, "v", n)
	})
}

func BenchmarkReadDictionaryString(b *testing.B) {
	type row struct {
		V string `parquet:"v,dict"`
	}
	rows := make([]row, benchmarkRows)
	for i := range rows {
		rows[i].V = fmt.Sprint("country ", rand.IntN(200))
	}
	benchmarkRead(b, rows, "v", len(rows))
}

func BenchmarkReadPlainString(b *testing.B) {
	type row struct {
		V string `parquet:"v,plain"`
	}
	for _, distinct := range []int{200, benchmarkRows} {
		b.Run(fmt.Sprintf("distinct=%d", distinct), func(b *testing.B) {
			rows := make([]row, benchmarkRows)
			for i := range rows {
				rows[i].V = fmt.Sprint("example ", rand.IntN(distinct))
			}
			benchmarkRead(b, rows, "v", len(rows))
		})
	}
}
