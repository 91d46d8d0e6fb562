package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/beameval/beameval/io/columns"
)

// value is a type in which a column keeps its values.
type value interface{ int32 | int64 | float64 }

// converter converts the decoded values of a page to values of a column. Conversions that cannot
// fail set all; the others set one.
type converter[T value] struct {
	all func(dst []T, r *raw) []T
	one func(r *raw, i int) (T, error)
}

// same appends values that need no conversion. If dst is empty, it swaps the two slices instead of
// copying.
func same[T value](dst []T, src *[]T) []T {
	if len(dst) == 0 {
		dst, *src = *src, dst
		return dst
	}
	return append(dst, *src...)
}

var (
	booleans = converter[int64]{all: func(dst []int64, r *raw) []int64 { return columns.Convert(dst, r.bools) }}
	int32s   = converter[int64]{all: func(dst []int64, r *raw) []int64 { return columns.Convert(dst, r.int32s) }}
	int64s   = converter[int64]{all: func(dst []int64, r *raw) []int64 { return same(dst, &r.int64s) }}
	int8s    = converter[int64]{all: narrow[int8]}
	int16s   = converter[int64]{all: narrow[int16]}
	uint8s   = converter[int64]{all: narrow[uint8]}
	uint16s  = converter[int64]{all: narrow[uint16]}
	uint32s  = converter[int64]{one: func(r *raw, i int) (int64, error) { return int64(uint32(r.int32s[i])), nil }}
	uint64s  = converter[int64]{one: func(r *raw, i int) (int64, error) { return columns.ConvertUnsigned(uint64(r.int64s[i])) }}
	float16s = converter[float64]{one: func(r *raw, i int) (float64, error) {
		return columns.ConvertHalf(binary.LittleEndian.Uint16(r.at(i))), nil
	}}
	float32s = converter[float64]{all: func(dst []float64, r *raw) []float64 { return columns.Convert(dst, r.floats) }}
	float64s = converter[float64]{all: func(dst []float64, r *raw) []float64 { return same(dst, &r.doubles) }}
)

// narrow appends 32-bit integers, reduced to the lower bits that the column's type has. Some
// writers, such as parquet-mr, store 255 of an unsigned 8-bit column as -1.
func narrow[N int8 | int16 | uint8 | uint16](dst []int64, r *raw) []int64 {
	begin := len(dst)
	dst = slices.Grow(dst, len(r.int32s))[:begin+len(r.int32s)]
	for i, v := range r.int32s {
		dst[begin+i] = int64(N(v))
	}
	return dst
}

// oneByOne returns a converter that reads each value with read and converts it.
func oneByOne[V any, T value](read func(r *raw, i int) V, convert func(V) (T, error)) converter[T] {
	return converter[T]{one: func(r *raw, i int) (T, error) { return convert(read(r, i)) }}
}

func rawInt32(r *raw, i int) int64            { return int64(r.int32s[i]) }
func rawInt64(r *raw, i int) int64            { return r.int64s[i] }
func rawInt96(r *raw, i int) deprecated.Int96 { return r.int96s[i] }

// unscaled returns a function that reads the unscaled integers of decimals.
func unscaled(physical format.Type) func(r *raw, i int) columns.Unscaled {
	return func(r *raw, i int) columns.Unscaled {
		switch physical {
		case format.Int32:
			return columns.Unscaled{Int: int64(r.int32s[i])}
		case format.Int64:
			return columns.Unscaled{Int: r.int64s[i]}
		}
		return columns.Unscaled{Wide: true, Bytes: r.at(i)}
	}
}

// formatInt96 formats the deprecated INT96 timestamps of Spark and Impala: nanoseconds of the day,
// followed by the Julian day, which is signed. They are instants in UTC. Spark counts microseconds in
// 64 bits, which overflow without an error; such days are some 290,000 years away.
func formatInt96(dst []byte, v deprecated.Int96) ([]byte, error) {
	const epoch = 2440588 // Julian day of 1970-01-01
	const farthest = math.MaxInt64 / 86400_000_000
	nanos := int64(uint64(v[0]) | uint64(v[1])<<32)
	days := int64(int32(v[2])) - epoch
	if days < -farthest || days > farthest {
		return nil, fmt.Errorf("a timestamp of the Julian day %d, whose microseconds overflow 64 bits: "+
			"the writer lost which day was meant, so write it again", days+epoch)
	}
	return columns.AppendTimestamp(dst, time.Unix(days*86400, nanos), true), nil
}
