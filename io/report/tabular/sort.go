package tabular

import (
	"cmp"
	"slices"
)

// Order compares rows of a slice: first by First, if it is not nil, then by their labels, then by Then.
type Order[T any] struct{ First, Then func(a, b *T) int }

// ranked is an item with the ranks of its slice and label. Comparing ranks is many times faster
// than comparing slices.
type ranked[T any] struct {
	slice, label int
	item         *T
}

func (o *Order[T]) compare(a, b *ranked[T]) int {
	if c := cmp.Compare(a.slice, b.slice); c != 0 {
		return c
	}
	if o.First != nil {
		if c := o.First(a.item, b.item); c != 0 {
			return c
		}
	}
	if c := cmp.Compare(a.label, b.label); c != 0 {
		return c
	}
	return o.Then(a.item, b.item)
}

// Sort sorts items by the ranks of their slices and then in an order. It does so in place, because there may be millions
// of large items. If slices are in order already, as in computed reports, the items of each are sorted by themselves,
// which takes little memory.
func Sort[T any](items []T, ranks func(*T) (slice, label int), by Order[T]) {
	var all []ranked[T]
	var order []int
	sort := func(items []T) {
		slices.SortFunc(order, func(i, j int) int { return by.compare(&all[i], &all[j]) })
		rearrange(items, order)
		all, order = all[:0], order[:0]
	}
	from, inOrder := 0, slicesInOrder(items, ranks)
	for i := range items {
		slice, label := ranks(&items[i])
		if inOrder && i > from && slice != all[0].slice {
			sort(items[from:i])
			from = i
		}
		all, order = append(all, ranked[T]{slice, label, &items[i]}), append(order, i-from)
	}
	sort(items[from:])
}

func slicesInOrder[T any](items []T, ranks func(*T) (slice, label int)) bool {
	last := -1
	for i := range items {
		slice, _ := ranks(&items[i])
		if slice < last {
			return false
		}
		last = slice
	}
	return true
}

// rearrange moves item order[i] to index i, for each i. It destroys order.
func rearrange[T any](items []T, order []int) {
	const done = -1
	for i, from := range order {
		if from == done {
			continue
		}
		first, to := items[i], i // follow the cycle of items that replace each other
		for ; from != i; from = order[to] {
			items[to], order[to] = items[from], done
			to = from
		}
		items[to], order[to] = first, done
	}
}
