package groupby

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

// randomIDs returns a function that draws ids: few or many, long or empty, that differ in the last byte only,
// that are no valid UTF-8.
func randomIDs(rng *rand.Rand) func() string {
	kinds := []func(n int) string{
		func(int) string { return "" },
		func(n int) string { return strconv.Itoa(n) },
		func(n int) string { return strings.Repeat("x", 31) + string(rune('a'+n%20)) },
		func(n int) string { return strings.Repeat("long ", 800) + strconv.Itoa(n) },
		func(n int) string { return "\xff\x00\xfe" + string([]byte{byte(n)}) },
		func(n int) string { return strings.Repeat("\x00", n%7) },
	}
	kind, many := kinds[rng.IntN(len(kinds))], 1+rng.IntN(400)
	return func() string {
		if rng.IntN(10) == 0 {
			kind = kinds[rng.IntN(len(kinds))]
		}
		return kind(rng.IntN(many))
	}
}

// passed sends ids and the numbers of their rows through tables, as rows travel to a bucket: a table that
// waits, pieces of it, their encodings. Ids come from loose tables or not; null ids stay behind.
func passed(t *testing.T, rng *rand.Rand, ids []*string, into *Table) {
	waiting, piece := Table{Passing: true}, Table{Passing: true}
	var chunk Table
	for first := 0; first < len(ids); {
		n := min(1+rng.IntN(200), len(ids)-first)
		id, number := &columns.Column{Type: columns.String, Dict: columns.Loose([]byte("before"), []int{6})}, ints()
		if rng.IntN(4) == 0 {
			id.Dict = new(columns.Strings)
		}
		good := []int32{}
		for i, text := range ids[first : first+n] {
			number.Ints = append(number.Ints, int64(first+i))
			id.Null = append(id.Null, text == nil)
			if text == nil {
				id.Codes = append(id.Codes, 0)
				continue
			}
			id.Codes = append(id.Codes, id.Dict.CodeOf(*text))
			good = append(good, int32(i))
		}
		require.NoError(t, waiting.Append([]*columns.Column{id, number}, good))
		first += n
	}
	if waiting.Rows == 0 {
		return
	}
	parts := make([][]int32, 1+rng.IntN(3))
	for r := range int32(waiting.Rows) {
		k := rng.IntN(len(parts))
		parts[k] = append(parts[k], r)
	}
	for _, part := range parts {
		piece.Reset()
		require.NoError(t, piece.Append(waiting.Refs(), part))
		data, err := piece.Encode()
		require.NoError(t, err)
		require.NoError(t, chunk.Decode(data))
		require.NoError(t, into.AppendTable(&chunk))
	}
}

// TestJoinOfRandomTexts: rows of two sides meet if and only if their ids are the same bytes.
func TestJoinOfRandomTexts(t *testing.T) {
	var grouper Grouper
	for seed := range uint64(100) {
		rng := random(seed)
		draw := randomIDs(rng)
		var sides [2]Table
		dict := new(columns.Strings)
		want := make(map[string][2][]int64)
		for side := range sides {
			var ids []*string
			for row := range rng.IntN(600) {
				if rng.IntN(20) == 0 {
					ids = append(ids, nil)
					continue
				}
				id := draw()
				ids = append(ids, &id)
				of := want[id]
				of[side] = append(of[side], int64(row))
				want[id] = of
			}
			sides[side].CodeBy(0, dict)
			passed(t, rng, ids, &sides[side])
		}
		var cols []*columns.Column
		for side := range sides {
			if sides[side].Rows > 0 {
				cols = append(cols, &sides[side].Columns[0])
				require.Same(t, dict, sides[side].Columns[0].Dict)
			}
		}
		order, offsets := grouper.Group(cols...)
		got := make(map[string][2][]int64)
		for i := range len(offsets) - 1 {
			var of [2][]int64
			id := ""
			for _, r := range order[offsets[i]:offsets[i+1]] {
				side, row := 0, int(r)
				if row >= sides[0].Rows {
					side, row = 1, row-sides[0].Rows
				}
				id = dict.Values()[sides[side].Columns[0].Codes[row]]
				of[side] = append(of[side], sides[side].Columns[1].Ints[row])
			}
			require.NotContains(t, got, id, "seed %d", seed)
			got[id] = of
		}
		require.Len(t, got, len(want), "seed %d", seed)
		for id, of := range want {
			for side := range of {
				require.ElementsMatch(t, of[side], got[id][side], "seed %d id %q", seed, id)
			}
		}
	}
}

// Texts that all differ cost their bytes and a length, whatever they are.
func TestEncodingOfIDsIsShort(t *testing.T) {
	const n = 1000
	id := &columns.Column{Type: columns.String, Dict: columns.Loose(nil, nil)}
	rng := random(1)
	for range n {
		id.Codes = append(id.Codes, id.Dict.CodeOf(strconv.FormatUint(1<<63+rng.Uint64()/2, 10)))
	}
	table := Table{Passing: true}
	require.NoError(t, table.Append([]*columns.Column{id}, nil))
	require.True(t, table.Columns[0].Dict.Loose())
	require.LessOrEqual(t, float64(len(encoded(t, &table)))/n, 21.1)
	require.LessOrEqual(t, table.Size(), n*(20+looseOverhead+4))
}
