package curves

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
)

// Sweep goes through examples from the highest score to the lowest and finds the points of
// the curve of each slice.
type Sweep struct {
	Tags []runs.Tag // what the tags of the entries stand for
	// Positive is the class of the positive examples; all others are negative.
	Positive int32
	// Totals holds, by slice, the examples with higher scores than those to sweep.
	// Stretches adds the swept ones.
	Totals []runs.Totals
	// Rows and Classes say whether stretches have numbers of rows, and classes.
	Rows, Classes bool
}

// Stretch is some consecutive points of the curve of a slice: one for each score of its
// examples.
type Stretch struct {
	Slice int32
	// Before is the last point before these; its score does not matter.
	Before Point
	Points []Point
	Whole  bool // all weights are whole numbers below 2^53
	// BeforeRows and Rows are the numbers of positives and negatives at Before and at each
	// point.
	BeforeRows Rows
	Rows       []Rows
	// Classes are the examples whose score is exactly that of a point, by class. Those of
	// point i begin at Ends[i-1], or at 0, and end at Ends[i].
	Classes []ClassWeight
	Ends    []int
}

// Moving returns the points that add weight to the point before them. An Accumulator and an
// Outline take no others. It overwrites Points.
func (s *Stretch) Moving() []Point { return moving(s.Before, s.Points) }

// Rows are numbers of rows.
type Rows struct{ TP, FP int64 }

// ClassWeight is the weight of the examples of a class.
type ClassWeight struct {
	Class  int32
	Weight float64
}

// stretchPoints is how many points a stretch has at most: enough for most of them to be
// skipped, few enough to stay in a cache.
const stretchPoints = 8192

// Stretches calls emit with all stretches of every slice. Those of a slice come in order. A
// stretch is emit's until emit returns: then its memory is used again.
func (s *Sweep) Stretches(sorted *runs.Sorted, emit func(*Stretch)) error {
	if err := s.check(); err != nil {
		return err
	}
	w := newSweeping(s, sorted, emit)
	for i := range sorted.Len() {
		e := sorted.Entry(i)
		if int(e.Tag) >= len(s.Tags) {
			return fmt.Errorf("tag %d of %d", e.Tag, len(s.Tags))
		}
		w.add(&e)
	}
	w.finish()
	return nil
}

// check checks the slices of the tags.
func (s *Sweep) check() error {
	for i := range s.Tags {
		before := int32(-1)
		for _, slice := range s.Tags[i].Slices {
			if slice <= before || int(slice) >= len(s.Totals) {
				return fmt.Errorf("tag %d: slices %d are not ascending or not of %d", i, s.Tags[i].Slices, len(s.Totals))
			}
			before = slice
		}
	}
	return nil
}

// sweeping is a sweep under way.
type sweeping struct {
	*Sweep
	emit   func(*Stretch)
	curves []sliceCurve // by slice
	sum    exact.Tally  // empty, but while classes are added up
}

// sliceCurve is the curve of a slice; its last point is not yet done.
type sliceCurve struct {
	Stretch
	image  uint64 // of the last point
	tp, fp int64  // rows up to the last point
	// positives and negatives say whether there are any at the last point.
	positives, negatives bool
	classes              []classRows // of the last point
}

// classRows are some examples of a class, of one weight.
type classRows struct {
	class  int32
	rows   uint32
	weight float64
}

func newSweeping(s *Sweep, sorted *runs.Sorted, emit func(*Stretch)) *sweeping {
	w := &sweeping{Sweep: s, emit: emit, curves: make([]sliceCurve, len(s.Totals))}
	for i := range w.curves {
		c, t := &w.curves[i], &s.Totals[i]
		c.tp, c.fp = t.Positive.Rows(), t.Negative.Rows()
		c.Stretch = Stretch{
			Slice: int32(i), BeforeRows: Rows{c.tp, c.fp},
			Before: Point{TP: t.Positive.Weight(), FP: t.Negative.Weight()},
			Whole:  !sorted.Weighted() && t.Positive.Ones() && t.Negative.Ones(),
		}
	}
	return w
}

