package curves

import (
	"slices"

	"github.com/beameval/beameval/metrics/internal/fields"
)

// Fields encodes or decodes the histogram, or merges from into it.
func (h *Histogram) Fields(v *fields.Visitor, from *Histogram) {
	if v.Codes() {
		v.Value(h)
	} else if err := h.mergeTimes(from, v.Times()); err != nil {
		v.Fail("%w", err)
	}
}

// Merge adds the examples of from to h and leaves from unchanged. Both must have the same bound.
func (h *Histogram) Merge(from *Histogram) error {
	if from.bound == 0 {
		return nil
	}
	if err := h.join(from); err != nil {
		return err
	}
	waiting := from.waiting // from may be h
	if from.few() {
		h.await(from)
	} else {
		h.eachBin(from, func(bin, i int) { h.mergeBin(bin, &from.store, i) })
	}
	for class, images := range waiting.ones {
		h.waiting.ones[class] = append(h.waiting.ones[class], images...)
	}
	h.waiting.others = append(h.waiting.others, waiting.others...)
	if h.waiting.len() >= h.patience() {
		h.settle()
	}
	return nil
}

// join makes the bins no finer than those of from, whose bound h takes if it has none.
func (h *Histogram) join(from *Histogram) error {
	if h.bound == 0 {
		h.bound, h.even = from.bound, from.even
	}
	if h.bound != from.bound || h.even != from.even {
		return errDifferent
	}
	h.drop(max(from.dropped-h.dropped, 0))
	return nil
}

// mergeTimes adds the examples of from n times or, if n is negative, removes what was added -n times.
func (h *Histogram) mergeTimes(from *Histogram, n int64) error {
	if n == 1 || from.bound == 0 {
		return h.Merge(from)
	}
	h.tidy()
	from.tidy()
	if err := h.join(from); err != nil {
		return err
	}
	h.eachBin(from, func(bin, i int) { h.mergeBinTimes(bin, &from.store, i, n) })
	return nil
}

// eachBin calls put(bin, i) for each bin i of from, which join was called with, and the bin of h that has its scores. It makes
// the bins that h lacks.
func (h *Histogram) eachBin(from *Histogram, put func(bin, i int)) {
	if h.dropped == from.dropped && h.keys.hasAll(&from.keys) {
		for bin, i := range h.keys.placesOf(&from.keys) {
			put(bin, i)
		}
	} else if bins := h.binsOf(from); bins != nil {
		for i, bin := range bins {
			put(bin, i)
		}
	} else {
		h.cover(from.keys.slice(), from.dropped, put)
	}
}

// binsOf returns the bin of each bin of another histogram, which has no more, or nil if h lacks one of them.
func (h *Histogram) binsOf(other *Histogram) []int {
	if other.keys.n > h.keys.n {
		return nil
	}
	bins := make([]int, 0, other.keys.n)
	for _, key := range other.keys.all() {
		bin := h.keys.find(h.coarser(key, other.dropped, h.dropped))
		if bin < 0 {
			return nil
		}
		bins = append(bins, bin)
	}
	return bins
}

// SetWithout sets h to all without part, which must have been merged into all. It reuses the memory of h, and
// has the bins of all that still have examples.
func (h *Histogram) SetWithout(all, part *Histogram) {
	all.tidy()
	part.tidy()
	rest := store{ones: append(h.ones[:0], all.ones...)}
	if all.others != nil {
		for bin := range rest.weighted() {
			rest.others[bin].merge(&all.others[bin])
		}
	}
	for i, key := range part.keys.all() {
		if bin := all.keys.find(all.coarser(key, part.dropped, all.dropped)); bin >= 0 {
			rest.mergeBinTimes(bin, &part.store, i, -1)
		}
	}
	*h = Histogram{bound: all.bound, even: all.even, dropped: all.dropped, store: rest, keys: binKeys{list: h.keys.list[:0]}}
	for bin, key := range all.keys.all() {
		if h.ones[bin] != [2]int64{} || !h.rowsOf(bin).empty() {
			h.move(h.keys.n, &h.store, bin)
			h.keys.add(key)
		}
	}
	h.shorten(h.keys.n)
}

// few reports whether the examples in the bins can go back to waiting, and are so few that this
// takes less memory and time. They can if the score and the weight of each are known.
func (h *Histogram) few() bool {
	most := int64(h.patience() / 4)
	if h.dropped > 0 || int64(h.keys.n) > most {
		return false
	}
	for bin, ones := range h.ones {
		for class, n := range ones {
			if h.others != nil && !h.others[bin][class].Empty() {
				if _, single := h.others[bin][class].Single(); !single {
					return false
				}
				most--
			}
			if n > most { // the sums of decoded numbers might overflow
				return false
			}
			most -= n
		}
	}
	return true
}

// await makes the examples in the bins of from wait in h. There must be few of them.
func (h *Histogram) await(from *Histogram) {
	var n [2]int64
	for _, ones := range from.ones {
		n[0], n[1] = n[0]+ones[0], n[1]+ones[1]
	}
	for class, images := range h.waiting.ones {
		h.waiting.ones[class] = slices.Grow(images, int(n[class]))
	}
	for bin, image := range from.keys.all() {
		for class, n := range from.ones[bin] {
			for range n {
				h.waiting.ones[class] = append(h.waiting.ones[class], image)
			}
			if from.others == nil {
				continue
			}
			if weight, ok := from.others[bin][class].Single(); ok {
				h.waiting.others = append(h.waiting.others, example{image, weight, class})
			}
		}
	}
}
