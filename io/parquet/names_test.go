package parquet

import (
	"fmt"
	"testing"

	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"
)

// TestNames has names with dots next to structs: no name refers to two columns.
func TestNames(t *testing.T) {
	leaf := func(name string) format.SchemaElement { return leafOf(name, format.Int64, format.Required) }
	page := func(v int64) testChunk { return testChunk{pages: []testPage{dataPage(1, format.Plain, int64Bytes(v))}} }
	for name, test := range map[string]struct {
		schema []format.SchemaElement
		paths  []string          // in order
		read   map[string]int64  // the column's number, by spelling
		wrong  map[string]string // errors
	}{
		"a dot and nothing else": {
			[]format.SchemaElement{leaf("a.b")},
			[]string{"a.b"},
			map[string]int64{"a.b": 0, "`a.b`": 0},
			map[string]string{"`a`.b": `no column`, "a.`b": `no column`},
		},
		"a dot beside a column": {
			[]format.SchemaElement{leaf("a"), leaf("a.b")},
			[]string{"a", "a.b"},
			map[string]int64{"a": 0, "`a`": 0, "a.b": 1, "`a.b`": 1},
			nil,
		},
		"a dot beside a struct": {
			[]format.SchemaElement{group("a", format.Required, 1), leaf("b"), leaf("a.b")},
			[]string{"`a`.`b`", "`a.b`"},
			map[string]int64{"`a`.`b`": 0, "`a`.b": 0, "a.`b`": 0, "`a.b`": 1},
			map[string]string{"a.b": "column \"a.b\" is ambiguous: write `a.b` or `a`.`b`"},
		},
		"three ways": {
			[]format.SchemaElement{leaf("a.b.c"), group("a.b", format.Required, 1), leaf("c"), group("a", format.Required, 1), leaf("b.c")},
			[]string{"`a.b.c`", "`a.b`.`c`", "`a`.`b.c`"},
			map[string]int64{"`a.b.c`": 0, "`a.b`.c": 1, "a.`b.c`": 2},
			map[string]string{"a.b.c": "ambiguous: write `a.b.c` or `a.b`.`c` or `a`.`b.c`"},
		},
		"one of the two unreadable": {
			[]format.SchemaElement{group("a", format.Required, 1), {Name: "b", Type: leaf("b").Type, TypeLength: leaf("b").TypeLength, ConvertedType: decimalOf18and2().ConvertedType, Precision: decimalOf18and2().Precision, Scale: decimalOf18and2().Scale}, leaf("a.b")},
			[]string{"`a.b`"},
			map[string]int64{"`a.b`": 1},
			map[string]string{"a.b": "ambiguous: write `a.b` or `a`.`b`", "a.`b`": "cannot be read: decimal(18, 2)"},
		},
		"backquotes in names": {
			[]format.SchemaElement{leaf("a`b"), leaf("`c`"), leaf("c")},
			[]string{"a`b", "`c`", "c"},
			map[string]int64{"a`b": 0, "`a``b`": 0, "```c```": 1, "c": 2},
			nil,
		},
		"one name twice": {
			[]format.SchemaElement{leaf("v"), leaf("v")},
			[]string{"v", "v"}, nil,
			map[string]string{"v": `column "v" is ambiguous: two columns have this name`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var chunks []testChunk
			for _, e := range test.schema {
				if e.Type.Valid {
					chunks = append(chunks, page(int64(len(chunks))))
				}
			}
			f := mustOpen(t, build(t, test.schema, testGroup{rows: 1, chunks: chunks}))
			var paths []string
			for _, field := range f.Schema().Fields {
				paths = append(paths, field.Path)
			}
			require.Equal(t, test.paths, paths)
			for path, want := range test.read {
				require.Equal(t, fmt.Sprint([]any{want}), fmt.Sprint(mustRead(t, f, 1, path)[0]), path)
			}
			for path, want := range test.wrong {
				_, err := f.Schema().Lookup(path)
				require.ErrorContains(t, err, want)
			}
		})
	}
}
