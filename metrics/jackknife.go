package metrics

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/ppi"
)

// IntervalOptions say how results become intervals.
type IntervalOptions struct {
	// Level is the probability with which an interval contains the true value.
	Level float64
	// Clustered says that a fold has examples that depend on each other, such as one user's;
	// Weighted, that examples have weights. In either case, the trials of a proportion are not
	// independent.
	Clustered, Weighted bool
	// Rows is the number of examples that have weight.
	Rows int64
	// Folds, if not nil, returns the numbers of folds that have positives and negatives of a
	// label. The label of a binary task is 0.
	Folds func(label int) (positive, negative int)
}

// fewestOfShare is the smallest number of examples that a share must hold for intervals of metrics that read
// it. Where it holds fewer, a positive more or less changes such a metric too much.
const fewestOfShare = 20

// Intervals returns the interval of each result in all. without has an element for each fold that
// has examples: the results without the fold's examples, for the same metrics and labels in the
// same order.
func (p *Params) Intervals(o IntervalOptions, all []Result, without [][]Result) []confidence.Interval {
	choices := make(map[string]choice)
	for c := range p.orNothing().chosen() {
		choices[c.full] = c
	}
	intervals, replicates := make([]confidence.Interval, len(all)), make([]float64, len(without))
	for i, r := range all {
		for fold, results := range without {
			replicates[fold] = results[i].Estimate()
		}
		e := confidence.Estimate{Value: r.Estimate(), Replicates: replicates, Rarer: math.MaxInt, HeavyTails: r.HeavyTails}
		if c, known := choices[r.Name]; known {
			e.Scale, e.FewRows = c.scale(), c.metric.ofShare && float64(c.arg*float64(o.Rows)) < fewestOfShare
		}
		if !o.Clustered && !o.Weighted {
			e.Trials, e.Gaps = r.Trials, r.Gaps
		}
		if !o.Clustered {
			e.StdError = r.StdError
		}
		if o.Folds != nil && (r.Label >= 0 || p.Task == Binary) {
			positive, negative := o.Folds(max(r.Label, 0))
			if p.Task&Classifying == 0 { // a system needs no comparisons without it, and a rater no examples
				negative = positive
			}
			e.Rarer = min(positive, negative)
		}
		intervals[i] = e.Interval(o.Level)
	}
	return intervals
}

// Jackknife leaves one fold out after the other for some metrics of Params: for metrics that need a
// label, or for metrics of judgements, which rows without a label have, too.
type Jackknife struct {
	*Params
	// Names of the metrics.
	Names   []string
	judging bool
}

// Jackknives returns the jackknives of the metrics of p, which must be from WithoutFolds.
func (p *Params) Jackknives() (list []Jackknife) {
	for _, j := range []Jackknife{{Params: p}, {Params: p, judging: true}} {
		for c := range p.chosen() {
			if j.has(c) {
				j.Names = append(j.Names, c.full)
			}
		}
		if len(j.Names) > 0 {
			list = append(list, j)
		}
	}
	return list
}

func (j *Jackknife) has(c choice) bool {
	return j.judging == (c.metric.needs&needJudged != 0 && !c.metric.labelled)
}

// Leaves reports whether leaving out a fold can matter: whether it has rows with weight that the
// metrics use. Other folds are not left out.
func (j *Jackknife) Leaves(fold *Partial) bool {
	return fold.Weighty() > 0 || j.judging && fold.judged()
}

// Weights returns the total weights of folds, or nil if they are not what metrics of judgements are means by.
func (j *Jackknife) Weights(folds []*Partial) []float64 {
	if j.judging {
		return nil
	}
	return collections.Map(folds, (*Partial).Weight)
}

// Weight returns the total weight of the examples, which statistics without examples lack.
func (p *Partial) Weight() float64 {
	if some, has := p.stats[kindExamples].(*examples); has {
		return some.all.Weight()
	}
	return 0
}

