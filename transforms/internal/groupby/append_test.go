package groupby

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

func TestAppendOfRandomRowsIsThatOfEachRow(t *testing.T) {
	var table Table
	for seed := range uint64(200) {
		rng := random(seed)
		table.Reset()
		require.Zero(t, table.Size())
		want := make([][]any, 16)
		sources := [][]*columns.Column{randomColumns(rng, rng.IntN(300)), randomColumns(rng, 1+rng.IntN(10))}
		for range 1 + rng.IntN(4) {
			from := sources[rng.IntN(2)]
			n := from[0].Rows()
			var rows []int32
			switch rng.IntN(3) {
			case 0: // scattered, with repetitions
				rows = []int32{}
				for range rng.IntN(2*n + 1) {
					rows = append(rows, int32(rng.IntN(n)))
				}
			case 1: // some ranges
				for r := range int32(n) {
					if r/7%3 != int32(rng.IntN(2)) {
						rows = append(rows, r)
					}
				}
			}
			require.NoError(t, table.Append(from, rows))
			for i, c := range from {
				all := values(c)
				if rows == nil {
					want[i] = append(want[i], all...)
				}
				for _, r := range rows {
					want[i] = append(want[i], all[r])
				}
			}
			requireSound(t, &table)
		}
		for i, got := range tableValues(&table) {
			require.Equal(t, append([]any{}, want[i]...), got, "seed %d column %d", seed, i)
		}
	}
}

func TestAppendTable(t *testing.T) {
	rng := random(1)
	var all Table
	want := make([][]any, 16)
	for range 5 {
		table := tableOf(t, randomColumns(rng, rng.IntN(400))...)
		require.NoError(t, all.AppendTable(decoded(t, table)))
		for i, v := range tableValues(table) {
			want[i] = append(want[i], v...)
		}
	}
	require.NoError(t, all.AppendTable(new(Table)))
	requireSound(t, &all)
	require.Equal(t, want, tableValues(&all))
}

func TestAppendDoesNotKeepItsSource(t *testing.T) {
	c := asList(texts("a", "b", "c"), 0, 2, 3)
	table := tableOf(t, c)
	c.Codes[0], c.Offsets[1] = 2, 0
	require.Equal(t, [][]any{{[]any{"a", "b"}, []any{"c"}}}, tableValues(table))
}

// A dictionary may grow between appends, and another may come and go.
func TestAppendOfGrowingDictionaries(t *testing.T) {
	a, b := texts("x"), texts("y", "x")
	table := tableOf(t, a)
	a.Codes[0] = a.Dict.CodeOf("y")
	require.NoError(t, table.Append([]*columns.Column{a}, nil))
	require.NoError(t, table.Append([]*columns.Column{b}, nil))
	a.Codes[0] = a.Dict.CodeOf("z")
	require.NoError(t, table.Append([]*columns.Column{a}, nil))
	require.Equal(t, [][]any{{"x", "y", "y", "x", "z"}}, tableValues(table))
	require.Equal(t, []int32{0, 1, 1, 0, 2}, table.Columns[0].Codes)
	require.Equal(t, []string{"x", "y", "z"}, table.Columns[0].Dict.Values())
}

func TestAppendMeetingOfIntsAndFloats(t *testing.T) {
	null := func(v []any) (at int) { return slices.Index(v, nil) }
	for _, test := range []struct {
		first, second *columns.Column
		want          []float64
	}{
		{ints(1, 2), floats(.5), []float64{1, 2, .5}},
		{floats(.5), ints(1, -2), []float64{.5, 1, -2}},
		{asList(ints(1, 2), 0, 2), asList(floats(.5), 0, 0, 1), []float64{1, 2, .5}},
		{withNull(ints(0, 7), true, false), floats(.5), []float64{0, 7, .5}},
		{floats(.5), ints(1<<53 + 1), []float64{.5, 1 << 53}},
		{ints(), floats(math.Inf(1)), []float64{math.Inf(1)}},
	} {
		table := tableOf(t, test.first)
		require.NoError(t, table.Append([]*columns.Column{test.second}, nil))
		requireSound(t, table)
		c := table.Columns[0]
		require.Equal(t, columns.Float, c.Type)
		require.Equal(t, test.want, c.Floats)
		require.Nil(t, c.Ints)
		require.Equal(t, null(values(test.first)), null(values(&c)))
	}
}

