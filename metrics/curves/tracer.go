package curves

import (
	"fmt"
	"iter"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/scoreruns"
)

// Tracer goes through examples from the highest score to the lowest and finds the points of the
// curves of each slice. It reuses its memory for the next examples.
//
//	sorted entries ─► each slice of their tag: up to 8,192 wait
//	                     │ flush
//	                     ├─► stretch of the curve of all examples ─► emit
//	                     │      └─► bins of each fold, if BinTotals is set
//	                     └─► stretch of the curve without each fold ─► emit
//
// Entries are turned into points in batches, so that everything that one curve needs stays in the
// cache while a batch is processed.
type Tracer struct {
	Tags []scoreruns.Tag // what the tags of the entries stand for
	// Positive is the class of the positive examples, or OwnClass. All other classes are negative.
	Positive int32
	// Folds[s] lists the folds to leave out of slice s, one at a time: each gives one more curve.
	// It is nil if there are none. Curves are numbered slice by slice: first the curve of all
	// examples, then those without a fold, in the order of the list.
	Folds [][]int32
	// Totals holds, for each curve, the examples with scores above those to come. Trace adds
	// the examples that it traces.
	Totals []scoreruns.Totals
	// Rows and Classes say whether stretches have numbers of rows, and classes.
	Rows, Classes bool
	// BinTotals, if not nil, holds the totals of all examples of each slice. The tracer then also
	// divides the examples of each slice into the bins of its curve, by fold. See Bins.
	BinTotals []Totals

	sorted  *scoreruns.Sorted
	emit    func(*Stretch)
	classes []int32        // by tag
	folds   []int32        // by tag
	entries []sliceEntries // by slice
	curves  []curveUnderWay
	kept    []entry     // the entries of a slice, without one fold
	stretch Stretch     // reused for one curve after the other
	sum     exact.Tally // empty, except while the weights of classes are added up
}

// OwnClass says that an example is positive for a score if its class is the label of the score.
const OwnClass = -1

// stretchEntries is the usual number of entries in a stretch: enough to skip most of its points,
// and few enough to fit in a cache.
const stretchEntries = 8192

// Trace calls emit with all stretches of every curve, in the order of its points. A stretch is
// valid only during the call of emit; its memory is reused.
func (s *Tracer) Trace(sorted *scoreruns.Sorted, emit func(*Stretch)) error {
	if err := s.check(); err != nil {
		return err
	}
	s.start(sorted, emit)
	for i := range sorted.Len() {
		tag := sorted.Tag(i)
		if int(tag) >= len(s.Tags) {
			return fmt.Errorf("tag %d of %d", tag, len(s.Tags))
		}
		of := &s.Tags[tag]
		e := entry{image: sorted.Image(i), at: uint32(i), kind: tag << 1}
		if s.positive(i, of.Class) { // unpredictable: compiled without a jump
			e.kind++
		}
		for _, slice := range of.Slices {
			in := &s.entries[slice]
			if in.waiting = append(in.waiting, e); len(in.waiting) >= in.enough {
				s.flush(in, false)
			}
		}
	}
	s.finish()
	return nil
}

// positive reports whether the examples of entry i, whose class is given, are positive.
func (s *Tracer) positive(i int, class int32) bool {
	if s.Positive == OwnClass {
		return class == int32(s.sorted.Label(i))
	}
	return class == s.Positive
}

// check validates the folds, the totals and the tags.
func (s *Tracer) check() error {
	curves := len(s.Folds)
	for _, folds := range s.Folds {
		if len(folds) > 0 && (folds[0] < 0 || !slices.IsSorted(folds)) {
			return fmt.Errorf("folds %d are not ascending from 0 on", folds)
		}
		curves += len(folds)
	}
	if s.Folds != nil && curves != len(s.Totals) {
		return fmt.Errorf("totals of %d curves: expected %d", len(s.Totals), curves)
	}
	if s.BinTotals != nil && len(s.BinTotals) != s.Slices() {
		return fmt.Errorf("totals of the bins of %d slices: expected %d", len(s.BinTotals), s.Slices())
	}
	for i := range s.Tags {
		if s.BinTotals != nil && s.Tags[i].Fold < 0 {
			return fmt.Errorf("tag %d is in no fold", i)
		}
		before := int32(-1)
		for _, slice := range s.Tags[i].Slices {
			if slice <= before || int(slice) >= s.Slices() {
				return fmt.Errorf("tag %d: slices %d are not ascending or not of %d", i, s.Tags[i].Slices, s.Slices())
			}
			before = slice
		}
	}
	return nil
}

