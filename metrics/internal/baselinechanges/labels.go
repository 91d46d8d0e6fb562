package baselinechanges

import (
	"iter"
	"math"
	"slices"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// Labels counts, for each label, the examples by whether the label is true, whether the baseline
// predicts it, and whether it is predicted now. Examples without all three are not counted, so only
// labels that occur take memory. Labels are a commutative monoid.
type Labels struct {
	cells fields.Keyed[cell, *cell]   // by label and a set of the bits below
	moved fields.Keyed[shift, *shift] // by label: Σ w |Δ| of its scores, if there are any
}

// Whether a label of an example is predicted now, was predicted by the baseline, and is true: a set
// of bits.
const (
	isNow = 1 << iota
	wasOld
	isTrue
	combinations
)

// shift is a sum in a Keyed.
type shift struct{ exact.Sum }

// Fields implements fields.Record.
func (s *shift) Fields(v *fields.Visitor, from *shift) { fields.Visit(v, &s.Sum, &from.Sum) }

// Add adds an example of weight w. The sets of labels are in increasing order.
func (l *Labels) Add(truth, old, now []int32, w float64) {
	for {
		label := int32(math.MaxInt32)
		for _, set := range [...][]int32{truth, old, now} {
			if len(set) > 0 {
				label = min(label, set[0])
			}
		}
		what := uint64(0)
		for _, in := range [...]struct {
			set *[]int32
			bit uint64
		}{{&truth, isTrue}, {&old, wasOld}, {&now, isNow}} {
			if len(*in.set) > 0 && (*in.set)[0] == label {
				*in.set = (*in.set)[1:]
				what |= in.bit
			}
		}
		if what == 0 {
			return // the sets are empty
		}
		l.cells.Value(uint64(label)*combinations + what).Add(w)
	}
}

// Move adds the change of the score of a label in an example of weight w.
func (l *Labels) Move(label int, old, now, w float64) {
	if d := distance(old, now); d != 0 && w != 0 {
		l.moved.Value(uint64(label)).AddProduct(w, d)
	}
}

// Moved returns Σ w |Δ| of the scores of a label.
func (l *Labels) Moved(label int) float64 {
	if s := l.moved.Lookup(uint64(label)); s != nil {
		return s.Float64()
	}
	return 0
}

// Met yields the labels that are true or predicted in some example, in order.
func (l *Labels) Met() iter.Seq[int] {
	return func(yield func(int) bool) {
		last := -1
		for key := range l.cells.All() {
			if label := int(key / combinations); label != last {
				if last = label; !yield(label) {
					return
				}
			}
		}
	}
}

// Positives returns the tally of the examples that a label is true of.
func (l *Labels) Positives(label int) *exact.Tally {
	sum := new(exact.Tally)
	for what := uint64(isTrue); what < combinations; what++ {
		if c := l.cells.Lookup(uint64(label)*combinations + what); c != nil {
			sum.Merge(&c.Tally)
		}
	}
	return sum
}

// Counts returns the tallies of a label, given the tally of all examples.
func (l *Labels) Counts(label int, all *exact.Tally) *Counts {
	c := new(Counts)
	c.All.Merge(all)
	none := new(exact.Tally)
	none.Merge(all)
	for what := uint64(1); what < combinations; what++ {
		if n := l.cells.Lookup(uint64(label)*combinations + what); n != nil {
			none.Subtract(&n.Tally)
			c.add(what&isTrue != 0, what&wasOld != 0, what&isNow != 0, &n.Tally)
		}
	}
	c.add(false, false, false, none)
	return c
}

// Flows returns the flows of a label between the classes 0 (absent) and 1, given the tally of all
// examples. Empty ones are left out.
func (l *Labels) Flows(label int, all *exact.Tally) []Flow {
	c := l.Counts(label, all)
	flows := []Flow{{0, 0, c.NegNeg, exact.Tally{}, exact.Tally{}}, {0, 1, c.NegPos, l.of(label, isNow|isTrue), l.of(label, isNow)},
		{1, 0, c.PosNeg, l.of(label, wasOld), l.of(label, wasOld|isTrue)}, {1, 1, c.PosPos, exact.Tally{}, exact.Tally{}}}
	return slices.DeleteFunc(flows, func(f Flow) bool { return f.All.Empty() })
}

// of returns the tally of a cell.
func (l *Labels) of(label int, what uint64) (n exact.Tally) {
	if c := l.cells.Lookup(uint64(label)*combinations + what); c != nil {
		n.Merge(&c.Tally)
	}
	return n
}

// add adds a tally of the examples of a label, which differs from All.
func (c *Counts) add(truth, old, now bool, n *exact.Tally) {
	switch {
	case old == now && now == truth:
		c.BothRight.Merge(n)
	case old == now:
		c.BothWrong.Merge(n)
	case old == truth:
		c.Regressions.Merge(n)
	default:
		c.Improvements.Merge(n)
	}
	switch {
	case old && now:
		c.PosPos.Merge(n)
	case old:
		c.PosNeg.Merge(n)
	case now:
		c.NegPos.Merge(n)
	default:
		c.NegNeg.Merge(n)
	}
	if old != now {
		c.Changed.Merge(n)
	}
}

// Below reports whether all labels are less than limit.
func (l *Labels) Below(limit uint64) bool {
	return l.cells.Below(limit*combinations) && l.moved.Below(limit)
}

// Fields implements fields.Record.
func (l *Labels) Fields(v *fields.Visitor, from *Labels) {
	l.cells.Fields(v, &from.cells)
	l.moved.Fields(v, &from.moved)
	if !v.Decodes() {
		return
	}
	for key := range l.cells.All() {
		if key%combinations == 0 || key/combinations > math.MaxInt32 {
			v.Fail("changes of labels: cell %d", key)
			return
		}
	}
}
