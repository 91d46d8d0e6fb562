package metrics

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/wide"
)

// classShares is the statistic of the true shares of the classes: Σ w t of each, and Σ w Σ t² over all, t being
// 1 for the true class and 0 for others, or the distribution of a soft label.
type classShares struct {
	fields.Keyed[shareSum, *shareSum]
	squares exact.Sum
}

// shareSum is a sum in a Keyed.
type shareSum struct{ exact.Sum }

func (s *shareSum) Fields(v *fields.Visitor, from *shareSum) { fields.Visit(v, &s.Sum, &from.Sum) }

func (s *classShares) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		w := b.weight(r)
		if b.Distribution == nil {
			s.Value(uint64(b.Class[r])).Add(w)
			s.squares.Add(w)
			continue
		}
		squares := 0.0
		for class, t := range b.Distribution[int(r)*b.Labels:][:b.Labels] {
			if t != 0 {
				s.Value(uint64(class)).AddProduct(w, t)
				squares += float64(t * t)
			}
		}
		s.squares.AddProduct(w, squares)
	}
}

func (s *classShares) visit(v *fields.Visitor, from statistic) {
	f := from.(*classShares)
	s.Keyed.Fields(v, &f.Keyed)
	fields.Visit(v, &s.squares, &f.squares)
}

func (s *classShares) fits(p *Params) bool { return s.Below(uint64(p.classes())) }

// brierOfShares returns the brier of always predicting the shares of the classes: the mean of Σ t² less Σ of the
// squares of the shares.
func brierOfShares(s *classShares, all *exact.Tally) float64 {
	weight := all.Big()
	squares, finite := s.squares.Big()
	if !finite {
		return math.NaN()
	}
	difference := wide.Product(weight, squares)
	for _, sum := range s.All() {
		of, _ := sum.Big()
		difference.Sub(difference, wide.Product(of, of))
	}
	return wide.Over(difference, wide.Product(weight, weight))
}

// entropyOfShares returns the log loss of always predicting the shares of the classes.
func entropyOfShares(s *classShares, all *exact.Tally) float64 {
	entropy, weight := 0.0, all.Big()
	for _, sum := range s.All() {
		of, finite := sum.Big()
		if !finite {
			return math.NaN()
		}
		share := wide.Over(of, weight)
		log := elementary.Log(share)
		if share > 0.5 { // the logarithm is of the others
			log = elementary.Log1p(-wide.Over(wide.Difference(weight, of), weight))
		}
		entropy -= float64(share * log)
	}
	return entropy
}

// skillOf evaluates which share of a loss probabilities save, compared with always predicting the shares of the
// classes.
func skillOf(loss measure, ofShares func(*classShares, *exact.Tally) float64) evaluator {
	ev := mean(loss).onRequest()
	of := ev.overall
	ev.isMean, ev.also = false, kindClassShares
	ev.overall = func(e *evaluation, c choice) Value {
		v := of(e, c)
		if v.Undefined != "" {
			return v
		}
		s := statisticOf[*classShares](e, kindClassShares)
		reference := ofShares(s, e.weight())
		if !(reference > 0) {
			return Undefined("all examples are of one class")
		}
		return defined(1 - v.Number/reference)
	}
	return ev
}
