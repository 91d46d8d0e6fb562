package lists

import "sync"

// InOrder joins lists that are added concurrently, in the order of their numbers. There may be
// millions of items, so a list that was added is not kept beside the items.
type InOrder[T any] struct {
	Items []T // of the first lists; not nil once a list was added

	mu      sync.Mutex
	next    int         // the first list that is not among Items
	waiting map[int][]T // later lists
}

// Add adds list i of n, which may be empty. Each is added once.
func (o *InOrder[T]) Add(i int, list []T, n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.waiting == nil {
		o.Items, o.waiting = []T{}, make(map[int][]T)
	}
	o.waiting[i] = list
	for {
		list, added := o.waiting[o.next]
		if !added {
			return
		}
		delete(o.waiting, o.next)
		o.next++
		o.grow(len(list), n)
		o.Items = append(o.Items, list...)
	}
}

// grow makes room for more items: for those of all n lists, if they are like those so far, but for at
// most twice as many as there are, because the first list may have many more than the others.
func (o *InOrder[T]) grow(more, n int) {
	total := len(o.Items) + more
	if total <= cap(o.Items) {
		return
	}
	likely := total + (total/o.next+1)*(n-o.next)
	grown := make([]T, len(o.Items), max(total, min(likely, 2*total)))
	copy(grown, o.Items)
	o.Items = grown
}
