package curves

import (
	"cmp"
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/scoreruns"
)

// Histogram counts positives and negatives by their scores, which come in any order, in a bounded
// number of bins. A bin is an interval of scores: those whose images (see scoreruns.Image) agree except
// for the lowest bits, which are dropped.
//
//	image  1 0 1 1 1 1 … 1 0 0 1 1 0 1 0
//	       └─────── key ───────┘└ dropped ┘
//
// As few bits are dropped as the bound allows. If none are, each score has its own bin, and the
// histogram is exact.
//
// The number of dropped bits depends only on the set of all scores, and never decreases when scores
// are added. So histograms are the same, bit for bit, in whatever order scores were added and
// histograms merged. The zero Histogram is the neutral element of merging; use NewHistogram or
// NewEvenHistogram to make one that scores can be added to.
//
// An example does not reach its bin at once: it waits in a buffer until there are enough to look up
// their bins together (see waiting, settle and tidy). Even methods that only read a Histogram may
// empty this buffer, so goroutines must not share a Histogram.
type Histogram struct {
	waiting waiting // first, beside the bound: Add reads nothing else, and mostly finds neither in the cache
	bound   int
	even    bool    // see NewEvenHistogram
	dropped int     // the number of dropped bits, from 0 to mostDropped; in an even histogram, the dropped bits of places plus one
	keys    binKeys // the keys of the bins; see coarser
	store
}

// waiting holds examples that are not in a bin yet. To look up the bins of many examples at once is
// faster, because the bins are then in the cache.
type waiting struct {
	ones   [2][]uint64 // the images of examples of weight 1: negatives and positives
	others []example   // examples of other weights
}

type example struct {
	image  uint64
	weight float64
	class  int // 0 or 1
}

// sorted returns the images of the examples of weight 1, in increasing order, and their classes.
func (w *waiting) sorted() (images []uint64, classes []uint8) {
	negatives, positives := w.ones[0], w.ones[1]
	slices.Sort(negatives)
	slices.Sort(positives)
	if len(positives) == 0 {
		return negatives, make([]uint8, len(negatives))
	}
	n := len(negatives) + len(positives)
	images, classes = make([]uint64, 0, n), make([]uint8, n)
	for _, image := range positives {
		for len(negatives) > 0 && negatives[0] <= image {
			images, negatives = append(images, negatives[0]), negatives[1:]
		}
		classes[len(images)] = 1
		images = append(images, image)
	}
	return append(images, negatives...), classes
}

func (w *waiting) len() int { return len(w.ones[0]) + len(w.ones[1]) + len(w.others) }

// NewHistogram returns an empty Histogram of at most bound bins. bound must be from 1 to 2^24.
func NewHistogram(bound int) *Histogram { return &Histogram{bound: min(max(bound, 1), maxBins)} }

// NewEvenHistogram returns an empty Histogram whose bins, once it has more scores than bins, are
// intervals of the places of scores (see bins.Place) instead of their images. Bins of images are spread
// equally over all orders of magnitude. With places, even if scores span hundreds of orders of
// magnitude, most bins go to the highest scores, where the positives are. The ends of bins, and
// therefore bounds, are rounded.
func NewEvenHistogram(bound int) *Histogram {
	h := NewHistogram(bound)
	h.even = true
	return h
}

const (
	maxBins    = 1 << 24
	minWaiting = 256 // the fewest examples for which looking up bins is worthwhile
)

// Add adds an example. The score must not be NaN; if it is, it counts as an infinity of the same
// sign.
func (h *Histogram) Add(score float64, positive bool, weight float64) {
	if h.bound == 0 {
		return // not made by NewHistogram
	}
	class := 0
	if positive {
		class = 1
	}
	image, w := scoreruns.Image(score), &h.waiting
	if weight == 1 {
		w.ones[class] = append(w.ones[class], image)
	} else {
		w.others = append(w.others, example{image, weight, class})
	}
	if w.len() >= h.patience() {
		h.settle()
	}
}

// patience is the largest number of waiting examples. It exceeds the number of bins: if most scores
// are different, they go to coarser bins at once. Bins with a single score each would take the most
// memory.
func (h *Histogram) patience() int { return max(h.bound+h.bound/4, minWaiting) }

