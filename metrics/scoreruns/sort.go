package scoreruns

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/beameval/beameval/internal/collections"
)

// Sorter sorts the entries of runs. It reuses its memory for the next runs.
type Sorter struct {
	within  Range
	tagBits int
	labels  int // the number of labels

	keys, spare           []key
	weights, spareWeights []float64 // empty if all are 1
	counts, spareCounts   []uint32  // empty if all are 1
	block                 block
	joiner                joiner[key]
	enough                int // the number of entries from which joining is considered
}

// fewestJoined is the smallest number of entries for which joining is considered.
const fewestJoined = 1 << 20

// key is what an entry is sorted by.
type key struct {
	order uint64 // the entries are sorted by this, ascending
	tag   uint32 // label << tagBits | tag
	at    uint32 // the index of its weight and count
}

// Sorted holds entries sorted by score, highest first. The order of entries with equal scores
// depends only on the runs.
type Sorted struct {
	keys    []key
	weights []float64 // by key.at; nil if all are 1
	counts  []uint32  // by key.at; nil if all are 1
	tagBits int
}

// Start empties the sorter and makes room for about n entries. The entries will have labels below
// labels and common tags below tags; those outside of the interval are skipped. Earlier results of
// Sort become invalid.
func (s *Sorter) Start(n, labels, tags int, within Range) {
	s.within, s.tagBits, s.labels = within, bits.Len(uint(max(tags-1, 0))), labels
	s.keys, s.weights, s.counts = slices.Grow(s.keys[:0], n), s.weights[:0], s.counts[:0]
	s.enough = fewestJoined
}

// Sort sorts the entries that were added. The result is valid until the next call of Start.
func (s *Sorter) Sort() *Sorted {
	s.spare = collections.Resize(s.spare, len(s.keys))
	sortByOrder(s.keys, s.spare)
	s.arrange()
	return s.sorted(s.keys)
}

// arrange moves weights and counts into the order of the keys. Otherwise, every access in that
// order would wait for memory.
func (s *Sorter) arrange() {
	if len(s.weights)+len(s.counts) == 0 {
		return
	}
	s.weights, s.spareWeights = arranged(s.weights, s.spareWeights, s.keys)
	s.counts, s.spareCounts = arranged(s.counts, s.spareCounts, s.keys)
	for i := range s.keys {
		s.keys[i].at = uint32(i)
	}
}

// arranged returns values in the order of keys, in the memory of spare, and the old memory of
// values.
func arranged[T uint32 | float64](values, spare []T, keys []key) (_, old []T) {
	if len(values) == 0 {
		return values, spare
	}
	spare = collections.Resize(spare, len(values))
	for i := range keys {
		spare[i] = values[keys[i].at]
	}
	return spare, values
}

func (s *Sorter) sorted(keys []key) *Sorted {
	of := &Sorted{keys: keys, tagBits: s.tagBits}
	if len(s.weights) > 0 {
		of.weights = s.weights
	}
	if len(s.counts) > 0 {
		of.counts = s.counts
	}
	return of
}

// Add decodes a run and adds its entries. It does not retain the run.
func (s *Sorter) Add(run Run) error {
	left := blocks{rest: run.Data}
	b := &s.block
	for left.decode(b) {
		if s.within != Everything {
			b.keep(s.within)
		}
		start := len(s.keys)
		for i, image := range b.images[:b.n] {
			tag, label := b.tags[i], uint32(b.labels[i])
			switch {
			case tag >= uint64(len(run.Tags)):
				return fmt.Errorf("tag %d of %d", tag, len(run.Tags))
			case run.Tags[tag] == NoTag:
				return fmt.Errorf("tag %d, which no entry should have", tag)
			case int(label) >= s.labels:
				return fmt.Errorf("label %d of %d", label, s.labels)
			case label>>(32-s.tagBits) != 0:
				return fmt.Errorf("label %d with tags of %d bits", label, s.tagBits)
			}
			s.keys = append(s.keys, key{^image, label<<s.tagBits | run.Tags[tag], uint32(start + i)})
		}
		if !b.oneWeight || len(s.weights) > 0 {
			s.weights = onesTo(slices.Grow(s.weights, cap(s.keys)-len(s.weights)), start)
			for _, w := range b.weights[:b.n] {
				s.weights = append(s.weights, math.Float64frombits(w))
			}
		}
		if !b.oneCount || len(s.counts) > 0 {
			s.counts = onesTo(slices.Grow(s.counts, cap(s.keys)-len(s.counts)), start)
			for _, n := range b.counts[:b.n] {
				s.counts = append(s.counts, uint32(n+1))
			}
		}
		if len(s.keys) >= s.enough {
			s.join()
		}
	}
	return left.err
}

