package rows

import (
	"bytes"
	"encoding/binary"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

func requireRoundTrip(t testing.TB, table *Table) {
	t.Helper()
	data := table.Encode([]byte("before"))
	require.Equal(t, "before", string(data[:6]))
	got, err := Decode(data[6:])
	require.NoError(t, err)
	require.Equal(t, table.Rows, got.Rows)
	require.Equal(t, tableValues(table), tableValues(got))
	require.Equal(t, table.Size(), got.Size())
	requireSound(t, got)
	for i := range got.Columns {
		require.Equal(t, table.Columns[i].Type, got.Columns[i].Type)
		require.Equal(t, table.Columns[i].Codes, got.Columns[i].Codes)
	}
	require.True(t, bytes.Equal(data[6:], got.Encode(nil)), "encodes to other bytes")
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		rng := random(seed)
		requireRoundTrip(t, tableOf(t, randomColumns(rng, 1+rng.IntN(600))...))
	}
}

func TestRoundTripOfLittle(t *testing.T) {
	requireRoundTrip(t, new(Table))
	requireRoundTrip(t, &Table{Rows: 7})
	var empty Table
	require.NoError(t, empty.Append(randomColumns(random(1), 10), []int32{}))
	decoded, err := Decode(empty.Encode(nil))
	require.NoError(t, err)
	requireSound(t, decoded)
	require.Equal(t, empty.Encode(nil), decoded.Encode(nil))
	require.Len(t, decoded.Columns, 16)
	requireRoundTrip(t, tableOf(t, withNull(texts("", ""), false, false)))
	nothing := &columns.Column{Type: columns.String, Codes: []int32{0, 0}, Null: []bool{true, true}, Dict: new(columns.Strings)}
	requireRoundTrip(t, tableOf(t, nothing, asList(nothing, 0, 1, 2)))
}

// Text that is compressed, that gains nothing by it, and that would be too short.
func TestRoundTripOfText(t *testing.T) {
	like, unlike := texts(), texts()
	rng := random(8)
	for i := range 300 {
		like.Codes = append(like.Codes, like.Dict.CodeOf("images/"+strconv.Itoa(i)+".jpg"))
		unlike.Codes = append(unlike.Codes, unlike.Dict.CodeOf(string(binary.LittleEndian.AppendUint64(nil, rng.Uint64()))))
	}
	long := texts(strings.Repeat("a", 1000), strings.Repeat("a", 1001), "")
	for _, c := range []*columns.Column{like, unlike, long} {
		requireRoundTrip(t, tableOf(t, c))
	}
	require.Less(t, len(appendStrings(nil, like.Dict)), 300*9)
}

// Every width, and blocks of all lengths.
func TestRoundTripOfBlocks(t *testing.T) {
	rng := random(5)
	for width := range 65 {
		for _, n := range []int{1, 2, 63, 64, 127, 128, 129, 300} {
			v := make([]int64, n)
			least := int64(rng.Uint64())
			for i := range v {
				v[i] = least + int64(rng.Uint64()>>(64-width))
			}
			data := appendBlocks(nil, v, fromInt64)
			r := reader{buf: data}
			require.Equal(t, v, readBlocks(&r, n, fromInt64), "width %d of %d", width, n)
			require.NoError(t, r.err)
			require.Empty(t, r.buf)
		}
	}
}

// What the documentation promises of lengths.
func TestEncodingIsShort(t *testing.T) {
	const n = 128 * 100
	rng := random(6)
	query, doc, grade := ints(make([]int64, n)...), ints(make([]int64, n)...), floats(make([]float64, n)...)
	single, score, example := floats(make([]float64, n)...), floats(make([]float64, n)...), texts()
	hash := int64(0)
	for i := range n {
		if i%100 == 0 {
			hash = int64(rng.Uint64())
		}
		query.Ints[i] = hash
		doc.Ints[i] = rng.Int64N(1e7)
		grade.Floats[i] = float64(rng.IntN(5))
		single.Floats[i] = float64(rng.Float32())
		score.Floats[i] = rng.NormFloat64()
		example.Codes = append(example.Codes, example.Dict.CodeOf(string(rune('a'+i/20))))
	}
	example.Null = make([]bool, n)
	for name, test := range map[string]struct {
		column *columns.Column
		most   float64 // bytes a value
	}{
		"runs of random ints": {query, .25},
		"ints below 10⁷":      {doc, 3.1},
		"ints in floats":      {grade, .41},
		"float32":             {single, 4},
		"float64":             {score, 7.8},
		"runs of strings":     {example, .35},
	} {
		require.LessOrEqual(t, float64(len(tableOf(t, test.column).Encode(nil)))/n, test.most, name)
	}
}

func TestFloatsKeepTheirBits(t *testing.T) {
	for _, v := range [][]float64{
		{0, 1, -3, 1 << 53, -1 << 53},
		{math.Copysign(0, -1)},
		{.5, -.25, 16777216, math.Inf(-1), math.NaN()},
		{.5, 16777217},
		{math.Float64frombits(0x7ff0000000000001), 1 << 60},
		{-1 << 63, 1 << 63, math.Inf(1)},
	} {
		requireRoundTrip(t, tableOf(t, floats(v...)))
	}
}

