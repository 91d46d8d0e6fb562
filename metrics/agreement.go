package metrics

import (
	"math"
	"math/big"

	"github.com/beameval/beameval/metrics/exact"
)

// margins are the row and column totals of a confusion matrix. They stay exact,
// for where one class dominates, agreement is a difference of nearly equal
// products.
type margins struct {
	truth, predicted []*big.Float // by class
	total, wrong     *big.Float
}

func (s *confusion) margins(classes int) margins {
	truth, predicted := make([]exact.Tally, classes), make([]exact.Tally, classes)
	var total, wrong exact.Tally
	for e := range s.entries() {
		truth[e.truth].Merge(e.tally)
		predicted[e.predicted].Merge(e.tally)
		total.Merge(e.tally)
		if e.truth != e.predicted {
			wrong.Merge(e.tally)
		}
	}
	m := margins{make([]*big.Float, classes), make([]*big.Float, classes), total.Big(), wrong.Big()}
	for k := range classes {
		m.truth[k], m.predicted[k] = truth[k].Big(), predicted[k].Big()
	}
	return m
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
		if e.truth == e.predicted && m.truth[e.truth].Sign() > 0 {
			recalls.Add(over(e.tally.Big(), m.truth[e.truth]))
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
	return m.kappa(s.disagreement(math.Abs), linearChance(m.truth, m.predicted))
}

// quadraticKappa weighs a disagreement between classes i and j by (i-j)².
func quadraticKappa(s *confusion, m margins) Value {
	return m.kappa(s.disagreement(func(d float64) float64 { return d * d }), quadraticChance(m.truth, m.predicted))
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
