package arrow_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	goarrow "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/arrow"
	"github.com/beameval/beameval/io/columns"
)

// TestDecimals: decimals of every width and sign equal those read from Parquet.
func TestDecimals(t *testing.T) {
	short := &goarrow.Decimal128Type{Precision: 5, Scale: 2}
	whole := &goarrow.Decimal256Type{Precision: 18, Scale: 0}
	long := &goarrow.Decimal256Type{Precision: 40, Scale: 2}
	schema := goarrow.NewSchema([]goarrow.Field{{Name: "short", Type: short, Nullable: true}, {Name: "whole", Type: whole}, {Name: "long", Type: long}}, nil)
	fileWith := func(last int64) columns.File {
		a := array.NewDecimal128Builder(memory.DefaultAllocator, short)
		b := array.NewDecimal256Builder(memory.DefaultAllocator, whole)
		c := array.NewDecimal256Builder(memory.DefaultAllocator, long)
		for _, v := range []int64{12345, -7, last} {
			a.Append(decimal128.FromI64(v))
			b.Append(decimal256.FromI64(-v))
			c.Append(decimal256.FromI64(v).Mul(decimal256.FromI64(1e18)))
		}
		a.AppendNull()
		b.Append(decimal256.FromI64(0))
		c.Append(decimal256.FromI64(5))
		data := fileOf(t, schema, [][]goarrow.Array{{a.NewArray(), b.NewArray(), c.NewArray()}})
		f, err := arrow.Open(source{bytes.NewReader(data), "f.arrow"}, columns.Options{RoundDecimals: true}, nil)
		require.NoError(t, err)
		return f
	}
	bits := func(v float64) string { return fmt.Sprintf("%x", math.Float64bits(v)) }
	f := fileWith(0)
	for path, want := range map[string][]string{
		"short": {bits(123.45), bits(-0.07), "0", "null"},
		"whole": {"-12345", "7", "0", "0"},
		"long":  {bits(123.45e18), bits(-0.07e18), "0", bits(0.05)},
	} {
		got, err := values(f, path, 3)
		require.NoError(t, err)
		require.Equal(t, want, got, path)
	}
	got, err := values(fileWith(123456), "short", 3)
	require.NoError(t, err)
	require.Equal(t, []string{bits(123.45), bits(-0.07), bits(1234.56), "null"}, got, "more digits than the type has are rounded as well")
}
