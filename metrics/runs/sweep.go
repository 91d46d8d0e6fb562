package runs

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

// Tag is what an entry's tag stands for.
type Tag struct {
	Class  int32
	Slices []int32 // ascending
}

// Totals tallies the positives and the negatives of a slice.
type Totals struct{ Positive, Negative exact.Tally }

// Append appends the canonical encoding.
func (t *Totals) Append(dst []byte) []byte { return t.Negative.Append(t.Positive.Append(dst)) }

// Decode replaces t by what Append wrote.
func (t *Totals) Decode(data []byte) error {
	d := wire.NewDecoder(data)
	t.Positive.Decode(d)
	t.Negative.Decode(d)
	return d.Err()
}

// Point says how much of a slice has a score or a higher one. Weights are exact sums that
// were rounded once.
type Point struct {
	Slice          int32
	Score          float64
	TP, FP         float64 // weights of the positives and of the negatives with this score or a higher one
	TPRows, FPRows int64   // how many these are
	// Classes are the classes of the slice's examples with this very score, ascending.
	// It is nil unless Sweep.Classes is set.
	Classes []ClassWeight
}

// ClassWeight is the total weight of the examples of a class.
type ClassWeight struct {
	Class  int32
	Weight float64
}

// Sweep goes through entries from the highest score to the lowest and finds the
// points of the curves of every slice.
type Sweep struct {
	Tags []Tag // what the tags of the entries stand for
	// Positive is the class of the positive examples; all others are negative.
	Positive int32
	// Totals holds, by slice, the examples with higher scores than those to be swept.
	// Points adds those that it sweeps.
	Totals []Totals
	// Classes asks for Point.Classes.
	Classes bool
}

// check returns an error if there is no such tag or slices of it are illegal.
func (s *Sweep) check(tag uint32) error {
	if int(tag) >= len(s.Tags) {
		return fmt.Errorf("tag %d of %d", tag, len(s.Tags))
	}
	before := int32(-1)
	for _, slice := range s.Tags[tag].Slices {
		if slice <= before || int(slice) >= len(s.Totals) {
			return fmt.Errorf("tag %d: slices %d do not ascend or are not of %d", tag, s.Tags[tag].Slices, len(s.Totals))
		}
		before = slice
	}
	return nil
}

// sweeper is the state of a sweep.
type sweeper struct {
	*Sweep
	curves  []curve // by slice
	met     []int32 // slices with entries of this score
	classes *classes
	point   Point
}

// curve is the last point of a slice, and what has changed since.
type curve struct {
	tp, fp  float64
	changed uint8
}

const (
	positivesChanged = 1 << iota
	negativesChanged
)

// Points reads the entries of a merge and calls emit with the points of each distinct score,
// highest first. A score has a point for each slice with an entry of that score, even of
// weight 0, in ascending order of slices. A Point is valid until emit returns.
func (s *Sweep) Points(m *Merge, emit func(*Point)) error {
	for i := range s.Tags {
		if err := s.check(uint32(i)); err != nil {
			return err
		}
	}
	w := sweeper{Sweep: s, curves: make([]curve, len(s.Totals))}
	for i := range w.curves {
		w.curves[i].tp, w.curves[i].fp = s.Totals[i].Positive.Weight(), s.Totals[i].Negative.Weight()
	}
	if s.Classes {
		w.classes = newClasses(s.Tags)
	}
	for more := m.next(); more; {
		image, tag, sorted := m.entry().Image, m.entry().Tag, true
		for ; more && m.entry().Image == image; more = m.next() {
			e := m.entry()
			if int(e.Tag) >= len(s.Tags) {
				return fmt.Errorf("tag %d of %d", e.Tag, len(s.Tags))
			}
			sorted = sorted && e.Tag == tag // the slices of a tag are
			w.count(e)
		}
		if !sorted {
			slices.Sort(w.met)
		}
		w.emit(Score(image), emit)
	}
	return m.err
}

// count counts an entry in its slices.
func (w *sweeper) count(e *entry) {
	if w.classes != nil {
		w.classes.count(e)
	}
	tag := &w.Tags[e.Tag]
	positive := tag.Class == w.Positive
	for _, slice := range tag.Slices {
		c, t := &w.curves[slice], &w.Totals[slice]
		if c.changed == 0 {
			w.met = append(w.met, slice)
		}
		if positive {
			t.Positive.AddRows(e.Weight, int64(e.Count))
			c.changed |= positivesChanged
		} else {
			t.Negative.AddRows(e.Weight, int64(e.Count))
			c.changed |= negativesChanged
		}
	}
}

// emit emits the points of a score. It rounds only sums that have changed.
func (w *sweeper) emit(score float64, emit func(*Point)) {
	p := &w.point
	p.Score = score
	if w.classes != nil {
		w.classes.gather()
	}
	for _, slice := range w.met {
		c, t := &w.curves[slice], &w.Totals[slice]
		if c.changed&positivesChanged != 0 {
			c.tp = t.Positive.Weight()
		}
		if c.changed&negativesChanged != 0 {
			c.fp = t.Negative.Weight()
		}
		c.changed = 0
		p.Slice, p.TP, p.FP = slice, c.tp, c.fp
		p.TPRows, p.FPRows = t.Positive.Rows(), t.Negative.Rows()
		if w.classes != nil {
			p.Classes = w.classes.next(slice)
		}
		emit(p)
	}
	w.met = w.met[:0]
	if w.classes != nil {
		w.classes.reset()
	}
}

// classes tallies the entries of a score by slice and class. It tallies them by tag first,
// so that memory does not grow with the entries.
type classes struct {
	tags    []Tag
	tallies []exact.Tally // by tag
	met     []uint32      // tags with entries
	left    []tagged      // not yet returned by next
	room    []tagged
	list    []ClassWeight
	sum     exact.Tally
}

// tagged says that the entries of a tag are of a slice and a class.
type tagged struct {
	slice, class int32
	tag          uint32
}

func newClasses(tags []Tag) *classes {
	return &classes{tags: tags, tallies: make([]exact.Tally, len(tags))}
}

// count counts an entry.
func (c *classes) count(e *entry) {
	t := &c.tallies[e.Tag]
	if t.Empty() {
		c.met = append(c.met, e.Tag)
	}
	t.AddRows(e.Weight, int64(e.Count))
}

// gather prepares for next, once all entries of a score are counted.
func (c *classes) gather() {
	c.room = c.room[:0]
	for _, tag := range c.met {
		for _, slice := range c.tags[tag].Slices {
			c.room = append(c.room, tagged{slice, c.tags[tag].Class, tag})
		}
	}
	slices.SortFunc(c.room, func(a, b tagged) int {
		return cmp.Or(cmp.Compare(a.slice, b.slice), cmp.Compare(a.class, b.class))
	})
	c.left = c.room
}

// next returns the classes of a slice. It must be called once for each slice that has
// entries, in ascending order. The list is valid until the next call.
func (c *classes) next(slice int32) []ClassWeight {
	c.list = c.list[:0]
	for len(c.left) > 0 && c.left[0].slice == slice {
		class := c.left[0].class
		c.sum.Reset()
		for len(c.left) > 0 && c.left[0].slice == slice && c.left[0].class == class {
			c.sum.Merge(&c.tallies[c.left[0].tag])
			c.left = c.left[1:]
		}
		c.list = append(c.list, ClassWeight{class, c.sum.Weight()})
	}
	return c.list
}

// reset forgets the entries.
func (c *classes) reset() {
	for _, tag := range c.met {
		c.tallies[tag].Reset()
	}
	c.met = c.met[:0]
}
