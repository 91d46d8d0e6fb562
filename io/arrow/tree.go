package arrow

import (
	"fmt"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
)

// leaf is a leaf column of the schema, whether it can be read or not.
type leaf struct {
	name   columns.Name
	reason string // why it cannot be read; "" if it can
	path   []step
	list   bool // one of the steps goes into lists
	logical
}

// step goes from an array to one below it.
type step struct {
	list  bool // into the elements of lists
	child int  // the field of a struct; of a map 0 for keys and 1 for values
}

// logical says how the values of a leaf are read.
type logical struct {
	typ      columns.Type
	bits     int
	typeName string
	appender func() appender // of a row group
}

// appender appends some values of an array to a column, with zeros in place of nulls.
type appender func(c *columns.Column, values arrow.Array, from, to int) error

// leavesOf returns the leaves of a schema.
func leavesOf(schema *arrow.Schema, o columns.Options) []leaf {
	w := collector{options: o}
	for i, field := range schema.Fields() {
		w.field(field, columns.Name{}.Below(field.Name), []step{{child: i}}, 0)
	}
	return w.leaves
}

// field returns the column, and why it cannot be read.
func (l *leaf) field() (f columns.Field, reason string) {
	physical := l.typeName
	if l.list {
		physical = "list<" + physical + ">"
	}
	return columns.Field{Name: l.name, Type: l.typ, Bits: l.bits, List: l.list, Physical: physical}, l.reason
}

// collector collects the leaves and their names.
type collector struct {
	options columns.Options
	leaves  []leaf
}

// field collects the leaves of a field, which is below some lists.
func (w *collector) field(f arrow.Field, name columns.Name, path []step, lists int) {
	below := func(s step) []step { return append(path[:len(path):len(path)], s) }
	typ := storage(f.Type)
	switch t := typ.(type) {
	case *arrow.StructType:
		for i, child := range t.Fields() {
			w.field(child, name.Below(child.Name), below(step{child: i}), lists)
		}
		return
	case *arrow.MapType: // before lists, which maps are, too
		for i, child := range []arrow.Field{t.KeyField(), t.ItemField()} {
			w.field(child, name.Below([]string{"key", "value"}[i]), below(step{list: true, child: i}), lists+1)
		}
		return
	case arrow.ListLikeType:
		w.field(t.ElemField(), name, below(step{list: true, child: -1}), lists+1)
		return
	}
	l := leaf{name: name, path: path, list: lists > 0}
	if l.logical, l.reason = logicalOf(typ, w.options); isUUID(f, typ) {
		l.logical = text("uuid", uuids)
	}
	if l.reason == "" && lists > 1 {
		l.reason = fmt.Sprintf("it lies below %d nested lists; one is the most", lists)
	}
	w.leaves = append(w.leaves, l)
}

// isUUID says whether a field with this storage has Arrow's canonical extension type of UUIDs. It is
// in the metadata of the field, as programs need not know it.
func isUUID(f arrow.Field, storage arrow.DataType) bool {
	name, _ := f.Metadata.GetValue("ARROW:extension:name")
	if known, ok := f.Type.(arrow.ExtensionType); ok {
		name = known.ExtensionName()
	}
	bytes, ok := storage.(*arrow.FixedSizeBinaryType)
	return ok && bytes.ByteWidth == 16 && name == "arrow.uuid"
}

// storage returns the type that values of an extension type are stored as.
func storage(t arrow.DataType) arrow.DataType {
	for {
		extension, ok := t.(arrow.ExtensionType)
		if !ok {
			return t
		}
		t = extension.StorageType()
	}
}

func integers(name string, a appender) logical { return logical{columns.Int, 64, name, always(a)} }

func floating(name string, bits int, a appender) logical {
	return logical{columns.Float, bits, name, always(a)}
}

func text(name string, a appender) logical { return logical{columns.String, 0, name, always(a)} }

func always(a appender) func() appender { return func() appender { return a } }

