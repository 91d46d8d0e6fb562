package curves

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

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
	dropped int         // bits, 0 to 64
	bins    []bin       // by increasing key
	others  []otherRows // of the bins; nil if all of their examples weigh 1
	index   index
	waiting waiting
}

// bin is an interval of scores: its key is their images without the dropped bits. It counts
// the examples of weight 1, negatives and positives. Millions of bins are blocks of memory
// without pointers, and need no exact sums.
type bin struct {
	key  uint64
	ones [2]int64
}

// otherRows tallies the examples of a bin whose weight is not 1, negatives and positives.
type otherRows [2]exact.Tally

func (o *otherRows) merge(from *otherRows) {
	for class := range o {
		o[class].Merge(&from[class])
	}
}

// waiting is examples that wait for a bin, because bins are found faster for many examples
// at once: then the bins are in the cache.
type waiting struct {
	ones   [2][]uint64 // the images of those of weight 1, negatives and positives
	others []example   // those of other weights
}

type example struct {
	image  uint64
	weight float64
	class  int // 0 or 1
}

func (w *waiting) len() int { return len(w.ones[0]) + len(w.ones[1]) + len(w.others) }

// NewHistogram returns an empty Histogram of at most bound bins. bound is from 1 to 2^24.
func NewHistogram(bound int) *Histogram { return &Histogram{bound: min(max(bound, 1), maxBins)} }

const (
	maxBins    = 1 << 24
	minWaiting = 256 // examples that are worth looking for their bins
)

// Add adds an example. Its score is not NaN; if it is, it counts as an infinity of its sign.
func (h *Histogram) Add(score float64, positive bool, weight float64) {
	if h.bound == 0 {
		return // made by no NewHistogram
	}
	image, class := runs.Image(score), 0
	if positive {
		class = 1
	}
	w := &h.waiting
	if weight == 1 {
		w.ones[class] = append(w.ones[class], image)
	} else {
		w.others = append(w.others, example{image, weight, class})
	}
	if w.len() >= h.patience() {
		h.settle()
	}
}

// patience is how many examples wait at most.
func (h *Histogram) patience() int { return max(h.bound, minWaiting) }

// settle adds the examples that wait to their bins. Those that have none go on waiting,
// until they are worth new bins.
func (h *Histogram) settle() {
	w := &h.waiting
	for class, images := range w.ones {
		w.ones[class] = images[:0]
		for _, image := range images {
			if i := h.index.find(image>>h.dropped, h.bins); i >= 0 {
				h.bins[i].ones[class]++
			} else {
				w.ones[class] = append(w.ones[class], image)
			}
		}
	}
	others := w.others
	w.others = others[:0]
	for _, e := range others {
		if i := h.index.find(e.image>>h.dropped, h.bins); i >= 0 {
			h.weighted()[i][e.class].Add(e.weight)
		} else {
			w.others = append(w.others, e)
		}
	}
	if 2*w.len() >= h.patience() {
		h.tidy()
	}
}

// weighted returns the other rows of the bins, which it makes if there are none.
func (h *Histogram) weighted() []otherRows {
	if h.others == nil {
		h.others = make([]otherRows, len(h.bins))
	}
	return h.others
}

// tidy gives bins to all examples that wait.
func (h *Histogram) tidy() {
	w := &h.waiting
	for class, images := range w.ones {
		slices.Sort(images)
		h.cover(images)
		at := 0
		for _, image := range images {
			at = h.from(at, image)
			h.bins[at].ones[class]++
		}
		w.ones[class] = images[:0]
	}
	slices.SortFunc(w.others, func(a, b example) int { return cmp.Compare(a.image, b.image) })
	h.cover(imagesOf(w.others, func(e *example) uint64 { return e.image }))
	at := 0
	for _, e := range w.others {
		at = h.from(at, e.image)
		h.weighted()[at][e.class].Add(e.weight)
	}
	w.others = w.others[:0]
}

func imagesOf[T any](list []T, image func(*T) uint64) []uint64 {
	images := make([]uint64, len(list))
	for i := range list {
		images[i] = image(&list[i])
	}
	return images
}

// from returns the bin of an image, which is bin i or one after it.
func (h *Histogram) from(i int, image uint64) int {
	for h.bins[i].key != image>>h.dropped {
		i++
	}
	return i
}

