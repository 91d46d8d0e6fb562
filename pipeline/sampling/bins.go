package sampling

import (
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics/scoreruns"
)

// distribution counts the numbers of a column: each number or, if there are too many, each interval of numbers that
// share their first bits. It depends on the numbers only, not on their order. The zero value is ready.
type distribution struct {
	shift uint // bits that are ignored
	cells map[uint64]int64
}

// mostCells limits the cells of a distribution. Of numbers between 0 and 1, each takes about 13 bits.
const mostCells = 1 << 16

func (d *distribution) add(x float64) {
	if d.cells == nil {
		d.cells = map[uint64]int64{}
	}
	d.cells[scoreruns.Image(x)>>d.shift]++
	d.limit()
}

// limit ignores bits until there are few enough cells.
func (d *distribution) limit() {
	for len(d.cells) > mostCells {
		d.ignore(d.shift + 1)
	}
}

// ignore ignores so many bits.
func (d *distribution) ignore(shift uint) {
	if shift == d.shift {
		return
	}
	coarser := make(map[uint64]int64, len(d.cells))
	for key, n := range d.cells {
		coarser[key>>(shift-d.shift)] += n
	}
	d.shift, d.cells = shift, coarser
}

// merge adds another distribution, whose cells may become coarser.
func (d *distribution) merge(from *distribution) {
	shift := max(d.shift, from.shift)
	d.ignore(shift)
	from.ignore(shift)
	if d.cells == nil {
		d.cells = map[uint64]int64{}
	}
	for key, n := range from.cells {
		d.cells[key] += n
	}
	d.limit()
}

// bins divide the numbers of a column.
type bins struct {
	starts []float64     // where each bin begins; -Inf for the first of intervals
	near   []float64     // a number near all numbers of each bin
	names  []slice.Value // the number itself, if it is alone, or an interval
}

// divide divides the numbers at their quantiles into at most n bins of about equal counts. If there are at most n
// different numbers, each is a bin, named by value.
func (d *distribution) divide(n int, value func(float64) slice.Value) *bins {
	keys := slices.Sorted(maps.Keys(d.cells))
	start := func(i int) float64 { return scoreruns.Score(keys[i] << d.shift) }
	b := &bins{}
	if len(keys) <= n && d.shift == 0 {
		for i := range keys {
			b.starts, b.near, b.names = append(b.starts, start(i)), append(b.near, start(i)), append(b.names, value(start(i)))
		}
		return b
	}
	b.starts, b.near = []float64{math.Inf(-1)}, []float64{start(0)}
	c := newCounts(d, keys)
	last := int64(0)
	for k := 1; k < n; k++ {
		if i := c.nearest(float64(c.total) * float64(k) / float64(n)); c.before[i] > last {
			edge := c.short(start(i), last, float64(c.total)/float64(n)/20)
			b.starts, b.near = append(b.starts, edge), append(b.near, edge)
			last = c.below(edge)
		}
	}
	if len(b.starts) == 1 {
		b.names = []slice.Value{slice.String("any")}
		return b
	}
	for i, low := range b.starts {
		high := math.Inf(1)
		if i+1 < len(b.starts) {
			high = b.starts[i+1]
		}
		b.names = append(b.names, slice.Interval(low, high))
	}
	return b
}

// counts are the sorted cells of a distribution, and how many numbers are before each.
type counts struct {
	shift  uint
	keys   []uint64
	before []int64
	total  int64
}

func newCounts(d *distribution, keys []uint64) *counts {
	c := &counts{shift: d.shift, keys: keys, before: make([]int64, len(keys))}
	for i, key := range keys {
		c.before[i] = c.total
		c.total += d.cells[key]
	}
	return c
}

// nearest returns the cell before which the count is nearest to a number, the lower of two.
func (c *counts) nearest(x float64) int {
	i := sort.Search(len(c.before), func(i int) bool { return float64(c.before[i]) >= x })
	if i == len(c.before) || i > 0 && x-float64(c.before[i-1]) <= float64(c.before[i])-x {
		i--
	}
	return i
}

// below returns how many numbers are below x, as far as cells show.
func (c *counts) below(x float64) int64 {
	i, _ := slices.BinarySearch(c.keys, scoreruns.Image(x)>>c.shift)
	if i == len(c.keys) {
		return c.total
	}
	return c.before[i]
}

// short returns the number with the fewest digits that divides the numbers like x, but for a few. It leaves numbers on
// both sides, and more than last below it.
func (c *counts) short(x float64, last int64, few float64) float64 {
	want := c.below(x)
	for digits := 1; digits < 17; digits++ {
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
		if n := c.below(rounded); n > last && n < c.total && math.Abs(float64(n-want)) <= few {
			return rounded
		}
	}
	return x
}

// of returns the bin of a number that was counted.
func (b *bins) of(x float64) int {
	return sort.Search(len(b.starts), func(i int) bool { return b.starts[i] > x }) - 1
}
