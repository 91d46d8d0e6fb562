package pipeline

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"
)

// formatted is the same data as Parquet and in another format.
type formatted struct{ parquet, other string }

// TestFormatsAreIdenticalBytes: the same rows have the same report, whatever the format of their
// files, in every task and layout.
func TestFormatsAreIdenticalBytes(t *testing.T) {
	t.Parallel()
	for format, write := range map[string]fileWriter{"arrow": writeArrow, "arrows": writeArrow, "jsonl": writeJSON} {
		pairs := pairsOf(100)
		retrieved := slices.DeleteFunc(slices.Clone(pairs), func(p pair) bool { return !p.Retrieve })
		data := map[string]formatted{
			"examples": inFormat(t, examples(800), format, write), "preds": inFormat(t, pairs, format, write),
			"lists": inFormat(t, listed(pairs), format, write), "run": inFormat(t, retrieved, format, write),
		}
		for name, c := range identities() {
			t.Run(format+", "+name, func(t *testing.T) {
				t.Parallel()
				parquet, other := []string{data[c.preds].parquet}, []string{data[c.preds].other}
				if c.truth != "" {
					parquet, other = append(parquet, data[c.truth].parquet), append(other, data[c.truth].other)
				}
				want := contents(t, evaluateOn(t, parse(t, c.yaml+bySlice, parquet...), "direct", 1))
				got := contents(t, evaluateOn(t, parse(t, c.yaml+bySlice, other...), "prism", 4))
				require.Equal(t, len(want), len(got))
				for file, content := range want {
					require.True(t, content == got[file], "%s differs", file)
				}
			})
		}
	}
}

// fileWriter writes rows, which are structs, into a file.
type fileWriter func(t *testing.T, name string, rows []reflect.Value)

// inFormat divides rows among files of both formats.
func inFormat[T any](t *testing.T, rows []T, format string, writer fileWriter) formatted {
	dir := t.TempDir()
	const files = 3
	for f := range files {
		var part []reflect.Value
		for _, row := range rows[f*len(rows)/files : (f+1)*len(rows)/files] {
			part = append(part, reflect.ValueOf(row))
		}
		writer(t, filepath.Join(dir, fmt.Sprintf("part-%d.%s", f, format)), part)
	}
	return formatted{write(t, rows, 3, 50), dir}
}

// columnsOf returns the fields of a struct that Parquet files have, by their names there.
func columnsOf(t reflect.Type) (names []string, fields []int) {
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("parquet"), ","); name != "-" {
			names, fields = append(names, name), append(fields, i)
		}
	}
	return names, fields
}

// writeJSON writes an object a line.
func writeJSON(t *testing.T, name string, rows []reflect.Value) {
	out, err := os.Create(name)
	require.NoError(t, err)
	e := json.NewEncoder(out)
	for _, row := range rows {
		require.NoError(t, e.Encode(jsonOf(row)))
	}
	require.NoError(t, out.Close())
}

// jsonOf returns a value with the names of Parquet; keys that are null are left out.
func jsonOf(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Slice:
		list := []any{}
		for i := range v.Len() {
			list = append(list, jsonOf(v.Index(i)))
		}
		return list
	case reflect.Struct:
		object := make(map[string]any)
		names, fields := columnsOf(v.Type())
		for i, field := range fields {
			if f := v.Field(field); f.Kind() != reflect.Pointer || !f.IsNil() {
				object[names[i]] = jsonOf(f)
			}
		}
		return object
	}
	return v.Interface()
}

// writeArrow writes record batches of 50 rows, into a stream if the name ends in arrows.
func writeArrow(t *testing.T, name string, rows []reflect.Value) {
	out, err := os.Create(name)
	require.NoError(t, err)
	schema := arrow.NewSchema(arrowType(rows[0].Type()).(*arrow.StructType).Fields(), nil)
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	} = ipc.NewWriter(out, ipc.WithSchema(schema), ipc.WithZstd())
	if filepath.Ext(name) != ".arrows" {
		w, err = ipc.NewFileWriter(out, ipc.WithSchema(schema), ipc.WithZstd())
		require.NoError(t, err)
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for batch := range slices.Chunk(rows, 50) {
		for _, row := range batch {
			_, fields := columnsOf(row.Type())
			for i, field := range fields {
				appendArrow(b.Field(i), row.Field(field))
			}
		}
		require.NoError(t, w.Write(b.NewRecordBatch()))
	}
	require.NoError(t, w.Close())
	require.NoError(t, out.Close())
}

func arrowType(t reflect.Type) arrow.DataType {
	switch t.Kind() {
	case reflect.Pointer:
		return arrowType(t.Elem())
	case reflect.Slice:
		return arrow.LargeListOf(arrowType(t.Elem()))
	case reflect.Struct:
		var list []arrow.Field
		names, fields := columnsOf(t)
		for i, name := range names {
			list = append(list, arrow.Field{Name: name, Type: arrowType(t.Field(fields[i]).Type), Nullable: true})
		}
		return arrow.StructOf(list...)
	case reflect.String:
		return arrow.BinaryTypes.LargeString
	}
	return map[reflect.Kind]arrow.DataType{
		reflect.Bool: arrow.FixedWidthTypes.Boolean, reflect.Int32: arrow.PrimitiveTypes.Int32, reflect.Int64: arrow.PrimitiveTypes.Int64,
		reflect.Float32: arrow.PrimitiveTypes.Float32, reflect.Float64: arrow.PrimitiveTypes.Float64,
	}[t.Kind()]
}

func appendArrow(b array.Builder, v reflect.Value) {
	switch b := b.(type) {
	case *array.LargeListBuilder:
		b.Append(true)
		for i := range v.Len() {
			appendArrow(b.ValueBuilder(), v.Index(i))
		}
	case *array.StructBuilder:
		b.Append(true)
		_, fields := columnsOf(v.Type())
		for i, field := range fields {
			appendArrow(b.FieldBuilder(i), v.Field(field))
		}
	default:
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				b.AppendNull()
				return
			}
			v = v.Elem()
		}
		if err := b.AppendValueFromString(fmt.Sprint(v.Interface())); err != nil {
			panic(err)
		}
	}
}
