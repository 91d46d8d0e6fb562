package metrics

import (
	"fmt"
	"math"

	"github.com/beameval/beameval/metrics/exact"
)

// The averages over labels.
const (
	micro    = "_micro"
	macro    = "_macro"
	weighted = "_weighted"
)

var (
	onlyItself  = []string{""}
	allAverages = []string{"", micro, macro, weighted}
)

// meanOfDefined is the mean of a quantity over the examples that define it. The
// others take part with zeroDivision unless that is NaN.
func meanOfDefined(total *exact.Sum, defined, missing *exact.Tally, zeroDivision float64) Value {
	if math.IsNaN(zeroDivision) {
		return average(total, defined)
	}
	var sum exact.Sum
	var weight exact.Tally
	sum.Merge(total)
	sum.AddProduct(missing.Weight(), zeroDivision)
	weight.Merge(defined)
	weight.Merge(missing)
	return average(&sum, &weight)
}

// labelwise returns the rows of a metric that each label has.
func (e *evaluation) labelwise(c choice, of labelValues) []Result {
	equally := func(int) float64 { return 1 }
	average := c.averaging()
	switch {
	case e.params.Task == Binary:
		return e.aggregate(c, of.value(0))
	case average == micro:
		return e.aggregate(c, of.value(pooled))
	case average == macro:
		return e.aggregate(c, e.average(of, equally))
	case average == weighted:
		v := e.average(of, func(label int) float64 { w, _ := of.support(label); return w })
		if v.Undefined == noLabel {
			// As scikit-learn: where no label has support, all weigh the same.
			v = e.average(of, equally)
			v.Undefined = noPositives
		}
		return e.aggregate(c, v)
	}
	var rows []Result
	for _, label := range e.labels() {
		_, n := of.support(label)
		rows = append(rows, e.result(c, label, of.value(label), n))
	}
	return rows
}

const noLabel = "no label with a defined value"

// average is the weighted mean of a metric over labels. Labels for which it is
// undefined count with zero_division, if that is for this metric and not NaN;
// either way they are reported.
func (e *evaluation) average(of labelValues, weight func(label int) float64) Value {
	var total, low, high, weights exact.Sum
	missing, bounded := 0, false
	for _, a := range of.labels {
		v := of.value(a.label).withZeroDivision(e.options.ZeroDivision)
		if v.Undefined != "" {
			missing += a.times
		}
		w := weight(a.label)
		if !(w > 0) || math.IsNaN(v.Number) {
			continue
		}
		if !v.Bounded {
			v.Low, v.High = v.Number, v.Number
		}
		bounded = bounded || v.Bounded
		addTimes(&total, w, v.Number, a.times)
		addTimes(&low, w, v.Low, a.times)
		addTimes(&high, w, v.High, a.times)
		addTimes(&weights, w, 1, a.times)
	}
	v := quotient(total.Float64(), weights.Float64(), noLabel)
	if bounded && v.Undefined == "" {
		v.Bounded, v.Low, v.High = true, low.Float64()/weights.Float64(), high.Float64()/weights.Float64()
	}
	if v.Undefined == "" && missing > 0 {
		v.Undefined = fmt.Sprintf("%d of %d labels undefined", missing, e.params.Labels)
	}
	return v
}

// addTimes adds a product several times, exactly.
func addTimes(sum *exact.Sum, x, y float64, times int) {
	if times == 1 {
		sum.AddProduct(x, y)
		return
	}
	var one exact.Sum
	one.AddProduct(x, y)
	sum.MergeTimes(&one, times)
}