// settle moves the waiting examples to their bins. Examples without a bin keep waiting until there
// are enough of them to be worth new bins.
func (h *Histogram) settle() {
	w := &h.waiting
	for class, images := range w.ones {
		w.ones[class] = images[:0]
		for _, image := range images {
			if bin := h.bin(image); bin >= 0 {
				h.ones[bin][class]++
			} else {
				w.ones[class] = append(w.ones[class], image)
			}
		}
	}
	others := w.others
	w.others = others[:0]
	for _, e := range others {
		if bin := h.bin(e.image); bin >= 0 {
			h.weighted()[bin][e.class].Add(e.weight)
		} else {
			w.others = append(w.others, e)
		}
	}
	if 2*w.len() >= h.patience() {
		h.tidy()
	}
}

// bin returns the bin of an image, or -1.
func (h *Histogram) bin(image uint64) int {
	key := image >> h.dropped // the result of coarser, without a call for each example
	if h.even {
		key = h.coarser(image, 0, h.dropped)
	}
	return h.keys.find(key)
}

// tidy moves all waiting examples to bins, and makes the bins that this needs.
func (h *Histogram) tidy() {
	w := &h.waiting
	images, classes := w.sorted()
	h.cover(images, 0, func(bin, i int) { h.ones[bin][classes[i]]++ })
	w.ones = [2][]uint64{w.ones[0][:0], w.ones[1][:0]}
	if len(w.others) == 0 {
		return
	}
	slices.SortFunc(w.others, func(a, b example) int { return cmp.Compare(a.image, b.image) })
	images = make([]uint64, len(w.others))
	for i, e := range w.others {
		images[i] = e.image
	}
	h.cover(images, 0, func(bin, i int) { h.weighted()[bin][w.others[i].class].Add(w.others[i].weight) })
	w.others = w.others[:0]
}

// cover makes a bin for each of keys that has none, and then calls put(bin, i) for each keys[i].
// The keys must not decrease. They lack as many bits as dropped says, and the histogram itself must
// have dropped at least as many.
func (h *Histogram) cover(keys []uint64, dropped int, put func(bin, i int)) {
	if len(keys) == 0 {
		return
	}
	n, i, last := h.coarsen(keys, dropped), 0, uint64(0)
	before := *h
	grows := n > h.keys.n
	if grows {
		h.keys, h.ones = makeBinKeys(n), make([][2]int64, n)
		if before.others != nil {
			h.others = make([]otherRows, n)
		}
	}
	bin := -1
	for from, key := range before.with(keys, dropped) {
		if bin < 0 || key != last {
			bin, last = bin+1, key
			if grows {
				h.keys.add(key)
			}
		}
		switch {
		case from < 0:
			put(bin, i)
			i++
		case grows:
			h.move(bin, &before.store, from)
		}
	}
	if grows {
		h.keys.pack()
	}
}

// with yields the bins and their keys, merged with other keys; see binKeys.with and cover.
func (h *Histogram) with(keys []uint64, dropped int) iter.Seq2[int, uint64] {
	return h.keys.with(keys, func(key uint64) uint64 { return h.coarser(key, dropped, h.dropped) })
}

// coarsen drops as many more bits as necessary for at most bound bins, including the bins of keys.
// It returns the number of bins that there will be.
func (h *Histogram) coarsen(keys []uint64, dropped int) int {
	if h.keys.n == 0 && h.dropped == 0 && len(keys) <= h.bound {
		return distinct(keys)
	}
	for {
		more, n := h.tooFine(h.with(keys, dropped))
		if more == 0 {
			return n
		}
		h.drop(more)
	}
}

// distinct returns the number of distinct keys. The keys must not decrease and not be empty.
func distinct(keys []uint64) int {
	n := 1
	for i, key := range keys[1:] {
		if key != keys[i] {
			n++
		}
	}
	return n
}

// tooFine returns how many more bits have to be dropped so that keys, which must not decrease, need
// at most bound bins, and the number of bins if no bits need to be dropped. Two neighbouring keys
// become one as soon as all bits in which they differ are dropped. An even histogram that still has
// images first drops a single bit, which turns them into places: these differ in other bits.
func (h *Histogram) tooFine(keys iter.Seq2[int, uint64]) (more, n int) {
	var differing [65]int // by bit length of the difference: the number of neighbouring keys
	last := uint64(0)
	for _, key := range keys {
		switch {
		case n == 0:
			n = 1
		case key != last:
			differing[bits.Len64(key^last)]++
			n++
		}
		last = key
	}
	if h.even && h.dropped == 0 {
		return min(max(n-h.bound, 0), 1), n
	}
	for left := n; left > h.bound; left -= differing[more] {
		more++
	}
	return more, n
}

