package evaluate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"
)

// writeTable writes a Parquet file from text. The first line names the columns
// and their types, every other line is a row, dashes end a row group, and # begins
// a key of the file's metadata and its value:
//
//	label:int64  score:double?
//	1            0.5
//	---
//	0            null
//	# labels ["ham","spam"]
//
// Types are bool, int32, int64, float, double, string and category (text in a dictionary),
// []double and the like are lists ("[0.5,0.2]"), and a ? means that values, lists and their elements
// may be null. Columns are stored in the order of their names.
func writeTable(t testing.TB, file, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
	f, err := os.Create(file)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	columns := make([]column, 0, 4)
	schema := parquet.Group{}
	for i, word := range strings.Fields(lines[0]) {
		c := newColumn(t, i, word)
		columns = append(columns, c)
		schema[c.name] = c.node
	}
	slices.SortFunc(columns, func(a, b column) int { return strings.Compare(a.name, b.name) })
	w := parquet.NewGenericWriter[any](f, parquet.NewSchema("table", schema), parquet.Compression(&parquet.Snappy))
	for _, line := range lines[1:] {
		if strings.HasPrefix(line, "---") {
			require.NoError(t, w.Flush())
			continue
		}
		if entry, is := strings.CutPrefix(line, "# "); is {
			key, value, _ := strings.Cut(entry, " ")
			w.SetKeyValueMetadata(key, value)
			continue
		}
		words := strings.Fields(line)
		require.Len(t, words, len(columns), line)
		var row parquet.Row
		for i, c := range columns {
			row = c.append(t, row, i, words[c.place])
		}
		_, err := w.WriteRows([]parquet.Row{row})
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, f.Close())
}

// column is a column of a table.
type column struct {
	name           string
	place          int // in the text
	kind           string
	list, nullable bool
	node           parquet.Node
}

func newColumn(t testing.TB, place int, word string) column {
	name, kind, _ := strings.Cut(word, ":")
	kind, nullable := strings.CutSuffix(kind, "?")
	kind, list := strings.CutPrefix(kind, "[]")
	c := column{name: name, place: place, kind: kind, list: list, nullable: nullable}
	switch kind {
	case "bool":
		c.node = parquet.Leaf(parquet.BooleanType)
	case "int32":
		c.node = parquet.Leaf(parquet.Int32Type)
	case "int64":
		c.node = parquet.Leaf(parquet.Int64Type)
	case "half":
		c.node = parquet.Leaf(half{parquet.FixedLenByteArrayType(2)})
	case "float":
		c.node = parquet.Leaf(parquet.FloatType)
	case "double":
		c.node = parquet.Leaf(parquet.DoubleType)
	case "string":
		c.node = parquet.String()
	case "category":
		c.node = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	default:
		require.Fail(t, "no such type", word)
	}
	if nullable {
		c.node = parquet.Optional(c.node)
	}
	if list {
		c.node = parquet.List(c.node)
		if nullable {
			c.node = parquet.Optional(c.node)
		}
	}
	return c
}

// half is the type of numbers of 16 bits.
type half struct{ parquet.Type }

func (half) LogicalType() *format.LogicalType {
	return &format.LogicalType{Value: new(format.Float16Type)}
}

// append appends the values that a word represents.
func (c *column) append(t testing.TB, row parquet.Row, index int, word string) parquet.Row {
	null := 0 // the definition level of what is not null, less that of what is
	if c.nullable {
		null = 1
	}
	switch {
	case word == "null":
		return append(row, parquet.NullValue().Level(0, 0, index))
	case !c.list:
		return append(row, c.value(t, word).Level(0, null, index))
	case word == "[]":
		return append(row, parquet.NullValue().Level(0, null, index))
	}
	for i, element := range strings.Split(strings.Trim(word, "[]"), ",") {
		v, level := parquet.NullValue(), null+1
		if element != "null" {
			v, level = c.value(t, element), level+null
		}
		row = append(row, v.Level(min(i, 1), level, index))
	}
	return row
}

func (c *column) value(t testing.TB, word string) (v parquet.Value) {
	var err error
	switch c.kind {
	case "bool":
		var b bool
		b, err = strconv.ParseBool(word)
		v = parquet.BooleanValue(b)
	case "int32":
		var i int64
		i, err = strconv.ParseInt(word, 10, 32)
		v = parquet.Int32Value(int32(i))
	case "int64":
		var i int64
		i, err = strconv.ParseInt(word, 10, 64)
		v = parquet.Int64Value(i)
	case "half":
		var x float64
		x, err = strconv.ParseFloat(word, 32)
		v = parquet.FixedLenByteArrayValue(float16.New(float32(x)).ToLEBytes())
	case "float":
		var x float64
		x, err = strconv.ParseFloat(word, 32)
		v = parquet.FloatValue(float32(x))
	case "double":
		var x float64
		x, err = strconv.ParseFloat(word, 64)
		v = parquet.DoubleValue(x)
	default:
		v = parquet.ByteArrayValue([]byte(word))
	}
	require.NoError(t, err, word)
	return v
}

// lines is a table with a header and n rows, made by row from their numbers.
func lines(header string, n int, row func(i int) string) string {
	var b strings.Builder
	b.WriteString(header)
	for i := range n {
		fmt.Fprintf(&b, "\n%s", row(i))
	}
	return b.String()
}
