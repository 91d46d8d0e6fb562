// Package quantiles finds, before the fold, where quantiles divide the numbers of slice columns.
// The result depends only on the numbers, not on how they are divided into files, row groups and
// workers, and not on their order.
package quantiles

import (
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/runs"
)

// maxCounts is the largest number of counts in a tally.
const maxCounts = 1 << 16

// tally counts numbers by their images (see [runs.Image]). It is exact for up to maxCounts distinct
// numbers. If there are more, it drops as many low bits of the images as necessary. The number of
// dropped bits depends only on the set of numbers, so tallies of parts, merged in any order, give
// the tally of all.
type tally struct {
	shift  int // the number of dropped bits
	counts map[uint64]int64
}

// add counts a number n times. It ignores NaN and infinite numbers.
func (t *tally) add(x float64, n int64) {
	if math.Abs(x) <= math.MaxFloat64 {
		t.count(runs.Image(x)>>t.shift, n)
	}
}

func (t *tally) count(key uint64, n int64) {
	if t.counts == nil {
		t.counts = make(map[uint64]int64)
	}
	if t.counts[key] += n; len(t.counts) > maxCounts {
		t.coarsen(t.excess())
	}
}

// excess returns how many more bits have to be dropped for maxCounts to suffice.
func (t *tally) excess() (more int) {
	keys := slices.Sorted(maps.Keys(t.counts))
	var apart [65]int // by number of bits: how many neighbours become equal when that many are dropped
	for i, key := range keys[1:] {
		apart[bits.Len64(key^keys[i])]++
	}
	for left := len(keys); left > maxCounts; {
		more++
		left -= apart[more]
	}
	return more
}

// coarsen drops more bits.
func (t *tally) coarsen(more int) {
	counts := make(map[uint64]int64, len(t.counts))
	for key, n := range t.counts {
		counts[key>>more] += n
	}
	t.counts = counts
	t.shift += more
}

// merge adds the counts of another tally. It may coarsen other.
func (t *tally) merge(other *tally) {
	if more := other.shift - t.shift; more > 0 {
		t.coarsen(more)
	}
	for key, n := range other.counts {
		t.count(key>>(t.shift-other.shift), n)
	}
}

// bounds returns the bounds that divide the numbers into n parts, as equal as equal numbers allow.
// Parts that would be empty are omitted. If all numbers are equal, the only bound is that number;
// without numbers, it is 0.
func (t *tally) bounds(n int) []float64 {
	keys := slices.Sorted(maps.Keys(t.counts))
	if len(keys) == 0 {
		return []float64{0}
	}
	below := make([]int64, len(keys)+1) // by key: how many numbers are below it
	for i, key := range keys {
		below[i+1] = below[i] + t.counts[key]
	}
	var list []float64
	at := 1
	for i := 1; i < n; i++ {
		wanted := float64(below[len(keys)]) * float64(i) / float64(n)
		for at+1 < len(keys) && math.Abs(float64(below[at+1])-wanted) < math.Abs(float64(below[at])-wanted) {
			at++
		}
		if at < len(keys) {
			list = append(list, shortest(t.last(keys[at-1]), t.first(keys[at])))
		}
	}
	if list == nil {
		return []float64{t.first(keys[0])}
	}
	return slices.Compact(list)
}

// first and last return the smallest and the largest number that a key can stand for.
func (t *tally) first(key uint64) float64 { return runs.Score(key << t.shift) }
func (t *tally) last(key uint64) float64  { return runs.Score((key+1)<<t.shift - 1) }

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

// Tallies holds one tally for each column, in order.
type Tallies struct{ list []tally }

func talliesFields(c *wire.Coder, t *Tallies) {
	wire.List(c, &t.list, func(c *wire.Coder, t *tally) {
		wire.Int(c, &t.shift)
		if t.shift < 0 || t.shift > 63 {
			c.Fail("%d bits cannot be left out", t.shift)
		}
		list := slices.Sorted(maps.Keys(t.counts))
		last := uint64(0)
		wire.List(c, &list, func(c *wire.Coder, key *uint64) {
			delta, n := *key-last, t.counts[*key]
			c.Uint(&delta)
			wire.Int(c, &n)
			last += delta
			if c.Reading() {
				t.count(last, n)
			}
		})
	})
}