func column(head byte, rest ...[]byte) []byte {
	return bytes.Join(append([][]byte{{1, 1, head}}, rest...), nil)
}

func TestDecodeRefusesHostileBytes(t *testing.T) {
	huge := binary.AppendUvarint(nil, 1<<60)
	one := appendBlocks(nil, []int64{1}, fromInt64)
	list := byte(columns.Int) | hasLists
	bomb := s2.Encode(nil, make([]byte, 1000))
	for name, data := range map[string][]byte{
		"nothing":                 {},
		"rows":                    append(huge, 0),
		"columns":                 append([]byte{1}, huge...),
		"many rows":               {0xff, 0xff, 0xff, 0xff, 7, 1, byte(columns.Int)},
		"more columns than bytes": {0, 200, byte(columns.Int)},
		"no type":                 column(0, one),
		"unknown type":            column(7, one),
		"unknown bit":             column(byte(columns.Int)|64, one),
		"null rows, no lists":     column(byte(columns.Int)|hasRowNull, one, one),
		"bytes left":              column(byte(columns.Int), one, []byte{0}),
		"width":                   column(byte(columns.Int), []byte{0, 65, 1}, make([]byte, 16)),
		"empty block":             column(byte(columns.Int), []byte{0, 0, 0}),
		"long block":              column(byte(columns.Int), []byte{0, 0, 2}),
		"form":                    column(byte(columns.Float), []byte{3}, one),
		"negative length":         column(list, appendBlocks(nil, []int64{-1}, fromInt64)),
		"length of a list":        column(list, appendBlocks(nil, []int64{1 << 60}, fromInt64)),
		"length within 2³¹":       column(list, appendBlocks(nil, []int64{math.MaxInt32}, fromInt64)),
		"null list of one":        column(list|hasRowNull, one, one, one),
		"strings":                 column(byte(columns.String), huge),
		"many strings":            column(byte(columns.String), []byte{0xff, 0xff, 0xff, 0xff, 7}, one),
		"length of a string":      column(byte(columns.String), []byte{1}, appendBlocks(nil, []int64{1 << 60}, fromInt64), one),
		"negative string":         column(byte(columns.String), []byte{1}, appendBlocks(nil, []int64{-1}, fromInt64), one),
		"string twice":            column(byte(columns.String), []byte{2}, appendBlocks(nil, []int64{1, 1}, fromInt64), []byte("\x00aa"), one),
		"compressed text":         column(byte(columns.String), []byte{1}, one, []byte("\x02\x01\xff"), one),
		"length of its text":      column(byte(columns.String), []byte{1}, one, []byte("\x03\x02\x00a"), one),
		"text of too high a ratio": column(byte(columns.String), []byte{1}, appendBlocks(nil, []int64{1000}, fromInt64),
			[]byte{byte(len(bomb))}, bomb, appendBlocks(nil, []int64{0}, fromInt64)),
		"code":          column(byte(columns.String), []byte{1}, one, []byte("\x00a"), one),
		"negative code": column(byte(columns.String), []byte{1}, one, []byte("\x00a"), appendBlocks(nil, []int64{-1}, fromInt64)),
		"runs":          {3, 1, byte(columns.Int), 0, 1, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0},
		"run of none":   {3, 1, byte(columns.Int), 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		"run of many":   {3, 1, byte(columns.Int), 0, 1, 2, 3, 255, 0, 0, 0, 0, 0, 0, 0, 0},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(data)
		runtime.ReadMemStats(&after)
		require.ErrorContains(t, err, "decoding rows: ", name)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), name)
	}
}

func TestDecodeTruncated(t *testing.T) {
	data := tableOf(t, randomColumns(random(7), 150)...).Encode(nil)
	for n := range data {
		_, err := Decode(data[:n])
		require.Error(t, err)
	}
}

// Nulls are zero whatever the bytes say.
func TestDecodeZeroesNulls(t *testing.T) {
	one := appendBlocks(nil, []int64{1}, fromInt64)
	for _, data := range [][]byte{
		column(byte(columns.Int)|hasNull, one, one),
		column(byte(columns.Float)|hasNull, one, []byte{0}, one),
		column(byte(columns.String)|hasNull, one, []byte{0, 0}, one),
	} {
		table, err := Decode(data)
		require.NoError(t, err)
		requireSound(t, table)
		require.Equal(t, [][]any{{nil}}, tableValues(table))
	}
}

func FuzzDecode(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(tableOf(f, randomColumns(random(seed), int(4*seed))...).Encode(nil))
	}
	f.Add(tableOf(f, ints(1, 1, 1, 2), texts("a", "b", "b", "b")).Encode(nil))
	f.Add(column(byte(columns.String)|hasNull, []byte{2, 0, 1, 0, 2, 0, 1}))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := Decode(data)
		if err != nil {
			return
		}
		requireSound(t, table)
		require.LessOrEqual(t, table.Size(), 2000*len(data)+1000)
		again, err := Decode(table.Encode(nil))
		require.NoError(t, err)
		require.Equal(t, tableValues(table), tableValues(again))
	})
}