// cover makes bins for images, which do not decrease, unless they have bins.
func (h *Histogram) cover(images []uint64) {
	more, n := h.tooFine(images)
	h.drop(more)
	mine, theirs := len(h.bins)-1, len(images)-1
	if n == len(h.bins) {
		return
	}
	h.index.forget()
	h.bins = slices.Grow(h.bins, n-len(h.bins))[:n]
	if h.others != nil {
		h.others = slices.Grow(h.others, n-len(h.others))[:n]
	}
	for to := n - 1; to > mine; to-- { // the bins up to mine are where they belong
		for to < n-1 && images[theirs]>>h.dropped == h.bins[to+1].key {
			theirs--
		}
		key := images[theirs] >> h.dropped
		if mine >= 0 && h.bins[mine].key >= key {
			h.move(to, mine)
			mine--
			continue
		}
		h.bins[to] = bin{key: key}
		if h.others != nil {
			h.others[to] = otherRows{}
		}
	}
}

// tooFine returns how many more bits have to be dropped for at most bound bins, with those of
// images, which do not decrease; and how many bins there are then. Neighbouring keys become
// one key if all bits in which they differ are dropped.
func (h *Histogram) tooFine(images []uint64) (more, n int) {
	var differing [65]int // neighbours whose highest differing bit is this
	last := uint64(0)
	for i, j := 0, 0; i < len(h.bins) || j < len(images); {
		key := uint64(0)
		if j == len(images) || i < len(h.bins) && h.bins[i].key <= images[j]>>h.dropped {
			key = h.bins[i].key
			i++
		} else {
			key = images[j] >> h.dropped
			j++
		}
		switch {
		case n == 0:
			n = 1
		case key != last:
			differing[bits.Len64(key^last)]++
			n++
		}
		last = key
	}
	for n > h.bound {
		more++
		n -= differing[more]
	}
	return more, n
}

// drop drops more bits of the keys.
func (h *Histogram) drop(more int) {
	if more == 0 {
		return
	}
	n := 0
	for i := range h.bins {
		h.bins[i].key >>= more
		if n > 0 && h.bins[n-1].key == h.bins[i].key {
			h.mergeBin(n-1, h, i)
			continue
		}
		h.move(n, i)
		n++
	}
	h.bins, h.dropped = h.bins[:n], h.dropped+more
	if h.others != nil {
		h.others = h.others[:n]
	}
	h.index.forget()
}

// move moves a bin.
func (h *Histogram) move(to, from int) {
	h.bins[to] = h.bins[from]
	if h.others != nil {
		h.others[to] = h.others[from]
	}
}

// mergeBin adds a bin of from to one of h.
func (h *Histogram) mergeBin(to int, from *Histogram, i int) {
	for class, n := range from.bins[i].ones {
		h.bins[to].ones[class] += n
	}
	if from.others != nil {
		h.weighted()[to].merge(&from.others[i])
	}
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
	h.drop(max(from.dropped-h.dropped, 0))
	lowest := imagesOf(from.bins, func(b *bin) uint64 { return b.key << from.dropped })
	h.cover(lowest)
	at := 0
	for i, image := range lowest {
		at = h.from(at, image)
		h.mergeBin(at, from, i)
	}
	for class, images := range from.waiting.ones {
		h.waiting.ones[class] = append(h.waiting.ones[class], images...)
	}
	h.waiting.others = append(h.waiting.others, from.waiting.others...)
	if h.waiting.len() >= h.patience() {
		h.settle()
	}
	return nil
}

// addTo adds the examples of bin i to all.
func (h *Histogram) addTo(all *otherRows, i int) {
	for class, n := range h.bins[i].ones {
		all[class].AddOnes(n)
	}
	if h.others != nil {
		all.merge(&h.others[i])
	}
}

// Totals returns the weights of all positives and of all negatives.
func (h *Histogram) Totals() Totals {
	return totalsOf(h.Points())
}

// Tallies returns the number and weight of the positives and of the negatives.
func (h *Histogram) Tallies() (positives, negatives exact.Tally) {
	h.tidy()
	var all otherRows
	for i := range h.bins {
		h.addTo(&all, i)
	}
	return all[1], all[0]
}

// Points returns the points at the lower ends of the bins, highest first. They are points of
// the exact curve, and all of its points if the histogram is exact.
func (h *Histogram) Points() []Point {
	h.tidy()
	list := make([]Point, 0, len(h.bins))
	var sum otherRows
	for i := len(h.bins) - 1; i >= 0; i-- {
		h.addTo(&sum, i)
		list = append(list, Point{h.lowest(i), sum[1].Weight(), sum[0].Weight()})
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
func (h *Histogram) lowest(i int) float64 { return scoreOf(h.bins[i].key << h.dropped) }

func (h *Histogram) highest(i int) float64 {
	return scoreOf(h.bins[i].key<<h.dropped | (1<<h.dropped - 1))
}

var (
	lowestImage  = runs.Image(math.Inf(-1))
	highestImage = runs.Image(math.Inf(1))
)

// scoreOf returns the score of an image, or the nearest score if there is none.
func scoreOf(image uint64) float64 {
	return runs.Score(min(max(image, lowestImage), highestImage)) + 0 // never -0
}
