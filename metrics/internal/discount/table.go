package discount

import "math"

// tabled is of how many places a table keeps the discounts.
const tabled = 1 << 12

// Table has the discounts of the first places at hand, and their sums. The zero
// Table is ready to use. It is not safe for concurrent use.
type Table struct {
	single, sums []float64 // of the first places, as far as they were asked for
	last         struct {
		places int
		sum    float64
	}
}

// First is the sum of the discounts of the first n places.
func (t *Table) First(n int) float64 {
	if n > tabled {
		if t.last.places != n { // mostly the same number of places
			t.last.places, t.last.sum = n, t.First(tabled)+Sum(tabled, int64(n))
		}
		return t.last.sum
	}
	t.extend(n)
	return t.sums[n]
}

// Between is the sum of the discounts of the places from+1 to to.
func (t *Table) Between(from, to int) float64 {
	switch {
	case to > tabled && to-from < to/2: // a difference of sums would be too coarse
		return Sum(int64(from), int64(to))
	case to == from+1:
		t.extend(to)
		return t.single[to]
	default:
		return t.First(to) - t.First(from)
	}
}

// extend extends the table to place n.
func (t *Table) extend(n int) {
	for i := len(t.sums); i <= n; i++ {
		if i == 0 {
			t.single, t.sums = append(t.single, 0), append(t.sums, 0)
			continue
		}
		d := 1 / math.Log2(float64(i+1))
		t.single, t.sums = append(t.single, d), append(t.sums, t.sums[i-1]+d)
	}
}
