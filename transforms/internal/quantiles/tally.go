// Package quantiles finds, before the fold, where quantiles divide the numbers of slice
// columns. What it finds depends on the numbers alone, not on how files, row groups and workers
// divide them, and not on the order in which they come.
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

// maxCounts is how many counts a tally has at most.
const maxCounts = 1 << 16

// tally counts numbers by their images (see [runs.Image]). It is exact up to maxCounts different
// numbers. If there are more, it leaves out as many low bits of the images as it must: how many
// follows from the set of numbers, so tallies of parts, merged in any order, are the tally of
// all.
type tally struct {
	shift  int // how many bits are left out
	counts map[uint64]int64
}

// add counts a number n times. NaN and infinite numbers are left out.
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

// excess returns how many more bits must be left out for maxCounts to be enough.
func (t *tally) excess() (more int) {
	keys := slices.Sorted(maps.Keys(t.counts))
	var apart [65]int // by number of bits: how many neighbours it takes so many to make equal
	for i, key := range keys[1:] {
		apart[bits.Len64(key^keys[i])]++
	}
	for left := len(keys); left > maxCounts; {
		more++
		left -= apart[more]
	}
	return more
}

// coarsen leaves out so many more bits.
func (t *tally) coarsen(more int) {
	counts := make(map[uint64]int64, len(t.counts))
	for key, n := range t.counts {
		counts[key>>more] += n
	}
	t.counts = counts
	t.shift += more
}

// merge adds the counts of another tally, which it may coarsen.
func (t *tally) merge(other *tally) {
	if more := other.shift - t.shift; more > 0 {
		t.coarsen(more)
	}
	for key, n := range other.counts {
		t.count(key>>(t.shift-other.shift), n)
	}
}

// bounds returns the bounds that divide the numbers into n parts, as equal as equal numbers
// allow. Of parts that would be empty there are none. If all numbers are equal, the bound is that
// number; without numbers, 0.
func (t *tally) bounds(n int) []float64 {
	keys := slices.Sorted(maps.Keys(t.counts))
	if len(keys) == 0 {
		return []float64{0}
	}
	below := make([]int64, len(keys)+1) // how many numbers are below each key
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

// first and last return the least and the greatest number that a key can be of.
func (t *tally) first(key uint64) float64 { return runs.Score(key << t.shift) }
func (t *tally) last(key uint64) float64  { return runs.Score((key+1)<<t.shift - 1) }

// shortest returns the number with the fewest digits that is above low and not above high. A
// whole number high is returned itself: people expect ages to be divided at an age.
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

// Tallies are the tallies of columns, in their order.
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