// Evaluate computes the metrics as Params.Evaluate does.
func (j *Jackknife) Evaluate(partial *Partial, o Options) ([]Result, error) {
	return j.evaluate(partial, o, j.has)
}

// judged reports whether rows of weight have judgements.
func (p *Partial) judged() bool {
	return slices.ContainsFunc(p.stats[:], func(s statistic) bool {
		of, is := s.(judging)
		return is && of.Judged() > 0
	})
}

// Estimated says what a metric of judgements is.
type Estimated uint8

// What metrics of judgements are.
const (
	PoweredMean  Estimated = 1 << iota // a prediction-powered mean
	JudgedMean                         // the mean of judgements
	ErrorOfMean                        // a standard error, or λ
	NotEstimated Estimated = 0         // another metric
)

// Judging reports whether the metrics are of judgements that rows without a label have, too.
func (j *Jackknife) Judging() bool { return j.judging }

// Estimated says what a metric of the jackknife is.
func (j *Jackknife) Estimated(name string) Estimated {
	for c := range j.chosen() {
		if c.full == name {
			return c.metric.estimates
		}
	}
	return NotEstimated
}

// Estimates finds what folds contribute to metrics of judgements if the rows with a label were drawn.
type Estimates struct {
	all     *evaluation
	choices map[string]choice
}

// Estimates returns the estimates of all examples of a Partial. Params.Drawn must be set.
func (j *Jackknife) Estimates(all *Partial, o Options) *Estimates {
	e := &Estimates{all: &evaluation{params: j.Params, partial: all, options: o}, choices: map[string]choice{}}
	for c := range j.chosen() {
		e.choices[c.full] = c
	}
	return e
}

// Replicated reports whether Powered has a metric.
func (e *Estimates) Replicated(name string) bool {
	return e.choices[name].metric.estimates&(PoweredMean|JudgedMean) != 0
}

// Powered has what [confidence.Sample.Powered] needs, by fold.
type Powered struct {
	Kappa, Ratio       float64
	Labels, Judgements []float64
}

// Powered returns what folds contribute to the result of a PoweredMean or a JudgedMean, or false if it is undefined.
func (e *Estimates) Powered(folds []*Partial, r Result) (p Powered, defined bool) {
	c := e.choices[r.Name]
	of := func(e *evaluation) *ppi.Sample { return c.metric.judgements(e, r.Label).(*ppi.Sample) }
	all := of(e.all)
	centre, why := all.Centre()
	found := e.all.estimand(r.Label, func() judgements { return all })
	if why != "" || found.why != "" {
		return p, false
	}
	p.Kappa, p.Ratio = found.trust.Kappa, found.trust.Ratio
	for _, fold := range folds {
		y, f := centre.Moved(of(&evaluation{params: e.all.params, partial: fold}))
		p.Labels, p.Judgements = append(p.Labels, y), append(p.Judgements, f)
	}
	if c.metric.estimates == JudgedMean { // it trusts judgements alone
		p.Kappa, p.Labels = 1, p.Judgements
	}
	return p, true
}

// Align shifts the results without each fold, if they are Binned, by the difference that bins make
// to the result of all examples. whole holds the results of all examples computed with the same
// bins. After the shift, the results are comparable to those in all, from which the bias is
// estimated.
func (p *Params) Align(all, whole []Result, without [][]Result) {
	for i, r := range all {
		by := r.Estimate() - whole[i].Estimate()
		if by == 0 || math.IsNaN(by) || math.IsInf(by, 0) {
			continue
		}
		least, greatest := Bounds(r.Name)
		for _, results := range without {
			of := &results[i].Value
			*of = Value{Number: min(max(of.Estimate()+by, least), greatest), Undefined: of.Undefined}
		}
	}
}

