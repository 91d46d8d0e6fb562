package queries

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSortDown(t *testing.T) {
	for seed := range uint64(200) {
		r := source(seed)
		list := make([]keyed, r.IntN(pick(r, 10, 100)))
		levels := pick(r, 2, 10, 1<<30)
		for i := range list {
			list[i] = keyed{uint64(r.IntN(levels)), int32(i)}
		}
		wrong := 0
		for i := range list {
			for j := range i {
				wrong += oneIf(list[i].key < list[j].key)
			}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
		require.Equal(t, wrong, sortDown(list, make([]keyed, len(list)+r.IntN(3))))
		require.Equal(t, want, list)
		require.Zero(t, sortDown(list, make([]keyed, len(list))))
	}
}
