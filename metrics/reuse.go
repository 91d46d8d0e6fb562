package metrics

import (
	"errors"
	"fmt"
	"slices"
)

// relabelling is a statistic of labels that can be of some of more labels, because labels that an example does
// not have add nothing to it. Label i becomes to[i].
type relabelling interface {
	relabelled(to []int32, labels int) statistic
}

// withoutLabels are the kinds of statistics to which labels do not matter.
var withoutLabels = [...]kind{kindExamples, kindSetSizes, kindPanic}

// Relabel returns the statistics of the same examples among more labels, where label i is to[i]; to increases. It
// returns an error for statistics that depend on all labels, such as statistics of scores. Digests become digests of
// other examples, because they depend on the places of labels.
func (p *Partial) Relabel(to []int32, labels int) (*Partial, error) {
	if n := len(to); n > 0 && int(to[n-1]) >= labels {
		return nil, fmt.Errorf("label %d of %d", to[n-1], labels)
	}
	of := func(s statistic) bool {
		return slices.ContainsFunc([]Task{Multilabel, Preference, Agreement}, func(t Task) bool { return s.fits(&Params{Task: t, Labels: len(to)}) })
	}
	more := &Partial{mixed: p.mixed}
	for k, s := range p.stats {
		switch r, ok := s.(relabelling); {
		case s == nil:
		case slices.Contains(withoutLabels[:], kind(k)):
			more.stats[k] = s
		case !ok:
			return nil, fmt.Errorf("parts with other labels have statistics that depend on all labels (%s): name the labels, so that all parts have the same", statistics[k].name)
		case !of(s):
			return nil, fmt.Errorf("statistics (%s) of other labels than %d", statistics[k].name, len(to))
		default:
			more.stats[k] = r.relabelled(to, labels)
		}
	}
	return more, nil
}

// Reuse makes statistics that were folded under some Params the statistics that other Params would have folded.
type Reuse struct {
	to, from         *Params
	baseline         *Reuse // likewise for a baseline; nil if to has none
	keeps            [numKinds]bool
	measures         []int // of means: the place of each measure among those that were folded
	greatest, spread []int // likewise of measures whose greatest product is kept, and of measures with histograms
	threshold        *float64
}

// reusable is a statistic of more than what some Params need, if it was folded under others.
type reusable interface{ reused(*Reuse) statistic }

// Reuse returns how statistics that were folded under from become those of p. It returns an error that names a metric
// if they lack something: nothing is folded again.
func (p *Params) Reuse(from *Params) (*Reuse, error) {
	to, err := p.completed()
	if err != nil {
		return nil, err
	}
	if from, err = from.completed(); err != nil {
		return nil, err
	}
	u := &Reuse{to: to, from: from}
	if err := u.findMeasures(); err != nil {
		return nil, err
	}
	if err := u.findKinds(); err != nil {
		return nil, err
	}
	if before := to.OfBaseline(); before != nil && from.OfBaseline() != nil {
		u.baseline, err = before.Reuse(from.OfBaseline())
	}
	return u, err
}

// findMeasures finds the measures of the metrics among those that were folded.
func (u *Reuse) findMeasures() error {
	type place struct{ measure, greatest int }
	places := make(map[string]place)
	next := place{}
	for c := range u.from.chosen() {
		places[c.full] = next
		list := c.measures()
		next.measure, next.greatest = next.measure+len(list), next.greatest+greatestOf(list)
	}
	for c := range u.to.chosen() {
		at, folded := places[c.full]
		if !folded && !u.derives(c) {
			return lacking(c)
		}
		for _, m := range c.measures() {
			if u.measures = append(u.measures, at.measure); m.greatest {
				u.greatest, at.greatest = append(u.greatest, at.greatest), at.greatest+1
			}
			at.measure++
		}
	}
	folded := u.from.spreadOf()
	for _, c := range u.to.spreadOf() {
		u.spread = append(u.spread, slices.IndexFunc(folded, func(of choice) bool { return of.full == c.full }))
	}
	return nil
}

// derives reports whether a metric that was not computed can be: whether what was folded for others is enough.
func (u *Reuse) derives(c choice) bool {
	var arguments []float64
	switch u.to.kindOf(c) {
	case kindMeans, kindOwn:
		return false
	case kindLabelOutcomes:
		arguments = u.from.benefitThresholds()
	case kindItems:
		for _, k := range u.from.itemCuts(c.metric.similar) {
			arguments = append(arguments, float64(k))
		}
	case kindFurtherMeans:
		for of := range u.from.chosen() {
			if u.from.kindOf(of) == kindFurtherMeans && of.grade == c.grade {
				return true
			}
		}
		return false
	default:
		return true
	}
	return slices.Contains(arguments, c.arg)
}

