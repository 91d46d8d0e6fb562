package transforms

import "sync"

// inOrder joins the lists of slices, which are added concurrently, in the order of the slices. There
// may be millions of items, so a list that was added is not kept beside the items.
type inOrder[T any] struct {
	items []T // of the first slices; not nil once a list was added

	mu      sync.Mutex
	next    int         // the first slice whose list is not among items
	waiting map[int][]T // lists of later slices
}

// add adds the list of slice i of n. Each slice has one list, which may be empty.
func (o *inOrder[T]) add(i int, list []T, n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.waiting == nil {
		o.items, o.waiting = []T{}, make(map[int][]T)
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
		o.items = append(o.items, list...)
	}
}

// grow makes room for more items: for those of all n slices, if they are like those so far, but for at
// most twice as many as there are, because the first slice may have many more than the others.
func (o *inOrder[T]) grow(more, n int) {
	total := len(o.items) + more
	if total <= cap(o.items) {
		return
	}
	likely := total + (total/o.next+1)*(n-o.next)
	grown := make([]T, len(o.items), max(total, min(likely, 2*total)))
	copy(grown, o.items)
	o.items = grown
}
