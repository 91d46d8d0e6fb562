package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"

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

// appendLabelwise appends the results of a metric with a value for each label: an average, or one result
// for each label that gets results.
func (e *evaluation) appendLabelwise(rows []Result, c choice, of labelValues) []Result {
	equally := func(int) float64 { return 1 }
	of.labels = e.averagedBy(c).only(of.labels)
	average := c.averaging()
	switch {
	case e.params.Task == Binary:
		return e.append(rows, c, of.value(0))
	case average == micro:
		return e.append(rows, c, of.value(pooled))
	case average == macro:
		return e.append(rows, c, e.average(of, equally))
	case average == weighted:
		some := false
		v := e.average(of, func(label int) float64 {
			w, _ := of.support(label)
			some = some || w > 0
			return w
		})
		if v.Undefined == noLabel {
			// As in scikit-learn, labels weigh the same if none that is defined has support.
			v = e.average(of, equally)
			if !some {
				v.Undefined = noPositives
			}
		}
		return e.append(rows, c, v)
	}
	for _, label := range e.labels() {
		_, n := of.support(label)
		rows = append(rows, e.result(c, label, of.value(label), n))
	}
	return rows
}

const noLabel = "no label with a defined value"

// average returns the weighted mean of a metric over labels. A label for which the metric is
// undefined counts with Options.ZeroDivision, if that applies and is not NaN. The value says how
// many such labels there are.
func (e *evaluation) average(of labelValues, weight func(label int) float64) Value {
	var total, low, high, weights exact.Sum
	missing, all, bounded := 0, 0, false
	for _, a := range of.labels {
		all += a.times
		v := of.value(a.label).withZeroDivision(e.options.ZeroDivision)
		if v.Undefined != "" {
			missing += a.times
		}
		w := weight(a.label)
		if !(w > 0) || math.IsNaN(v.Number) {
			continue
		}
		if v.Bounded && !bounded {
			bounded = true
			low.Merge(&total)
			high.Merge(&total)
		}
		if bounded {
			l, h := v.Number, v.Number
			if v.Bounded {
				l, h = v.Low, v.High
			}
			addTimes(&low, w, l, a.times)
			addTimes(&high, w, h, a.times)
		}
		addTimes(&total, w, v.Number, a.times)
		addTimes(&weights, w, 1, a.times)
	}
	v := quotient(total.Float64(), weights.Float64(), noLabel)
	if bounded && v.Undefined == "" {
		v.Bounded, v.Low, v.High = true, low.Float64()/weights.Float64(), high.Float64()/weights.Float64()
	}
	if v.Undefined == "" && missing > 0 {
		v.Undefined = fmt.Sprintf("%d of %d labels undefined", missing, all)
	}
	return v
}

// few is the number of additions below which adding takes less than multiplying.
const few = 16

// addTimes adds x·y to sum, exactly, the given number of times.
func addTimes(sum *exact.Sum, x, y float64, times int) {
	if times < few {
		for range times {
			sum.AddProduct(x, y)
		}
		return
	}
	var one exact.Sum
	one.AddProduct(x, y)
	sum.MergeTimes(&one, int64(times))
}

// meanOfDefined returns the mean of a quantity over the examples for which it is defined.
// The others count with zeroDivision, unless that is NaN.
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

// withUndefined adds to a mean the number of examples for which its quantity is undefined.
func (e *evaluation) withUndefined(v Value, missing *exact.Tally) Value {
	examples := "examples"
	if e.params.Task == Ranking {
		examples = "queries"
	}
	if n := missing.Rows(); n > 0 {
		v.Undefined = fmt.Sprintf("%d of %d %s undefined", n, e.partial.Weighty(), examples)
	}
	return v
}

// labels returns the labels that get results of their own.
func (e *evaluation) labels() []int {
	if e.withRows == nil {
		e.withRows = e.chooseLabels()
	}
	return e.withRows
}

func (e *evaluation) chooseLabels() []int {
	which, n := e.options.PerLabel, e.params.Labels
	switch {
	case which.All || n <= which.Limit && which.Labels == nil:
		return firstLabels(n)
	case which.Labels != nil:
		return which.Labels
	case which.Limit == 0:
		return []int{}
	case e.params.Task == Preference:
		return e.compared().first(which.Limit)
	case e.params.Task == Agreement:
		return statisticOf[*ratings](e, kindRatings).First(which.Limit)
	}
	if e.partial.stats[kindLabelCounts] == nil && e.partial.stats[kindConfusion] == nil {
		return firstLabels(which.Limit) // it is unknown which labels occur
	}
	return e.labelTables().first(which.Limit)
}

// firstLabels returns the labels 0…n-1.
func firstLabels(n int) []int {
	labels := make([]int, n)
	for i := range labels {
		labels[i] = i
	}
	return labels
}

// eachLabel returns the labels 0…n-1, each in a group of its own.
func eachLabel(n int) []alike {
	all := make([]alike, n)
	for label := range all {
		all[label] = alike{label, 1}
	}
	return all
}

// checkIncreasing returns an error if labels are not increasing, or not of n labels.
func checkIncreasing(what string, labels []int, n int) error {
	for i, label := range labels {
		if label < 0 || label >= n {
			return fmt.Errorf("%s has %d, which is not one of %d labels", what, label, n)
		}
		if i > 0 && label <= labels[i-1] {
			return fmt.Errorf("%s has %d after %d: labels must increase", what, label, labels[i-1])
		}
	}
	return nil
}

// checkAverages returns an error if averages over these labels cannot be computed under p.
func (p *Params) checkAverages(labels []int) error {
	switch {
	case labels == nil:
		return nil
	case !p.SomeAveraged:
		return errors.New("Options.AverageLabels needs Params.SomeAveraged, which leaves out metrics of all labels together")
	case len(labels) == 0:
		return errors.New("Options.AverageLabels is empty: averages are over at least one label")
	}
	return checkIncreasing("Options.AverageLabels", labels, p.Labels)
}

// labelSet is a set of labels.
type labelSet struct {
	all  int   // the number of all labels
	some []int // in increasing order; nil if the set has all
}

func (s labelSet) has(label int) bool {
	if s.some == nil {
		return true
	}
	_, found := slices.BinarySearch(s.some, label)
	return found
}

func (s labelSet) size() int {
	if s.some == nil {
		return s.all
	}
	return len(s.some)
}

// averagedLabels returns the labels that averages are over.
func (e *evaluation) averagedLabels() labelSet {
	return labelSet{e.params.scored(), e.options.AverageLabels}
}

// averagedBy returns the labels that the average of a metric is over: all, if the metric is itself an
// average.
func (e *evaluation) averagedBy(c choice) labelSet {
	if c.average == "" {
		return labelSet{all: e.params.scored()}
	}
	return e.averagedLabels()
}

// only returns the labels that are in the set. A group of alike labels is in the set as a whole or
// not at all: labelTables has made it so. The labels that do not occur fill the rest of the set.
func (s labelSet) only(labels []alike) []alike {
	if s.some == nil {
		return labels
	}
	var list []alike
	left, at := s.size(), -1
	for _, a := range labels {
		switch {
		case a.label == unmet:
			at = len(list)
			list = append(list, a)
		case a.times > 1 || s.has(a.label):
			list = append(list, a)
			left -= a.times
		}
	}
	if at >= 0 {
		if list[at].times = left; left == 0 {
			list = slices.Delete(list, at, at+1)
		}
	}
	return list
}
