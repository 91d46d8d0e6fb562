package curves

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
)

// Histogram holds positives and negatives by their scores, which come in any order, in a
// bounded number of bins. A bin is an interval of scores: those whose images (see runs.Image)
// agree but for the lowest bits, which are dropped. As few bits are dropped as the bound
// allows. If none is, each score has its own bin, and the histogram is exact.
//
// How many bits have to be dropped depends only on the set of all scores, and does not
// decrease with more scores. Therefore histograms are the same, bit for bit, in whatever
// order scores were added and histograms merged. The zero Histogram is the neutral element
// of merging. To add scores, make one with NewHistogram.
//
// Methods that read a Histogram may tidy it up: goroutines must not share it.
type Histogram struct {
	bound   int
	dropped int      // bits, 0 to 64
	keys    []uint64 // images without the dropped bits, increasing
	bins    []bin    // of the keys
	index   index    // of the keys
	pending []example
}

// bin tallies the examples of an interval of scores.
type bin struct{ positive, negative exact.Tally }

func (b *bin) add(positive bool, weight float64) {
	if positive {
		b.positive.Add(weight)
	} else {
		b.negative.Add(weight)
	}
}

func (b *bin) merge(from *bin) {
	b.positive.Merge(&from.positive)
	b.negative.Merge(&from.negative)
}

// example is an example that waits for a bin.
type example struct {
	image    uint64
	weight   float64
	positive bool
}

// NewHistogram returns an empty Histogram of at most bound bins. bound is from 1 to 2^24.
func NewHistogram(bound int) *Histogram { return &Histogram{bound: min(max(bound, 1), maxBins)} }

const (
	maxBins    = 1 << 24
	minPending = 256 // examples that are worth sorting
)

// AddBatch adds the examples at the given rows of a batch. If weights is nil, each weighs 1.
// Scores are not NaN; if one is, it counts as an infinity of its sign.
func (h *Histogram) AddBatch(scores []float64, positive []bool, weights []float64, rows []int32) {
	if h.bound == 0 {
		return // made by no NewHistogram
	}
	for _, r := range rows {
		weight := 1.0
		if weights != nil {
			weight = weights[r]
		}
		h.add(example{runs.Image(scores[r]), weight, positive[r]})
	}
}

// add puts an example into its bin. If there is no bin for it yet, it waits until enough
// examples do to be worth rebuilding the bins.
func (h *Histogram) add(e example) {
	if i := h.index.find(e.image>>h.dropped, h.keys); i >= 0 {
		h.bins[i].add(e.positive, e.weight)
		return
	}
	h.pending = append(h.pending, e)
	if len(h.pending) >= max(h.bound, minPending) {
		h.tidy()
	}
}

// tidy gives bins to the examples that wait.
func (h *Histogram) tidy() {
	if len(h.pending) == 0 {
		return
	}
	slices.SortFunc(h.pending, func(a, b example) int { return cmp.Compare(a.image, b.image) })
	fresh := Histogram{keys: make([]uint64, 0, len(h.pending)), bins: make([]bin, 0, len(h.pending))}
	for _, e := range h.pending {
		fresh.last(e.image>>h.dropped).add(e.positive, e.weight)
	}
	h.pending = h.pending[:0]
	fresh.dropped = h.dropped
	h.absorb(&fresh)
}

// last returns the bin of a key, which is the last key or comes after it.
func (h *Histogram) last(key uint64) *bin {
	if n := len(h.keys); n == 0 || h.keys[n-1] != key {
		h.keys = append(h.keys, key)
		h.bins = append(h.bins, bin{})
	}
	return &h.bins[len(h.bins)-1]
}

// absorb merges the bins of from.
func (h *Histogram) absorb(from *Histogram) {
	var union Histogram
	n := len(h.keys) + len(from.keys)
	union.keys, union.bins = make([]uint64, 0, n), make([]bin, 0, n)
	dropped := max(h.dropped, from.dropped)
	ours, theirs := dropped-h.dropped, dropped-from.dropped
	for i, j := 0, 0; i < len(h.keys) || j < len(from.keys); {
		if j == len(from.keys) || i < len(h.keys) && h.keys[i]>>ours <= from.keys[j]>>theirs {
			union.last(h.keys[i] >> ours).merge(&h.bins[i])
			i++
		} else {
			union.last(from.keys[j] >> theirs).merge(&from.bins[j])
			j++
		}
	}
	more := union.tooFine(h.bound)
	if more > 0 {
		coarse := Histogram{keys: union.keys[:0]}
		for i, key := range union.keys {
			coarse.last(key >> more).merge(&union.bins[i])
		}
		union = coarse
	}
	h.keys, h.bins, h.dropped = union.keys, union.bins, dropped+more
	h.index.build(h.keys)
}

// tooFine returns how many more bits have to be dropped for at most bound bins. Neighbouring
// keys become one key if all bits in which they differ are dropped.
func (h *Histogram) tooFine(bound int) int {
	var differing [65]int // neighbours whose highest differing bit is this
	for i := 1; i < len(h.keys); i++ {
		differing[bits.Len64(h.keys[i]^h.keys[i-1])]++
	}
	n, more := len(h.keys), 0
	for n > bound {
		more++
		n -= differing[more]
	}
	return more
}

