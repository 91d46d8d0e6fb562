package itemexposure

import (
	"cmp"
	"maps"
	"slices"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/metrics/exact"
)

// Shown are the items of a table, with how often each is shown at one cut-off.
type Shown struct {
	items []shownItem // by increasing weight
	total float64     // the sum of the weights
	count int         // the number of items that are shown
	given bool
}

type shownItem struct {
	weight, frequency float64
}

// Items returns the number of distinct items.
func (t *Table) Items() int { return len(t.items) }

// Shown returns the items with their weight at a cut-off and with their frequency: the given one
// or, if none is and given is false, the weight of the lists to which they are relevant.
func (t *Table) Shown(cut int, given bool) *Shown {
	s := &Shown{given: given}
	for _, it := range t.items {
		s.given = s.given || it.given > 0
	}
	var total exact.Sum
	for _, it := range t.items {
		var of shownItem
		if of.frequency = it.relevant.Float64(); s.given {
			of.frequency = it.given
		}
		if cut < len(it.shown) {
			of.weight = it.shown[cut].Float64()
			total.Merge(&it.shown[cut].Sum)
		}
		if of.weight > 0 {
			s.count++
		}
		s.items = append(s.items, of)
	}
	slices.SortFunc(s.items, func(a, b shownItem) int {
		return cmp.Or(cmp.Compare(a.weight, b.weight), cmp.Compare(a.frequency, b.frequency))
	})
	s.total = total.Float64()
	return s
}

// Total returns the sum of the weights of all items.
func (s *Shown) Total() float64 { return s.total }

// Given reports whether frequencies are given.
func (s *Shown) Given() bool { return s.given }

// Coverage returns the share of n items that are shown.
func (s *Shown) Coverage(n int) float64 { return float64(s.count) / float64(n) }

// Gini returns the Gini coefficient of the weights of n items: 0 if all weights are equal, 1 - 1/n
// if one item has all. Items that are not in the table have weight 0.
func (s *Shown) Gini(n int) float64 {
	var sum exact.Sum
	absent := n - len(s.items)
	for i, it := range s.items {
		sum.AddProduct(float64(2*(absent+i+1)-n-1), it.weight)
	}
	return sum.Float64() / s.total / float64(n)
}

// Entropy returns the entropy of the shares of the items, in bits.
func (s *Shown) Entropy() float64 {
	return s.mean(func(it shownItem) float64 { return -elementary.Log2(it.weight / s.total) })
}

// mean returns the mean of a function over what is shown.
func (s *Shown) mean(of func(shownItem) float64) float64 {
	var sum exact.Sum
	for _, it := range s.items {
		if it.weight > 0 {
			sum.AddProduct(it.weight, of(it))
		}
	}
	return sum.Float64() / s.total
}

// Novelty returns the mean of -log2(frequency / whole) over the shown items that have a frequency, and
// the share of the shown items that have none.
func (s *Shown) Novelty(whole float64) (value, without float64) {
	var sum, known exact.Sum
	for _, it := range s.items {
		if it.weight > 0 && it.frequency > 0 {
			sum.AddProduct(it.weight, -elementary.Log2(it.frequency/whole))
			known.Add(it.weight)
		}
	}
	without = s.mean(func(it shownItem) float64 {
		if it.frequency > 0 {
			return 0
		}
		return 1
	})
	return sum.Float64() / known.Float64(), without
}

// AveragePopularity returns the mean frequency of what is shown.
func (s *Shown) AveragePopularity() float64 {
	return s.mean(func(it shownItem) float64 { return it.frequency })
}

// head is the share of all frequencies that the most frequent items, the head, have together.
const head = 0.8

// Head returns the lowest frequency of the head: the most frequent items, until they have the share head
// of all frequencies. Items of the same frequency are all in the head or all in the tail. It is 0 if no
// item has a frequency.
func Head(frequencies []float64) (lowest float64) {
	by := slices.SortedFunc(slices.Values(frequencies), func(a, b float64) int { return cmp.Compare(b, a) })
	var whole, above exact.Sum
	whole.AddAll(by)
	limit := float64(head * whole.Float64())
	if !(limit > 0) {
		return 0
	}
	for i, f := range by {
		if i > 0 && f < lowest && above.Float64() >= limit {
			break
		}
		lowest = f
		above.Add(f)
	}
	return lowest
}

// TailShare returns the share of the shown items that are in the tail. lowest is the lowest frequency
// of the head; if it is 0, Head finds it from the items seen. The result is false if no item seen has a
// frequency.
func (s *Shown) TailShare(lowest float64) (float64, bool) {
	if lowest == 0 {
		list := make([]float64, len(s.items))
		for i, it := range s.items {
			list[i] = it.frequency
		}
		lowest = Head(list)
	}
	return s.mean(func(it shownItem) float64 {
		if it.frequency < lowest {
			return 1
		}
		return 0
	}), lowest > 0
}

// Personalization returns 1 less the mean cosine similarity of two lists at a cut-off of
// similarities, over all pairs of lists, which weigh the product of their weights. It is false if
// there are no two lists.
func (t *Table) Personalization(cut int) (float64, bool) {
	if cut >= len(t.lists) || t.lists[cut].all.Rows() < 2 {
		return 0, false
	}
	l := &t.lists[cut]
	var alike exact.Sum
	for _, key := range slices.Sorted(maps.Keys(t.items)) {
		if it := t.items[key]; cut < len(it.norms) {
			x := it.norms[cut].Float64()
			alike.AddProduct(x, x)
		}
	}
	alike.Subtract(&l.self)
	var pairs exact.Sum
	pairs.AddProduct(l.all.Weight(), l.all.Weight())
	pairs.Subtract(&l.squares)
	if pairs.Float64() == 0 {
		return 0, false
	}
	return min(max(1-alike.Float64()/pairs.Float64(), 0), 1), true
}
