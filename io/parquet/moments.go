package parquet

import (
	"time"

	"github.com/parquet-go/parquet-go/deprecated"

	"github.com/beameval/beameval/io/columns"
)

// moments reads numbers that stand for moments as text. It formats a value only if it
// differs from the one before: equal values often follow each other.
func moments[K comparable](read func(r *raw, i int) K, format func(dst []byte, v K) ([]byte, error)) textual {
	return func(s *columns.Strings) func(*raw, int) (int32, error) {
		var (
			last K
			code int32 = -1
			buf  []byte
		)
		return func(r *raw, i int) (_ int32, err error) {
			v := read(r, i)
			if code >= 0 && v == last {
				return code, nil
			}
			if buf, err = format(buf[:0], v); err != nil {
				return 0, err
			}
			last, code = v, s.Code(buf)
			return code, nil
		}
	}
}

func rawInt32(r *raw, i int) int64            { return int64(r.int32s[i]) }
func rawInt64(r *raw, i int) int64            { return r.int64s[i] }
func rawInt96(r *raw, i int) deprecated.Int96 { return r.int96s[i] }

func formatDate(dst []byte, days int64) ([]byte, error) { return columns.AppendDate(dst, days), nil }

func timestampFormat(unit time.Duration, utc bool) func([]byte, int64) ([]byte, error) {
	return func(dst []byte, v int64) ([]byte, error) { return columns.AppendTimestamp(dst, v, unit, utc), nil }
}

func timeFormat(unit time.Duration) func([]byte, int64) ([]byte, error) {
	return func(dst []byte, v int64) ([]byte, error) { return columns.AppendTime(dst, v, unit) }
}

// formatInt96 formats the deprecated timestamps of Spark and Impala: the nanoseconds of the
// day, then the Julian day. Spark writes instants.
func formatInt96(dst []byte, v deprecated.Int96) ([]byte, error) {
	const epoch = 2440588 // Julian day of 1970-01-01
	nanos := int64(uint64(v[0]) | uint64(v[1])<<32)
	return columns.AppendInstant(dst, time.Unix((int64(v[2])-epoch)*86400, nanos), true), nil
}
