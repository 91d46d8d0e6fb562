package metrics

import (
	"cmp"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// labelSetMetrics compare the true label set of an example with the predicted one.
var labelSetMetrics = []metric{
	{"subset_accuracy", Multilabel, NeedDecisions, Higher, confidence.Proportion, bySize(subsetMatch), "share of examples whose label set is predicted exactly", zhang, []string{"exact_match_ratio"}},
	{"zero_one_loss", Multilabel, NeedDecisions, Lower, confidence.Proportion, bySize(subsetMismatch), "$1 - subset_accuracy$", sklearn, nil},
	{"hamming_loss", Multilabel, NeedDecisions, Lower, confidence.Logit, bySize(hammingLoss), "mean of $|Y Δ h| / L$", sklearn, nil},
	{"jaccard_samples", Multilabel, NeedDecisions, Higher, confidence.Logit, bySize(samplesJaccard), "mean of $|Y ∩ h| / |Y ∪ h|$", sklearn, []string{"example_based_accuracy"}},
	{"precision_samples", Multilabel, NeedDecisions, Higher, confidence.Logit, bySize(samplesPrecision), "mean of $|Y ∩ h| / |h|$", sklearn, []string{"example_based_precision"}},
	{"recall_samples", Multilabel, NeedDecisions, Higher, confidence.Logit, bySize(samplesRecall), "mean of $|Y ∩ h| / |Y|$", sklearn, []string{"example_based_recall"}},
	{"f1_samples", Multilabel, NeedDecisions, Higher, confidence.Logit, bySizeWith(samplesFBeta).with(1), "mean of $2 |Y ∩ h| / (|Y| + |h|)$", sklearn, []string{"example_based_f1"}},
	{"f<beta>_samples", Multilabel, NeedDecisions, Higher, confidence.Logit, bySizeWith(samplesFBeta), "mean of $(1+β²) |Y ∩ h| / (β² |Y| + |h|)$", sklearn, nil},
	{"label_overlap", Multilabel, NeedDecisions, Higher, confidence.Logit, bySize(labelOverlap), "mean of $|Y ∩ h| / L$", "beameval", nil},
	{"f1_of_means", Multilabel, NeedDecisions, Higher, confidence.Logit, fOfMeans.with(1), "harmonic mean of precision_samples and recall_samples", godbole, nil},
	{"f<beta>_of_means", Multilabel, NeedDecisions, Higher, confidence.Logit, fOfMeans, "F-beta of precision_samples and recall_samples", godbole, nil},
	{"label_cardinality", Multilabel, NeedDecisions, Neither, confidence.Log, bySize(trueCardinality), "mean of $|Y|$", zhang, nil},
	{"label_density", Multilabel, NeedDecisions, Neither, confidence.Logit, bySize(trueDensity), "mean of $|Y| / L$", zhang, nil},
	{"predicted_cardinality", Multilabel, NeedDecisions, Neither, confidence.Log, bySize(predictedCardinality), "mean of $|h|$", zhang + ", for predictions", nil},
}

// bySize evaluates the mean of a ratio of set sizes.
func bySize(f sizeRatio) evaluator { return bySizeWith(func(float64) sizeRatio { return f }) }

// bySizeWith is bySize for a ratio with an argument.
func bySizeWith(f func(float64) sizeRatio) evaluator {
	return evaluator{from: kindSetSizes, order: 1, overall: func(e *evaluation, c choice) Value {
		return statisticOf[*setSizes](e, kindSetSizes).mean(e, f(c.arg))
	}}
}

// fOfMeans evaluates F-beta of the mean precision and the mean recall.
var fOfMeans = evaluator{from: kindSetSizes, overall: func(e *evaluation, c choice) Value {
	return statisticOf[*setSizes](e, kindSetSizes).fOfMeans(e, c.arg)
}}

// setSizes counts examples by (|Y|, |h|, |Y∩h|): the numbers of true labels, of predicted labels,
// and of labels that are both. Every metric of label sets is the mean of a function of these three.
type setSizes struct {
	fields.Keyed[tally, *tally]
}

// sizeBits is the number of bits of a key for each size.
const sizeBits = 21

func (s *setSizes) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		truth, predicted := b.True.Row(r), b.PredictedSet.Row(r)
		key := uint64(len(truth))<<(2*sizeBits) | uint64(len(predicted))<<sizeBits | uint64(shared(truth, predicted))
		s.Value(key).Add(b.weight(r))
	}
}

// shared returns the number of elements that two increasing lists have in common.
func shared(a, b []int32) int {
	n := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			n++
			a, b = a[1:], b[1:]
		case a[0] < b[0]:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return n
}

