// Package quantiles finds, before the fold, where quantiles divide the numbers of slice columns.
// The result depends only on the numbers, not on how they are divided into files, row groups and
// workers, and not on their order.
package quantiles

import (
	"math"
	"slices"
	"strconv"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/curves"
)

// maxCounts is the largest number of counts in a tally.
const maxCounts = 1 << 16

// Tallies counts the numbers of each column, in order. A histogram is exact for up to maxCounts distinct
// numbers. If there are more, it counts neighbouring ones together.
type Tallies struct{ list []curves.Histogram }

func talliesFields(c *wire.Coder, t *Tallies) {
	wire.List(c, &t.list, func(c *wire.Coder, h *curves.Histogram) { c.Value(h) })
}

// newTallies returns empty tallies of n columns.
func newTallies(n int) Tallies {
	return Tallies{slices.Repeat([]curves.Histogram{*curves.NewHistogram(maxCounts)}, n)}
}

// merge adds the tally of a column.
func (t Tallies) merge(column int, from *curves.Histogram) {
	if err := t.list[column].Merge(from); err != nil {
		panic(err) // all have the same bound
	}
}

// add counts a number of a column n times. It ignores NaN and infinite numbers.
func (t Tallies) add(column int, x float64, n int64) {
	if math.Abs(x) <= math.MaxFloat64 {
		t.list[column].Add(x, true, float64(n))
	}
}

// addText adds a number written as text. Other texts are ignored.
func (t Tallies) addText(column int, text string, n int64) {
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		t.add(column, x, n)
	}
}

// bounds returns the bounds that divide the numbers into n parts, as equal as equal numbers allow.
// Parts that would be empty are omitted. If all numbers are equal, the only bound is that number;
// without numbers, it is 0.
func bounds(h *curves.Histogram, n int) []float64 {
	points, last := h.Points(), h.Highest()
	if len(points) == 0 {
		return []float64{0}
	}
	slices.Reverse(points)
	slices.Reverse(last)
	all := points[0].TP
	distance := func(at int, wanted float64) float64 { return math.Abs(all - points[at].TP - wanted) } // of how many numbers are below
	var list []float64
	at := 1
	for i := 1; i < n; i++ {
		wanted := all * float64(i) / float64(n)
		for at+1 < len(points) && distance(at+1, wanted) < distance(at, wanted) {
			at++
		}
		if at < len(points) {
			list = append(list, shortest(last[at-1], points[at].Score))
		}
	}
	if list == nil {
		return []float64{points[0].Score}
	}
	return slices.Compact(list)
}

// shortest returns the number with the fewest digits that is above low and at most high. If high is
// a whole number, shortest returns it: people expect ages to be divided at whole years.
func shortest(low, high float64) float64 {
	if high == math.Trunc(high) {
		return high
	}
	for digits := range 17 {
		x, _ := strconv.ParseFloat(strconv.FormatFloat(high, 'e', digits, 64), 64)
		if low < x && x <= high {
			return x
		}
	}
	return high
}
