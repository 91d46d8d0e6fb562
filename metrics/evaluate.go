package metrics

import (
	"errors"
	"fmt"
	"math"

	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/exact"
)

// Result is a metric of one set of examples.
type Result struct {
	Name string
	// Label is the index of the label that the result is about, or -1.
	Label int
	Value
	// Support is the number of examples; of a label, of those that it is true for.
	Support int64
}

// Options say how statistics become results. They change no statistic.
type Options struct {
	// ZeroDivision stands for an undefined ratio: 0, 1, or NaN, which leaves it
	// undefined and out of averages, as in scikit-learn.
	ZeroDivision float64
	PerLabel     PerLabel
}

// check says whether results of n labels can be as o says.
func (o *Options) check(n int) error {
	if x := o.ZeroDivision; x != 0 && x != 1 && !math.IsNaN(x) {
		return fmt.Errorf("ZeroDivision of %v: it is 0, 1 or NaN", x)
	}
	return o.PerLabel.check(n)
}

// Evaluate computes the metrics of the examples of part, in the order of
// p.Metrics (see Complete), labels in increasing order. It leaves part as it is. A
// partial that cannot have been folded under p is an error, and one without the
// curves that Sweep adds, if metrics need them; one without examples is not.
func (p *Params) Evaluate(part *Partial, o Options) ([]Result, error) {
	p, err := p.completed()
	if err != nil {
		return nil, err
	}
	if err := o.check(p.Labels); err != nil {
		return nil, err
	}
	for _, s := range part.stats {
		if s != nil && !s.fits(p) {
			return nil, errors.New("evaluating statistics that were folded under other parameters")
		}
	}
	if part.Examples() > 0 && !part.swept() && p.Curving() {
		return nil, errors.New("evaluating metrics of exact curves without the curves: merge what Sweep returns, or set Curves to BoundedCurves")
	}
	e := &evaluation{params: p, part: part, options: o}
	var results []Result
	for c := range p.chosen() {
		results = append(results, e.rows(c)...)
	}
	return results, nil
}

// Rows returns how many results a set of examples has, if those of single labels are
// of n labels.
func (p *Params) Rows(n int) int {
	if all, err := p.completed(); err == nil {
		p = all
	}
	rows := 0
	for c := range p.chosen() {
		if c.average == "" && len(c.metric.averagesIn(p.Task)) > 1 {
			rows += n
		} else {
			rows++
		}
	}
	return rows
}

// rows returns the results of a metric.
func (e *evaluation) rows(c choice) []Result {
	if c.metric.byLabel != nil {
		return e.labelwise(c, c.metric.byLabel(e, c))
	}
	return e.aggregate(c, c.metric.overall(e, c))
}

// evaluation is the evaluation of one Partial; it keeps what several metrics
// need.
type evaluation struct {
	params  *Params
	part    *Partial
	options Options

	margins  *margins
	tables   *labelTables
	withRows []int // see labels
	bounds   map[int]*curves.Bounds
	totals   map[string][]meanTotal // see totalsOf
}

// statisticOf returns a statistic of the partial; an empty one where nothing was
// folded.
func statisticOf[S statistic](e *evaluation, k kind) S {
	if s := e.part.stats[k]; s != nil {
		return s.(S)
	}
	return statistics[k].empty(e.params).(S)
}

// weight counts and weighs all examples.
func (e *evaluation) weight() *exact.Tally { return &statisticOf[*examples](e, kindExamples).all }

// result is a row; label is -1 where it is not about one.
func (e *evaluation) result(c choice, label int, v Value, support int64) Result {
	v = v.withZeroDivision(e.options.ZeroDivision)
	v.zeroDivision = false // settled: equal values are ==
	if math.IsNaN(v.Number) && v.Undefined == "" {
		v.Undefined = notANumber
	}
	return Result{c.full, label, v, support}
}

// aggregate is the one row of a metric of all examples.
func (e *evaluation) aggregate(c choice, v Value) []Result {
	return []Result{e.result(c, -1, v, e.part.Examples())}
}
