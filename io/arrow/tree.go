package arrow

import (
	"fmt"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
)

// leaf is a leaf column of the schema, including those that cannot be read.
type leaf struct {
	columns.Field
	path     []step
	appender func() appender // for one row group
}

// step leads from an array to one of its children.
type step struct {
	list  bool // to the elements of lists
	child int  // the field of a struct; of a map 0 for keys and 1 for values
}

// logical describes how the values of a leaf are read.
type logical struct {
	columns.Logical
	appender func() appender
}

// appender appends a range of values of an array to a column. It may append anything in place of
// nulls.
type appender func(c *columns.Column, values arrow.Array, from, to int) error

// leavesOf returns the leaves of a schema.
func leavesOf(schema *arrow.Schema, o columns.Options) []leaf {
	w := collector{options: o}
	for i, field := range schema.Fields() {
		w.field(field, columns.Name{}.Below(field.Name), []step{{child: i}}, 0)
	}
	return w.leaves
}

// collector collects the leaves and their names.
type collector struct {
	options columns.Options
	leaves  []leaf
}

// field collects the leaves of a field. lists is the number of lists that contain it.
func (w *collector) field(f arrow.Field, name columns.Name, path []step, lists int) {
	below := func(s step) []step { return append(path[:len(path):len(path)], s) }
	typ := storage(f.Type)
	switch t := typ.(type) {
	case *arrow.StructType:
		for i, child := range t.Fields() {
			w.field(child, name.Below(child.Name), below(step{child: i}), lists)
		}
		return
	case *arrow.MapType: // before lists, because maps are lists as well
		for i, child := range []arrow.Field{t.KeyField(), t.ItemField()} {
			w.field(child, name.Below([]string{"key", "value"}[i]), below(step{list: true, child: i}), lists+1)
		}
		return
	case arrow.ListLikeType:
		w.field(t.ElemField(), name, below(step{list: true, child: -1}), lists+1)
		return
	}
	l, reason := logicalOf(typ, w.options)
	if isUUID(f, typ) {
		l = text(columns.UUID, columns.CodeUUIDs)
	}
	w.leaves = append(w.leaves, leaf{columns.NewField(name, len(w.leaves), lists, l.Logical, reason), path, l.appender})
}

// isUUID reports whether a field has the canonical extension type for UUIDs. A program that does
// not know the extension type finds its name in the metadata of the field.
func isUUID(f arrow.Field, storage arrow.DataType) bool {
	name, _ := f.Metadata.GetValue("ARROW:extension:name")
	if known, ok := f.Type.(arrow.ExtensionType); ok {
		name = known.ExtensionName()
	}
	bytes, ok := storage.(*arrow.FixedSizeBinaryType)
	return ok && bytes.ByteWidth == 16 && name == "arrow.uuid"
}

// storage returns the storage type of an extension type.
func storage(t arrow.DataType) arrow.DataType {
	for {
		extension, ok := t.(arrow.ExtensionType)
		if !ok {
			return t
		}
		t = extension.StorageType()
	}
}

// simple holds the types without parameters.
var simple = map[arrow.Type]logical{
	arrow.NULL:    always(columns.Null, nulls),
	arrow.BOOL:    always(columns.Boolean, booleans),
	arrow.INT8:    always(columns.Signed(8), whole[int8]),
	arrow.INT16:   always(columns.Signed(16), whole[int16]),
	arrow.INT32:   always(columns.Signed(32), whole[int32]),
	arrow.INT64:   always(columns.Signed(64), whole[int64]),
	arrow.UINT8:   always(columns.Unsigned(8), whole[uint8]),
	arrow.UINT16:  always(columns.Unsigned(16), whole[uint16]),
	arrow.UINT32:  always(columns.Unsigned(32), whole[uint32]),
	arrow.UINT64:  always(columns.Unsigned(64), wide),
	arrow.FLOAT16: always(columns.Half, halves),
	arrow.FLOAT32: always(columns.Single, fractions[float32]),
	arrow.FLOAT64: always(columns.Double, fractions[float64]),
	arrow.DATE32:  moments[arrow.Date32](columns.Date(columns.Day)),
	arrow.DATE64:  moments[arrow.Date64](columns.Date(time.Millisecond)),
}

// logicalOf returns how a leaf is read, or the reason why it cannot be read.
func logicalOf(t arrow.DataType, o columns.Options) (logical, string) {
	if l, known := simple[t.ID()]; known {
		return l, ""
	}
	switch t := t.(type) {
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		return always(columns.Text, words(o)), ""
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType:
		return always(columns.Binary, words(o)), ""
	case *arrow.FixedSizeBinaryType:
		return text(columns.Fixed(t.ByteWidth), o.CodeBytes), ""
	case *arrow.Time32Type:
		return moments[arrow.Time32](columns.TimeOfDay(t.Unit.Multiplier())), ""
	case *arrow.Time64Type:
		return moments[arrow.Time64](columns.TimeOfDay(t.Unit.Multiplier())), ""
	case *arrow.TimestampType:
		return moments[arrow.Timestamp](columns.Timestamp(t.Unit.Multiplier(), t.TimeZone != "")), ""
	case arrow.DecimalType:
		d, reason := columns.DecimalOf(t.GetPrecision(), t.GetScale(), o)
		return always(d.Logical, decimals(&d, t.BitWidth()/8)), reason
	case *arrow.DictionaryType:
		l, reason := logicalOf(storage(t.ValueType), o)
		if _, nested := t.ValueType.(arrow.NestedType); nested && reason == "" {
			reason = "dictionaries of " + t.ValueType.Name() + " are not supported"
		}
		plain := l.appender
		l.appender = func() appender { return coded(plain()) }
		return l, reason
	}
	return logical{}, fmt.Sprintf("type %s is not supported", quote.Short(t.Name()))
}

func always(l columns.Logical, a appender) logical { return logical{l, func() appender { return a }} }
