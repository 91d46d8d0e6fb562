package sampling

import (
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics/curves"
)

// mostCells limits the bins of a distribution. Of numbers between 0 and 1, each takes about 13 bits.
const mostCells = 1 << 16

// distributions returns empty histograms of the numbers of n columns. They depend on the numbers only, not on their
// order.
func distributions(n int) []curves.Histogram {
	return slices.Repeat([]curves.Histogram{*curves.NewHistogram(mostCells)}, n)
}

// bins divide the numbers of a column.
type bins struct {
	starts []float64     // where each bin begins; -Inf for the first of intervals
	near   []float64     // a number near all numbers of each bin
	names  []slice.Value // the number itself, if it is alone, or an interval
}

// divide divides the numbers of a distribution at their quantiles into at most n bins of about equal counts. If there are
// at most n different numbers, each is a bin, named by value.
func divide(numbers *curves.Histogram, n int, value func(float64) slice.Value) *bins {
	c, b := newCounts(numbers), &bins{}
	if len(c.least) <= n && slices.Equal(c.least, c.greatest) {
		b.starts, b.near, b.names = c.least, c.least, collections.Map(c.least, value)
		return b
	}
	b.starts, b.near = []float64{math.Inf(-1)}, []float64{c.least[0]}
	last := 0.0
	for k := 1; k < n; k++ {
		if i := c.nearest(c.total * float64(k) / float64(n)); c.before[i] > last {
			edge := c.short(c.least[i], last, c.total/float64(n)/20)
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

// counts are the cells of a distribution in order: the least and the greatest number that each can have, and how many
// numbers are before it.
type counts struct {
	least, greatest, before []float64
	total                   float64
}

func newCounts(numbers *curves.Histogram) *counts {
	points, c := numbers.Points(), &counts{greatest: numbers.Highest()}
	slices.Reverse(c.greatest)
	for _, p := range slices.Backward(points) {
		c.total = max(c.total, p.TP)
		c.least, c.before = append(c.least, p.Score), append(c.before, c.total-p.TP)
	}
	return c
}

// nearest returns the cell before which the count is nearest to a number, the lower of two.
func (c *counts) nearest(x float64) int {
	i, _ := slices.BinarySearch(c.before, x)
	if i == len(c.before) || i > 0 && x-c.before[i-1] <= c.before[i]-x {
		i--
	}
	return i
}

// below returns how many numbers are below x, as far as cells show.
func (c *counts) below(x float64) float64 {
	i, _ := slices.BinarySearch(c.greatest, x)
	if i == len(c.before) {
		return c.total
	}
	return c.before[i]
}

// short returns the number with the fewest digits that divides the numbers like x, but for a few. It leaves numbers on
// both sides, and more than last below it.
func (c *counts) short(x, last, few float64) float64 {
	want := c.below(x)
	for digits := 1; digits < 17; digits++ {
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
		if n := c.below(rounded); n > last && n < c.total && math.Abs(n-want) <= few {
			return rounded
		}
	}
	return x
}

// of returns the bin of a number that was counted.
func (b *bins) of(x float64) int {
	return sort.Search(len(b.starts), func(i int) bool { return b.starts[i] > x }) - 1
}
