package parquet

import (
	"fmt"
	"time"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/beameval/beameval/io/columns"
)

// logical describes how the values of a leaf are converted. The converter that matches the type is
// set: ints, floats or codes. Decimals set ints and floats.
type logical struct {
	columns.Logical
	ints   converter[int64]
	floats converter[float64]
	codes  func(*columns.Strings) converter[int32]
}

func integers(l columns.Logical, c converter[int64]) logical { return logical{Logical: l, ints: c} }

func floating(l columns.Logical, c converter[float64]) logical { return logical{Logical: l, floats: c} }

func text[V any](l columns.Logical, read func(r *raw, i int) V, code columns.Coder[V]) logical {
	return logical{Logical: l, codes: func(s *columns.Strings) converter[int32] { return oneByOne(read, code(s)) }}
}

func moments(m columns.Moment, read func(r *raw, i int) int64) logical {
	return text(m.Logical, read, m.Code)
}

// logicalOf returns how a leaf is converted, or the reason why it cannot be read.
func logicalOf(e *format.SchemaElement, o columns.Options) (l logical, reason string) {
	annotation := annotationOf(e)
	if d, ok := annotation.(*format.DecimalType); ok {
		return decimalOf(e, d, o)
	}
	if _, ok := annotation.(*format.NullType); ok {
		// Every value is null, so the physical type does not matter.
		annotation = nil
		defer func() { l.Name = columns.Null.Name }()
	}
	switch e.Type.V {
	case format.Boolean:
		return integers(columns.Boolean, booleans), ""
	case format.Int32:
		return int32Of(annotation), ""
	case format.Int64:
		return int64Of(annotation)
	case format.Int96:
		return text(columns.Logical{Type: columns.String, Name: "timestamp[ns] (int96)"}, rawInt96, columns.CodeText(formatInt96)), ""
	case format.Float:
		return floating(columns.Single, float32s), ""
	case format.Double:
		return floating(columns.Double, float64s), ""
	case format.ByteArray:
		switch annotation.(type) {
		case *format.StringType, *format.EnumType, *format.JsonType:
			return text(columns.Text, (*raw).at, o.CodeBytes), ""
		}
		return text(columns.Binary, (*raw).at, o.CodeBytes), ""
	case format.FixedLenByteArray:
		return fixedOf(e, annotation, o)
	}
	return logical{}, fmt.Sprintf("unknown physical type %d", e.Type.V)
}

func int32Of(annotation any) logical {
	switch a := annotation.(type) {
	case *format.DateType:
		return moments(columns.Date(columns.Day), rawInt32)
	case *format.TimeType:
		return moments(columns.TimeOfDay(time.Millisecond), rawInt32)
	case *format.IntType:
		if !a.IsSigned {
			return integers(columns.Unsigned(int(a.BitWidth)), converterOf(a.BitWidth, uint8s, uint16s, uint32s))
		}
		return integers(columns.Signed(int(a.BitWidth)), converterOf(a.BitWidth, int8s, int16s, int32s))
	}
	return integers(columns.Signed(32), int32s)
}

// converterOf returns the converter for a width in bits.
func converterOf(bits int8, of8, of16, of32 converter[int64]) converter[int64] {
	switch bits {
	case 8:
		return of8
	case 16:
		return of16
	}
	return of32
}

func int64Of(annotation any) (logical, string) {
	switch a := annotation.(type) {
	case *format.TimestampType:
		unit := unitOf(a.Unit)
		if unit == 0 {
			return logical{}, "a timestamp of unknown unit"
		}
		return moments(columns.Timestamp(unit, a.IsAdjustedToUTC), rawInt64), ""
	case *format.TimeType:
		unit := unitOf(a.Unit)
		if unit == 0 {
			return logical{}, "a time of unknown unit"
		}
		return moments(columns.TimeOfDay(unit), rawInt64), ""
	case *format.IntType:
		if !a.IsSigned {
			return integers(columns.Unsigned(64), uint64s), ""
		}
	}
	return integers(columns.Signed(64), int64s), ""
}

func fixedOf(e *format.SchemaElement, annotation any, o columns.Options) (logical, string) {
	n := int(e.TypeLength.V)
	if !e.TypeLength.Valid || n <= 0 {
		return logical{}, "a fixed-length type without a length"
	}
	switch annotation.(type) {
	case *format.Float16Type:
		if n != 2 {
			return logical{}, fmt.Sprintf("a float16 of %d bytes", n)
		}
		return floating(columns.Half, float16s), ""
	case *format.UUIDType:
		if n != 16 {
			return logical{}, fmt.Sprintf("a UUID of %d bytes", n)
		}
		return text(columns.UUID, (*raw).at, columns.CodeUUIDs), ""
	}
	if e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Interval {
		return logical{}, "intervals are not supported"
	}
	return text(columns.Fixed(n), (*raw).at, o.CodeBytes), ""
}

func decimalOf(e *format.SchemaElement, t *format.DecimalType, o columns.Options) (logical, string) {
	d, reason := columns.DecimalOf(t.Precision, t.Scale, o)
	physical := e.Type.V
	switch physical {
	case format.Int32, format.Int64, format.ByteArray:
	case format.FixedLenByteArray:
		if !e.TypeLength.Valid || e.TypeLength.V <= 0 {
			return logical{}, "a fixed-length type without a length"
		}
	default:
		return logical{}, d.Name + " is not stored as an integer or as bytes"
	}
	if reason != "" {
		return logical{}, reason
	}
	return logical{Logical: d.Logical, ints: oneByOne(unscaled(physical), d.Ints()), floats: oneByOne(unscaled(physical), d.Floats())}, ""
}

func unitOf(u format.TimeUnit) time.Duration {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return time.Millisecond
	case *format.MicroSeconds:
		return time.Microsecond
	case *format.NanoSeconds:
		return time.Nanosecond
	}
	return 0
}

// annotationOf returns the logical type of a leaf. Older writers state it as a converted type.
func annotationOf(e *format.SchemaElement) any {
	if e.LogicalType.Value != nil {
		return e.LogicalType.Value
	}
	if !e.ConvertedType.Valid {
		return nil
	}
	micros := format.TimeUnit{Value: new(format.MicroSeconds)}
	millis := format.TimeUnit{Value: new(format.MilliSeconds)}
	switch e.ConvertedType.V {
	case deprecated.UTF8:
		return new(format.StringType)
	case deprecated.Enum:
		return new(format.EnumType)
	case deprecated.Json:
		return new(format.JsonType)
	case deprecated.Decimal:
		return &format.DecimalType{Scale: e.Scale.V, Precision: e.Precision.V}
	case deprecated.Date:
		return new(format.DateType)
	case deprecated.TimeMillis:
		return &format.TimeType{Unit: millis}
	case deprecated.TimeMicros:
		return &format.TimeType{Unit: micros}
	case deprecated.TimestampMillis:
		return &format.TimestampType{IsAdjustedToUTC: true, Unit: millis}
	case deprecated.TimestampMicros:
		return &format.TimestampType{IsAdjustedToUTC: true, Unit: micros}
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return &format.IntType{BitWidth: 8 << (e.ConvertedType.V - deprecated.Uint8)}
	case deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
		return &format.IntType{BitWidth: 8 << (e.ConvertedType.V - deprecated.Int8), IsSigned: true}
	}
	return nil
}
