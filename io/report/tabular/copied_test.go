package tabular

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/parquet"
)

// TestCopied: what was read is written such that it is read again. CSV spells all numbers as they are read again, too.
func TestCopied(t *testing.T) {
	texts := &columns.Strings{}
	texts.CodeOf("a, \"b\"")
	texts.CodeOf("\xff")
	null := []bool{false, false, true}
	fields := []columns.Field{
		{Path: "bool", Type: columns.Bool}, {Path: "int", Type: columns.Int, Bits: 64}, {Path: "single", Type: columns.Float, Bits: 32},
		{Path: "double", Type: columns.Float, Bits: 64}, {Path: "text", Type: columns.String},
		{Path: "a.numbers", Type: columns.Float, Bits: 64, List: true}, {Path: "ints", Type: columns.Int, List: true}, {Path: "bools", Type: columns.Bool, List: true}, {Path: "texts", Type: columns.String, List: true},
		{Path: "singles", Type: columns.Float, Bits: 32, List: true},
	}
	list := columns.Column{Offsets: []int32{0, 2, 2, 2}, RowNull: null}
	with := func(c columns.Column) columns.Column {
		c.Offsets, c.RowNull = list.Offsets, list.RowNull
		return c
	}
	read := []columns.Column{
		{Type: columns.Bool, Ints: []int64{0, 1, 0}, Null: null},
		{Type: columns.Int, Ints: []int64{math.MaxInt64, -1, 0}, Null: null},
		{Type: columns.Float, Floats: []float64{float64(float32(0.1)), math.Inf(-1), 0}, Null: null},
		{Type: columns.Float, Floats: []float64{math.NaN(), math.Inf(1), 0}, Null: null},
		{Type: columns.String, Codes: []int32{0, 1, 0}, Null: null, Dict: texts},
		with(columns.Column{Type: columns.Float, Floats: []float64{0.1, math.Inf(1)}}),
		with(columns.Column{Type: columns.Int, Ints: []int64{3, 0}, Null: []bool{false, true}}),
		with(columns.Column{Type: columns.Bool, Ints: []int64{1, 0}}),
		with(columns.Column{Type: columns.String, Codes: []int32{0, 0}, Dict: texts}),
		with(columns.Column{Type: columns.Float, Floats: []float64{float64(float32(0.1)), 2}}),
	}
	var table []Column[int]
	for j, f := range fields {
		table = append(table, Copied(f, &read[j]))
	}
	rows := []int{0, 1, 2}
	var csv, file bytes.Buffer
	require.NoError(t, ListOf(rows).WriteCSV(&csv, table))
	require.Equal(t, `bool,int,single,double,text,a.numbers,ints,bools,texts,singles
false,9223372036854775807,0.1,nan,"a, ""b""","[0.1,""+Inf""]","[3,null]","[true,false]","[""a, \""b\"""",""a, \""b\""""]","[0.1,2]"
true,-1,-inf,inf,\xff,[],[],[],[],[]
,,,,,,,,,
`, csv.String())
	require.NoError(t, ListOf(rows).WriteParquet(&file, "rows", table))
	again, err := parquet.Open(named{bytes.NewReader(file.Bytes())}, columns.Options{})
	require.NoError(t, err)
	for j, f := range fields {
		got, err := again.Schema().Lookup(f.Path)
		require.NoError(t, err)
		require.Equal(t, []any{f.Type, f.List}, []any{got.Type, got.List}, f.Path)
		for batch, err := range again.Read(0, []string{f.Path}, nil, 10) {
			require.NoError(t, err)
			c := &batch.Columns[0]
			if f.List {
				require.Equal(t, list.Offsets, c.Offsets)
				require.Equal(t, null, c.RowNull)
			} else {
				require.Equal(t, null, c.Null, f.Path)
			}
			require.Equal(t, read[j].Ints, c.Ints, f.Path)
			require.Equal(t, len(read[j].Floats), len(c.Floats))
			for i, x := range c.Floats {
				require.Equal(t, math.Float64bits(read[j].Floats[i]), math.Float64bits(x), f.Path)
			}
			if f.Path == "text" {
				require.Equal(t, []string{"a, \"b\"", `\xff`}, []string{c.Dict.At(c.Codes[0]), c.Dict.At(c.Codes[1])})
			}
		}
	}
}

// named is a source in memory.
type named struct{ *bytes.Reader }

func (named) Name() string { return "rows.parquet" }
