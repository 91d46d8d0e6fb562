package ppi

import (
	"math/big"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/multiprecision"
)

// Shares are the Sums of each class. In a class's Sums, the label of a row is 1 if it is the class
// and otherwise 0, and so is the judgement. What all classes have in common is stored once; the
// rest grows with the number of classes that occur. The zero Shares are empty and ready to use.
type Shares struct {
	labelled, unlabelled mass
	each                 fields.Keyed[share, *share]
}

// mass is the weight of rows, and the sum of its squares.
type mass struct{ rows, squares exact.Tally }

func (m *mass) add(w float64) {
	m.rows.Add(w)
	m.squares.Add(float64(w * w))
}

// share holds what rows of a class weigh: among rows with a label, by the label, by the judgement
// and by both; among rows without a label, by the judgement.
type share struct{ y, f, both, unlabelled mass }

// AddLabelled adds a row whose label is class y, and whose judgement is class f.
func (s *Shares) AddLabelled(w float64, y, f int32) {
	if w == 0 {
		return
	}
	s.labelled.add(w)
	of := s.each.Value(uint64(y))
	if of.y.add(w); y == f {
		of.both.add(w)
	} else {
		of = s.each.Value(uint64(f))
	}
	of.f.add(w)
}

// AddUnlabelled adds a row without a label whose judgement is class f.
func (s *Shares) AddUnlabelled(w float64, f int32) {
	if w == 0 {
		return
	}
	s.unlabelled.add(w)
	s.each.Value(uint64(f)).unlabelled.add(w)
}

// Of returns the sums of a class. Adding to them, or to s, may change the other.
func (s *Shares) Of(class int) *Sums {
	of := s.each.Lookup(uint64(class))
	if of == nil {
		of = new(share)
	}
	return &Sums{
		labelled: s.labelled.judging(&of.f), unlabelled: s.unlabelled.judging(&of.unlabelled),
		y: of.y.first(), yy: multiprecision.ProductsOf(of.y.squares.Sum()), yf: multiprecision.ProductsOf(of.both.squares.Sum()),
	}
}

// judging returns the sums of the rows of m, with judgement 1 for the rows of f and 0 for the
// others.
func (m *mass) judging(f *mass) judgements {
	return judgements{rows: m.rows, squares: m.squares.Sum(), f: f.first(), ff: multiprecision.ProductsOf(f.squares.Sum())}
}

// first returns the first moments of a number that is 1 in these rows.
func (m *mass) first() first { return first{m.rows.Sum(), m.squares.Sum()} }

// Labelled returns the rows whose label is a class.
func (s *Shares) Labelled(class int) *exact.Tally {
	if of := s.each.Lookup(uint64(class)); of != nil {
		return &of.y.rows
	}
	return new(exact.Tally)
}

// Judged returns the number of rows with a judgement that have weight.
func (s *Shares) Judged() int64 { return s.labelled.rows.Rows() + s.unlabelled.rows.Rows() }

// Below reports whether all classes are less than limit.
func (s *Shares) Below(limit int) bool { return s.each.Below(uint64(limit)) }

// Agreement holds weights of rows with a label: by class of the label, by class of the judgement,
// of all rows, and of the rows where label and judgement differ.
type Agreement struct {
	Classes       []int
	Label, Judged []*big.Float
	Total, Differ *big.Float
}

// Agreement returns how judgements agree with labels.
func (s *Shares) Agreement() (a Agreement) {
	a.Total = s.labelled.rows.Big()
	a.Differ = multiprecision.Zero().Set(a.Total)
	for class, of := range s.each.All() {
		a.Classes = append(a.Classes, int(class))
		a.Label, a.Judged = append(a.Label, of.y.rows.Big()), append(a.Judged, of.f.rows.Big())
		a.Differ.Sub(a.Differ, of.both.rows.Big())
	}
	return a
}

// Fields lists the fields.
func (s *Shares) Fields(v *fields.Visitor, from *Shares) {
	s.labelled.fields(v, &from.labelled)
	s.unlabelled.fields(v, &from.unlabelled)
	s.each.Fields(v, &from.each)
}

// Empty reports whether no row is of the class.
func (s *share) Empty() bool {
	return s.y.rows.Empty() && s.f.rows.Empty() && s.unlabelled.rows.Empty()
}

// Fields lists the fields.
func (s *share) Fields(v *fields.Visitor, from *share) {
	s.y.fields(v, &from.y)
	s.f.fields(v, &from.f)
	s.both.fields(v, &from.both)
	s.unlabelled.fields(v, &from.unlabelled)
}

func (m *mass) fields(v *fields.Visitor, from *mass) {
	fields.Visit(v, &m.rows, &from.rows)
	fields.Visit(v, &m.squares, &from.squares)
}
