package curves

import (
	"cmp"
	"slices"

	"github.com/beameval/beameval/metrics/runs"
)

// Stretch is some consecutive points of a curve: one for each score of its examples.
type Stretch struct {
	Curve int  // which; see Sweep.Groups
	All   bool // whether the curve is that of all examples of its slice
	// Before is the last point before these; its score does not matter.
	Before Point
	Points []Point
	Whole  bool // all weights are whole numbers below 2^53
	// BeforeRows are the numbers of positives and negatives at Before; see Rows.
	BeforeRows Rows
	rows       []Rows // at each point, unless Whole
	rising     []uint16
	// Classes are the examples whose score is exactly that of a point, by class. Those of
	// point i begin at Ends[i-1], or at 0, and end at Ends[i]. If Whole, a class may be there
	// several times.
	Classes []ClassWeight
	Ends    []int
}

// Moving returns the points that add weight to the point before them. An Accumulator and an
// Outline take no others. It overwrites Points.
func (s *Stretch) Moving() []Point {
	if s.Whole { // so does every row
		return s.Points
	}
	return moving(s.Before, s.Points)
}

// Rows returns the numbers of positives and negatives at point i, if they were asked for.
func (s *Stretch) Rows(i int) Rows {
	if s.Whole {
		return Rows{int64(s.Points[i].TP), int64(s.Points[i].FP)}
	}
	return s.rows[i]
}

// Rising returns the indices of the points that have positive rows, if numbers of rows were
// asked for. They are valid until the stretch is.
func (s *Stretch) Rising() []uint16 {
	s.rising = slices.Grow(s.rising[:0], len(s.Points))
	room := s.rising[:len(s.Points)]
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

// Rows are numbers of rows.
type Rows struct{ TP, FP int64 }

// ClassWeight is the weight of the examples of a class.
type ClassWeight struct {
	Class  int32
	Weight float64
}

// stretchOf returns the stretch of the points that entries complete, or nil if there are none. The last point may have
// more entries, unless these are whole points. The stretch is valid until the next call.
func (s *Sweep) stretchOf(curve int, all bool, entries []entry, whole bool) *Stretch {
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
	if c.whole && s.Classes { // those of the point under way wait, too
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

// count is weigh for entries of one example that weighs 1: most data have no weights, and what
// is hot stays in registers.
func (s *Sweep) count(c *curveUnderWay, entries []entry) {
	st := &s.stretch
	points, image, tp, fp := st.Points, c.image, c.tp, c.fp
	for i := range entries {
		e := &entries[i]
		if e.image != image {
			if image != 0 {
				points = append(points, Point{runs.Score(image), float64(tp), float64(fp)})
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

// countClasses adds the classes of entries.
func (s *Sweep) countClasses(c *curveUnderWay, entries []entry) {
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

// weighDoubles is weigh for weights that doubles hold, if neither classes nor rows are asked for: what is hot
// stays in registers, as in count.
func (s *Sweep) weighDoubles(c *curveUnderWay, entries []entry) {
	st := &s.stretch
	points, image, weights, rows := st.Points, c.image, c.weights, [2]int64{c.fp, c.tp}
	for i := range entries {
		e := &entries[i]
		if e.image != image {
			if image != 0 {
				points = append(points, Point{runs.Score(image), weights[positive].rounded(), weights[negative].rounded()})
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

// weigh makes points of entries.
func (s *Sweep) weigh(c *curveUnderWay, t *runs.Totals, entries []entry) {
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

// end ends the point under way, if there is one: it rounds the weights that changed.
func (s *Sweep) end(c *curveUnderWay, t *runs.Totals) {
	if c.image == 0 {
		return
	}
	st, p := &s.stretch, c.done
	if n := len(st.Points); n > 0 {
		p = st.Points[n-1]
	}
	p.Score = runs.Score(c.image)
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

// endClasses adds up the classes of the point.
func (s *Sweep) endClasses(c *curveUnderWay) {
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
