// Package ranks measures how two numbers of the same example, a target and an estimate of it, agree
// in their order, and finds quantiles of the targets. A [Table] counts the distinct pairs, so that
// their number decides how much memory it takes, and gives up beyond a limit.
package ranks

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// Table counts examples by target, estimate and weight. It is a commutative monoid: whether there
// are too many distinct triples does not depend on the order in which they come.
type Table struct {
	limit int // of distinct triples; 0 in a table that can only be merged into
	over  bool
	cells []cell
	tidy  int // this many cells come first, in order and distinct
}

// cell is what some examples have in common, and their number.
type cell struct {
	target, estimate, weight float64
	rows                     int64
}

// Pairs are the pairs of target and estimate with their weights, in order.
type Pairs []cell

// NewTable returns an empty table that gives up beyond the given number of distinct triples.
func NewTable(limit int) *Table { return &Table{limit: limit} }

// Limit returns the limit.
func (t *Table) Limit() int { return t.limit }

// Pairs returns the pairs of target and estimate, without changing the table, or false if there are
// more distinct triples than the limit.
func (t *Table) Pairs() (Pairs, bool) {
	ordered := *t
	if t.tidy < len(t.cells) {
		ordered.cells = slices.Clone(t.cells)
		ordered.order()
	}
	return ordered.cells, !ordered.over
}

// Add adds an example. Without weight, it changes nothing.
func (t *Table) Add(target, estimate, weight float64) {
	if weight == 0 || t.over {
		return
	}
	t.add(cell{plain(target), plain(estimate), plain(weight), 1})
}

// plain makes equal numbers have equal bits.
func plain(x float64) float64 {
	if x != x {
		return math.NaN()
	}
	return x + 0
}

// untidy is the least number of cells that are put in order at once.
const untidy = 1 << 10

// add appends a cell. The cells are put in order whenever their number has doubled.
func (t *Table) add(c cell) {
	if len(t.cells) >= max(2*t.tidy, untidy) {
		t.order()
	}
	if !t.over {
		t.cells = append(t.cells, c)
	}
}

func compare(a, b cell) int {
	if c := cmp.Compare(a.target, b.target); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.estimate, b.estimate), cmp.Compare(a.weight, b.weight))
}

// order sorts the cells and joins equal ones.
func (t *Table) order() {
	if t.tidy == len(t.cells) {
		return
	}
	t.sort()
	n := 0
	for _, c := range t.cells[1:] {
		if last := &t.cells[n]; compare(*last, c) == 0 {
			last.rows += c.rows
			continue
		}
		n++
		t.cells[n] = c
	}
	t.cells = slices.DeleteFunc(t.cells[:n+1], func(c cell) bool { return c.rows == 0 }) // they were removed
	if t.tidy = len(t.cells); t.limit > 0 && t.tidy > t.limit {
		t.giveUp()
	}
}

// sort puts the cells in order. Cells that are sorted already need only be joined with the others, from the last on. A
// copy of the others waits behind the cells.
func (t *Table) sort() {
	n := len(t.cells)
	slices.SortFunc(t.cells[t.tidy:], compare)
	t.cells = append(t.cells, t.cells[t.tidy:]...)
	others := t.cells[n:]
	for first, last, to := t.tidy-1, len(others)-1, n-1; last >= 0; to-- {
		if first >= 0 && compare(t.cells[first], others[last]) > 0 {
			t.cells[to] = t.cells[first]
			first--
		} else {
			t.cells[to] = others[last]
			last--
		}
	}
	t.cells = t.cells[:n]
}

func (t *Table) giveUp() { t.over, t.cells, t.tidy = true, nil, 0 }

// Fields lists the fields.
func (t *Table) Fields(v *fields.Visitor, from *Table) {
	v.Size(&t.limit, from.limit)
	switch {
	case v.Merges() || v.Times() < 0:
		t.merge(from, v.Times())
	case v.Codes():
		t.order()
		t.code(v)
	default:
		t.over, t.cells, t.tidy = false, t.cells[:0], 0
	}
}

func (t *Table) merge(from *Table, times int64) {
	if t.over || from.over {
		t.giveUp()
		return
	}
	for _, c := range from.cells {
		c.rows *= times
		if t.add(c); t.over {
			return
		}
	}
}

// code encodes or decodes the table. Decoded cells must be in the order in which order leaves them.
func (t *Table) code(v *fields.Visitor) {
	v.Bool(&t.over)
	wire.List(v.Coder, &t.cells, func(c *wire.Coder, of *cell) {
		c.Float(&of.target)
		c.Float(&of.estimate)
		c.Float(&of.weight)
		wire.Int(c, &of.rows)
	})
	if !v.Decodes() {
		return
	}
	if t.tidy = len(t.cells); t.tidy > 0 && (t.over || t.tidy > t.limit && t.limit > 0) {
		v.Fail("a table of %d pairs, over %d", t.tidy, t.limit)
	}
	for i, c := range t.cells {
		if !(c.weight > 0) || c.rows <= 0 || i > 0 && compare(t.cells[i-1], c) >= 0 {
			v.Fail("pair %d of a table is %v", i, c)
			return
		}
	}
}
