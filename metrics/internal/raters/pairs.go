package raters

import (
	"fmt"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// Pairs is the statistic of how each two raters agree. Only pairs that rate the same example take memory.
type Pairs struct {
	raters int
	limit  int // of values of a pair
	pairs  fields.Keyed[pair, *pair]
}

// pair counts the examples that two raters rate, the lower one first, and the examples that both rate equally.
type pair struct {
	both, agreed exact.Tally
	values       limited[marginal, *marginal]
}

func (p *pair) Empty() bool { return p.both.Empty() }

// Fields lists the fields.
func (p *pair) Fields(v *fields.Visitor, from *pair) {
	fields.Visit(v, &p.both, &from.both)
	fields.Visit(v, &p.agreed, &from.agreed)
	p.values.Fields(v, &from.values)
}

// marginal counts the ratings of one value by each of both raters.
type marginal struct{ first, second exact.Tally }

func (m *marginal) Empty() bool { return m.first.Empty() && m.second.Empty() }

// Fields lists the fields.
func (m *marginal) Fields(v *fields.Visitor, from *marginal) {
	fields.Visit(v, &m.first, &from.first)
	fields.Visit(v, &m.second, &from.second)
}

// NewPairs returns no pairs of a number of raters. A pair gives up beyond a number of values.
func NewPairs(raters, limit int) *Pairs { return &Pairs{raters: raters, limit: limit} }

// Fits reports whether the pairs are of a number of raters and a limit, unless that is 0, or can only be merged into.
func (s *Pairs) Fits(raters, limit int) bool {
	return s.raters == 0 || s.raters == raters && (limit == 0 || s.limit == limit)
}

// Add adds an example with its ratings, each by another rater, in the order of these.
func (s *Pairs) Add(w float64, ratings []float64, by []int32) {
	if w == 0 {
		return
	}
	for j, y := range ratings {
		for i, x := range ratings[:j] {
			p := s.pairs.Value(uint64(by[i])*uint64(s.raters) + uint64(by[j]))
			p.both.Add(w)
			if x == y {
				p.agreed.Add(w)
			}
			if of := p.values.value(x, s.limit); of != nil {
				of.first.Add(w)
			}
			if of := p.values.value(y, s.limit); of != nil {
				of.second.Add(w)
			}
		}
	}
}

// Fields lists the fields.
func (s *Pairs) Fields(v *fields.Visitor, from *Pairs) {
	v.Size(&s.raters, from.raters)
	v.Size(&s.limit, from.limit)
	s.pairs.Fields(v, &from.pairs)
	for key, p := range s.pairs.All() {
		if n := uint64(s.raters); v.Decodes() && (n == 0 || key/n >= key%n) {
			v.Fail("pair %d of %d raters", key, s.raters)
			return
		}
		p.values.restrict(v, s.limit)
	}
}

// Rekeyed returns a copy in which other numbers identify the raters, in the same order, of more raters.
func (s *Pairs) Rekeyed(of func(rater uint64) uint64, raters int) *Pairs {
	n := uint64(max(s.raters, 1))
	return &Pairs{raters, s.limit, s.pairs.Rekeyed(func(key uint64) uint64 { return of(key/n)*uint64(raters) + of(key%n) })}
}

// Pair is how two raters agree. Kappa is Cohen's κ, unless it is undefined.
type Pair struct {
	A, B      int
	Examples  int64 // that both rate
	Agreement float64
	Kappa     float64
	Undefined string

	weight, chance float64 // the weight of these examples, and how often both would agree by chance
}

// All returns all pairs that rate the same examples, in order. over says what to do if there are too many values.
func (s *Pairs) All(over string) (list []Pair) {
	n := uint64(max(s.raters, 1))
	for key, p := range s.pairs.All() {
		of := Pair{A: int(key / n), B: int(key % n), Examples: p.both.Rows(), weight: p.both.Weight()}
		of.Agreement = p.agreed.Weight() / of.weight
		if p.values.over {
			of.Undefined = fmt.Sprintf(tooManyOfThe, s.limit) + over
		} else {
			of.chance = p.chance(of.weight)
			of.Kappa, of.Undefined = beyondChance(of.Agreement, of.chance)
		}
		list = append(list, of)
	}
	return list
}

// chance returns how often both raters would agree by chance.
func (p *pair) chance(weight float64) float64 {
	var sum exact.Sum
	for _, m := range p.values.values.All() {
		sum.AddProduct(m.first.Weight()/weight, m.second.Weight()/weight)
	}
	return sum.Float64()
}

// MeanKappa returns the mean of the κ of all pairs that have one, and the number of the others (Light 1971).
func MeanKappa(pairs []Pair) (kappa float64, without int, why string) {
	var sum exact.Sum
	for i := range pairs {
		if why = pairs[i].Undefined; why != "" {
			without++
			continue
		}
		sum.Add(pairs[i].Kappa)
	}
	switch n := len(pairs) - without; {
	case n > 0:
		return sum.Float64() / float64(n), without, ""
	case len(pairs) > 0:
		return 0, without, why
	}
	return 0, 0, NoneTwice
}

// KappaOf returns how far a rater agrees with all others beyond chance: κ with the agreement, and the agreement by chance, of
// all examples that the rater shares with another (Schouten 1982).
func KappaOf(rater int, pairs []Pair) (kappa float64, why string) {
	var weight, agreed, chance exact.Sum
	for i := range pairs {
		p := &pairs[i]
		switch {
		case p.A != rater && p.B != rater:
			continue
		case p.Undefined != "" && p.Undefined != AllEqual:
			return 0, p.Undefined
		}
		weight.Add(p.weight)
		agreed.AddProduct(p.weight, p.Agreement)
		chance.AddProduct(p.weight, p.chance)
	}
	w := weight.Float64()
	if w == 0 {
		return 0, NoneTwice
	}
	return beyondChance(agreed.Float64()/w, chance.Float64()/w)
}
