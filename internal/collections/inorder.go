package collections

import "sync"

// InOrder joins lists that are added concurrently, in the order of their numbers. There may be
// millions of items, so a list that was added is not kept beside the items.
type InOrder[T any] struct {
	Items []T // of the first lists; not nil once all were added

	mu      sync.Mutex
	next    int         // the first list that is not among Items
	waiting map[int][]T // later lists
}

// Add adds list i of n, which may be empty. Each is added once.
func (o *InOrder[T]) Add(i int, list []T, n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.waiting == nil {
		o.waiting = make(map[int][]T)
	}
	o.waiting[i] = list
	if o.Items == nil {
		if len(o.waiting) < min(n, max(typical, n/typical)) {
			return
		}
		o.Items = make([]T, 0, o.likely(n))
	}
	for {
		list, added := o.waiting[o.next]
		if !added {
			return
		}
		delete(o.waiting, o.next)
		o.next++
		o.Items = append(o.Items, list...)
	}
}

// typical lists, or the same share of all, show how many items there will be. Room for all is made at
// once, because millions of large items take long to copy to a larger array.
const typical = 32

// likely returns the number of items of n lists that are as long as those waiting. The first may be
// much longer than the others.
func (o *InOrder[T]) likely(n int) int {
	first := len(o.waiting[0])
	others := -first
	for _, list := range o.waiting {
		others += len(list)
	}
	return first + (others*(n-1)+n-1)/max(len(o.waiting)-1, 1)
}
