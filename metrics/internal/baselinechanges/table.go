// Package baselinechanges counts what differs between two predictions of the same examples: the baseline's
// and the evaluated model's.
package baselinechanges

import (
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// Table counts examples by the class that the baseline predicts, the class that is predicted now, and
// which of the two is right. Only cells that occur take memory. Tables are a commutative monoid.
type Table struct {
	cells   fields.Keyed[cell, *cell]
	classes uint64
}

// cell is the tally of the examples of a cell.
type cell struct{ exact.Tally }

// Fields implements fields.Record.
func (c *cell) Fields(v *fields.Visitor, from *cell) { fields.Visit(v, &c.Tally, &from.Tally) }

// Which predictions of a cell are right.
const (
	neither = iota
	onlyOld
	onlyNew // or both, if they are equal
	outcomes
)

// NewTable returns an empty table of a number of classes.
func NewTable(classes int) *Table { return &Table{classes: uint64(classes)} }

// Classes returns the number of classes; 0 if it is not known.
func (t *Table) Classes() int { return int(t.classes) }

// Add adds an example of weight w with the class truth.
func (t *Table) Add(truth, old, now int32, w float64) {
	right := uint64(neither)
	switch truth {
	case now:
		right = onlyNew
	case old:
		right = onlyOld
	}
	t.cells.Value((uint64(old)*t.classes+uint64(now))*outcomes + right).Add(w)
}

// Fields implements fields.Record.
func (t *Table) Fields(v *fields.Visitor, from *Table) {
	classes := int(t.classes)
	v.Size(&classes, int(from.classes))
	t.classes = uint64(classes)
	t.cells.Fields(v, &from.cells)
	if !v.Decodes() {
		return
	}
	for key := range t.cells.All() {
		old, now, right := t.split(key)
		if old >= t.classes || old == now && right == onlyOld {
			v.Fail("changes of predictions: cell %d of %d classes", key, t.classes)
			return
		}
	}
}

// Relabelled returns the table of the same examples among more classes, where class i is to[i].
func (t *Table) Relabelled(to []int32, classes int) Table {
	return Table{classes: uint64(classes), cells: t.cells.Rekeyed(func(key uint64) uint64 {
		old, now, right := t.split(key)
		return (uint64(to[old])*uint64(classes)+uint64(to[now]))*outcomes + right
	})}
}

// split returns what the key of a cell stands for.
func (t *Table) split(key uint64) (old, now, right uint64) {
	pair := key / outcomes
	if t.classes == 0 {
		return 0, 0, 0 // not below the number of classes
	}
	return pair / t.classes, pair % t.classes, key % outcomes
}

// Flow holds the examples whose class was Old and is Now: all of them, and the ones that became
// right and wrong.
type Flow struct {
	Old, Now          int
	All, Right, Wrong exact.Tally
}

// Flows returns the flows that are not empty, by old and new class.
func (t *Table) Flows() (list []Flow) {
	for key, n := range t.cells.All() {
		old, now, right := t.split(key)
		if k := len(list); k == 0 || list[k-1].Old != int(old) || list[k-1].Now != int(now) {
			list = append(list, Flow{Old: int(old), Now: int(now)})
		}
		f := &list[len(list)-1]
		f.All.Merge(&n.Tally)
		switch {
		case old == now:
		case right == onlyNew:
			f.Right.Merge(&n.Tally)
		case right == onlyOld:
			f.Wrong.Merge(&n.Tally)
		}
	}
	return list
}

// Counts are the tallies of all examples by what happened to them.
type Counts struct {
	All, Changed exact.Tally
	// By whether the baseline and the new prediction are right.
	BothRight, BothWrong, Regressions, Improvements exact.Tally
	// By the old and the new class; for a binary task or a label.
	NegNeg, NegPos, PosNeg, PosPos exact.Tally
}

// Counts returns the tallies of the table.
func (t *Table) Counts() *Counts {
	c := new(Counts)
	for key, n := range t.cells.All() {
		old, now, right := t.split(key)
		c.All.Merge(&n.Tally)
		if old != now {
			c.Changed.Merge(&n.Tally)
		}
		switch {
		case right == onlyOld:
			c.Regressions.Merge(&n.Tally)
		case right == neither:
			c.BothWrong.Merge(&n.Tally)
		case old == now:
			c.BothRight.Merge(&n.Tally)
		default:
			c.Improvements.Merge(&n.Tally)
		}
		if t.classes == 2 {
			[]*exact.Tally{&c.NegNeg, &c.NegPos, &c.PosNeg, &c.PosPos}[2*old+now].Merge(&n.Tally)
		}
	}
	return c
}
