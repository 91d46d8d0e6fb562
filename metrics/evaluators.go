package metrics

import (
	"math/big"

	"github.com/beameval/beameval/metrics/exact"
)

// evaluator computes the rows of a chosen metric.
type evaluator interface {
	// kind is the statistic that the metric is made from.
	kind(Task) kind
	// averages lists the suffixes of the names that the metric has in a task;
	// "" is the metric itself, of a task or of each label.
	averages(Task) []string
	eval(*evaluation, choice) []Result
}

// counting evaluates a function of the 2×2 table of a label.
type counting func(counts) Value

// countingWith is counting with a parameter.
type countingWith func(counts, float64) Value

func (counting) kind(t Task) kind {
	if t == Multilabel {
		return kindLabelCounts
	}
	return kindConfusion
}

func (counting) averages(t Task) []string { return ofLabels(t) }

func (f counting) eval(e *evaluation, c choice) []Result {
	t := e.labelTables()
	return e.labelwise(c, t.groups, func(label int) Value { return f(t.of(label)) },
		func(label int) (float64, int64) { return t.of(label).actual(), t.of(label).positives })
}

func (countingWith) kind(t Task) kind         { return counting(nil).kind(t) }
func (countingWith) averages(t Task) []string { return ofLabels(t) }

func (f countingWith) eval(e *evaluation, c choice) []Result {
	return counting(func(t counts) Value { return f(t, c.arg) }).eval(e, c)
}

// agreement evaluates a function of the whole confusion matrix.
type agreement func(*confusion, margins) Value

func (agreement) kind(Task) kind         { return kindConfusion }
func (agreement) averages(Task) []string { return onlyItself }

func (f agreement) eval(e *evaluation, c choice) []Result {
	s := statisticOf[*confusion](e, kindConfusion)
	if e.margins == nil {
		m := s.margins()
		e.margins = &m
	}
	return e.aggregate(c, f(s, *e.margins))
}

// losing evaluates a function of the losses of a label and of all examples.
type losing func(*losses, *exact.Tally) Value

func (losing) kind(Task) kind           { return kindLabelLosses }
func (losing) averages(t Task) []string { return ofLabels(t) }

func (f losing) eval(e *evaluation, c choice) []Result {
	s := statisticOf[*labelLosses](e, kindLabelLosses)
	at := func(label int) *losses {
		if l := s.get(uint64(label)); l != nil {
			return l
		}
		return new(losses)
	}
	of := func(label int) Value {
		if label == pooled {
			return f(s.pooled(), e.weight()).then(func(x float64) float64 { return x / float64(e.params.Labels) })
		}
		return f(at(label), e.weight())
	}
	support := func(label int) (float64, int64) {
		p := &at(label).positive
		return p.Weight(), p.Rows()
	}
	return e.labelwise(c, eachLabel(e.params.scored()), of, support)
}

// pooled returns the losses of all labels together.
func (s *labelLosses) pooled() *losses {
	var sum losses
	for _, l := range s.all() {
		sum.Merge(l)
	}
	return &sum
}

// averageOnly is one average of a metric, under a name of its own.
type averageOnly struct {
	average string
	of      evaluator
}

func (a averageOnly) kind(t Task) kind     { return a.of.kind(t) }
func (averageOnly) averages(Task) []string { return onlyItself }

func (a averageOnly) eval(e *evaluation, c choice) []Result {
	c.average = a.average
	return a.of.eval(e, c)
}

// labelSum is the sum over labels of the mean log loss.
type labelSum struct{}

func (labelSum) kind(Task) kind         { return kindLabelLosses }
func (labelSum) averages(Task) []string { return onlyItself }

func (labelSum) eval(e *evaluation, c choice) []Result {
	return e.aggregate(c, logLoss(statisticOf[*labelLosses](e, kindLabelLosses).pooled(), e.weight()))
}

// binning evaluates a function of the calibration bins of a label.
type binning func([]bin) Value

func (binning) kind(Task) kind           { return kindCalibration }
func (binning) averages(t Task) []string { return ofLabels(t) }

func (f binning) eval(e *evaluation, c choice) []Result {
	s := statisticOf[*calibration](e, kindCalibration)
	of := func(label int) Value {
		if label == pooled {
			return f(s.pooled())
		}
		return f(s.label(label))
	}
	support := func(label int) (float64, int64) {
		var positive exact.Tally
		for _, b := range s.label(label) {
			positive.Merge(&b.positive)
		}
		return positive.Weight(), positive.Rows()
	}
	return e.labelwise(c, eachLabel(e.params.scored()), of, support)
}

