package metrics

import (
	"cmp"
	"math/big"

	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/exact"
)

// evaluator says how a metric is computed. Whatever statistics, sweeps and
// selections have to know of a metric is a field: none asks which metric it is.
type evaluator struct {
	// from is the statistic that the metric is a function of; see Params.kindOf.
	from kind
	// One of the two computes the metric: of all examples, or of each label.
	overall func(*evaluation, choice) Value
	byLabel func(*evaluation, choice) labelValues
	// averages are the suffixes of the names that a metric of labels has where there
	// are several labels; "" is the metric of each label. average, if it is not "",
	// is the only one, under a name of its own.
	averages []string
	average  string
	// arg is the argument where the name has no parameter to state one.
	arg float64

	// measures are what the statistic of row means totals for the metric, isMean
	// says that the metric is the mean of the only one.
	measures []measure
	isMean   bool

	// binned says that the metric depends on how examples are divided among
	// calibration bins: with Params.Quantiles, it is a function of curves.
	binned bool
	// Of functions of curves: PooledLabel or TopClass if the curve is always that,
	// the operating point if it is a metric of one, and what a sweep has to add.
	curve     int
	criterion curves.Kind
	sweeps    sweepExtra
}

// labelValues are a metric of each label, and of all labels pooled.
type labelValues struct {
	labels  []alike // all of them
	value   func(label int) Value
	support func(label int) (weight float64, rows int64) // of the label's positives
}

// at fixes the argument.
func (ev evaluator) at(arg float64) evaluator {
	ev.arg = arg
	return ev
}

// averaged fixes the averages.
func (ev evaluator) averaged(averages ...string) evaluator {
	ev.averages = averages
	return ev
}

// only makes one of the averages a metric with a name of its own.
func (ev evaluator) only(average string) evaluator {
	ev.average = average
	return ev
}

// averagesIn lists the suffixes of the names that the metric has in a task.
func (ev *evaluator) averagesIn(t Task) []string {
	if ev.byLabel == nil || ev.average != "" || t == Binary {
		return onlyItself
	}
	return ev.averages
}

// averaging is the average that is computed, if it is one.
func (c choice) averaging() string { return cmp.Or(c.metric.average, c.average) }

// criterion is the operating point that the metric is read off.
func (c choice) criterion() curves.Criterion {
	return curves.Criterion{Kind: c.metric.evaluator.criterion, At: c.arg}
}

// counting evaluates a function of the 2×2 table of a label.
func counting(f func(counts) Value) evaluator {
	return countingWith(func(t counts, _ float64) Value { return f(t) })
}