func (s *setSizes) visit(v *fields.Visitor, from statistic) {
	s.Keyed.Fields(v, &from.(*setSizes).Keyed)
}
func (s *setSizes) fits(*Params) bool { return true }

// sizes are the set sizes of an example.
type sizes struct{ truth, predicted, both float64 }

func unpackSizes(key uint64) sizes {
	const mask = 1<<sizeBits - 1
	return sizes{float64(key >> (2 * sizeBits)), float64(key >> sizeBits & mask), float64(key & mask)}
}

// sizeRatio is the metric of one example: a ratio of sizes. If its denominator is 0, it is replaced
// by Options.ZeroDivision. labels is the number of all labels.
type sizeRatio func(s sizes, labels float64) (num, den float64)

func subsetMatch(s sizes, _ float64) (float64, float64) {
	if s.truth == s.both && s.predicted == s.both {
		return 1, 1
	}
	return 0, 1
}

func subsetMismatch(s sizes, l float64) (float64, float64) {
	match, _ := subsetMatch(s, l)
	return 1 - match, 1
}

func hammingLoss(s sizes, l float64) (float64, float64) { return s.truth + s.predicted - 2*s.both, l }

func samplesJaccard(s sizes, _ float64) (float64, float64) {
	return s.both, s.truth + s.predicted - s.both
}

func samplesPrecision(s sizes, _ float64) (float64, float64) { return s.both, s.predicted }
func samplesRecall(s sizes, _ float64) (float64, float64)    { return s.both, s.truth }
func labelOverlap(s sizes, l float64) (float64, float64)     { return s.both, l }
func trueCardinality(s sizes, _ float64) (float64, float64)  { return s.truth, 1 }
func trueDensity(s sizes, l float64) (float64, float64)      { return s.truth, l }

func predictedCardinality(s sizes, _ float64) (float64, float64) {
	return s.predicted, 1
}

// samplesFBeta returns the F-beta of one example.
func samplesFBeta(beta float64) sizeRatio {
	b := float64(beta * beta)
	return func(s sizes, _ float64) (float64, float64) {
		return (1 + b) * s.both, float64(b*s.truth) + s.predicted
	}
}

// mean returns the mean of a ratio over examples. If its denominator is 0, an example counts with
// Options.ZeroDivision, or not at all if that is NaN. The value says how many such examples there
// are.
func (s *setSizes) mean(e *evaluation, ratio sizeRatio) Value {
	var weight, empty exact.Tally
	var total exact.Sum
	for key, t := range s.All() {
		num, den := ratio(unpackSizes(key), float64(e.params.Labels))
		if den == 0 {
			empty.Merge(&t.Tally)
			continue
		}
		weight.Merge(&t.Tally)
		total.AddProduct(t.Weight(), num/den)
	}
	return e.withUndefined(meanOfDefined(&total, &weight, &empty, e.options.ZeroDivision), &empty)
}

// fOfMeans returns F-beta of the mean precision and the mean recall.
func (s *setSizes) fOfMeans(e *evaluation, beta float64) Value {
	p, r := s.mean(e, samplesPrecision), s.mean(e, samplesRecall)
	v := Value{Undefined: cmp.Or(p.Undefined, r.Undefined)}
	if b := float64(beta * beta); p.Number != 0 || r.Number != 0 { // neither may be NaN
		v.Number = (1 + b) * p.Number * r.Number / (float64(b*p.Number) + r.Number)
	}
	return v
}

const romano = "Romano, Sesia & Candès 2020"

// predictionSetMetrics say how often a set of classes has the true class, and how large it is. Conformal prediction makes
// such sets, so that set_coverage is about a level that is chosen in advance.
var predictionSetMetrics = []metric{
	{"set_coverage", Multiclass, needRole(roles.PredictionSet), Neither, confidence.Proportion, mean(classInSet), "share of examples whose set has the true class; it should be about the level that the sets were made for", romano, []string{"classification_coverage"}},
	{"set_coverage@<k>", Multiclass, needRole(roles.PredictionSet), Neither, confidence.Proportion, coverageOfSize, "set_coverage of the sets that have $k$ classes", "Angelopoulos et al. 2021", nil},
	{"size_stratified_coverage", Multiclass, needRole(roles.PredictionSet), Higher, confidence.NotSmooth, leastCoverage, "the lowest set_coverage of the sets of one size, over all sizes that occur, the empty set among them", "Angelopoulos et al. 2021", nil},
	{"class_conditional_coverage", Multiclass, needRole(roles.PredictionSet), Neither, confidence.Proportion, coverageOfClasses, "share of the examples of the class whose set has it", "Sadinle, Lei & Wasserman 2019", nil},
	{"mean_set_size", Multiclass, needRole(roles.PredictionSet), Lower, confidence.Log, mean(sizeOfSet), "mean number of classes in the set", romano, []string{"classification_mean_width"}},
	{"singleton_rate", Multiclass, needRole(roles.PredictionSet), Neither, confidence.Proportion, mean(setOfOne), "share of examples whose set has one class", "beameval", nil},
	{"empty_set_rate", Multiclass, needRole(roles.PredictionSet), Neither, confidence.Proportion, mean(setOfNone), "share of examples whose set is empty", "beameval", nil},
}

