package curves

import (
	"cmp"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/metrics/scoreruns"
)

// Stretch is a sequence of consecutive points of a curve, one for each distinct score.
type Stretch struct {
	Curve int  // the index of the curve; see Tracer.Folds
	All   bool // whether the curve is of all examples of its slice, without leaving out a fold
	// Before is the point that precedes the first; its score is not used.
	Before Point
	Points []Point
	Whole  bool // all weights are whole numbers below 2^53
	// BeforeRows is the number of positives and negatives at Before; see Rows.
	BeforeRows Rows
	rows       []Rows // by point; unused if Whole
	rising     []uint16
	// Classes holds, for each point, the examples with exactly its score, by class. Point i has
	// Classes[Ends[i-1]:Ends[i]], starting at 0 for the first. If Whole, a class may occur several
	// times for one point.
	Classes []ClassWeight
	Ends    []int
}

// Moving returns the points that add weight to their predecessor, the only ones that an Accumulator
// and an Outline accept. It overwrites Points.
func (s *Stretch) Moving() []Point {
	if s.Whole { // every row adds weight
		return s.Points
	}
	return moving(s.Before, s.Points)
}

// Rows returns the number of positives and negatives at point i, if Tracer.Rows is set.
func (s *Stretch) Rows(i int) Rows {
	if s.Whole {
		return Rows{int64(s.Points[i].TP), int64(s.Points[i].FP)}
	}
	return s.rows[i]
}

// Rising returns the indices of the points that have positive examples, if Tracer.Rows is set. The
// result is valid as long as the stretch.
func (s *Stretch) Rising() []uint16 {
	s.rising = collections.Resize(s.rising, len(s.Points))
	room := s.rising
	if s.Whole {
		return rising(s.Before, s.Points, room)
	}
	n, before := 0, s.BeforeRows.TP
	for i := range s.rows {
		room[n] = uint16(i)
		if s.rows[i].TP != before {
			n++
		}
		before = s.rows[i].TP
	}
	return room[:n]
}

// Rows holds numbers of rows: of positives and of negatives.
type Rows struct{ TP, FP int64 }

// ClassWeight is the total weight of the examples of a class.
type ClassWeight struct {
	Class  int32
	Weight float64
}

// stretchOf returns the stretch of the points that entries complete, or nil if there are none.
// whole says that no later entries belong to the last point; otherwise it stays under way.
// (Stretch.Whole is about weights.) The stretch is valid until the next call.
func (s *Tracer) stretchOf(curve int, all bool, entries []entry, whole bool) *Stretch {
	c := &s.curves[curve]
	if len(entries) == 0 && !(whole && c.image != 0) {
		return nil
	}
	st := &s.stretch
	*st = Stretch{
		Curve: curve, All: all, Whole: c.whole, Before: c.done, BeforeRows: c.doneRows,
		Points: st.Points[:0], rows: st.rows[:0], rising: st.rising, Classes: append(st.Classes[:0], c.counted...), Ends: st.Ends[:0],
	}
	switch {
	case c.whole && s.sorted.Single():
		s.count(c, entries)
	case c.doubles && !s.Classes && !s.Rows:
		s.weighDoubles(c, entries)
	default:
		s.weigh(c, &s.Totals[curve], entries)
	}
	if whole {
		s.end(c, &s.Totals[curve])
	}
	if c.whole && s.Classes { // the classes of the point under way wait, too
		ended := 0
		if n := len(st.Ends); n > 0 {
			ended = st.Ends[n-1]
		}
		c.counted, st.Classes = append(c.counted[:0], st.Classes[ended:]...), st.Classes[:ended]
	}
	n := len(st.Points) - 1
	if n < 0 {
		return nil
	}
	c.done = st.Points[n]
	if s.Rows {
		c.doneRows = st.Rows(n)
	}
	return st
}

// count does the same as weigh for entries of a single example of weight 1. Most data have no
// weights, and here the hot variables stay in registers.
func (s *Tracer) count(c *curveUnderWay, entries []entry) {
	st := &s.stretch
	points, image, tp, fp := st.Points, c.image, c.tp, c.fp
	for i := range entries {
		e := &entries[i]
		if e.image != image {
			if image != 0 {
				points = append(points, Point{scoreruns.Score(image), float64(tp), float64(fp)})
			}
			image = e.image
		}
		tp += int64(e.kind & 1)
		fp += int64(1 - e.kind&1)
	}
	if s.Classes {
		s.countClasses(c, entries)
	}
	st.Points, c.image, c.tp, c.fp = points, image, tp, fp
}