// Merge adds the examples of from, and does not change from. Both must have the same bound.
func (h *Histogram) Merge(from *Histogram) error {
	if from.bound == 0 {
		return nil
	}
	if h.bound == 0 {
		h.bound = from.bound
	}
	if h.bound != from.bound {
		return errDifferent
	}
	waiting := slices.Clone(from.pending) // from may be h
	if len(from.keys) > 0 {
		h.absorb(from)
	}
	for _, e := range waiting {
		h.add(e)
	}
	return nil
}

// Totals returns the weights of all positives and of all negatives.
func (h *Histogram) Totals() Totals {
	return totalsOf(h.Points())
}

// Tallies returns the number and weight of the positives and of the negatives.
func (h *Histogram) Tallies() (positives, negatives exact.Tally) {
	h.tidy()
	for i := range h.bins {
		positives.Merge(&h.bins[i].positive)
		negatives.Merge(&h.bins[i].negative)
	}
	return positives, negatives
}

// Points returns the points at the lower ends of the bins, highest first. They are points of
// the exact curve, and all of its points if the histogram is exact.
func (h *Histogram) Points() []Point {
	h.tidy()
	list := make([]Point, 0, len(h.keys))
	var sum bin
	for i := len(h.keys) - 1; i >= 0; i-- {
		sum.merge(&h.bins[i])
		list = append(list, Point{h.lowest(i), sum.positive.Weight(), sum.negative.Weight()})
	}
	return list
}

// Outline returns an Outline of Points with m lines.
func (h *Histogram) Outline(m int) *Outline {
	points := h.Points()
	o := NewOutline(totalsOf(points), m)
	o.Add(moving(Point{}, points))
	return o
}

// lowest and highest are the ends of the interval of a bin.
func (h *Histogram) lowest(i int) float64 { return scoreOf(h.keys[i] << h.dropped) }

func (h *Histogram) highest(i int) float64 {
	return scoreOf(h.keys[i]<<h.dropped | (1<<h.dropped - 1))
}

// Append appends the canonical encoding: histograms of the same examples have
// equal bytes.
func (h *Histogram) Append(dst []byte) []byte {
	h.tidy()
	dst = wire.AppendUint(dst, uint64(h.bound))
	dst = wire.AppendUint(dst, uint64(h.dropped))
	dst = wire.AppendUint(dst, uint64(len(h.keys)))
	before := uint64(0)
	for i, key := range h.keys {
		dst = wire.AppendUint(dst, key-before)
		dst = h.bins[i].positive.Append(dst)
		dst = h.bins[i].negative.Append(dst)
		before = key
	}
	return dst
}

// Decode replaces h by what Append wrote.
func (h *Histogram) Decode(d *wire.Decoder) {
	*h = Histogram{bound: d.Count(maxBins), dropped: d.Count(64)}
	n := d.Elements()
	if n > h.bound || h.bound == 0 && h.dropped > 0 {
		d.Fail("histogram: %d of %d bins, %d bits dropped", n, h.bound, h.dropped)
	}
	before := uint64(0)
	for i := range n {
		key := before + d.Uint()
		var b bin
		b.positive.Decode(d)
		b.negative.Decode(d)
		if i > 0 && key <= before || key<<h.dropped>>h.dropped != key && h.dropped < 64 || h.dropped == 64 && key != 0 {
			d.Fail("histogram: keys do not increase, or are too large")
		}
		if d.Err() != nil {
			h.keys, h.bins = nil, nil
			return
		}
		h.keys, h.bins = append(h.keys, key), append(h.bins, b)
		before = key
	}
	h.index.build(h.keys)
}

// index finds keys in a list. It is a hash table of their positions, with open addressing, and
// at most a quarter full.
type index struct {
	slots []int32 // position + 1, or 0
	shift int     // takes a hash to a slot
}

func (x *index) build(keys []uint64) {
	width := bits.Len(uint(4 * len(keys)))
	x.shift = 64 - width
	if size := 1 << width; size <= cap(x.slots) {
		x.slots = x.slots[:size]
		clear(x.slots)
	} else {
		x.slots = make([]int32, size)
	}
	for i, key := range keys {
		slot := x.slot(key)
		for x.slots[slot] != 0 {
			slot = x.after(slot)
		}
		x.slots[slot] = int32(i + 1)
	}
}

// slot returns where to start looking for a key (Knuth's multiplicative hash).
func (x *index) slot(key uint64) int { return int(key * 0x9e3779b97f4a7c15 >> x.shift) }

func (x *index) after(slot int) int { return (slot + 1) & (len(x.slots) - 1) }

// find returns the position of a key, or -1.
func (x *index) find(key uint64, keys []uint64) int {
	if len(x.slots) == 0 {
		return -1
	}
	for slot := x.slot(key); ; slot = x.after(slot) {
		i := int(x.slots[slot]) - 1
		if i < 0 || keys[i] == key {
			return i
		}
	}
}

var (
	lowestImage  = runs.Image(math.Inf(-1))
	highestImage = runs.Image(math.Inf(1))
)

// scoreOf returns the score of an image, or the nearest score if there is none.
func scoreOf(image uint64) float64 {
	return runs.Score(min(max(image, lowestImage), highestImage)) + 0 // never -0
}