var (
	classInSet = measure{value: func(r *row, _ float64) (float64, bool) { return float64(oneIf(r.inSet(r.index))), true }}
	sizeOfSet  = measure{value: func(r *row, _ float64) (float64, bool) { return float64(r.setSize(r.index)), true }}
	setOfOne   = measure{value: func(r *row, _ float64) (float64, bool) { return float64(oneIf(r.setSize(r.index) == 1)), true }}
	setOfNone  = measure{value: func(r *row, _ float64) (float64, bool) { return float64(oneIf(r.setSize(r.index) == 0)), true }}
)

// setSize returns the number of classes in the prediction set of row r.
func (b *Batch) setSize(r int32) int { return len(b.PredictedSet.Row(r)) }

// inSet reports whether the prediction set of row r has the true class.
func (b *Batch) inSet(r int32) bool {
	return shared(b.Class[r:r+1], b.PredictedSet.Row(r)) == 1
}

// predictionSets counts examples, and those whose set has the true class, by the size of the set and by the true class.
type predictionSets struct {
	bySize, byClass fields.Keyed[covered, *covered]
}

// covered are the weights of some examples, and of those among them whose set has the true class.
type covered struct{ all, in tally }

func (c *covered) add(w float64, in bool) {
	c.all.Add(w)
	if in {
		c.in.Add(w)
	}
}

// Empty reports whether there are no examples.
func (c *covered) Empty() bool { return c.all.Empty() }

// Fields lists the fields.
func (c *covered) Fields(v *fields.Visitor, from *covered) {
	c.all.Fields(v, &from.all)
	c.in.Fields(v, &from.in)
}

func (s *predictionSets) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		w, in := b.weight(r), b.inSet(r)
		s.bySize.Value(uint64(b.setSize(r))).add(w, in)
		s.byClass.Value(uint64(b.Class[r])).add(w, in)
	}
}

func (s *predictionSets) visit(v *fields.Visitor, from statistic) {
	f := from.(*predictionSets)
	s.bySize.Fields(v, &f.bySize)
	s.byClass.Fields(v, &f.byClass)
}

func (s *predictionSets) fits(p *Params) bool {
	return s.bySize.Below(uint64(p.classes())+1) && s.byClass.Below(uint64(p.classes()))
}

// share returns the share of the examples whose set has the true class.
func (c *covered) share(none string) Value { return quotient(c.in.Weight(), c.all.Weight(), none) }

// coverageOfSize evaluates the coverage of the sets of one size.
var coverageOfSize = evaluator{from: kindPredictionSets, overall: func(e *evaluation, of choice) Value {
	if c := statisticOf[*predictionSets](e, kindPredictionSets).bySize.Lookup(uint64(of.arg)); c != nil {
		return c.share(noneOfSize)
	}
	return Undefined(noneOfSize)
}}

const noneOfSize = "no set is of this size"

// leastCoverage evaluates the lowest coverage of sets of one size.
var leastCoverage = evaluator{from: kindPredictionSets, overall: func(e *evaluation, _ choice) Value {
	least := Undefined(noExamples)
	for _, of := range statisticOf[*predictionSets](e, kindPredictionSets).bySize.All() {
		if v := of.share(noExamples); v.Undefined == "" && !(v.Number >= least.Number) {
			least = v
		}
	}
	return least
}}

// coverageOfClasses evaluates the coverage of the examples of each class.
var coverageOfClasses = evaluator{from: kindPredictionSets, averages: onlyItself, byLabel: func(e *evaluation, _ choice) labelValues {
	s := statisticOf[*predictionSets](e, kindPredictionSets)
	of := func(class int) *covered {
		if c := s.byClass.Lookup(uint64(class)); c != nil {
			return c
		}
		return new(covered)
	}
	return labelValues{eachLabel(e.params.classes()),
		func(class int) Value { return of(class).share("no examples of the class") },
		func(class int) (float64, int64) { return of(class).all.Weight(), of(class).all.Rows() }}
}}