// countClasses appends the classes of the examples of entries.
func (s *Tracer) countClasses(c *curveUnderWay, entries []entry) {
	classes, ends, image := s.stretch.Classes, s.stretch.Ends, c.image
	for i := range entries {
		e := &entries[i]
		if e.image != image {
			if image != 0 {
				ends = append(ends, len(classes))
			}
			image = e.image
		}
		classes = append(classes, ClassWeight{s.classes[e.kind>>1], 1})
	}
	s.stretch.Classes, s.stretch.Ends = classes, ends
}

// weighDoubles does the same as weigh for weights that doubles can hold, if neither Classes nor
// Rows is set. As in count, the hot variables stay in registers.
func (s *Tracer) weighDoubles(c *curveUnderWay, entries []entry) {
	st := &s.stretch
	points, image, weights, rows := st.Points, c.image, c.weights, [2]int64{c.fp, c.tp}
	for i := range entries {
		e := &entries[i]
		if e.image != image {
			if image != 0 {
				points = append(points, Point{scoreruns.Score(image), weights[positive].rounded(), weights[negative].rounded()})
			}
			image = e.image
		}
		kind, weight, n := e.kind&1, s.sorted.Weight(int(e.at)), s.sorted.Count(int(e.at))
		rows[kind] += n
		if weight != 1 {
			c.others[kind] += n
		}
		of := &weights[kind]
		if n == 1 {
			*of = of.plus(weight)
		} else {
			*of = of.plusRows(weight, n)
		}
		if i%lazyAdditions == 0 {
			weights = weights.normal()
		}
	}
	st.Points, c.image, c.weights, c.fp, c.tp = points, image, weights.normal(), rows[negative], rows[positive]
}

// weigh turns entries into points.
func (s *Tracer) weigh(c *curveUnderWay, t *scoreruns.Totals, entries []entry) {
	for i := range entries {
		e := &entries[i]
		if e.image != c.image {
			s.end(c, t)
			c.image = e.image
		}
		kind, weight, n := e.kind&1, s.sorted.Weight(int(e.at)), s.sorted.Count(int(e.at))
		if kind == positive {
			c.tp += n
			c.positives = true
		} else {
			c.fp += n
			c.negatives = true
		}
		switch {
		case c.doubles:
			c.weights[kind] = c.weights[kind].plusRows(weight, n)
			if weight != 1 {
				c.others[kind] += n
			}
		case kind == positive:
			t.Positive.AddRows(weight, n)
		default:
			t.Negative.AddRows(weight, n)
		}
		switch {
		case !s.Classes:
		case c.whole:
			s.stretch.Classes = append(s.stretch.Classes, ClassWeight{s.classes[e.kind>>1], float64(n)})
		default:
			c.classes = append(c.classes, classRows{s.classes[e.kind>>1], n, weight})
		}
	}
}

// end completes the point under way, if there is one. It rounds the weights that have changed.
func (s *Tracer) end(c *curveUnderWay, t *scoreruns.Totals) {
	if c.image == 0 {
		return
	}
	st, p := &s.stretch, c.done
	if n := len(st.Points); n > 0 {
		p = st.Points[n-1]
	}
	p.Score = scoreruns.Score(c.image)
	switch {
	case c.whole:
		p.TP, p.FP = float64(c.tp), float64(c.fp)
	case c.doubles:
		p.TP, p.FP = c.weights[positive].rounded(), c.weights[negative].rounded()
	case c.positives && c.negatives:
		p.TP, p.FP = t.Positive.Weight(), t.Negative.Weight()
	case c.positives:
		p.TP = t.Positive.Weight()
	default:
		p.FP = t.Negative.Weight()
	}
	st.Points = append(st.Points, p)
	c.image, c.positives, c.negatives = 0, false, false
	if s.Rows && !c.whole {
		st.rows = append(st.rows, Rows{c.tp, c.fp})
	}
	switch {
	case !s.Classes:
	case c.whole:
		st.Ends = append(st.Ends, len(st.Classes))
	default:
		s.endClasses(c)
	}
}

// endClasses adds up the weights of each class at the point.
func (s *Tracer) endClasses(c *curveUnderWay) {
	slices.SortFunc(c.classes, func(a, b classRows) int { return cmp.Compare(a.class, b.class) })
	st := &s.stretch
	for i, of := range c.classes {
		s.sum.AddRows(of.weight, of.rows)
		if i+1 == len(c.classes) || c.classes[i+1].class != of.class {
			st.Classes = append(st.Classes, ClassWeight{of.class, s.sum.Weight()})
			s.sum.Reset()
		}
	}
	st.Ends = append(st.Ends, len(st.Classes))
	c.classes = c.classes[:0]
}
