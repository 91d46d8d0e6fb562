package input

import (
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/transforms/internal/groupby"
)

// Order is what the ids of consecutive rows say about their order. The zero value has no rows.
type Order struct {
	rows, together, pairs int            // pairs of rows with the same id, together if one follows the other
	met                   map[uint64]int // how often each id has occurred
	last                  uint64
}

// Add adds the ids of the next rows, and returns how many rows there are.
func (o *Order) Add(ids *columns.Column) int {
	if o.met == nil {
		o.met = make(map[uint64]int)
	}
	for _, h := range groupby.Hash(nil, ids) {
		if o.rows > 0 && h == o.last {
			o.together++
		}
		o.pairs += o.met[h]
		o.met[h]++
		o.rows, o.last = o.rows+1, h
	}
	return o.rows
}

// Shuffled estimates from the added rows, which are the first of all rows, whether the rows are in
// random order.
//
// They are if nearly every id differs from the one before, and ids recur as often as if each had at
// least two rows: in random order, two rows have the same id with a probability of about (r -
// 1)/all, where r is the number of rows of an id. A few such pairs prove nothing.
func (o *Order) Shuffled(all int64) bool {
	const enoughPairs, mostTogether = 8, 0.1
	n := float64(o.rows)
	expected := n * (n - 1) / 2 / float64(max(all, 1)) // if each id had two rows
	return float64(o.together) <= mostTogether*n && o.pairs-o.together >= enoughPairs && float64(o.pairs) >= expected
}