func TestAppendErrorsLeaveTheTable(t *testing.T) {
	table := tableOf(t, ints(1, 2), asList(floats(.5), 0, 1, 1))
	before := tableValues(table)
	for want, cols := range map[string][]*columns.Column{
		"1 columns do not fit a table of 2":               {ints(1)},
		"3 columns do not fit a table of 2":               {ints(1), ints(1), ints(1)},
		"column 0: bool does not fit int":                 {bools(1), asList(floats(1), 0, 1)},
		"column 0: string does not fit int":               {texts("a"), asList(floats(1), 0, 1)},
		"column 0: list<int> does not fit int":            {asList(ints(1), 0, 1), asList(floats(1), 0, 1)},
		"column 1: float does not fit list<float>":        {ints(1), floats(1)},
		"column 1: list<string> does not fit list<float>": {ints(1), asList(texts("a"), 0, 1)},
		"column 1 has 1 rows, not 2":                      {ints(1, 2), asList(floats(1), 0, 1)},
	} {
		require.EqualError(t, table.Append(cols, nil), want)
		require.Equal(t, before, tableValues(table))
		require.Equal(t, 2, table.Rows)
	}
	require.EqualError(t, table.AppendTable(tableOf(t, ints(1))), "1 columns do not fit a table of 2")
}

func TestAppendTooManyRows(t *testing.T) {
	require.EqualError(t, decoded(t, &Table{Rows: math.MaxInt32}).AppendTable(&Table{Rows: 1}), "2147483647 rows and 1 more are too many for a table")
	long := asList(ints(), 0, math.MaxInt32)
	require.EqualError(t, new(Table).Append([]*columns.Column{long}, []int32{0, 0}), "column 0: 4294967294 values in lists are too many for a table")
}

func TestResetForgetsShapesAndStrings(t *testing.T) {
	table := tableOf(t, texts("a", "b"), withNull(ints(0, 1), true, false))
	dict := table.Columns[0].Dict
	table.Reset()
	require.Zero(t, table.Rows)
	require.NoError(t, table.Append([]*columns.Column{ints(1), texts("c")}, nil))
	requireSound(t, table)
	require.Equal(t, [][]any{{int64(1)}, {"c"}}, tableValues(table))
	require.Equal(t, []string{"a", "b"}, dict.Values())
}

func TestTableWithoutColumns(t *testing.T) {
	var table Table
	require.NoError(t, table.Append(nil, []int32{3, 4}))
	require.NoError(t, table.AppendTable(&Table{Rows: 5}))
	require.Equal(t, 7, table.Rows)
	require.Error(t, table.Append([]*columns.Column{ints(1)}, nil))
}

// TestNoAllocations: once slices have grown, rows are appended, grouped and hashed in the
// same memory, except for dictionaries.
func TestNoAllocations(t *testing.T) {
	var kept []*columns.Column
	for _, c := range randomColumns(random(3), 1000) {
		if c.Type != columns.String {
			kept = append(kept, c)
		}
	}
	var some []int32
	for _, r := range random(4).Perm(1000) {
		some = append(some, int32(r))
	}
	var table Table
	require.Zero(t, testing.AllocsPerRun(5, func() {
		table.Reset()
		for range 3 {
			require.NoError(t, table.Append(kept, nil))
			require.NoError(t, table.Append(kept, some))
		}
	}))
	for _, typ := range types {
		c := randomColumn(random(2), 5000, typ, false, false, new(columns.Strings))
		var g Grouper
		var out []uint64
		require.Zero(t, testing.AllocsPerRun(5, func() {
			g.Group(c)
			out = Hash(out, c)
		}))
	}
}
