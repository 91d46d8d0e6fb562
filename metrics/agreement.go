package metrics

import (
	"maps"
	"math/big"
	"slices"

	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// agreementMetrics compare true classes with predicted ones, or with probabilities, over the whole
// confusion matrix.
var agreementMetrics = []metric{
	{"accuracy", Multiclass, NeedDecisions, Higher, confidence.Proportion, agreement(multiclassAccuracy), "share of examples whose predicted class is the true one", sklearn, nil},
	{"balanced_accuracy", Multiclass, NeedDecisions, Higher, confidence.Logit, agreement(multiclassBalancedAccuracy), "mean of the recalls of the classes that occur", sklearn, nil},
	{"mcc", Multiclass, NeedDecisions, Higher, confidence.Atanh, agreement(multiclassMCC), "Gorodkin's R_K; 0 where labels or predictions have one class only", sklearn, []string{"matthews_corrcoef"}},
	{"cohen_kappa", Binary | Multiclass, NeedDecisions, Higher, confidence.Atanh, agreement(cohenKappa), "1 - observed disagreement / disagreement by chance", sklearn, []string{"kappa", "cohen_kappa_score"}},
	{"cohen_kappa_linear", Multiclass, NeedDecisions, Higher, confidence.Atanh, agreement(linearKappa), "kappa with disagreements weighted by |i - j|, classes in the order of the labels", sklearn, []string{"linear_weighted_kappa"}},
	{"cohen_kappa_quadratic", Multiclass, NeedDecisions, Higher, confidence.Atanh, agreement(quadraticKappa), "kappa with disagreements weighted by (i - j)²", sklearn, []string{"quadratic_weighted_kappa"}},
	{"weighted_kappa_loss_linear", Multiclass, NeedProbabilities, Lower, confidence.Identity, kappaLoss(linearKappaLoss), "log(D / E + 10⁻⁶): D is the sum of |c - j| · probability of class j, c being the true class, and E what D would be with predictions independent of the labels", torre + ", as in TensorFlow Addons", nil},
	{"weighted_kappa_loss_quadratic", Multiclass, NeedProbabilities, Lower, confidence.Identity, kappaLoss(quadraticKappaLoss), "weighted_kappa_loss_linear with (c - j)² in place of |c - j|", torre + ", as in TensorFlow Addons", nil},
}

// agreement evaluates a function of the whole confusion matrix.
func agreement(f func(*confusion, margins) Value) evaluator {
	return evaluator{from: kindConfusion, overall: func(e *evaluation, _ choice) Value {
		s := statisticOf[*confusion](e, kindConfusion)
		if e.margins == nil {
			m := s.margins()
			e.margins = &m
		}
		return f(s, *e.margins)
	}}
}

// margins are the row and column totals of a confusion matrix. They remain exact, because agreement
// is a difference of nearly equal products if one class dominates.
type margins struct {
	classes          []int        // the classes that occur, in increasing order
	truth, predicted []*big.Float // by index in classes
	total, wrong     *big.Float
}

func (s *confusion) margins() margins {
	var truth, predicted fields.Keyed[tally, *tally]
	var total, wrong exact.Tally
	met := make(map[int]bool)
	for e := range s.cells() {
		met[e.truth], met[e.predicted] = true, true
		truth.Value(uint64(e.truth)).Merge(e.tally)
		predicted.Value(uint64(e.predicted)).Merge(e.tally)
		total.Merge(e.tally)
		if e.truth != e.predicted {
			wrong.Merge(e.tally)
		}
	}
	m := margins{classes: slices.Sorted(maps.Keys(met)), total: total.Big(), wrong: wrong.Big()}
	for _, k := range m.classes {
		m.truth = append(m.truth, truth.Value(uint64(k)).Big())
		m.predicted = append(m.predicted, predicted.Value(uint64(k)).Big())
	}
	return m
}

// actual returns the weight of the examples of a class.
func (m *margins) actual(class int) *big.Float {
	k, _ := slices.BinarySearch(m.classes, class)
	return m.truth[k]
}

func multiclassAccuracy(_ *confusion, m margins) Value {
	if m.total.Sign() <= 0 {
		return Undefined(noExamples)
	}
	v := defined(over(difference(m.total, m.wrong), m.total))
	v.Trials, _ = m.total.Float64()
	return v
}

// multiclassBalancedAccuracy returns the mean recall of the classes that occur.
func multiclassBalancedAccuracy(s *confusion, m margins) Value {
	var recalls exact.Sum
	for e := range s.cells() {
		if actual := m.actual(e.truth); e.truth == e.predicted && actual.Sign() > 0 {
			recalls.Add(over(e.tally.Big(), actual))
		}
	}
	return quotient(recalls.Float64(), float64(occurring(m.truth)), noExamples)
}

// multiclassMCC returns Gorodkin's R_K. It is 0 if the labels or the predictions have only one
// class, as in scikit-learn.
func multiclassMCC(_ *confusion, m margins) Value {
	if m.total.Sign() <= 0 {
		return Undefined(noExamples)
	}
	if occurring(m.truth) < 2 || occurring(m.predicted) < 2 {
		return Value{Undefined: oneClass}
	}
	// Each of the three is n² times a variance or covariance.
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

// occurring returns the number of classes with weight.
func occurring(weights []*big.Float) int {
	n := 0
	for _, w := range weights {
		if w.Sign() > 0 {
			n++
		}
	}
	return n
}

// kappa returns 1 - (observed disagreement) / (disagreement by chance). chance is n times the
// disagreement by chance.
func (m margins) kappa(observed, chance *big.Float) Value {
	switch {
	case m.total.Sign() <= 0:
		return Undefined(noExamples)
	case chance.Sign() <= 0:
		return Undefined(chanceAgreement)
	}
	return defined(1 - over(product(observed, m.total), chance))
}

// cohenKappa weights all disagreements equally.
func cohenKappa(_ *confusion, m margins) Value {
	chance := product(m.total, m.total)
	for k, t := range m.truth {
		chance.Sub(chance, product(t, m.predicted[k]))
	}
	return m.kappa(m.wrong, chance)
}

// linearKappa weights a disagreement between classes i and j by |i-j|. Classes are in the order of
// the labels.
func linearKappa(s *confusion, m margins) Value {
	return m.kappa(s.disagreement(func(d float64) float64 { return d }), linearChance(m.classes, m.truth, m.predicted))
}

// quadraticKappa weights a disagreement between classes i and j by (i-j)².
func quadraticKappa(s *confusion, m margins) Value {
	return m.kappa(s.disagreement(func(d float64) float64 { return d * d }), quadraticChance(m.classes, m.truth, m.predicted))
}

// disagreement returns the total weight of the errors, each multiplied by the cost of the distance
// between its classes.
func (s *confusion) disagreement(cost func(distance float64) float64) *big.Float {
	apart := map[int]*exact.Tally{}
	for e := range s.cells() {
		d := max(e.truth-e.predicted, e.predicted-e.truth)
		if apart[d] == nil {
			apart[d] = new(exact.Tally)
		}
		apart[d].Merge(e.tally)
	}
	total := zero()
	for d, t := range apart {
		total.Add(total, product(big.NewFloat(cost(float64(d))), t.Big()))
	}
	return total
}

// linearChance returns Σ |i-j| t_i p_j, exactly: n times the disagreement of the labels with
// predictions that are independent of them. truth and predicted are the weights t and p of the
// classes, which must be in increasing order.
func linearChance(classes []int, truth, predicted []*big.Float) *big.Float {
	// |i-j| is the number of cuts between neighbouring classes that separate i from j, so one pass
	// over the cuts gives the sum. All cuts between one listed class and the next separate the same
	// classes.
	chance, allTruth, allPredicted := zero(), total(truth), total(predicted)
	t, p := zero(), zero()
	for k := range max(len(classes), 1) - 1 {
		t.Add(t, truth[k])
		p.Add(p, predicted[k])
		apart := product(t, difference(allPredicted, p))
		apart.Add(apart, product(p, difference(allTruth, t)))
		chance.Add(chance, product(big.NewFloat(float64(classes[k+1]-classes[k])), apart))
	}
	return chance
}

// quadraticChance returns Σ (i-j)² t_i p_j, exactly.
func quadraticChance(classes []int, truth, predicted []*big.Float) *big.Float {
	// The sum with the square expanded.
	t1, t2, p1, p2 := zero(), zero(), zero(), zero()
	for k, class := range classes {
		x := big.NewFloat(float64(class))
		xx := product(x, x)
		t1.Add(t1, product(x, truth[k]))
		t2.Add(t2, product(xx, truth[k]))
		p1.Add(p1, product(x, predicted[k]))
		p2.Add(p2, product(xx, predicted[k]))
	}
	chance := product(t2, total(predicted))
	chance.Add(chance, product(p2, total(truth)))
	return chance.Sub(chance, product(big.NewFloat(2), product(t1, p1)))
}

// total returns the sum of exact values, exactly.
func total(list []*big.Float) *big.Float {
	sum := zero()
	for _, x := range list {
		sum.Add(sum, x)
	}
	return sum
}
