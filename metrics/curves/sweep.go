package curves

import (
	"fmt"
	"iter"
	"slices"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
)

// Sweep goes through examples from the highest score to the lowest and finds the points of
// the curves of each slice. It keeps its memory for other sweeps.
type Sweep struct {
	Tags []runs.Tag // what the tags of the entries stand for
	// Positive is the class of the positive examples, or OwnClass; all others are negative.
	Positive int32
	// Groups are, by slice, the groups without whose examples the slice has further curves;
	// nil: there are none. The curves of slices follow each other: the one of all examples,
	// then those without a group, in this order.
	Groups [][]int32
	// Totals holds, by curve, the examples with higher scores than those to sweep.
	// Stretches adds the swept ones.
	Totals []runs.Totals
	// Rows and Classes say whether stretches have numbers of rows, and classes.
	Rows, Classes bool
	// BinTotals, unless nil, holds the totals of all examples of each slice. Then the sweep also divides the
	// examples of each slice into the bins of its curve, by fold, which is the group of their tags; see Bins.
	BinTotals []Totals

	sorted  *runs.Sorted
	emit    func(*Stretch)
	classes []int32        // by tag
	groups  []int32        // by tag
	entries []sliceEntries // by slice
	curves  []curveUnderWay
	kept    []entry     // those of a slice without those of a group
	stretch Stretch     // of one curve at a time
	sum     exact.Tally // empty, but while classes are added up
}

// OwnClass says that the positive examples of a score are those whose class is its label.
const OwnClass = -1

// stretchEntries is how many entries a stretch has at most: enough for most of its points to
// be skipped, few enough to stay in a cache.
const stretchEntries = 8192

