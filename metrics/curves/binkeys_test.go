package curves

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBinKeysAreFound: find returns the place of each key, whether blocks are full or hold a single
// key.
func TestBinKeysAreFound(t *testing.T) {
	var none binKeys
	require.Equal(t, -1, none.find(0))
	for seed := range uint64(200) {
		r := source(seed)
		list := []uint64{0, 63, 64, math.MaxUint64}
		for range r.IntN(300) {
			list = append(list, r.Uint64()>>r.IntN(64))
		}
		slices.Sort(list)
		list = slices.Compact(list)
		var k binKeys
		for _, key := range list {
			k.add(key)
		}
		k.pack()
		require.Equal(t, list, k.slice())
		require.Equal(t, len(list), k.n)
		for place, key := range k.all() {
			require.Equal(t, list[place], key)
			require.Equal(t, place, k.find(key))
			for _, other := range []uint64{key - 1, key + 1, key ^ 1<<r.IntN(64)} {
				at, there := slices.BinarySearch(list, other)
				if !there {
					at = -1
				}
				require.Equal(t, at, k.find(other))
			}
		}
	}
}
