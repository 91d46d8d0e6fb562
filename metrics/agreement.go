package metrics

import (
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/multiprecision"
)

// agreementMetrics compare true classes with predicted ones, or with probabilities, over the whole
// confusion matrix.
var agreementMetrics = []metric{
	{"accuracy", Multiclass, NeedDecisions, Higher, confidence.Proportion, agreement(multiclassAccuracy).asMean(), "share of examples whose predicted class is the true one", sklearn, nil},
	{"balanced_accuracy", Multiclass, NeedDecisions, Higher, confidence.Logit, agreement(multiclassBalancedAccuracy), "mean of the recalls of the classes that occur", sklearn, nil},
	{"mcc", Multiclass, NeedDecisions, Higher, confidence.Atanh, agreement(multiclassMCC), "Gorodkin's $R_K$; 0 where labels or predictions have one class only", sklearn, []string{"matthews_corrcoef"}},
	{"cohen_kappa", Binary | Multiclass, NeedDecisions, Higher, confidence.Atanh, agreement(cohenKappa), "$1 - observed disagreement / disagreement by chance$", sklearn, []string{"kappa", "cohen_kappa_score"}},
	{"cohen_kappa_linear", Multiclass, NeedDecisions, Higher, confidence.Atanh, agreement(linearKappa).ofOrder(), "kappa with disagreements weighted by $|i - j|$, classes in the order of the labels", sklearn, []string{"linear_weighted_kappa"}},
	{"cohen_kappa_quadratic", Multiclass, NeedDecisions, Higher, confidence.Atanh, agreement(quadraticKappa).ofOrder(), "kappa with disagreements weighted by $(i - j)²$", sklearn, []string{"quadratic_weighted_kappa"}},
	{"weighted_kappa_loss_linear", Multiclass, NeedProbabilities, Lower, confidence.Identity, kappaLoss(linearKappaLoss).ofOrder(), "$log(D / E + 10⁻⁶)$: $D$ is the sum of $|c - j| · probability of class j$, $c$ being the true class, and $E$ what $D$ would be with predictions independent of the labels", torre + ", as in TensorFlow Addons", nil},
	{"weighted_kappa_loss_quadratic", Multiclass, NeedProbabilities, Lower, confidence.Identity, kappaLoss(quadraticKappaLoss).ofOrder(), "weighted_kappa_loss_linear with $(c - j)²$ in place of $|c - j|$", torre + ", as in TensorFlow Addons", nil},
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
	v := defined(multiprecision.Over(multiprecision.Difference(m.total, m.wrong), m.total))
	v.Trials, _ = m.total.Float64()
	return v
}

// multiclassBalancedAccuracy returns the mean recall of the classes that occur.
func multiclassBalancedAccuracy(s *confusion, m margins) Value {
	var recalls exact.Sum
	for e := range s.cells() {
		if actual := m.actual(e.truth); e.truth == e.predicted && actual.Sign() > 0 {
			recalls.Add(multiprecision.Over(e.tally.Big(), actual))
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
	square := multiprecision.Product(m.total, m.total)
	truth, predicted := new(big.Float).Copy(square), new(big.Float).Copy(square)
	covariance := multiprecision.Difference(square, multiprecision.Product(m.wrong, m.total))
	for k, t := range m.truth {
		p := m.predicted[k]
		covariance.Sub(covariance, multiprecision.Product(t, p))
		truth.Sub(truth, multiprecision.Product(t, t))
		predicted.Sub(predicted, multiprecision.Product(p, p))
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
	return defined(1 - multiprecision.Over(multiprecision.Product(observed, m.total), chance))
}

// cohenKappa weights all disagreements equally.
func cohenKappa(_ *confusion, m margins) Value {
	chance := multiprecision.Product(m.total, m.total)
	for k, t := range m.truth {
		chance.Sub(chance, multiprecision.Product(t, m.predicted[k]))
	}
	return m.kappa(m.wrong, chance)
}

// linearKappa weights a disagreement between classes i and j by |i-j|. Classes are in the order of
// the labels.
func linearKappa(s *confusion, m margins) Value {
	return m.kappa(s.disagreement(func(d float64) float64 { return d }), multiprecision.LinearChance(m.classes, m.truth, m.predicted))
}

// quadraticKappa weights a disagreement between classes i and j by (i-j)².
func quadraticKappa(s *confusion, m margins) Value {
	return m.kappa(s.disagreement(func(d float64) float64 { return d * d }), multiprecision.QuadraticChance(m.classes, m.truth, m.predicted))
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
	total := multiprecision.Zero()
	for d, t := range apart {
		total.Add(total, multiprecision.Product(big.NewFloat(cost(float64(d))), t.Big()))
	}
	return total
}

// kappaLoss evaluates a function of the disagreement between classes and probabilities.
func kappaLoss(f func(*kappaLosses, *big.Float) Value) evaluator {
	return evaluator{from: kindKappaLoss, overall: func(e *evaluation, _ choice) Value {
		return f(statisticOf[*kappaLosses](e, kindKappaLoss), e.weight().Big())
	}}
}

// kappaLosses totals the disagreement of probabilities with true classes and, for the disagreement
// by chance, the weight of each class among labels and among probabilities. Classes are in the
// order of the labels. c is the true class or, for a soft label, the mean class.
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
	return s.loss(&s.linear, multiprecision.LinearChance, n)
}

// quadraticKappaLoss weights a disagreement by the square of the distance.
func quadraticKappaLoss(s *kappaLosses, n *big.Float) Value {
	return s.loss(&s.quadratic, multiprecision.QuadraticChance, n)
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
	return defined(elementary.Log(multiprecision.Over(multiprecision.Product(disagreement, n), byChance) + kappaLossEpsilon))
}
