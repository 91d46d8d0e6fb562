package groupby

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/heap"
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/columns"
)

func requireRoundTrip(t testing.TB, table *Table) {
	t.Helper()
	got := decoded(t, table)
	require.Equal(t, table.Rows, got.Rows)
	require.Equal(t, tableValues(table), tableValues(got))
	require.Equal(t, table.Size(), got.Size())
	requireSound(t, got)
	for i := range got.Columns {
		require.Equal(t, table.Columns[i].Type, got.Columns[i].Type)
		require.True(t, slices.Equal(table.Columns[i].Codes, got.Columns[i].Codes))
	}
	require.Equal(t, encoded(t, table), encoded(t, got))
}

func encoded(t testing.TB, table *Table) []byte {
	t.Helper()
	data, err := table.Encode()
	require.NoError(t, err)
	return slices.Clone(data)
}

// decode decodes into a table of its own.
func decode(data []byte) (*Table, error) {
	table := new(Table)
	return table, table.Decode(data)
}

func decoded(t testing.TB, table *Table) *Table {
	t.Helper()
	got := new(Table)
	require.NoError(t, got.Decode(encoded(t, table)))
	return got
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(100) {
		rng := random(seed)
		requireRoundTrip(t, tableOf(t, randomColumns(rng, 1+rng.IntN(300))...))
	}
}

func TestRoundTripOfLittle(t *testing.T) {
	requireRoundTrip(t, new(Table))
	requireRoundTrip(t, &Table{Rows: 7})
	var empty Table
	require.NoError(t, empty.Append(randomColumns(random(1), 10), []int32{}))
	got := decoded(t, &empty)
	requireSound(t, got)
	require.Equal(t, encoded(t, &empty), encoded(t, got))
	require.Len(t, got.Columns, 16)
	requireRoundTrip(t, tableOf(t, withNull(texts("", ""), false, false)))
	nothing := &columns.Column{Type: columns.String, Codes: []int32{0, 0}, Null: []bool{true, true}, Dict: new(columns.Strings)}
	requireRoundTrip(t, tableOf(t, nothing, asList(nothing, 0, 1, 2)))
}

// Columns whose encoded bytes take the most memory when decoded.
func TestRoundTripOfEqualValues(t *testing.T) {
	like := texts()
	for i := range 300 {
		like.Codes = append(like.Codes, like.Dict.CodeOf("images/"+strconv.Itoa(i)+".jpg"))
	}
	requireRoundTrip(t, tableOf(t, like))
	requireRoundTrip(t, tableOf(t, texts(strings.Repeat("a", 100_000))))
	requireRoundTrip(t, tableOf(t, ints(make([]int64, 10_000)...), floats(make([]float64, 10_000)...)))
}

