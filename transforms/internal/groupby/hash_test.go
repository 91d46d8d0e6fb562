package groupby

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/hash"
	"github.com/beameval/beameval/io/columns"
)

func hashes(c *columns.Column) []uint64 { return Hash(nil, c) }

// The same in every process: these must never change within a run, whose workers
// may be of other platforms.
func TestHashIsFixed(t *testing.T) {
	require.Equal(t, []uint64{0, hash.Mix(1), hash.Mix(math.MaxUint64)}, hashes(ints(0, 1, -1)))
	require.Equal(t, []uint64{0x5692161d100b05e5}, []uint64{hash.Mix(1)})
	// The vectors of the XXH64 specification for seed 0.
	require.Equal(t, []uint64{0xef46db3751d8e999, 0xd24ec4f1a98c6e5b, 0x44bc2cf5ad770999}, hashes(texts("", "a", "abc")))
	require.Equal(t, []uint64{HashOfNull, hash.Mix(7)}, hashes(withNull(ints(0, 7), true, false)))
}

func TestHashOfEqualValues(t *testing.T) {
	require.Equal(t, hashes(texts("b", "a", "b")), []uint64{hashes(texts("b"))[0], hashes(texts("a"))[0], hashes(texts("x", "b"))[1]})
	require.Equal(t, hashes(bools(0, 1)), hashes(ints(0, 1)))
	require.Equal(t, hashes(ints(0, -3, 1<<53, math.MinInt64)), hashes(floats(math.Copysign(0, -1), -3, 1<<53, -1<<63)))
	nan := hashes(floats(math.NaN(), math.Float64frombits(0xfff8000000000001)))
	require.Equal(t, nan[0], nan[1])
	all := hashes(floats(0, .5, -.5, 1, 1<<63, -1<<63, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64))
	slices.Sort(all)
	require.Len(t, slices.Compact(all), 10)
	nulls := &columns.Column{Type: columns.String, Codes: []int32{0}, Null: []bool{true}, Dict: new(columns.Strings)}
	require.Equal(t, hashes(withNull(floats(0), true)), hashes(nulls))
}

// Dictionaries grow; tables that have
// travelled hash as their sources.
func TestHashAcrossDictionariesAndTables(t *testing.T) {
	a, b := texts("x", "y"), texts("y", "z")
	require.Equal(t, hashes(a), Hash(nil, a))
	a.Codes[1] = a.Dict.CodeOf("z")
	require.Equal(t, hashes(texts("x", "z")), Hash(nil, a))
	require.Equal(t, hashes(b), Hash(nil, b))
	require.Equal(t, hashes(texts("x", "z")), Hash(nil, a))

	rng := random(1)
	for _, typ := range types {
		c := randomColumn(rng, 500, typ, false, true, new(columns.Strings))
		table := tableOf(t, texts("other"))
		table.Reset()
		require.NoError(t, table.Append([]*columns.Column{c}, []int32{499, 3, 4}))
		all := Hash(nil, c)
		require.Equal(t, []uint64{all[499], all[3], all[4]}, Hash(nil, &decoded(t, table).Columns[0]))
	}
}

func TestSortHashes(t *testing.T) {
	rng := random(1)
	for _, n := range []int{0, 1, 7, 8, 100, 10_000, 1 << 20} {
		list := make([]uint64, n)
		for i := range list {
			list[i] = rng.Uint64() >> (8 * rng.IntN(8)) // some buckets have many
		}
		want := slices.Clone(list)
		slices.Sort(want)
		SortHashes(list)
		require.True(t, slices.Equal(want, list), n)
	}
}
