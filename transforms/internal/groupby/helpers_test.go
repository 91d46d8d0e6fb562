package groupby

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// null is a null list among values; a null value is nil.
type null struct{}

// values is what a column has, row by row: nil, int64, the bits of a float64, or a
// string, and for lists null or []any of those.
func values(c *columns.Column) []any {
	value := func(i int) any {
		switch {
		case c.Null != nil && c.Null[i]:
			return nil
		case c.Type == columns.String:
			return c.Dict.Values()[c.Codes[i]]
		case c.Type == columns.Float:
			return slotOf(c, i)
		}
		return c.Ints[i]
	}
	out := make([]any, c.Rows())
	for i := range out {
		switch {
		case c.Offsets == nil:
			out[i] = value(i)
		case c.RowNull != nil && c.RowNull[i]:
			out[i] = null{}
		default:
			list := []any{}
			for j := c.Offsets[i]; j < c.Offsets[i+1]; j++ {
				list = append(list, value(int(j)))
			}
			out[i] = list
		}
	}
	return out
}

func tableValues(t *Table) (all [][]any) {
	for i := range t.Columns {
		all = append(all, values(&t.Columns[i]))
	}
	return all
}

// requireSound checks what columns promise.
func requireSound(t testing.TB, table *Table) {
	t.Helper()
	for i := range table.Columns {
		c := &table.Columns[i]
		n := c.Len()
		require.Equal(t, table.Rows, c.Rows())
		require.Equal(t, c.Type == columns.String, c.Dict != nil)
		if c.Offsets != nil {
			require.Zero(t, c.Offsets[0])
			require.EqualValues(t, n, c.Offsets[table.Rows])
		}
		if c.RowNull != nil {
			require.NotNil(t, c.Offsets)
			require.Len(t, c.RowNull, table.Rows)
			require.Contains(t, c.RowNull, true)
		}
		for r, null := range c.RowNull {
			if null && c.Offsets[r] != c.Offsets[r+1] {
				require.Fail(t, "a null list has values")
			}
		}
		if c.Null != nil {
			require.Len(t, c.Null, n)
			require.Contains(t, c.Null, true)
		}
		for v, null := range c.Null {
			if null && slotOf(c, v) != 0 {
				require.Fail(t, "a null is not zero")
			}
		}
	}
	require.GreaterOrEqual(t, table.Size(), 0)
}

// slotOf returns what a column has in the place of value v.
func slotOf(c *columns.Column, v int) uint64 {
	switch c.Type {
	case columns.Float:
		return math.Float64bits(c.Floats[v])
	case columns.String:
		return uint64(c.Codes[v])
	}
	return uint64(c.Ints[v])
}

var types = []columns.Type{columns.Bool, columns.Int, columns.Float, columns.String}

// randomColumn is a column of so many rows, with runs of equal values. How values are
// drawn is drawn too.
func randomColumn(rng *rand.Rand, rows int, typ columns.Type, list, nulls bool, dict *columns.Strings) *columns.Column {
	c := &columns.Column{Type: typ}
	n := rows
	if list {
		c.Offsets = []int32{0}
		n = 0
		for range rows {
			isNull := nulls && rng.IntN(4) == 0
			if nulls {
				c.RowNull = append(c.RowNull, isNull)
			}
			if !isNull {
				n += rng.IntN(5)
			}
			c.Offsets = append(c.Offsets, int32(n))
		}
	}
	style, run := rng.IntN(5), 1+rng.IntN(40)
	if typ == columns.String {
		c.Dict = dict
		c.Dict.CodeOf("a string that no row has")
	}
	var slot uint64
	again := false // the slot holds a value
	for range n {
		isNull := nulls && rng.IntN(3) == 0
		if nulls {
			c.Null = append(c.Null, isNull)
		}
		if !isNull && (!again || rng.IntN(run) == 0) {
			slot = randomSlot(rng, style, c)
		}
		again = !isNull
		if isNull {
			slot = 0
		}
		switch typ {
		case columns.Float:
			c.Floats = append(c.Floats, math.Float64frombits(slot))
		case columns.String:
			c.Codes = append(c.Codes, int32(slot))
		default:
			c.Ints = append(c.Ints, int64(slot))
		}
	}
	return c
}

func randomSlot(rng *rand.Rand, style int, c *columns.Column) uint64 {
	switch c.Type {
	case columns.Float:
		return math.Float64bits(randomFloat(rng, style))
	case columns.String:
		return uint64(c.Dict.CodeOf(randomString(rng, style)))
	case columns.Bool:
		return uint64(rng.IntN(2))
	}
	return uint64(randomInt(rng, style))
}

func randomInt(rng *rand.Rand, style int) int64 {
	switch style {
	case 0:
		return rng.Int64N(5)
	case 1:
		return rng.Int64N(1e7) - 5e6
	case 2:
		return []int64{math.MinInt64, math.MaxInt64, 0, -1}[rng.IntN(4)]
	case 3:
		return 1<<40 + rng.Int64N(1<<33)
	}
	return int64(rng.Uint64())
}

func randomFloat(rng *rand.Rand, style int) float64 {
	switch style {
	case 0:
		return float64(rng.IntN(5))
	case 1:
		return float64(rng.Float32())
	case 2:
		return []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0, math.Copysign(0, -1), 1 << 53, 1<<53 + 2, math.MaxFloat64,
			math.SmallestNonzeroFloat64, 16777217, 1 << 63, math.Float64frombits(0x7ff0000000000001)}[rng.IntN(12)]
	case 3:
		return rng.NormFloat64()
	}
	return math.Float64frombits(rng.Uint64())
}

func randomString(rng *rand.Rand, style int) string {
	switch style {
	case 0:
		return ""
	case 1:
		return "\xff\x00" + strconv.Itoa(rng.IntN(3))
	}
	return "example " + strconv.Itoa(rng.IntN(1000))
}

// randomColumns are columns of all types, lists or not, with nulls or without.
func randomColumns(rng *rand.Rand, rows int) (cols []*columns.Column) {
	shared := new(columns.Strings)
	for _, typ := range types {
		for _, list := range []bool{false, true} {
			for _, nulls := range []bool{false, true} {
				dict := shared
				if rng.IntN(2) == 0 {
					dict = new(columns.Strings)
				}
				cols = append(cols, randomColumn(rng, rows, typ, list, nulls, dict))
			}
		}
	}
	return cols
}

func ints(v ...int64) *columns.Column { return &columns.Column{Type: columns.Int, Ints: v} }

func floats(v ...float64) *columns.Column { return &columns.Column{Type: columns.Float, Floats: v} }

func bools(v ...int64) *columns.Column { return &columns.Column{Type: columns.Bool, Ints: v} }

func texts(v ...string) *columns.Column {
	c := &columns.Column{Type: columns.String, Dict: new(columns.Strings)}
	for _, s := range v {
		c.Codes = append(c.Codes, c.Dict.CodeOf(s))
	}
	return c
}

func withNull(c *columns.Column, null ...bool) *columns.Column {
	c.Null = null
	return c
}

func asList(c *columns.Column, offsets ...int32) *columns.Column {
	c.Offsets = offsets
	return c
}

func tableOf(t testing.TB, cols ...*columns.Column) *Table {
	t.Helper()
	table := new(Table)
	require.NoError(t, table.Append(cols, nil))
	return table
}