// Every size, and its least and greatest integers.
func TestRoundTripOfSizes(t *testing.T) {
	for size := range 64 {
		v := int64(1) << size
		requireRoundTrip(t, tableOf(t, ints(v, v-1), ints(v, -v), ints(v+1, v)))
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
		"runs of random ints": {query, .7},
		"ints below 10⁷":      {doc, 3.1},
		"ints in floats":      {grade, 1.3},
		"float32":             {single, 4.2},
		"float64":             {score, 8.1},
		"runs of strings":     {example, .5},
	} {
		require.LessOrEqual(t, float64(len(encoded(t, tableOf(t, test.column))))/n, test.most, name)
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

// packed is an encoding of these bytes.
func packed(parts ...any) []byte {
	var data []byte
	for _, part := range parts {
		switch p := part.(type) {
		case int:
			data = wire.AppendInt(data, int64(p))
		case string:
			data = append(data, p...)
		}
	}
	return s2.EncodeSnappy(nil, data)
}

// The parts of a table: in front of a column, one for each row, and of its values.
const (
	column = "\x01"
	none   = "\x00"
	one    = "\x04\x01\x00\x00\x01" // four bytes: the size of integers, no zero bits, the least is 0, and 1
	zero   = "\x04\x01\x00\x00\x00"
	yes    = "\x02"
	no     = "\x00"
)

func TestDecodeRefusesHostileBytes(t *testing.T) {
	requireIs := func(want *columns.Column, data []byte) {
		got, err := decode(data)
		require.NoError(t, err)
		require.Equal(t, [][]any{values(want)}, tableValues(got))
	}
	integer, text := int(columns.Int), int(columns.String)
	requireIs(ints(1), packed(1, column, integer, no, none, one))
	requireIs(texts("a"), packed(1, column, text, no, none, "\x01\x01a", zero))
	requireIs(asList(ints(1), 0, 1), packed(1, column, integer, yes, none, "\x05\x01\x00\x00\x00\x01", none, one))
	for name, data := range map[string][]byte{
		"nothing":                 {},
		"a claim of much":         append(binary.AppendUvarint(nil, 1<<31), 0, 0, 0),
		"a bomb":                  s2.Encode(nil, make([]byte, 100_000)),
		"no table":                packed(),
		"negative rows":           packed(-1, none),
		"too many rows":           packed(1<<31, none),
		"more columns than bytes": packed(0, "\x80\x01", integer),
		"more rows than values":   packed(1<<30, column, integer, no, none, one),
		"fewer rows than values":  packed(0, column, integer, no, none, one),
		"no type":                 packed(1, column, 0, no, none, one),
		"unknown type":            packed(1, column, 7, no, none, one),
		"no truth value":          packed(1, column, int(columns.Bool), no, none, "\x04\x01\x00\x00\x02"),
		"bytes left":              packed(1, column, integer, no, none, one, none),
		"size 0":                  packed(1, column, integer, no, none, "\x03\x00\x00\x00"),
		"64 zero bits":            packed(1, column, integer, no, none, "\x04\x01\x40\x00\x01"),
		"no least integer":        packed(1, column, integer, no, none, "\x03\x01\x00\x80"),
		"size 9":                  packed(1, column, integer, no, none, "\x0c\x09\x00\x00123456789"),
		"nulls of other rows":     packed(1, column, integer, no, "\x02\x01\x01", one),
		"a list before the first": packed(1, column, integer, yes, none, "\x05\x01\x00\x00\x01\x01", none, one),
		"a negative list":         packed(2, column, integer, yes, none, "\x06\x01\x00\x00\x00\x01\x00", none, one),
		"a list beyond 2³¹":       packed(1, column, integer, yes, none, "\x0b\x04\x00\x00\x00\xff\x00\xff\x00\xff\x00\xff", none, one),
		"a null list of one":      packed(1, column, integer, yes, "\x01\x01", "\x05\x01\x00\x00\x00\x01", none, one),
		"many strings":            packed(1, column, text, no, none, "\xff\xff\xff\xff\x07\x01a", zero),
		"a code of no string":     packed(1, column, text, no, none, "\x01\x01a", one),
		"a negative code":         packed(1, column, text, no, none, "\x01\x01a", "\x07\x04\x00\x00\xff\xff\xff\xff"),
	} {
		var err error
		taken := heap.Allocated(func() { _, err = decode(data) })
		require.ErrorContains(t, err, "decoding rows: ", name)
		require.Less(t, taken, uint64(1<<20), name)
	}
}

func TestDecodeTruncated(t *testing.T) {
	data := encoded(t, tableOf(t, randomColumns(random(7), 20)...))
	plain, err := s2.Decode(nil, data)
	require.NoError(t, err)
	for n := range data {
		_, err := decode(data[:n])
		require.Error(t, err)
	}
	for n := range plain {
		_, err := decode(s2.EncodeSnappy(nil, plain[:n]))
		require.Error(t, err)
	}
}

// Nulls are zero whatever the bytes say.
func TestDecodeZeroesNulls(t *testing.T) {
	for typ, values := range map[columns.Type]string{columns.Int: one, columns.Float: one, columns.String: none + one} {
		table, err := decode(packed(1, column, int(typ), no, "\x01\x01", values))
		require.NoError(t, err)
		requireSound(t, table)
		require.Equal(t, [][]any{{nil}}, tableValues(table))
	}
}

// FuzzDecode decodes what is compressed, which few mutations of the encoding reach.
func FuzzDecode(f *testing.F) {
	for seed := range uint64(5) {
		data, err := s2.Decode(nil, encoded(f, tableOf(f, randomColumns(random(seed), int(4*seed))...)))
		require.NoError(f, err)
		f.Add(data, true)
		f.Add(encoded(f, tableOf(f, ints(1, 1, 1, 2), texts("a", "b", "b", "b"))), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, plain bool) {
		if plain {
			data = s2.EncodeSnappy(nil, data)
		}
		table, err := decode(data)
		if err != nil {
			return
		}
		requireSound(t, table)
		require.LessOrEqual(t, table.Size(), 2000*len(data)+1000)
		require.Equal(t, tableValues(table), tableValues(decoded(t, table)))
	})
}