// logicalOf returns how a leaf is read, or the reason why it cannot be read. The names of types
// are those of the same types in Parquet.
func logicalOf(t arrow.DataType, o columns.Options) (logical, string) {
	switch t := t.(type) {
	case *arrow.NullType:
		return integers("null", nulls), ""
	case *arrow.BooleanType:
		return logical{columns.Bool, 0, "bool", always(booleans)}, ""
	case *arrow.Int8Type:
		return integers("int8", whole((*array.Int8).Value)), ""
	case *arrow.Int16Type:
		return integers("int16", whole((*array.Int16).Value)), ""
	case *arrow.Int32Type:
		return integers("int32", whole((*array.Int32).Value)), ""
	case *arrow.Int64Type:
		return integers("int64", whole((*array.Int64).Value)), ""
	case *arrow.Uint8Type:
		return integers("uint8", whole((*array.Uint8).Value)), ""
	case *arrow.Uint16Type:
		return integers("uint16", whole((*array.Uint16).Value)), ""
	case *arrow.Uint32Type:
		return integers("uint32", whole((*array.Uint32).Value)), ""
	case *arrow.Uint64Type:
		return integers("uint64", unsigned), ""
	case *arrow.Float16Type:
		return floating("halffloat", 16, halves), ""
	case *arrow.Float32Type:
		return floating("float", 32, fractions((*array.Float32).Value)), ""
	case *arrow.Float64Type:
		return floating("double", 64, fractions((*array.Float64).Value)), ""
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		return text("string", words), ""
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType:
		return text("binary", words), ""
	case *arrow.FixedSizeBinaryType:
		return text(fmt.Sprintf("fixed_size_binary[%d]", t.ByteWidth), words), ""
	case *arrow.Date32Type:
		return text("date", moments((*array.Date32).Value, func(dst []byte, v arrow.Date32) ([]byte, error) {
			return columns.AppendDate(dst, int64(v)), nil
		})), ""
	case *arrow.Date64Type:
		return text("date", moments((*array.Date64).Value, func(dst []byte, v arrow.Date64) ([]byte, error) {
			return columns.AppendTimestamp(dst, int64(v), time.Millisecond, false)[:len(dst)+len(time.DateOnly)], nil
		})), ""
	case *arrow.Time32Type:
		unit, name := unitOf(t.Unit)
		return text("time["+name+"]", moments((*array.Time32).Value, func(dst []byte, v arrow.Time32) ([]byte, error) {
			return columns.AppendTime(dst, int64(v), unit)
		})), ""
	case *arrow.Time64Type:
		unit, name := unitOf(t.Unit)
		return text("time["+name+"]", moments((*array.Time64).Value, func(dst []byte, v arrow.Time64) ([]byte, error) {
			return columns.AppendTime(dst, int64(v), unit)
		})), ""
	case *arrow.TimestampType:
		unit, name := unitOf(t.Unit)
		utc := t.TimeZone != ""
		if utc {
			name += ", UTC"
		}
		return text("timestamp["+name+"]", moments((*array.Timestamp).Value, func(dst []byte, v arrow.Timestamp) ([]byte, error) {
			return columns.AppendTimestamp(dst, int64(v), unit, utc), nil
		})), ""
	case arrow.DecimalType:
		return decimalOf(t, o)
	case *arrow.DictionaryType:
		l, reason := logicalOf(storage(t.ValueType), o)
		if _, nested := t.ValueType.(arrow.NestedType); nested && reason == "" {
			reason = "dictionaries of " + t.ValueType.Name() + " are not supported"
		}
		if plain := l.appender; plain != nil {
			l.appender = func() appender { return coded(plain()) }
		}
		return l, reason
	}
	return logical{}, fmt.Sprintf("type %s is not supported", quote.Short(t.Name()))
}

func unitOf(u arrow.TimeUnit) (time.Duration, string) { return u.Multiplier(), u.String() }
