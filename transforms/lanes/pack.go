package lanes

import (
	"cmp"
	"container/heap"
	"slices"
)

// Pack divides work among at most n lanes, so that the costliest lane costs as little as possible:
// each piece, the costliest first, goes to the lane that costs least so far (Graham 1969: at most
// 4/3 of the best). It returns the lane of each piece and the costs of the lanes, which descend.
func Pack(costs []int64, n int) (lane []int, total []int64) {
	order := make([]int, len(costs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(costs[b], costs[a]) })
	open := make(byTotal, min(n, len(costs)))
	for i := range open {
		open[i].lane = i
	}
	lane = make([]int, len(costs))
	for _, piece := range order {
		lane[piece] = open[0].lane
		open[0].total += costs[piece]
		heap.Fix(&open, 0)
	}
	slices.SortFunc(open, func(a, b load) int { return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.lane, b.lane)) })
	rank := make([]int, len(open))
	for i, l := range open {
		rank[l.lane] = i
		total = append(total, l.total)
	}
	for i := range lane {
		lane[i] = rank[lane[i]]
	}
	return lane, total
}

// load is a lane and the cost of its work.
type load struct {
	lane  int
	total int64
}

// byTotal is a heap of lanes, with the one that costs least at the top.
type byTotal []load

func (b byTotal) Len() int { return len(b) }
func (b byTotal) Less(i, j int) bool {
	return b[i].total < b[j].total || b[i].total == b[j].total && b[i].lane < b[j].lane
}
func (b byTotal) Swap(i, j int) { b[i], b[j] = b[j], b[i] }

// Push and Pop are not called: the number of lanes does not change.
func (b *byTotal) Push(any) {}
func (b *byTotal) Pop() any { return nil }