// Slices returns the number of slices.
func (s *Tracer) Slices() int {
	if s.Folds == nil {
		return len(s.Totals)
	}
	return len(s.Folds)
}

// sliceEntries holds the entries of a slice that are not yet in points.
type sliceEntries struct {
	waiting []entry
	leftOut []int32 // the folds to leave out; see Tracer.Folds
	first   int     // the curve of all examples of the slice
	enough  int     // the number of entries at which to flush
	divided bool    // there are curves that leave out a fold, or bins of folds
	bins    []Bins  // by fold
	scores  Bins    // of all folds
}

// curveUnderWay is the state of a curve while it is traced.
type curveUnderWay struct {
	whole bool // see Stretch.Whole
	// The last completed point, and the numbers of rows up to it, if Rows is set.
	done     Point
	doneRows Rows
	// The point under way: its image, 0 if there is none; the numbers of rows up to it; whether it
	// has positives and negatives; and its classes.
	image                uint64
	tp, fp               int64
	positives, negatives bool
	classes              []classRows
	counted              []ClassWeight // used instead of classes if whole

	// Used if doubles can hold the weights: the weights so far and at the start, and the number
	// of traced rows whose weight is not 1. Tracer.Totals is updated at the end.
	doubles        bool
	weights, start classWeights
	others         [2]int64
}

// entry is what an entry of the runs adds to the curve of each of its slices.
type entry struct {
	image uint64
	at    uint32 // the index of the entry
	kind  uint32 // twice the tag, plus 1 if the examples are positive
}

// classRows is a number of examples of one class and one weight.
type classRows struct {
	class  int32
	rows   int64
	weight float64
}

// start sets all curves to Totals, and reuses memory.
func (s *Tracer) start(sorted *scoreruns.Sorted, emit func(*Stretch)) {
	s.sorted, s.emit = sorted, emit
	s.classes, s.folds = s.classes[:0], s.folds[:0]
	for i := range s.Tags {
		s.classes, s.folds = append(s.classes, s.Tags[i].Class), append(s.folds, s.Tags[i].Fold)
	}
	s.curves = grown(s.curves, len(s.Totals))
	for i := range s.curves {
		c, t := &s.curves[i], &s.Totals[i]
		*c = curveUnderWay{
			classes: c.classes[:0], counted: c.counted[:0], tp: t.Positive.Rows(), fp: t.Negative.Rows(),
			done:  Point{TP: t.Positive.Weight(), FP: t.Negative.Weight()},
			whole: !sorted.Weighted() && t.Positive.Ones() && t.Negative.Ones(),
		}
		c.doneRows = Rows{c.tp, c.fp}
	}
	s.entries = grown(s.entries, s.Slices())
	added := addedBy(sorted)
	first := 0
	for i := range s.entries {
		in := &s.entries[i]
		in.waiting, in.leftOut, in.first, in.enough = in.waiting[:0], nil, first, stretchEntries
		if s.Folds != nil {
			in.leftOut = s.Folds[i]
		}
		in.divided = len(in.leftOut) > 0 || s.BinTotals != nil
		in.scores.reset()
		for fold := range in.bins {
			in.bins[fold].reset()
		}
		s.startDoubles(first, added)
		first += 1 + len(in.leftOut)
	}
}

// grown returns a slice of n elements, in the memory of list if it suffices. Elements within the
// capacity of list are kept, even beyond its length.
func grown[T any](list []T, n int) []T {
	list = list[:cap(list)]
	return append(list, make([]T, max(n-len(list), 0))...)[:n]
}

// finish emits the remaining stretches and completes the totals.
func (s *Tracer) finish() {
	for i := range s.entries {
		s.flush(&s.entries[i], true)
	}
	for i := range s.curves {
		c, t := &s.curves[i], &s.Totals[i]
		positives, negatives := c.tp-t.Positive.Rows(), c.fp-t.Negative.Rows()
		switch {
		case c.whole:
			t.Positive.AddOnes(positives)
			t.Negative.AddOnes(negatives)
		case c.doubles:
			ones := [2]int64{negatives - c.others[negative], positives - c.others[positive]}
			addTotals(t, ones, c.others, &c.start, &c.weights)
		}
	}
}

