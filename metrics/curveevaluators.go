package metrics

import (
	"slices"

	"github.com/beameval/beameval/metrics/curves"
)

// curving evaluates a measure of the curve of a label: exactly, or within an
// interval.
type curving struct {
	of     func(*curves.Accumulator) curves.Value
	within func(*curves.Bounds) curves.Interval
}

func (curving) kind(Task) kind           { return kindLabelCurves }
func (curving) averages(t Task) []string { return ofLabels(t) }

func (m curving) eval(e *evaluation, c choice) []Result {
	return e.ofCurves(c, func(c *curve) Value { return ofCurve(m.of(&c.areas)) },
		func(b *curves.Bounds) Value { return ofInterval(m.within(b)) })
}

// operating evaluates an operating point of the curve of a label: its value or
// its threshold. parametrised says that the metric's parameter is the
// criterion's.
type operating struct {
	kindOf       curves.Kind
	at           float64
	parametrised bool
	threshold    bool
	only         []string // averages
}

func (operating) kind(Task) kind { return kindLabelCurves }

func (m operating) averages(t Task) []string {
	if t == Binary || m.only == nil {
		return onlyItself
	}
	return m.only
}

func (m operating) criterion(arg float64) curves.Criterion {
	at := m.at
	if m.parametrised {
		at = arg
	}
	return curves.Criterion{Kind: m.kindOf, At: at}
}

func (m operating) eval(e *evaluation, c choice) []Result {
	criterion := m.criterion(c.arg)
	return e.ofCurves(c, func(c *curve) Value {
		point := c.areas.Operating(criterion)
		if m.threshold {
			return ofCurve(point.Threshold)
		}
		return ofCurve(point.Value)
	}, func(b *curves.Bounds) Value {
		if m.threshold && criterion.Kind != curves.ThresholdAtRecall {
			return ofCurve(b.Threshold(criterion))
		}
		return ofInterval(b.Operating(criterion))
	})
}

// ofCurves evaluates a function of the curves of labels, in whichever form they
// are known.
func (e *evaluation) ofCurves(c choice, exactly func(*curve) Value, within func(*curves.Bounds) Value) []Result {
	p := e.params
	if p.Curves == BoundedCurves {
		return e.labelwise(c, eachLabel(p.scored()), func(label int) Value {
			if h := e.histogram(label); h != nil {
				return within(e.boundsOf(label, h))
			}
			return undefined(noExamples)
		}, func(label int) (float64, int64) {
			if h := e.histogram(label); h != nil {
				positives, _ := h.Tallies()
				return positives.Weight(), positives.Rows()
			}
			return 0, 0
		})
	}
	return e.labelwise(c, eachLabel(p.scored()), func(label int) Value {
		if c := e.curveOf(label); !c.Empty() {
			return exactly(c)
		}
		return undefined(noExamples)
	}, func(label int) (float64, int64) {
		t := &e.curveOf(label).positive
		return t.Weight(), t.Rows()
	})
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
	for c := range p.chosen() {
		if m, ok := c.metric.of.(operating); ok && !slices.Contains(list, m.criterion(c.arg)) {
			list = append(list, m.criterion(c.arg))
		}
	}
	if p.Tuning != nil && !slices.Contains(list, *p.Tuning) {
		list = append(list, *p.Tuning)
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
type oneVsOne struct {
	of func([]curves.Pairs, []float64) curves.Value
}

func (oneVsOne) kind(Task) kind         { return kindLabelCurves }
func (oneVsOne) averages(Task) []string { return onlyItself }

func (m oneVsOne) eval(e *evaluation, c choice) []Result {
	pairs, weights := make([]curves.Pairs, e.params.Labels), make([]float64, e.params.Labels)
	for label := range pairs {
		found := e.curveOf(label)
		pairs[label], weights[label] = found.pairs, found.positive.Weight()
	}
	return e.aggregate(c, ofCurve(m.of(pairs, weights)))
}

// pooledGain evaluates the NDCG of all scores of all labels as one ranking.
type pooledGain struct{}

func (pooledGain) kind(Task) kind         { return kindLabelCurves }
func (pooledGain) averages(Task) []string { return onlyItself }

func (pooledGain) eval(e *evaluation, c choice) []Result {
	found := e.curveOf(pooled)
	return e.aggregate(c, ofCurve(found.gain.NDCG(found.positive.Rows())))
}

// curveOf returns the curve of a label, empty if it has no examples.
func (e *evaluation) curveOf(label int) *curve {
	if found := statisticOf[*labelCurves](e, kindLabelCurves).get(e.params.curveKey(label)); found != nil {
		return found
	}
	return new(curve)
}

// quantileCalibration evaluates a function of calibration bins of equal weight.
type quantileCalibration func([]bin) Value

func (quantileCalibration) kind(Task) kind         { return kindLabelCurves }
func (quantileCalibration) averages(Task) []string { return onlyItself }

func (f quantileCalibration) eval(e *evaluation, c choice) []Result {
	return e.aggregate(c, f(e.curveOf(0).quantileBins(e.params.Bins)))
}

// medianResidual evaluates the median of absolute residuals.
type medianResidual struct{}

func (medianResidual) kind(Task) kind         { return kindLabelCurves }
func (medianResidual) averages(Task) []string { return onlyItself }

func (medianResidual) eval(e *evaluation, c choice) []Result {
	found := e.curveOf(0)
	if found.positive.Weight() == 0 {
		return e.aggregate(c, undefined(noExamples))
	}
	return e.aggregate(c, defined(found.median.value()))
}
