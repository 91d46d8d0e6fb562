package metrics

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/exactcurve"
	"github.com/beameval/beameval/metrics/internal/ranks"
	"github.com/beameval/beameval/metrics/internal/raters"
)

// Result is the value of a metric for a set of examples, or for one label of them.
type Result struct {
	Name string
	// Label is the index of the label that the result belongs to, or -1.
	Label int
	Value
	// Support is the number of examples. For a label, it is the number of examples that truly have
	// it.
	Support int64
}

// Options say how statistics become results. They do not change any statistic.
type Options struct {
	// ZeroDivision replaces a ratio that is undefined because its denominator is 0. It is 0, 1, or
	// NaN, which leaves the ratio undefined and excludes it from averages, as in scikit-learn.
	ZeroDivision float64
	PerLabel     PerLabel
	// AverageLabels are the labels that metrics with the suffixes _micro, _macro and _weighted are over, in
	// increasing order, as scikit-learn's labels; nil means all. It needs Params.SomeAveraged.
	AverageLabels []int
	// Reference, of preferences, is the system whose strength is 0; nil means that the strengths add up
	// to 0.
	Reference *int
	// Drawn, for Params.Drawn, says how the rows with a label of all examples were drawn, if partial has some of these, such as a
	// slice. The zero Drawn stands for the rows of partial, of a sample about the process that made them.
	Drawn Design
}

// check returns an error if o does not fit n labels.
func (o *Options) check(n int) error {
	if x := o.ZeroDivision; x != 0 && x != 1 && !math.IsNaN(x) {
		return fmt.Errorf("ZeroDivision of %v: it must be 0, 1 or NaN", x)
	}
	if r := o.Reference; r != nil && (*r < 0 || *r >= n) {
		return fmt.Errorf("Reference of %d, which is not one of %d systems", *r, n)
	}
	return o.PerLabel.check(n)
}

// PerLabel says which labels get results of their own. The zero value selects none.
type PerLabel struct {
	// All selects all labels.
	All bool
	// Labels, if not nil, are the selected labels, in increasing order.
	Labels []int
	// Limit is the largest number of selected labels, if neither All nor Labels is set: all labels
	// if there are no more, otherwise the first that occur.
	Limit int
}

// check returns an error if l does not fit n labels.
func (l PerLabel) check(n int) error {
	if l.Limit < 0 {
		return fmt.Errorf("PerLabel.Limit of %d: it must not be negative", l.Limit)
	}
	return checkIncreasing("PerLabel.Labels", l.Labels, n)
}

// Evaluate computes the metrics of the examples in partial, in the order of p.Metrics (see
// Complete), and for each metric in the order of the labels. It does not change partial. It returns
// an error if partial cannot have been folded under p, or lacks curves that metrics need and that
// a Collector adds. A partial without examples is not an error.
func (p *Params) Evaluate(partial *Partial, o Options) ([]Result, error) {
	p, err := p.completed()
	if err != nil {
		return nil, err
	}
	return p.evaluate(partial, o, func(choice) bool { return true })
}

// evaluate is Evaluate for the wanted metrics only. p must be complete.
func (p *Params) evaluate(partial *Partial, o Options, wanted func(choice) bool) (results []Result, err error) {
	defer returned(&err)
	if err := cmp.Or(o.check(p.Labels), p.checkAverages(o.AverageLabels)); err != nil {
		return nil, err
	}
	if err := partial.Err(); err != nil {
		return nil, err
	}
	if !partial.fits(p) {
		return nil, errors.New("evaluating statistics that were folded under other Params")
	}
	if partial.Examples() > 0 && !partial.traced() && p.curving(wanted) {
		return nil, errors.New("evaluating metrics of exact curves without the curves: add them with Collector.AddTo, or set Curves to BoundedCurves")
	}
	e := &evaluation{params: p, partial: partial, options: o}
	results = make([]Result, 0, e.size(wanted))
	for c := range p.chosen() {
		if wanted(c) {
			results = e.appendRows(results, c)
		}
	}
	return results, nil
}

// size returns the number of results of the wanted metrics.
func (e *evaluation) size(wanted func(choice) bool) (n int) {
	for c := range e.params.chosen() {
		switch {
		case !wanted(c):
		case c.ofEachLabel(e.params.Task):
			n += len(e.labels())
		default:
			n++
		}
	}
	return n
}