// scale returns the scale of the errors of c. An average over labels is not a proportion of
// independent trials, nor a sum of gaps of independent examples.
func (c choice) scale() confidence.Scale {
	switch s := c.metric.scale; {
	case c.averaging() == "":
		return s
	case s.IsProportion():
		return confidence.Logit
	case s == confidence.Projection:
		return confidence.Biased
	default:
		return s
	}
}

// LeaveOneOut calls each, for every i in order, with the merged statistics of all partials except
// number i. Partials may be nil. The merged partial is valid only during the call, and may be
// modified. all, if not nil, holds all examples: it has the scores of the bins that tracers find;
// see Params.Binned.
//
// Nearly all statistics are sums and tallies: a partial's can be subtracted from the merge of all.
// So can the bins of curves. Other statistics have to be merged again for each partial left out.
// Recursion shares these merges: partials outside of a half are merged once for the whole half. So
// n partials take about n log n merges instead of n².
//
//	{0 1 2 3}
//	├─ {0 1}: merge 2 3
//	│   ├─ {0}: merge 1 ─► each(0)
//	│   └─ {1}: merge 0 ─► each(1)
//	└─ {2 3}: merge 0 1
//	    └─ …
//
// The bins of bounded curves come from all partials together. Otherwise, a single score could
// change the bins of one result, and the effect would look like variation.
func LeaveOneOut(partials []*Partial, all *Partial, each func(i int, without *Partial) error) error {
	bins, binsLeft := binsOfAll(partials, all), new(labelBins)
	histograms, mixed := histogramsOfAll(partials)
	var histogramsLeft *labelHistograms
	if histograms != nil {
		histogramsLeft = histograms.bins()
	}
	rest := newRemainder(partials)
	rest.whole.mixed = rest.whole.mixed || mixed
	return leaveOneOut(rest.others, 0, len(partials), new(Partial), func(i int, without *Partial) error {
		if bins != nil {
			bins.without(partials[i], binsLeft)
			without.stats[kindLabelBins], without.shared = binsLeft, without.shared|1<<kindLabelBins
		}
		if histograms != nil {
			histograms.without(partials[i], histogramsLeft)
			without.stats[kindLabelHistograms], without.shared = histogramsLeft, without.shared|1<<kindLabelHistograms
		}
		rest.remove(i, without)
		err := each(i, without)
		rest.restore(i)
		return err
	})
}

// remainder holds the merge of partials, from which one after the other is removed.
type remainder struct {
	partials []*Partial
	others   []*Partial    // the same without what is removable
	whole    Partial       // what is removable, of all
	holders  [numKinds]int // how many partials have a statistic
}

func newRemainder(partials []*Partial) *remainder {
	r := &remainder{partials: partials, others: make([]*Partial, len(partials))}
	for i, p := range partials {
		if p == nil {
			continue
		}
		other, some := *p, Partial{mixed: p.mixed}
		for k := range numKinds {
			if other.stats[k] != nil && statistics[k].repeats == removable {
				some.stats[k], other.stats[k] = other.stats[k], nil
				r.holders[k]++
			}
		}
		r.others[i] = &other
		r.whole.Merge(&some)
	}
	return r
}

// remove adds to without the removable statistics of all partials but i. without must not have
// these statistics.
func (r *remainder) remove(i int, without *Partial) {
	for k := range numKinds {
		if r.holders[k] == 0 {
			continue
		}
		left := r.holders[k]
		if s := r.of(i, k); s != nil {
			left--
			v := fields.Removing()
			if r.whole.stats[k].visit(v, s); v.Conflict() != nil {
				r.merge(k, i)
			}
		}
		if left > 0 {
			without.stats[k], without.shared = r.whole.stats[k], without.shared|1<<k
		}
	}
	without.mixed = without.mixed || r.whole.mixed
}

// restore merges partial i again.
func (r *remainder) restore(i int) {
	v := fields.Merging()
	for k := range numKinds {
		if s := r.of(i, k); s != nil && r.holders[k] > 0 {
			r.whole.stats[k].visit(v, s)
		}
	}
}