func lacking(c choice) error {
	return fmt.Errorf("metric %s: its statistics were not made: evaluate the predictions with it among metrics", c.full)
}

// findKinds finds which statistics are kept.
func (u *Reuse) findKinds() error {
	folded, err := u.from.New()
	if err != nil {
		return err
	}
	needed, err := u.to.New()
	if err != nil {
		return err
	}
	for c := range u.to.chosen() {
		for _, k := range []kind{u.to.kindOf(c), c.metric.also} {
			if needed.stats[k] != nil && folded.stats[k] == nil {
				return lacking(c)
			}
		}
	}
	for k := range needed.stats {
		if needed.stats[k] != nil && folded.stats[k] == nil {
			return fmt.Errorf("%s were not made: evaluate the predictions", map[kind]string{
				kindLabelHistograms: "histograms of scores, which thresholds are tuned by,", kindScoreHistograms: "histograms of scores for Parquet files", kindValueHistograms: "histograms of values for Parquet files",
			}[kind(k)])
		}
		u.keeps[k] = needed.stats[k] != nil
	}
	if u.to.Curving() && !(slices.Equal(u.to.ScoredLabels(), u.from.ScoredLabels()) && u.to.CurveClasses() == u.from.CurveClasses()) {
		return errors.New("exact curves of other scores than those that are kept: evaluate the predictions")
	}
	spread, err := u.to.NewSpread()
	if err != nil {
		return err
	}
	for k, s := range spread.stats {
		u.keeps[k] = u.keeps[k] || s != nil
	}
	u.keeps[kindPanic] = true
	return nil
}

// Unspread returns the metrics whose histograms are shown and were not made.
func (u *Reuse) Unspread() (names []string) {
	for i, c := range u.to.spreadOf() {
		if u.spread[i] < 0 {
			names = append(names, c.full)
		}
	}
	return names
}

// Decide makes another threshold of a binary task decide. Then Of finds the confusion matrix in the histograms of scores. It
// returns an error if decisions matter elsewhere.
func (u *Reuse) Decide(threshold float64) error {
	for c := range u.to.chosen() {
		if u.to.needsOf(c)&NeedDecisions != 0 && u.to.kindOf(c) != kindConfusion {
			return fmt.Errorf("metric %s depends on the decision for each example: evaluate the predictions with this threshold", c.full)
		}
	}
	if u.to.Task != Binary || u.to.has(HasBaseline) || !u.from.histogrammed() {
		return errors.New("a threshold needs the histograms of scores of a binary task without a baseline, which metrics of curves have: evaluate the predictions with this threshold")
	}
	u.threshold = &threshold
	return nil
}

// decided returns the confusion matrix that the threshold makes of the scores of a partial.
func (u *Reuse) decided(partial *Partial) (*confusion, error) {
	e, _ := partial.stats[kindExamples].(*examples)
	h, _ := partial.stats[kindLabelHistograms].(*labelHistograms)
	made := &confusion{classes: u.to.classes()}
	if e == nil || h == nil || e.all.Empty() {
		return made, nil
	}
	if e.weightless > 0 {
		return nil, errors.New("there are examples of weight 0, whose scores no histogram has: evaluate the predictions with this threshold")
	}
	below, above, ok := h.of(0).Split(*u.threshold)
	if !ok {
		return nil, fmt.Errorf("the threshold %v is within a bin of scores: choose one of the thresholds of curves, or evaluate the predictions with it", *u.threshold)
	}
	for truth := range below {
		made.Value(uint64(2 * truth)).Merge(&below[truth])
		made.Value(uint64(2*truth + 1)).Merge(&above[truth])
	}
	return made, nil
}

// Of returns the statistics of a partial, of a baseline or not; nil if a baseline has no metrics. It shares memory with
// the partial.
func (u *Reuse) Of(partial *Partial, baseline bool) (*Partial, error) {
	if baseline {
		if u.baseline == nil {
			return nil, nil
		}
		u = u.baseline
	}
	made := &Partial{mixed: partial.mixed || !partial.fits(u.from)}
	for k, s := range partial.stats {
		if s == nil || !u.keeps[k] {
			continue
		}
		if more, ok := s.(reusable); ok && !made.mixed {
			s = more.reused(u)
		}
		made.stats[k] = s
	}
	if u.threshold != nil && made.stats[kindConfusion] != nil && !made.mixed {
		matrix, err := u.decided(partial)
		made.stats[kindConfusion] = matrix
		return made, err
	}
	return made, nil
}
