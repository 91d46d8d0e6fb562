package queries

// Top calls each for the items among the first k places, with the probability that an item is there:
// 1, or less for items that are tied with others beyond.
func (q *Ranking) Top(k int, each func(item int, share float64)) {
	for from, to := 0, 0; from < min(k, q.items); from = to {
		to = q.endOfTies(from)
		share := 1.0
		if to > k {
			share = float64(k-from) / float64(to-from)
		}
		for _, x := range q.order[from:to] {
			each(int(x.item), share)
		}
	}
}

// endOfTies returns the end of the items that have no order and begin at an index of q.order.
func (q *Ranking) endOfTies(from int) (to int) {
	for to = from + 1; !q.options.InOrder && to < q.items && q.order[to].key == q.order[from].key; to++ {
	}
	return to
}

// Diversity returns the share of the pairs of the first k items, or of all if there are fewer, that
// are of different categories. It is undefined if there are no pairs.
func (q *Ranking) Diversity(k int, categories []uint64) (value float64, defined bool) {
	n := min(k, q.items)
	if n < 2 {
		return 0, false
	}
	from, to := 0, 0 // of the last items; perhaps only some of them are among the first
	for to = q.endOfTies(0); to < n; to = q.endOfTies(to) {
		from = to
	}
	clear(q.categories)
	var sure, mixed, tied int // the pairs of the same category: before the last, with one of them, among them
	for i, x := range q.order[:to] {
		of := q.categories[categories[x.item]]
		if i < from {
			sure += of.sure
			of.sure++
		} else {
			mixed += of.sure
			tied += of.tied
			of.tied++
		}
		if q.categories == nil {
			q.categories = make(map[uint64]members)
		}
		q.categories[categories[x.item]] = of
	}
	some, size := float64(n-from), float64(to-from)
	alike := float64(sure) + float64(float64(mixed)*(some/size))
	if size > 1 {
		alike += float64(float64(tied) * (some / size * ((some - 1) / (size - 1))))
	}
	return 1 - alike/float64(pairsOf(n)), true
}

// members counts the items of a category: sure ones are certainly among the first, tied ones are in
// the last group of ties.
type members struct{ sure, tied int }
