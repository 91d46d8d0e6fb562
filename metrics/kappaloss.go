package metrics

import (
	"math"
	"math/big"
	"slices"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// kappaLoss evaluates a function of the disagreement between classes and probabilities.
func kappaLoss(f func(*kappaLosses, *big.Float) Value) evaluator {
	return evaluator{from: kindKappaLoss, overall: func(e *evaluation, _ choice) Value {
		return f(statisticOf[*kappaLosses](e, kindKappaLoss), e.weight().Big())
	}}
}

// kappaLosses totals the disagreement of probabilities with true classes, and what is needed to
// compute disagreement by chance: the weight of each class among labels and among probabilities.
// Classes are in the order of the labels. c is the true class or, for a soft label, the mean class.
type kappaLosses struct {
	margins           fields.Keyed[margin, *margin] // by class
	linear, quadratic exact.Sum                     // Σ w Σ |c-j| p_j, Σ w Σ (c-j)² p_j
}

// margin is the total weight of a class among labels and among probabilities.
type margin struct{ truth, predicted exact.Sum }

func (m *margin) Empty() bool { return m.truth.Empty() && m.predicted.Empty() }

func (m *margin) Fields(v *fields.Visitor, from *margin) {
	fields.Visit(v, &m.truth, &from.truth)
	fields.Visit(v, &m.predicted, &from.predicted)
}

func (s *kappaLosses) Fold(b *Batch, rows []int32) {
	for block := range slices.Chunk(rows, blockOfRows) {
		s.foldPredicted(b, block)
	}
	for _, r := range rows {
		w, at := b.weight(r), int(r)*b.Labels
		class := float64(b.Class[r])
		if b.Distribution == nil {
			s.margins.Value(uint64(b.Class[r])).truth.Add(w)
		} else {
			class = 0
			for k, t := range b.Distribution[at:][:b.Labels] {
				class += float64(float64(k) * t)
				addWeighted(&s.margins.Value(uint64(k)).truth, w, t)
			}
		}
		linear, quadratic := 0.0, 0.0
		for k, p := range b.Probability[at:][:b.Labels] {
			d := math.Abs(class - float64(k))
			linear += float64(d * p)
			quadratic += float64(float64(d*d) * p)
		}
		addWeighted(&s.linear, w, linear)
		addWeighted(&s.quadratic, w, quadratic)
	}
}

// foldPredicted adds the probabilities of a block of rows class by class, which keeps the sums in
// registers.
func (s *kappaLosses) foldPredicted(b *Batch, block []int32) {
	var ones [blockOfRows]float64 // the probabilities of rows of weight 1
	for k := range b.Labels {
		to, n := &s.margins.Value(uint64(k)).predicted, 0
		for _, r := range block {
			p := b.Probability[int(r)*b.Labels+k]
			if w := b.weight(r); w != 1 {
				to.AddProduct(w, p)
				continue
			}
			ones[n] = p
			n++
		}
		to.AddAll(ones[:n])
	}
}

// addWeighted adds w·x exactly, so that an example of weight 3 has the same result as three
// examples.
func addWeighted(s *exact.Sum, w, x float64) {
	if w == 1 {
		s.Add(x)
		return
	}
	s.AddProduct(w, x)
}

func (s *kappaLosses) visit(v *fields.Visitor, from statistic) {
	f := from.(*kappaLosses)
	s.margins.Fields(v, &f.margins)
	fields.Visit(v, &s.linear, &f.linear)
	fields.Visit(v, &s.quadratic, &f.quadratic)
}

func (s *kappaLosses) fits(p *Params) bool { return s.margins.Below(uint64(p.Labels)) }

// kappaLossEpsilon keeps the loss of perfect predictions finite. It is the value of TensorFlow
// Addons.
const kappaLossEpsilon = 1e-6

// noChanceDisagreement is the reason for which a kappa loss is undefined.
const noChanceDisagreement = "disagreement by chance is 0"

// linearKappaLoss weights a disagreement by the distance between the classes. n is the weight of
// all examples.
func linearKappaLoss(s *kappaLosses, n *big.Float) Value {
	return s.loss(&s.linear, linearChance, n)
}

// quadraticKappaLoss weights a disagreement by the square of the distance.
func quadraticKappaLoss(s *kappaLosses, n *big.Float) Value {
	return s.loss(&s.quadratic, quadraticChance, n)
}

// loss returns log(observed / (chance/n) + epsilon). It is undefined if all labels and all
// probability are on one class, because then there is no disagreement by chance to compare with.
func (s *kappaLosses) loss(observed *exact.Sum, chance func(classes []int, truth, predicted []*big.Float) *big.Float, n *big.Float) Value {
	if n.Sign() <= 0 {
		return Undefined(noExamples)
	}
	var classes []int
	var truth, predicted []*big.Float
	disagreement, finite := observed.Big()
	for k, m := range s.margins.All() {
		t, finiteTruth := m.truth.Big()
		p, finitePredicted := m.predicted.Big()
		finite = finite && finiteTruth && finitePredicted
		classes, truth, predicted = append(classes, int(k)), append(truth, t), append(predicted, p)
	}
	if !finite {
		return Undefined(notANumber)
	}
	byChance := chance(classes, truth, predicted)
	if byChance.Sign() <= 0 {
		return Undefined(noChanceDisagreement)
	}
	return defined(elementary.Log(over(product(disagreement, n), byChance) + kappaLossEpsilon))
}