// join joins the entries so far if that seems worthwhile; if not, it is tried again at twice as
// many.
func (s *Sorter) join() {
	for i := range s.keys { // so that the keys of alike entries are equal
		s.keys[i].at = 0
	}
	c := columns[key]{s.keys, s.weights, s.counts}
	s.joiner.hash = key.hash
	if s.joiner.repetitive(&c) {
		s.joiner.join(&c)
		s.keys, s.weights, s.counts = c.list, c.weights, c.counts
	}
	for i := range s.keys {
		s.keys[i].at = uint32(i)
	}
	s.enough = max(s.enough, 2*len(s.keys))
}

// hash is the multiplicative hash of a key.
func (k key) hash() uint64 {
	h := (k.order ^ uint64(k.tag)<<32) * 0x9e3779b97f4a7c15
	return (h ^ h>>32) * 0xd6e8feb86659fd93
}

// onesTo appends ones until list has n values.
func onesTo[T uint32 | float64](list []T, n int) []T {
	for len(list) < n {
		list = append(list, 1)
	}
	return list
}

// ByLabel divides the sorted entries by label and keeps their order. The function that it returns
// gives the entries of a label, which are valid until the next call of Start.
func (s *Sorter) ByLabel() func(label int) *Sorted {
	starts := make([]int, s.labels+1)
	for i := range s.keys {
		starts[s.keys[i].tag>>s.tagBits+1]++
	}
	for label := range s.labels {
		starts[label+1] += starts[label]
	}
	next := slices.Clone(starts)
	for i := range s.keys {
		at := &next[s.keys[i].tag>>s.tagBits]
		s.spare[*at] = s.keys[i]
		*at++
	}
	return func(label int) *Sorted {
		return s.sorted(s.spare[starts[label]:starts[label+1]])
	}
}

// Len returns the number of entries.
func (s *Sorted) Len() int { return len(s.keys) }

// Weighted reports whether an entry may have a weight other than 1.
func (s *Sorted) Weighted() bool { return s.weights != nil }

// Single reports whether every entry is a single example of weight 1.
func (s *Sorted) Single() bool { return s.weights == nil && s.counts == nil }

// Image returns the image of entry i.
func (s *Sorted) Image(i int) uint64 { return ^s.keys[i].order }

// Label returns the label of entry i.
func (s *Sorted) Label(i int) uint32 { return s.keys[i].tag >> s.tagBits }

// Tag returns the common tag of entry i.
func (s *Sorted) Tag(i int) uint32 { return s.keys[i].tag & (1<<s.tagBits - 1) }

// Count returns the number of examples of entry i.
func (s *Sorted) Count(i int) int64 {
	if s.counts == nil {
		return 1
	}
	return int64(s.counts[s.keys[i].at])
}

// Weight returns the weight of each example of entry i.
func (s *Sorted) Weight(i int) float64 {
	if s.weights == nil {
		return 1
	}
	return s.weights[s.keys[i].at]
}

// Entry returns entry i, with its common tag.
func (s *Sorted) Entry(i int) Entry {
	return Entry{Image: s.Image(i), Weight: s.Weight(i), Label: s.Label(i), Tag: s.Tag(i), Count: uint32(s.Count(i))}
}
