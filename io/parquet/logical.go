package parquet

import (
	"fmt"
	"time"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/columns"
)

// logical says how the values of a leaf are read. Of the last three fields, the one for
// the type is set.
type logical struct {
	typ      columns.Type
	bits     int
	typeName string
	ints     converter[int64]
	floats   converter[float64]
	codes    textual
}

func integers(name string, c converter[int64]) logical {
	return logical{typ: columns.Int, bits: 64, typeName: name, ints: c}
}

func floating(name string, bits int, c converter[float64]) logical {
	return logical{typ: columns.Float, bits: bits, typeName: name, floats: c}
}

func text(name string, c textual) logical {
	return logical{typ: columns.String, typeName: name, codes: c}
}

// logicalOf returns how a leaf is read, or the reason why it cannot be read.
func logicalOf(e *format.SchemaElement, o columns.Options) (l logical, reason string) {
	annotation := annotationOf(e)
	if d, ok := annotation.(*format.DecimalType); ok {
		return decimalOf(e, d, o)
	}
	if _, ok := annotation.(*format.NullType); ok {
		// All values are null, so any type will do.
		annotation = nil
		defer func() { l.typeName = "null" }()
	}
	switch e.Type.V {
	case format.Boolean:
		return logical{typ: columns.Bool, typeName: "bool", ints: booleans}, ""
	case format.Int32:
		return int32Of(annotation), ""
	case format.Int64:
		return int64Of(annotation)
	case format.Int96:
		return text("timestamp[ns] (int96)", moments(rawInt96, formatInt96)), ""
	case format.Float:
		return floating("float", 32, float32s), ""
	case format.Double:
		return floating("double", 64, float64s), ""
	case format.ByteArray:
		switch annotation.(type) {
		case *format.StringType, *format.EnumType, *format.JsonType:
			return text("string", byteStrings), ""
		}
		return text("binary", byteStrings), ""
	case format.FixedLenByteArray:
		return fixedOf(e, annotation)
	}
	return logical{}, fmt.Sprintf("unknown physical type %d", e.Type.V)
}

func int32Of(annotation any) logical {
	switch a := annotation.(type) {
	case *format.DateType:
		return text("date", moments(rawInt32, formatDate))
	case *format.TimeType:
		return text("time[ms]", moments(rawInt32, timeFormat(time.Millisecond)))
	case *format.IntType:
		if !a.IsSigned {
			return integers(fmt.Sprintf("uint%d", a.BitWidth), uint32s)
		}
		return integers(fmt.Sprintf("int%d", a.BitWidth), int32s)
	}
	return integers("int32", int32s)
}

func int64Of(annotation any) (logical, string) {
	switch a := annotation.(type) {
	case *format.TimestampType:
		unit, name := unitOf(a.Unit)
		if unit == 0 {
			return logical{}, "a timestamp of unknown unit"
		}
		if a.IsAdjustedToUTC {
			name += ", UTC"
		}
		return text("timestamp["+name+"]", moments(rawInt64, timestampFormat(unit, a.IsAdjustedToUTC))), ""
	case *format.TimeType:
		unit, name := unitOf(a.Unit)
		if unit == 0 {
			return logical{}, "a time of unknown unit"
		}
		return text("time["+name+"]", moments(rawInt64, timeFormat(unit))), ""
	case *format.IntType:
		if !a.IsSigned {
			return integers("uint64", uint64s), ""
		}
	}
	return integers("int64", int64s), ""
}

func fixedOf(e *format.SchemaElement, annotation any) (logical, string) {
	n := int(e.TypeLength.V)
	if !e.TypeLength.Valid || n <= 0 {
		return logical{}, "a fixed-length type without a length"
	}
	switch annotation.(type) {
	case *format.Float16Type:
		if n != 2 {
			return logical{}, fmt.Sprintf("a float16 of %d bytes", n)
		}
		return floating("halffloat", 16, float16s), ""
	case *format.UUIDType:
		if n != 16 {
			return logical{}, fmt.Sprintf("a UUID of %d bytes", n)
		}
		return text("uuid", uuids), ""
	}
	if e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Interval {
		return logical{}, "intervals are not supported"
	}
	return text(fmt.Sprintf("fixed_size_binary[%d]", n), byteStrings), ""
}

func decimalOf(e *format.SchemaElement, d *format.DecimalType, o columns.Options) (logical, string) {
	name := fmt.Sprintf("decimal(%d, %d)", d.Precision, d.Scale)
	physical := e.Type.V
	switch physical {
	case format.Int32, format.Int64, format.ByteArray:
	case format.FixedLenByteArray:
		if !e.TypeLength.Valid || e.TypeLength.V <= 0 {
			return logical{}, "a fixed-length type without a length"
		}
	default:
		return logical{}, name + " is not stored as an integer or as bytes"
	}
	switch {
	case d.Scale < 0 || d.Precision < 1 || d.Scale > d.Precision:
		return logical{}, name + " is not a valid decimal"
	case d.Scale == 0 && d.Precision <= 18:
		return integers(name, decimals(physical, d.Precision, func(u int64) int64 { return u })), ""
	case d.Precision <= 15:
		// Both fit a float64 exactly, so their quotient is the float64 nearest to the
		// decimal.
		scale := float64(pow10(d.Scale))
		return floating(name, 64, decimals(physical, d.Precision, func(u int64) float64 { return float64(u) / scale })), ""
	case o.RoundDecimals:
		return floating(name, 64, roundedDecimals(physical, d.Precision, d.Scale)), ""
	}
	return logical{}, name + " does not fit a 64-bit number without loss: set " + o.Names.Of(settings.RoundDecimals) + " to round it"
}

func unitOf(u format.TimeUnit) (time.Duration, string) {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return time.Millisecond, "ms"
	case *format.MicroSeconds:
		return time.Microsecond, "us"
	case *format.NanoSeconds:
		return time.Nanosecond, "ns"
	}
	return 0, ""
}

// annotationOf returns the logical type of a leaf; older writers state it as a
// converted type.
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
