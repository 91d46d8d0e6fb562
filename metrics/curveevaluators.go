package metrics

import (
	"slices"

	"github.com/beameval/beameval/metrics/curves"
)

// curving evaluates a measure of the curve of a label: exactly, or within an
// interval.
func curving(exactly func(*curves.Accumulator) curves.Value, within func(*curves.Bounds) curves.Interval) evaluator {
	return ofCurves(func(_ *evaluation, _ choice, c *curve) Value { return ofCurve(exactly(&c.areas)) },
		func(_ choice, b *curves.Bounds) Value { return ofInterval(within(b)) })
}

// bestOf evaluates the value of an operating point of the curve of a label.
func bestOf(k curves.Kind) evaluator {
	ev := ofCurves(func(_ *evaluation, c choice, found *curve) Value {
		return ofCurve(found.areas.Operating(c.criterion()).Value)
	},
		func(c choice, b *curves.Bounds) Value { return ofInterval(b.Operating(c.criterion())) })
	ev.criterion = k
	return ev.averaged("")
}

// thresholdOf evaluates the threshold of an operating point of the curve of a label.
func thresholdOf(k curves.Kind) evaluator {
	ev := ofCurves(func(_ *evaluation, c choice, found *curve) Value {
		return ofCurve(found.areas.Operating(c.criterion()).Threshold)
	},
		func(c choice, b *curves.Bounds) Value {
			if k == curves.ThresholdAtRecall {
				return ofInterval(b.Operating(c.criterion()))
			}
			return ofCurve(b.Threshold(c.criterion()))
		})
	ev.criterion = k
	return ev.averaged("")
}

// ofQuantiles evaluates a function of the calibration bins of equal weight of a
// label.
func ofQuantiles(f func([]bin) Value) evaluator {
	ev := ofCurves(func(e *evaluation, _ choice, c *curve) Value { return f(c.quantileBins(e.params.Bins)) }, nil)
	ev.sweeps = sweepQuantiles
	return ev
}

// ofCurves evaluates a function of the curve of a label, in whichever form it is
// known.
func ofCurves(exactly func(*evaluation, choice, *curve) Value, within func(choice, *curves.Bounds) Value) evaluator {
	return evaluator{from: kindLabelCurves, averages: allAverages, byLabel: func(e *evaluation, c choice) labelValues {
		labels := eachLabel(e.params.scored())
		if e.params.Curves == BoundedCurves {
			return labelValues{labels, func(label int) Value {
				if h := e.histogram(label); h != nil {
					return within(c, e.boundsOf(label, h))
				}
				return undefined(noExamples)
			}, func(label int) (float64, int64) {
				if h := e.histogram(label); h != nil {
					positives, _ := h.Tallies()
					return positives.Weight(), positives.Rows()
				}
				return 0, 0
			}}
		}
		return labelValues{labels, func(label int) Value {
			if found := e.curveOf(label); !found.Empty() {
				return exactly(e, c, found)
			}
			return undefined(noExamples)
		}, func(label int) (float64, int64) {
			t := &e.curveOf(label).positive
			return t.Weight(), t.Rows()
		}}
	}}
}

// histogram returns that of a label, or nil.
func (e *evaluation) histogram(label int) *curves.Histogram {
	if s, ok := e.part.stats[kindLabelHistograms].(*labelHistograms); ok {
		if h := s.get(e.params.curveKey(label)); h != nil {
			return h.Histogram
		}
	}
	return nil
}

// boundsOf returns the bounds of the histogram of a label.
func (e *evaluation) boundsOf(label int, h *curves.Histogram) *curves.Bounds {
	if e.bounds == nil {
		e.bounds = make(map[int]*curves.Bounds)
	}
	if e.bounds[label] == nil {
		e.bounds[label] = h.Bounds(e.params.criteria()...)
	}
	return e.bounds[label]
}

// criteria returns those of the operating points that the metrics ask for.
func (p *Params) criteria() []curves.Criterion {
	var list []curves.Criterion
	add := func(c curves.Criterion) {
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	for c := range p.chosen() {
		if c.metric.evaluator.criterion != 0 {
			add(c.criterion())
		}
	}
	if p.Tuning != nil {
		add(*p.Tuning)
	}
	return list
}

func ofCurve(v curves.Value) Value { return Value{Number: v.Number, Undefined: v.Undefined} }

// ofInterval is exact where both ends are the value.
func ofInterval(v curves.Interval) Value {
	value := ofCurve(v.Value)
	if v.Undefined == "" && (v.Low != v.Number || v.High != v.Number) {
		value.Bounded, value.Low, value.High = true, v.Low, v.High
	}
	return value
}

// oneVsOne evaluates the mean ROC AUC of pairs of classes.
func oneVsOne(mean func([]curves.Pairs, []float64) curves.Value) evaluator {
	return evaluator{from: kindLabelCurves, sweeps: sweepPairs, overall: func(e *evaluation, _ choice) Value {
		pairs, weights := make([]curves.Pairs, e.params.Labels), make([]float64, e.params.Labels)
		for label := range pairs {
			found := e.curveOf(label)
			pairs[label], weights[label] = found.pairs, found.positive.Weight()
		}
		return ofCurve(mean(pairs, weights))
	}}
}

// pooledNDCG evaluates the NDCG of all scores of all labels as one ranking.
var pooledNDCG = evaluator{from: kindLabelCurves, curve: PooledLabel, sweeps: sweepGain, overall: func(e *evaluation, _ choice) Value {
	found := e.curveOf(pooled)
	return ofCurve(found.gain.NDCG(found.positive.Rows()))
}}

// medianResidual evaluates the median of absolute residuals.
var medianResidual = evaluator{from: kindLabelCurves, sweeps: sweepMedian, overall: func(e *evaluation, _ choice) Value {
	found := e.curveOf(0)
	if found.positive.Weight() == 0 {
		return undefined(noExamples)
	}
	return defined(found.median.value())
}}

// curveOf returns the curve of a label, empty if it has no examples.
func (e *evaluation) curveOf(label int) *curve {
	if found := statisticOf[*labelCurves](e, kindLabelCurves).get(e.params.curveKey(label)); found != nil {
		return found
	}
	return new(curve)
}
