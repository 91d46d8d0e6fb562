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

// Totals are the rows of a slice and their weights, by whether they are positive.
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

// Point says how much of a slice scores at least as high as one of its scores.
// Weights are rounded once, from exact sums.
type Point struct {
	Slice          int32
	Score          float64
	TP, FP         float64 // weights of the positives and of the negatives with this score or a higher one
	TPRows, FPRows int64   // how many these are
	// Classes are those of the slice's examples with this very score, ascending.
	// It is nil unless the sweep has Classes.
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
	// Totals holds, by slice, the examples with higher scores than those swept, and
	// afterwards also those swept.
	Totals []Totals
	// Classes makes points tell the classes of the examples of their score.
	Classes bool
}

// check checks that there is a tag, and its slices.
func (s *Sweep) check(tag uint32) error {
	if int(tag) >= len(s.Tags) {
		return fmt.Errorf("tag %d of %d", tag, len(s.Tags))
	}
	before := int32(-1)
	for _, slice := range s.Tags[tag].Slices {
		if slice <= before || int(slice) >= len(s.Totals) {
			return fmt.Errorf("tag %d: slices %d are not ascending or not of %d", tag, s.Tags[tag].Slices, len(s.Totals))
		}
		before = slice
	}
	return nil
}

// sweeper is a sweep under way.
type sweeper struct {
	*Sweep
	curves  []curve // by slice
	met     []int32 // slices with entries of this score
	classes *classes
	point   Point
}

// curve is the last point of a slice and what changed since.
type curve struct {
	tp, fp  float64
	changed uint8
}

const (
	positivesChanged = 1 << iota
	negativesChanged
)

// Points reads the entries of a merge and calls emit with the points of each distinct
// score, highest first: one for each slice that has an entry of this score, even of
// weight 0, by slice, ascending. A Point is valid until emit returns.
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
	for more := m.Next(); more; {
		image, tag, sorted := m.Entry().Image, m.Entry().Tag, true
		for ; more && m.Entry().Image == image; more = m.Next() {
			e := m.Entry()
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
	return m.Err()
}

// count counts an entry in its slices.
func (w *sweeper) count(e *Entry) {
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

// emit emits the points of a score. It rounds the sums that changed only.
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

// classes gathers the entries of a score by slice and class. It tallies them by
// tag first, so that memory does not grow with the entries.
type classes struct {
	tags    []Tag
	tallies []exact.Tally // by tag
	met     []uint32      // tags with entries
	cells   []cell        // not yet returned by next
	room    []cell
	list    []ClassWeight
	sum     exact.Tally
}

// cell says that a tag with entries is of a slice and a class.
type cell struct {
	slice, class int32
	tag          uint32
}

func newClasses(tags []Tag) *classes {
	return &classes{tags: tags, tallies: make([]exact.Tally, len(tags))}
}

// count counts an entry.
func (c *classes) count(e *Entry) {
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
			c.room = append(c.room, cell{slice, c.tags[tag].Class, tag})
		}
	}
	slices.SortFunc(c.room, func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.slice, b.slice), cmp.Compare(a.class, b.class))
	})
	c.cells = c.room
}

// next returns the classes of a slice. Slices that have entries are asked for one
// after the other, ascending. The list is valid until the next call.
func (c *classes) next(slice int32) []ClassWeight {
	c.list = c.list[:0]
	for len(c.cells) > 0 && c.cells[0].slice == slice {
		class := c.cells[0].class
		c.sum.Reset()
		for len(c.cells) > 0 && c.cells[0].slice == slice && c.cells[0].class == class {
			c.sum.Merge(&c.tallies[c.cells[0].tag])
			c.cells = c.cells[1:]
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
