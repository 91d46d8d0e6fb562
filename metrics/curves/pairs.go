package curves

import (
	"math"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// Pairs counts, by the scores of one class, the pairs of an example of that class and an example of
// another in which the former has the higher score. Ties count one half, and a pair weighs the
// product of the weights of its examples. Each other class is counted separately. The zero Pairs is
// empty and ready to use.
type Pairs struct {
	twice []exact.Sum // by the other class: twice the number of pairs
}

// maxClasses bounds the memory that an invalid class can claim.
const maxClasses = 1 << 24

// Add adds the examples of another class with one score. weight is their total weight; above and
// atOrAbove are the weights of the examples of the class itself with a higher score, and with that
// score or a higher one.
func (p *Pairs) Add(other int, weight, above, atOrAbove float64) {
	if other < 0 || other >= maxClasses {
		return
	}
	p.grow(other + 1)
	p.twice[other].AddProduct(weight, above)
	p.twice[other].AddProduct(weight, atOrAbove)
}

// AddStretch adds the examples of other classes in a stretch of the curve of class own, score by
// score. The stretch must have Classes.
func (p *Pairs) AddStretch(s *Stretch, own int32) {
	if s.Whole {
		p.addWhole(s, own)
		return
	}
	above, from := s.Before.TP, 0
	for i, end := range s.Ends {
		for _, other := range s.Classes[from:end] {
			if other.Class != own {
				p.Add(int(other.Class), other.Weight, above, s.Points[i].TP)
			}
		}
		above, from = s.Points[i].TP, end
	}
}

// addWhole does the same as AddStretch for whole numbers, with integer products.
func (p *Pairs) addWhole(s *Stretch, own int32) {
	var sums []integer // by class
	above, from := wholeOf(s.Before.TP), 0
	for i, end := range s.Ends {
		atOrAbove := wholeOf(s.Points[i].TP)
		for _, other := range s.Classes[from:end] {
			for int(other.Class) >= len(sums) {
				sums = append(sums, integer{})
			}
			sums[other.Class].addProduct(wholeOf(other.Weight), above+atOrAbove)
		}
		above, from = atOrAbove, end
	}
	p.grow(len(sums))
	for class := range sums {
		if class != int(own) {
			sums[class].addTo(&p.twice[class], 1)
		}
	}
}

func (p *Pairs) grow(classes int) {
	if missing := classes - len(p.twice); missing > 0 {
		p.twice = append(p.twice, make([]exact.Sum, missing)...)
	}
}

// Fields lists the fields.
func (p *Pairs) Fields(v *fields.Visitor, from *Pairs) {
	if !v.Codes() {
		p.grow(len(from.twice))
	} else {
		for len(p.twice) > 0 && p.twice[len(p.twice)-1].Empty() {
			p.twice = p.twice[:len(p.twice)-1]
		}
		if n := v.Length(len(p.twice)); v.Reading() {
			p.twice = make([]exact.Sum, n)
		}
	}
	for i := range from.twice {
		fields.Visit(v, &p.twice[i], &from.twice[i])
	}
}

// won returns the weight of the pairs with the other class.
func (p *Pairs) won(other int) float64 {
	if other < 0 || other >= len(p.twice) {
		return 0
	}
	return p.twice[other].Float64() / 2
}

// OneVsOneROCAUC returns the mean, over all pairs of classes that have examples, of the ROC AUC of
// the pair, which is the mean of A(i|j), by the scores of class i, and A(j|i) (Hand and Till 2001).
// It equals scikit-learn's roc_auc_score with multi_class="ovo" and average="macro". With
// byExamples, a pair of classes is weighted by its examples, as with average="weighted". pairs[i]
// is by the scores of class i, and weights[i] is the total weight of class i. The value is
// undefined if fewer than two classes have examples.
func OneVsOneROCAUC(pairs []Pairs, weights []float64, byExamples bool) Value {
	total, all := 0.0, 0.0
	n := min(len(pairs), len(weights))
	for j := range n {
		for i := range j {
			if !(weights[i] > 0 && weights[j] > 0) {
				continue
			}
			auc := (pairs[i].won(j) + pairs[j].won(i)) / 2 / weights[i] / weights[j]
			w := 1.0
			if byExamples {
				w = weights[i] + weights[j]
			}
			total += float64(w * auc)
			all += w
		}
	}
	switch {
	case all == 0:
		return undefined(noPairs)
	case math.IsInf(all, 0) || math.IsInf(total, 0) || math.IsNaN(total):
		return undefined(tooLarge)
	}
	return share(total, all)
}
