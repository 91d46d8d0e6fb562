package collections

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInOrder: the items have the order of the lists, in whatever order the lists arrive and however
// long they are.
func TestInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, first := range []int{0, 1, 10_000} {
		const n = 300
		lists := make([][]int, n)
		want := []int{}
		for i := range lists {
			for range random.IntN(5) {
				lists[i] = append(lists[i], i)
			}
			if i == 0 {
				lists[0] = make([]int, first)
			}
			want = append(want, lists[i]...)
		}
		var all InOrder[int]
		var group sync.WaitGroup
		for _, i := range random.Perm(n) {
			group.Go(func() { all.Add(i, lists[i], n) })
		}
		group.Wait()
		require.Equal(t, want, all.Items)
		require.Empty(t, all.waiting)
		require.LessOrEqual(t, cap(all.Items), 2*len(all.Items)+n)
	}
}

// TestInOrderTakesNoMoreRoomThanItems: if all slices have equally many items, there is hardly any
// unused room, so that the items of a large report are not in memory twice.
func TestInOrderTakesNoMoreRoomThanItems(t *testing.T) {
	const n = 5000
	var all InOrder[byte]
	for i := range n {
		all.Add(i, make([]byte, 400), n)
	}
	require.Len(t, all.Items, 400*n)
	require.LessOrEqual(t, cap(all.Items), 401*n)
}