// flush adds the waiting entries of a slice to its curves. last says that no more will follow.
func (s *Tracer) flush(in *sliceEntries, last bool) {
	if !in.divided {
		s.send(s.stretchOf(in.first, true, in.waiting, last))
		in.waiting = in.waiting[:0]
		return
	}
	done := len(in.waiting)
	if !last { // later entries may belong to the last point
		for ending := in.waiting[done-1].image; done > 0 && in.waiting[done-1].image == ending; {
			done--
		}
		if done == 0 {
			in.enough *= 2
			return
		}
	}
	entries := in.waiting[:done]
	if st := s.stretchOf(in.first, true, entries, true); st != nil {
		if s.BinTotals != nil {
			s.bin(in, st, entries)
		}
		s.send(st)
	}
	for i, fold := range in.leftOut {
		s.send(s.stretchOf(in.first+1+i, false, s.without(entries, fold), true))
	}
	in.waiting = append(in.waiting[:0], in.waiting[done:]...)
	in.enough = max(stretchEntries, 2*len(in.waiting))
}

// send emits a stretch, unless it is nil.
func (s *Tracer) send(st *Stretch) {
	if st != nil {
		s.emit(st)
	}
}

// bin adds entries to the bins of their folds. st is the stretch of their points.
func (s *Tracer) bin(in *sliceEntries, st *Stretch, entries []entry) {
	binner := newBinner(s.BinTotals[in.first])
	before, points := st.Before, st.Points
	for len(points) > 0 {
		number := binner.number(before, points[0])
		n := len(points) // the bin has the first n points
		for n > 1 && binner.number(points[n-2], points[n-1]) != number {
			n /= 2
		}
		in.scores.addScores(number, points[n-1].Score+0, points[0].Score+0) // the threshold -0 is 0
		at := s.addToBin(in, number, entries, n)
		before, points, entries = points[n-1], points[n:], entries[at:]
	}
}

// addToBin adds the entries of the next n scores to one bin of their folds, and returns the number
// of these entries.
func (s *Tracer) addToBin(in *sliceEntries, number uint16, entries []entry, n int) int {
	single, image := s.sorted.Single(), uint64(0)
	for k := range entries {
		e := &entries[k]
		if k == 0 || e.image != image {
			if n == 0 {
				return k
			}
			image, n = e.image, n-1
		}
		fold := int(s.folds[e.kind>>1])
		if fold >= len(in.bins) {
			in.bins = append(in.bins, make([]Bins, fold+1-len(in.bins))...)
		}
		if of := &in.bins[fold]; !single {
			of.add(number, e.kind&1, s.sorted.Weight(int(e.at)), s.sorted.Count(int(e.at)))
		} else if last := len(of.numbers) - 1; last >= 0 && of.numbers[last] == number { // the most frequent case
			of.ones[last][e.kind&1]++
		} else {
			of.add(number, e.kind&1, 1, 1)
		}
	}
	return len(entries)
}

// BinScores returns the scores of the bins of a slice; see Bins. The result is valid until the next
// call of Trace.
func (s *Tracer) BinScores(slice int) *Bins { return &s.entries[slice].scores }

// FoldBins yields the folds that have traced examples of a slice, and their bins. The bins are
// valid until the next call of Trace.
func (s *Tracer) FoldBins(slice int) iter.Seq2[int32, *Bins] {
	return func(yield func(int32, *Bins) bool) {
		bins := s.entries[slice].bins
		for fold := range bins {
			if !bins[fold].Empty() && !yield(int32(fold), &bins[fold]) {
				return
			}
		}
	}
}

// without returns the entries that are not in a fold. They are valid until the next call.
func (s *Tracer) without(entries []entry, fold int32) []entry {
	s.kept = collections.Resize(s.kept, len(entries))
	n := 0
	for _, e := range entries { // unpredictable: compiled without a jump
		s.kept[n] = e
		if s.folds[e.kind>>1] != fold {
			n++
		}
	}
	return s.kept[:n]
}