// finish emits what is left, and completes the totals.
func (w *sweeping) finish() {
	for i := range w.curves {
		c, t := &w.curves[i], &w.Totals[i]
		if len(c.Points) > 0 {
			w.flush(c)
		}
		if c.Whole {
			t.Positive.AddOnes(c.tp - t.Positive.Rows())
			t.Negative.AddOnes(c.fp - t.Negative.Rows())
		}
	}
}

// add adds an entry to its slices.
func (w *sweeping) add(e *runs.Entry) {
	tag := &w.Tags[e.Tag]
	positive := tag.Class == w.Positive
	for _, slice := range tag.Slices {
		c := &w.curves[slice]
		if e.Image != c.image || len(c.Points) == 0 {
			w.begin(c, e.Image)
		}
		if positive {
			c.tp += int64(e.Count)
			c.positives = true
		} else {
			c.fp += int64(e.Count)
			c.negatives = true
		}
		if !c.Whole {
			w.weigh(slice, positive, e)
		}
		if w.Classes {
			c.classes = append(c.classes, classRows{tag.Class, e.Count, e.Weight})
		}
	}
}

// weigh adds the weight of an entry to the totals of a slice.
func (w *sweeping) weigh(slice int32, positive bool, e *runs.Entry) {
	if t := &w.Totals[slice]; positive {
		t.Positive.AddRows(e.Weight, int64(e.Count))
	} else {
		t.Negative.AddRows(e.Weight, int64(e.Count))
	}
}

// begin begins a point.
func (w *sweeping) begin(c *sliceCurve, image uint64) {
	switch len(c.Points) {
	case 0:
	case stretchPoints:
		w.flush(c)
	default:
		w.end(c)
	}
	c.Points = append(c.Points, Point{Score: runs.Score(image)})
	c.image = image
}

// end ends the last point: it rounds the weights that changed.
func (w *sweeping) end(c *sliceCurve) {
	last, before := len(c.Points)-1, &c.Before
	if last > 0 {
		before = &c.Points[last-1]
	}
	p := &c.Points[last]
	p.TP, p.FP = before.TP, before.FP
	switch t := &w.Totals[c.Slice]; {
	case c.Whole:
		p.TP, p.FP = float64(c.tp), float64(c.fp)
	case c.positives && c.negatives:
		p.TP, p.FP = t.Positive.Weight(), t.Negative.Weight()
	case c.positives:
		p.TP = t.Positive.Weight()
	default:
		p.FP = t.Negative.Weight()
	}
	c.positives, c.negatives = false, false
	if w.Rows {
		c.Rows = append(c.Rows, Rows{c.tp, c.fp})
	}
	if w.Classes {
		w.endClasses(c)
	}
}

// endClasses adds up the classes of the last point.
func (w *sweeping) endClasses(c *sliceCurve) {
	slices.SortFunc(c.classes, func(a, b classRows) int { return cmp.Compare(a.class, b.class) })
	for i, of := range c.classes {
		w.sum.AddRows(of.weight, int64(of.rows))
		if i+1 == len(c.classes) || c.classes[i+1].class != of.class {
			c.Classes = append(c.Classes, ClassWeight{of.class, w.sum.Weight()})
			w.sum.Reset()
		}
	}
	c.Ends = append(c.Ends, len(c.Classes))
	c.classes = c.classes[:0]
}

// flush ends the last point and emits all points.
func (w *sweeping) flush(c *sliceCurve) {
	w.end(c)
	last := c.Points[len(c.Points)-1]
	w.emit(&c.Stretch)
	c.Before, c.BeforeRows = last, Rows{c.tp, c.fp}
	c.Points, c.Rows, c.Classes, c.Ends = c.Points[:0], c.Rows[:0], c.Classes[:0], c.Ends[:0]
}
