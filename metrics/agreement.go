package metrics

import (
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/beameval/beameval/metrics/exact"
)

// margins are the row and column totals of a confusion matrix. They stay exact,
// for where one class dominates, agreement is a difference of nearly equal
// products.
type margins struct {
	classes          []int        // those met, in increasing order
	truth, predicted []*big.Float // of each
	total, wrong     *big.Float
}

func (s *confusion) margins() margins {
	var truth, predicted cells[exact.Tally, *exact.Tally]
	var total, wrong exact.Tally
	met := make(map[int]bool)
	for e := range s.entries() {
		met[e.truth], met[e.predicted] = true, true
		truth.at(uint64(e.truth)).Merge(e.tally)
		predicted.at(uint64(e.predicted)).Merge(e.tally)
		total.Merge(e.tally)
		if e.truth != e.predicted {
			wrong.Merge(e.tally)
		}
	}
	m := margins{classes: slices.Sorted(maps.Keys(met)), total: total.Big(), wrong: wrong.Big()}
	for _, k := range m.classes {
		m.truth = append(m.truth, truth.at(uint64(k)).Big())
		m.predicted = append(m.predicted, predicted.at(uint64(k)).Big())
	}
	return m
}

// actual is the weight of the examples of a class.
func (m *margins) actual(class int) *big.Float {
	k, _ := slices.BinarySearch(m.classes, class)
	return m.truth[k]
}

func multiclassAccuracy(_ *confusion, m margins) Value {
	if m.total.Sign() <= 0 {
		return undefined(noExamples)
	}
	return defined(over(difference(m.total, m.wrong), m.total))
}

// multiclassBalancedAccuracy is the mean recall of the classes that occur.
func multiclassBalancedAccuracy(s *confusion, m margins) Value {
	var recalls exact.Sum
	for e := range s.entries() {
		if actual := m.actual(e.truth); e.truth == e.predicted && actual.Sign() > 0 {
			recalls.Add(over(e.tally.Big(), actual))
		}
	}
	return quotient(recalls.Float64(), float64(occurring(m.truth)), noExamples)
}

// multiclassMCC is Gorodkin's R_K; 0 where a margin has one class only, as in
// scikit-learn.
func multiclassMCC(_ *confusion, m margins) Value {
	if m.total.Sign() <= 0 {
		return undefined(noExamples)
	}
	if occurring(m.truth) < 2 || occurring(m.predicted) < 2 {
		return Value{Undefined: oneClass}
	}
	// Each is n² times a (co)variance.
	square := product(m.total, m.total)
	truth, predicted := new(big.Float).Copy(square), new(big.Float).Copy(square)
	covariance := difference(square, product(m.wrong, m.total))
	for k, t := range m.truth {
		p := m.predicted[k]
		covariance.Sub(covariance, product(t, p))
		truth.Sub(truth, product(t, t))
		predicted.Sub(predicted, product(p, p))
	}
	return correlation(covariance, truth, predicted, oneClass)
}

// occurring is the number of classes that have weight.
func occurring(weights []*big.Float) int {
	n := 0
	for _, w := range weights {
		if w.Sign() > 0 {
			n++
		}
	}
	return n
}

// kappa is 1 - (observed disagreement) / (disagreement by chance), the latter
// given times n.
func (m margins) kappa(observed, chance *big.Float) Value {
	switch {
	case m.total.Sign() <= 0:
		return undefined(noExamples)
	case chance.Sign() <= 0:
		return undefined(chanceAgreement)
	}
	return defined(1 - over(product(observed, m.total), chance))
}

// cohenKappa weighs all disagreements alike.
func cohenKappa(_ *confusion, m margins) Value {
	chance := product(m.total, m.total)
	for k, t := range m.truth {
		chance.Sub(chance, product(t, m.predicted[k]))
	}
	return m.kappa(m.wrong, chance)
}

// linearKappa weighs a disagreement between classes i and j by |i-j|, classes
// being in the order of the labels.
func linearKappa(s *confusion, m margins) Value {
	return m.kappa(s.disagreement(math.Abs), linearChance(m.classes, m.truth, m.predicted))
}

// quadraticKappa weighs a disagreement between classes i and j by (i-j)².
func quadraticKappa(s *confusion, m margins) Value {
	return m.kappa(s.disagreement(func(d float64) float64 { return d * d }), quadraticChance(m.classes, m.truth, m.predicted))
}

// disagreement is the total weight of the errors, each times a function of
// the distance between the classes.
func (s *confusion) disagreement(of func(float64) float64) *big.Float {
	var total exact.Sum
	for e := range s.entries() {
		total.AddProduct(of(float64(e.truth-e.predicted)), e.tally.Weight())
	}
	v, _ := total.Big()
	return v
}