// merge merges a statistic of all partials but one.
func (r *remainder) merge(k kind, except int) {
	v := fields.Merging()
	r.whole.stats[k] = statistics[k].empty(zeroParams)
	for i := range r.partials {
		if s := r.of(i, k); s != nil && i != except {
			r.whole.stats[k].visit(v, s)
		}
	}
}

// of returns a statistic of partial i, or nil.
func (r *remainder) of(i int, k kind) statistic {
	if r.partials[i] == nil {
		return nil
	}
	return r.partials[i].stats[k]
}

// Whole returns what LeaveOneOut would call each with if it left nothing out: all, with the bins that
// the partials have. It shares the other statistics of all.
func Whole(partials []*Partial, all *Partial) *Partial {
	whole := *all
	if bins := binsOfAll(partials, all); bins != nil {
		whole.stats[kindLabelBins] = bins
	}
	h, mixed := histogramsOfAll(partials)
	if h != nil {
		whole.stats[kindLabelHistograms] = h
	}
	whole.mixed = whole.mixed || mixed
	return &whole
}

// Rebinned returns p with no finer bins of bounded curves than all has, as if both had been merged. It shares the other
// statistics of p.
func Rebinned(p, all *Partial) *Partial {
	h, ok := all.stats[kindLabelHistograms].(*labelHistograms)
	if !ok || p.stats[kindLabelHistograms] == nil {
		return p
	}
	coarse, rebinned := h.bins(), *p
	coarse.visit(fields.Merging(), p.stats[kindLabelHistograms])
	rebinned.stats[kindLabelHistograms] = coarse
	return &rebinned
}

// binsOfAll returns the bins of all partials, with their scores, or nil if there are none.
func binsOfAll(partials []*Partial, all *Partial) *labelBins {
	bins, _ := mergedOf(kindLabelBins, new(labelBins), append(slices.Clone(partials), all))
	return bins
}

// histogramsOfAll returns the histograms of bounded curves of all partials, or nil if there are
// none, and whether they are of different Params.
func histogramsOfAll(partials []*Partial) (histograms *labelHistograms, mixed bool) {
	return mergedOf(kindLabelHistograms, &labelHistograms{params: zeroParams}, partials)
}

// mergedOf merges one statistic of all partials into sum, and returns sum, or nil if no partial has
// examples in that statistic, and whether the partials do not belong together.
func mergedOf[S interface {
	statistic
	Size() int
}](k kind, sum S, partials []*Partial) (of S, mixed bool) {
	v := fields.Merging()
	for _, p := range partials {
		if p != nil && p.stats[k] != nil {
			sum.visit(v, p.stats[k])
		}
	}
	if sum.Size() > 0 {
		of = sum
	}
	return of, v.Conflict() != nil
}

// leaveOneOut is LeaveOneOut for the partials from low up to, but not including, high. others is
// the merge of all other partials.
func leaveOneOut(partials []*Partial, low, high int, others *Partial, each func(i int, without *Partial) error) error {
	switch high - low {
	case 0:
		return nil
	case 1:
		return each(low, others)
	}
	middle := (low + high) / 2
	if err := leaveOneOut(partials, low, middle, together(others, partials[middle:high]), each); err != nil {
		return err
	}
	return leaveOneOut(partials, middle, high, together(others, partials[low:middle]), each)
}

// together returns a new partial: the merge of one and all of a list, without the bins of curves
// and without score histograms, which no metric needs.
func together(one *Partial, list []*Partial) *Partial {
	all := new(Partial)
	all.Merge(one)
	for _, p := range list {
		if p != nil {
			some := *p
			for _, k := range []kind{kindLabelBins, kindLabelHistograms, kindScoreHistograms, kindValueHistograms} {
				some.stats[k] = nil
			}
			all.Merge(&some)
		}
	}
	return all
}
