package runs

import (
	"fmt"
	"slices"
)

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