// curving reports whether wanted metrics need curves that a Collector traces.
func (p *Params) curving(wanted func(choice) bool) bool {
	if p.Curves == ExactCurves && p.Tuning != nil {
		return true
	}
	for c := range p.chosen() {
		if k := p.kindOf(c); wanted(c) && (k == kindLabelCurves || k == kindLabelBins) {
			return true
		}
	}
	return false
}

// fits reports whether the statistics can have been folded under p.
func (p *Partial) fits(params *Params) bool {
	for _, s := range p.stats {
		if s != nil && !s.fits(params) {
			return false
		}
	}
	return !p.mixed
}

// Rows returns the number of results of Evaluate if n labels get results of their own.
func (p *Params) Rows(n int) int {
	if all, err := p.completed(); err == nil {
		p = all
	}
	rows := 0
	for c := range p.chosen() {
		if c.ofEachLabel(p.Task) {
			rows += n
		} else {
			rows++
		}
	}
	return rows
}

// OfEachLabel reports whether a metric, given by its main name, has a value for each label instead
// of one for all.
func (p *Params) OfEachLabel(name string) bool {
	found, err := p.lookup(name, nil)
	return err == nil && len(found) == 1 && found[0].ofEachLabel(p.Task)
}

func (c *choice) ofEachLabel(t Task) bool {
	return t != Binary && c.metric.byLabel != nil && c.averaging() == ""
}

// evaluation evaluates one Partial. It caches what several metrics need.
type evaluation struct {
	params  *Params
	partial *Partial
	options Options

	margins   *margins
	systems   *systems
	pairs     []raters.Pair
	tables    *labelTables
	withRows  []int             // the cached result of labels
	pooled    *curves.Histogram // see pooledHistogram
	bounds    map[int]*curves.Bounds
	binned    map[int]*exactcurve.Curve // see binnedCurve
	work      *exactcurve.Work          // what is computed of those curves
	through   curves.BinnedCurve        // the last of them; see throughBins
	order     *ranks.Order              // see ofOrder
	estimands map[int]*estimand         // by class, or ofAll
	totals    map[string][]meanTotal    // by the name of the metric; see totalsOf
}

// appendRows appends the results of a metric.
func (e *evaluation) appendRows(rows []Result, c choice) []Result {
	if c.metric.byLabel != nil {
		return e.appendLabelwise(rows, c, c.metric.byLabel(e, c))
	}
	return e.append(rows, c, c.metric.overall(e, c))
}

// statisticOf returns a statistic of the partial, or an empty one if it has none.
func statisticOf[S statistic](e *evaluation, k kind) S {
	if s := e.partial.stats[k]; s != nil {
		return s.(S)
	}
	return statistics[k].empty(e.params).(S)
}

// weight returns the number and weight of all examples.
func (e *evaluation) weight() *exact.Tally { return &statisticOf[*examples](e, kindExamples).all }

// heaviest is the largest total weight for which metrics are defined. Products of two such weights,
// and with losses and numbers of labels, are within float64.
const heaviest = 0x1p480

// tooHeavy reports whether weights are so large that values computed from them may exceed float64.
func (p *Partial) tooHeavy() bool {
	e, ok := p.stats[kindExamples].(*examples)
	return ok && e.all.Weight() > heaviest
}

// result returns the result of a metric. All results are made here. label is -1 if the result does
// not belong to a label.
func (e *evaluation) result(c choice, label int, v Value, support int64) Result {
	if e.partial.tooHeavy() {
		v = Undefined(weightsTooLarge)
	}
	v = v.withZeroDivision(e.options.ZeroDivision)
	if !c.scale().IsProportion() {
		v.Trials = 0
	}
	if c.scale() != confidence.Projection {
		v.Gaps = nil
	}
	if math.IsNaN(v.Number) && v.Undefined == "" {
		v.Undefined = notANumber
	}
	return Result{c.full, label, v, support}
}

// append appends the result of a metric with one value for all examples.
func (e *evaluation) append(rows []Result, c choice, v Value) []Result {
	return append(rows, e.result(c, -1, v, e.partial.Examples()))
}

// pooledCurve reports whether a metric is computed from the scores of all labels together.
func (p *Params) pooledCurve(c choice) bool {
	switch p.kindOf(c) {
	case kindLabelCurves, kindLabelHistograms, kindLabelBins:
		return c.averaging() == micro || c.metric.curve == PooledLabel || c.metric.extra&exactcurve.Pairs != 0
	}
	return false
}