// countingWith is counting with an argument.
func countingWith(f func(counts, float64) Value) evaluator {
	return evaluator{from: kindConfusion, averages: allAverages, byLabel: func(e *evaluation, c choice) labelValues {
		t := e.labelTables()
		return labelValues{t.groups, func(label int) Value { return f(t.of(label), c.arg) },
			func(label int) (float64, int64) { return t.of(label).actual(), t.of(label).positives }}
	}}
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

// losing evaluates a function of the losses of a label and of all examples.
func losing(f func(*losses, *exact.Tally) Value) evaluator {
	return evaluator{from: kindLabelLosses, averages: allAverages, byLabel: func(e *evaluation, _ choice) labelValues {
		s := statisticOf[*labelLosses](e, kindLabelLosses)
		at := func(label int) *losses {
			if l := s.get(uint64(label)); l != nil {
				return l
			}
			return new(losses)
		}
		value := func(label int) Value {
			if label == pooled {
				return f(s.pooled(), e.weight()).then(func(x float64) float64 { return x / float64(e.params.Labels) })
			}
			return f(at(label), e.weight())
		}
		return labelValues{eachLabel(e.params.scored()), value, func(label int) (float64, int64) {
			p := &at(label).positive
			return p.Weight(), p.Rows()
		}}
	}}
}

// pooled returns the losses of all labels together.
func (s *labelLosses) pooled() *losses {
	var sum losses
	for _, l := range s.all() {
		sum.Merge(l)
	}
	return &sum
}

// labelSum is the sum over labels of the mean log loss.
var labelSum = evaluator{from: kindLabelLosses, overall: func(e *evaluation, _ choice) Value {
	return logLoss(statisticOf[*labelLosses](e, kindLabelLosses).pooled(), e.weight())
}}

// binning evaluates a function of the calibration bins of a label.
func binning(f func([]bin) Value) evaluator {
	return evaluator{from: kindCalibration, averages: allAverages, byLabel: func(e *evaluation, _ choice) labelValues {
		s := statisticOf[*calibration](e, kindCalibration)
		value := func(label int) Value {
			if label == pooled {
				return f(s.pooled())
			}
			return f(s.label(label))
		}
		return labelValues{eachLabel(e.params.scored()), value, func(label int) (float64, int64) {
			var positive exact.Tally
			for _, b := range s.label(label) {
				positive.Merge(&b.positive)
			}
			return positive.Weight(), positive.Rows()
		}}
	}}
}

// calibrating is binning for functions that depend on how the bins divide the
// examples, which quantiles do in another way.
func calibrating(f func([]bin) Value) evaluator {
	ev := binning(f)
	equalWidth, equalWeight := ev.byLabel, ofQuantiles(f).byLabel
	ev.binned = true
	ev.byLabel = func(e *evaluation, c choice) labelValues {
		if e.params.Quantiles {
			return equalWeight(e, c)
		}
		return equalWidth(e, c)
	}
	return ev
}

// topCalibrating evaluates a function of the calibration bins of the top class.
func topCalibrating(f func([]bin) Value) evaluator {
	return evaluator{from: kindTopCalibration, binned: true, curve: TopClass, overall: func(e *evaluation, _ choice) Value {
		if e.params.Quantiles {
			return f(e.curveOf(TopClass).quantileBins(e.params.Bins))
		}
		return f(statisticOf[*topCalibration](e, kindTopCalibration).label(0))
	}}
}

// kappaLoss evaluates a function of the disagreements between classes.
func kappaLoss(f func(*kappaLosses, *big.Float) Value) evaluator {
	return evaluator{from: kindKappaLoss, overall: func(e *evaluation, _ choice) Value {
		return f(statisticOf[*kappaLosses](e, kindKappaLoss), e.weight().Big())
	}}
}

// bySize evaluates the mean of a ratio of set sizes.
func bySize(f sizeRatio) evaluator { return bySizeWith(func(float64) sizeRatio { return f }) }

// bySizeWith is bySize with an argument.
func bySizeWith(f func(float64) sizeRatio) evaluator {
	return evaluator{from: kindSetSizes, overall: func(e *evaluation, c choice) Value {
		return statisticOf[*setSizes](e, kindSetSizes).mean(e, f(c.arg))
	}}
}

// fOfMeans is F-beta of the mean precision and recall.
var fOfMeans = evaluator{from: kindSetSizes, overall: func(e *evaluation, c choice) Value {
	return statisticOf[*setSizes](e, kindSetSizes).fOfMeans(e, c.arg)
}}

// ofResiduals evaluates a function of residuals and of all examples.
func ofResiduals(f func(*residuals, *exact.Tally) Value) evaluator {
	return ofResidualsWith(func(s *residuals, w *exact.Tally, _ float64) Value { return f(s, w) })
}

// ofResidualsWith is ofResiduals with an argument.
func ofResidualsWith(f func(*residuals, *exact.Tally, float64) Value) evaluator {
	return evaluator{from: kindResiduals, overall: func(e *evaluation, c choice) Value {
		return f(statisticOf[*residuals](e, kindResiduals), e.weight(), c.arg)
	}}
}

// numberOfRows is the number of examples, whatever their weights.
var numberOfRows = evaluator{from: kindExamples, overall: func(e *evaluation, _ choice) Value {
	return defined(float64(e.part.Examples()))
}}