// calibrating evaluates a function of the calibration bins of a label, whichever
// way they divide the examples.
type calibrating func([]bin) Value

func (calibrating) kind(Task) kind           { return kindCalibration }
func (calibrating) averages(t Task) []string { return ofLabels(t) }

func (f calibrating) eval(e *evaluation, c choice) []Result {
	if !e.params.Quantiles {
		return binning(f).eval(e, c)
	}
	return e.ofCurves(c, func(c *curve) Value { return f(c.quantileBins(e.params.Bins)) }, nil)
}

// topCalibrating evaluates a function of the calibration bins of the top class.
type topCalibrating func([]bin) Value

func (topCalibrating) kind(Task) kind         { return kindTopCalibration }
func (topCalibrating) averages(Task) []string { return onlyItself }

func (f topCalibrating) eval(e *evaluation, c choice) []Result {
	if e.params.Quantiles {
		return e.aggregate(c, f(e.curveOf(TopClass).quantileBins(e.params.Bins)))
	}
	return e.aggregate(c, f(statisticOf[*topCalibration](e, kindTopCalibration).label(0)))
}

// dividing says whether a metric depends on how examples are divided among
// calibration bins.
func dividing(of evaluator) bool {
	switch m := of.(type) {
	case calibrating, topCalibrating:
		return true
	case averageOnly:
		return dividing(m.of)
	}
	return false
}

// meanOf is the mean of a quantity over examples.
type meanOf quantity

func (meanOf) kind(Task) kind         { return kindMeans }
func (meanOf) averages(Task) []string { return onlyItself }

func (q meanOf) eval(e *evaluation, c choice) []Result {
	total := statisticOf[*means](e, kindMeans).get(quantityChoice{quantity(q), int(c.arg)}.key())
	if total == nil {
		total = new(exact.Sum) // of no examples, or all were 0
	}
	return e.aggregate(c, average(total, e.weight()))
}

// kappaLoss evaluates a function of the disagreements between classes.
type kappaLoss func(*kappaLosses, *big.Float) Value

func (kappaLoss) kind(Task) kind         { return kindKappaLoss }
func (kappaLoss) averages(Task) []string { return onlyItself }

func (f kappaLoss) eval(e *evaluation, c choice) []Result {
	return e.aggregate(c, f(statisticOf[*kappaLosses](e, kindKappaLoss), e.weight().Big()))
}

// bySize evaluates the mean of a ratio of set sizes.
type bySize sizeRatio

// bySizeWith is bySize with a parameter.
type bySizeWith func(float64) sizeRatio

func (bySize) kind(Task) kind         { return kindSetSizes }
func (bySize) averages(Task) []string { return onlyItself }

func (f bySize) eval(e *evaluation, c choice) []Result {
	s := statisticOf[*setSizes](e, kindSetSizes)
	return e.aggregate(c, s.mean(sizeRatio(f), float64(e.params.Labels), e.options.ZeroDivision))
}

func (bySizeWith) kind(Task) kind         { return kindSetSizes }
func (bySizeWith) averages(Task) []string { return onlyItself }

func (f bySizeWith) eval(e *evaluation, c choice) []Result { return bySize(f(c.arg)).eval(e, c) }

// ofMeans is F-beta of the mean precision and recall.
type ofMeans float64

// ofMeansWith is ofMeans with a parameter.
type ofMeansWith struct{}

func (ofMeans) kind(Task) kind         { return kindSetSizes }
func (ofMeans) averages(Task) []string { return onlyItself }

func (beta ofMeans) eval(e *evaluation, c choice) []Result {
	s := statisticOf[*setSizes](e, kindSetSizes)
	return e.aggregate(c, s.fOfMeans(float64(beta), float64(e.params.Labels), e.options.ZeroDivision))
}

func (ofMeansWith) kind(Task) kind         { return kindSetSizes }
func (ofMeansWith) averages(Task) []string { return onlyItself }

func (ofMeansWith) eval(e *evaluation, c choice) []Result { return ofMeans(c.arg).eval(e, c) }

// ofResiduals evaluates a function of residuals, with the metric's parameter.
type ofResiduals func(*residuals, *exact.Tally, float64) Value

func (ofResiduals) kind(Task) kind         { return kindResiduals }
func (ofResiduals) averages(Task) []string { return onlyItself }

func (f ofResiduals) eval(e *evaluation, c choice) []Result {
	return e.aggregate(c, f(statisticOf[*residuals](e, kindResiduals), e.weight(), c.arg))
}