// Stretches calls emit with all stretches of every curve. Those of a curve come in order. A
// stretch is valid only during the call of emit; its memory is reused.
func (s *Sweep) Stretches(sorted *runs.Sorted, emit func(*Stretch)) error {
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
		if s.positive(i, of.Class) { // hard to predict: no jump
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

// positive says whether the examples of entry i, which are of a class, are positive.
func (s *Sweep) positive(i int, class int32) bool {
	if s.Positive == OwnClass {
		return class == int32(s.sorted.Label(i))
	}
	return class == s.Positive
}

// check checks the slices of the tags.
func (s *Sweep) check() error {
	curves := len(s.Groups)
	for _, groups := range s.Groups {
		if len(groups) > 0 && (groups[0] < 0 || !slices.IsSorted(groups)) {
			return fmt.Errorf("groups %d are not ascending from 0 on", groups)
		}
		curves += len(groups)
	}
	if s.Groups != nil && curves != len(s.Totals) {
		return fmt.Errorf("totals of %d curves: expected %d", len(s.Totals), curves)
	}
	if s.BinTotals != nil && len(s.BinTotals) != s.Slices() {
		return fmt.Errorf("totals of the bins of %d slices: expected %d", len(s.BinTotals), s.Slices())
	}
	for i := range s.Tags {
		if s.BinTotals != nil && s.Tags[i].Group < 0 {
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

// Slices returns how many slices there are.
func (s *Sweep) Slices() int {
	if s.Groups == nil {
		return len(s.Totals)
	}
	return len(s.Groups)
}

// sliceEntries are the entries of a slice that are not yet in points.
type sliceEntries struct {
	waiting []entry
	groups  []int32 // see Sweep.Groups
	first   int     // curve of the slice
	enough  int     // how many are flushed at once
	grouped bool    // groups matter: there are curves without them, or bins
	folds   []Bins  // by fold
	scores  Bins    // of all folds
}

// curveUnderWay is how far a curve is.
type curveUnderWay struct {
	whole bool // see Stretch.Whole
	// The last point that is done, and the numbers of rows up to it, if they are asked for.
	done     Point
	doneRows Rows
	// The point under way, 0 if there is none; the numbers of rows up to it; whether it has
	// positives and negatives; and its classes.
	image                uint64
	tp, fp               int64
	positives, negatives bool
	classes              []classRows
	counted              []ClassWeight // instead of classes, if whole

	// If doubles can hold them: the weights so far and before the sweep, and how many rows of these do not
	// weigh 1. Totals are completed when the sweep ends.
	doubles        bool
	weights, start classWeights
	others         [2]int64
}

// entry is what an entry of runs adds to the curve of each of its slices.
type entry struct {
	image uint64
	at    uint32 // which entry
	kind  uint32 // twice the tag, and 1 if it is positive
}

// classRows are some examples of a class, of one weight.
type classRows struct {
	class  int32
	rows   int64
	weight float64
}

// start starts at the totals, in memory that is there.
func (s *Sweep) start(sorted *runs.Sorted, emit func(*Stretch)) {
	s.sorted, s.emit = sorted, emit
	s.classes, s.groups = s.classes[:0], s.groups[:0]
	for i := range s.Tags {
		s.classes, s.groups = append(s.classes, s.Tags[i].Class), append(s.groups, s.Tags[i].Group)
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
		in.waiting, in.groups, in.first, in.enough = in.waiting[:0], nil, first, stretchEntries
		if s.Groups != nil {
			in.groups = s.Groups[i]
		}
		in.grouped = len(in.groups) > 0 || s.BinTotals != nil
		in.scores.reset()
		for fold := range in.folds {
			in.folds[fold].reset()
		}
		s.startDoubles(first, added)
		first += 1 + len(in.groups)
	}
}

// grown returns a slice of n elements, in the memory of list if it suffices. Elements that are
// there stay.
func grown[T any](list []T, n int) []T {
	list = list[:cap(list)]
	return append(list, make([]T, max(n-len(list), 0))...)[:n]
}

// finish emits what is left, and completes the totals.
func (s *Sweep) finish() {
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

// flush adds the entries of a slice that wait to its curves.
func (s *Sweep) flush(in *sliceEntries, last bool) {
	if !in.grouped {
		s.send(s.stretchOf(in.first, true, in.waiting, last))
		in.waiting = in.waiting[:0]
		return
	}
	done := len(in.waiting)
	if !last { // the last point may have more entries
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
	for i, group := range in.groups {
		s.send(s.stretchOf(in.first+1+i, false, s.without(entries, group), true))
	}
	in.waiting = append(in.waiting[:0], in.waiting[done:]...)
	in.enough = max(stretchEntries, 2*len(in.waiting))
}

// send emits a stretch, unless it is nil.
func (s *Sweep) send(st *Stretch) {
	if st != nil {
		s.emit(st)
	}
}

// bin adds entries, whose points are those of a stretch, to the bins of their folds.
func (s *Sweep) bin(in *sliceEntries, st *Stretch, entries []entry) {
	binner := newBinner(s.BinTotals[in.first])
	before, points := st.Before, st.Points
	for len(points) > 0 {
		number := binner.number(before, points[0])
		n := len(points) // of which the bin has the first n
		for n > 1 && binner.number(points[n-2], points[n-1]) != number {
			n /= 2
		}
		in.scores.addScores(number, points[n-1].Score+0, points[0].Score+0) // the threshold -0 is 0
		at := s.addToBin(in, number, entries, n)
		before, points, entries = points[n-1], points[n:], entries[at:]
	}
}

// addToBin adds the entries of n scores to a bin of their folds, and returns how many entries these are.
func (s *Sweep) addToBin(in *sliceEntries, number uint16, entries []entry, n int) int {
	single, image := s.sorted.Single(), uint64(0)
	for k := range entries {
		e := &entries[k]
		if k == 0 || e.image != image {
			if n == 0 {
				return k
			}
			image, n = e.image, n-1
		}
		fold := int(s.groups[e.kind>>1])
		if fold >= len(in.folds) {
			in.folds = append(in.folds, make([]Bins, fold+1-len(in.folds))...)
		}
		if of := &in.folds[fold]; !single {
			of.add(number, e.kind&1, s.sorted.Weight(int(e.at)), s.sorted.Count(int(e.at)))
		} else if last := len(of.numbers) - 1; last >= 0 && of.numbers[last] == number { // most are like that
			of.ones[last][e.kind&1]++
		} else {
			of.add(number, e.kind&1, 1, 1)
		}
	}
	return len(entries)
}

// BinScores returns the scores of the bins of a slice; see Bins. They are valid until the next call of Stretches.
func (s *Sweep) BinScores(slice int) *Bins { return &s.entries[slice].scores }

// FoldBins yields the folds that have swept examples of a slice, and their bins, which are valid until the next call of
// Stretches.
func (s *Sweep) FoldBins(slice int) iter.Seq2[int32, *Bins] {
	return func(yield func(int32, *Bins) bool) {
		folds := s.entries[slice].folds
		for fold := range folds {
			if !folds[fold].Empty() && !yield(int32(fold), &folds[fold]) {
				return
			}
		}
	}
}

// without returns the entries that are not of a group. They are valid until the next call.
func (s *Sweep) without(entries []entry, group int32) []entry {
	s.kept = slices.Grow(s.kept[:0], len(entries))[:len(entries)]
	n := 0
	for _, e := range entries { // hard to predict: no jump
		s.kept[n] = e
		if s.groups[e.kind>>1] != group {
			n++
		}
	}
	return s.kept[:n]
}