// drop drops more bits of the keys, and merges the bins whose keys become equal.
func (h *Histogram) drop(more int) {
	if more == 0 {
		return
	}
	keys, to, last := h.keys, -1, uint64(0)
	h.keys = binKeys{}
	for bin, key := range keys.all() {
		key = h.coarser(key, h.dropped, h.dropped+more)
		if to >= 0 && key == last {
			h.mergeBin(to, &h.store, bin)
			continue
		}
		to, last = to+1, key
		h.keys.add(key)
		h.move(to, &h.store, bin)
	}
	h.dropped += more
	h.shorten(h.keys.n)
	h.keys.pack()
}

// Tallies returns the number and weight of the positives and of the negatives.
func (h *Histogram) Tallies() (positives, negatives exact.Tally) {
	h.tidy()
	var sum [2]exact.Tally
	for bin := range h.ones {
		h.addTo(&sum, bin)
	}
	return sum[1], sum[0]
}

// Points returns the points at the lower ends of the bins, highest first. All are points of the
// exact curve; if the histogram is exact, they are all of its points.
func (h *Histogram) Points() []Point {
	h.tidy()
	list := make([]Point, h.keys.n)
	for bin, key := range h.keys.all() {
		list[h.keys.n-1-bin].Score = h.lowest(key)
	}
	var sum [2]exact.Tally
	for i := range list {
		h.addTo(&sum, h.keys.n-1-i)
		list[i].TP, list[i].FP = sum[1].Weight(), sum[0].Weight()
	}
	return list
}

// Split returns the negatives and the positives below a threshold, and those at or above it. ok is false if that is unknown:
// if a bin may have scores on both sides, or a score that rounding the threshold to fewer bits moves to the other side.
func (h *Histogram) Split(threshold float64) (below, above [2]exact.Tally, ok bool) {
	h.tidy()
	rounded := float64(float32(threshold))
	least, greatest := min(threshold, rounded), max(threshold, rounded)
	for bin, key := range h.keys.all() {
		switch {
		case h.highest(key) < least:
			h.addTo(&below, bin)
		case h.lowest(key) >= greatest:
			h.addTo(&above, bin)
		default:
			return below, above, false
		}
	}
	return below, above, true
}

// Highest returns, for each of Points, the highest score that its bin can have.
func (h *Histogram) Highest() []float64 {
	h.tidy()
	list := make([]float64, h.keys.n)
	for bin, key := range h.keys.all() {
		list[h.keys.n-1-bin] = h.highest(key)
	}
	return list
}

// Curve returns the curve through Points.
func (h *Histogram) Curve() *BinnedCurve {
	c := &BinnedCurve{points: h.Points(), several: make([]bool, h.keys.n)}
	c.Positives, c.Negatives = h.Tallies()
	for bin, key := range h.keys.all() {
		c.several[h.keys.n-1-bin] = h.lowest(key) < h.highest(key)
	}
	return c
}

// Outline returns an Outline of Points, on grids of m lines per unit.
func (h *Histogram) Outline(m int) *Outline {
	points := h.Points()
	o := NewOutline(totalsOf(points), m)
	o.Add(moving(Point{}, points))
	return o
}

// Empty reports whether there are no examples.
func (h *Histogram) Empty() bool { return h.keys.n == 0 && h.waiting.len() == 0 }

// Bins returns an empty histogram that has dropped as many bits as h: a histogram that is merged
// with it has no finer bins.
func (h *Histogram) Bins() *Histogram {
	h.tidy()
	return &Histogram{bound: h.bound, even: h.even, dropped: h.dropped}
}

var (
	lowestImage  = scoreruns.Image(math.Inf(-1))
	highestImage = scoreruns.Image(math.Inf(1))
)

// scoreOf returns the score of an image, or the nearest score if the image has none.
func scoreOf(image uint64) float64 {
	return scoreruns.Score(min(max(image, lowestImage), highestImage)) + 0 // never -0
}
