package transforms

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInOrder: the items have the order of the slices, in whatever order the lists arrive and however
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
		var all inOrder[int]
		var group sync.WaitGroup
		for _, i := range random.Perm(n) {
			group.Go(func() { all.add(i, lists[i], n) })
		}
		group.Wait()
		require.Equal(t, want, all.items)
		require.Empty(t, all.waiting)
		require.LessOrEqual(t, cap(all.items), 2*len(all.items)+n)
	}
}

// TestInOrderTakesNoMoreRoomThanItems: if all slices have equally many items, there is hardly any
// unused room, so that the items of a large report are not in memory twice.
func TestInOrderTakesNoMoreRoomThanItems(t *testing.T) {
	const n = 5000
	var all inOrder[byte]
	for i := range n {
		all.add(i, make([]byte, 400), n)
	}
	require.Len(t, all.items, 400*n)
	require.LessOrEqual(t, cap(all.items), 401*n)
}
