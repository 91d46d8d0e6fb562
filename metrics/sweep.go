package metrics

import (
	"github.com/beameval/beameval/metrics/curves"
)

// Special labels: all labels pooled, and the top class, which is the class with the highest
// probability of each example. An example is positive for the top class if that is its true class.
const (
	PooledLabel = -1
	TopClass    = -2
)

// Curving reports whether the metrics need Sweep. The number of labels may still be unknown.
func (p *Params) Curving() bool {
	some := *p
	some.Labels = max(p.Labels, 1)
	p = some.orNothing()
	return p.Curves == ExactCurves && p.curveNeeds() != curveNeeds{}
}

// CurveLabels returns the labels whose curves the metrics need: none or all, and possibly
// PooledLabel and TopClass.
func (p *Params) CurveLabels() []int {
	p = p.orNothing()
	needs := p.curveNeeds()
	var labels []int
	if needs.each {
		labels = firstLabels(p.scored())
	}
	if needs.pooled {
		labels = append(labels, PooledLabel)
	}
	if needs.top {
		labels = append(labels, TopClass)
	}
	return labels
}

// ScoredLabels returns the labels whose scores these curves are made of: none or all, and possibly
// TopClass.
func (p *Params) ScoredLabels() []int {
	p = p.orNothing()
	needs := p.curveNeeds()
	var labels []int
	if needs.each || needs.pooled {
		labels = firstLabels(p.scored())
	}
	if needs.top {
		labels = append(labels, TopClass)
	}
	return labels
}

// LabelNumber returns the number of one of ScoredLabels in the entries of runs.
func (p *Params) LabelNumber(label int) int {
	if label == TopClass {
		return p.Labels
	}
	return label
}

// curveNeeds says whether metrics need the curve of each label, of all labels pooled, and of the
// top class.
type curveNeeds struct{ each, pooled, top bool }

func (p *Params) curveNeeds() curveNeeds {
	needs := curveNeeds{each: p.Tuning != nil}
	for c := range p.chosen() {
		switch k := p.kindOf(c); {
		case k != kindLabelCurves && k != kindLabelHistograms && k != kindLabelBins:
		case c.metric.curve == TopClass:
			needs.top = true
		case c.metric.curve == PooledLabel || c.averaging() == micro:
			needs.pooled = true
		default:
			needs.each = true
		}
	}
	return needs
}

// CurveClasses returns the number of classes that the tags in runs distinguish: all classes of a
// multiclass task if ComparesClasses, otherwise 2.
func (p *Params) CurveClasses() int {
	if p.ComparesClasses() {
		return max(p.Labels, 2)
	}
	return 2
}

// ComparesClasses reports whether metrics compare pairs of classes. If so, the tag of a score has
// the class of the example; if not, and always for TopClass, it has 1 if the example is positive
// and 0 otherwise.
func (p *Params) ComparesClasses() bool {
	p = p.orNothing()
	if p.Task != Multiclass {
		return false
	}
	for c := range p.chosen() {
		if c.metric.sweeps&sweepPairs != 0 {
			return true
		}
	}
	return false
}

// Sweeps says what sweeps compute under some Params. Goroutines may share it; each needs its own
// Sweeper.
type Sweeps struct {
	params       *Params
	compares     bool // whether pairs of classes are compared
	binned       bool // whether the curves without a group come from bins
	all, without sweepWork
}

// sweepWork is what is computed for a curve in addition to areas.
type sweepWork struct {
	extra    sweepExtra
	criteria []curves.Criterion
}

// Sweeps returns what sweeps compute under p, or an error if p is invalid.
func (p *Params) Sweeps() (*Sweeps, error) {
	p, err := p.completed()
	if err != nil {
		return nil, err
	}
	without, err := p.WithoutGroups(p.Replicated)
	if err != nil {
		return nil, err
	}
	return &Sweeps{
		params: p, compares: p.ComparesClasses(), binned: without.binned,
		all: sweepWork{p.sweepsOfAll(), p.criteria()}, without: sweepWork{without.sweepsOfAll(), without.criteria()},
	}, nil
}

// sweepExtra says what a sweep computes in addition to areas and operating points: a set of bits.
type sweepExtra uint8

const (
	sweepQuantiles  sweepExtra = 1 << iota // calibration bins of equal weight
	sweepGain                              // the gain of all labels as one ranking
	sweepPairs                             // pairs of an example of the class and one of another
	sweepMedian                            // the median, and nothing else
	sweepTrapezoids                        // the area under the precision-recall curve

	// sweepFewPoints are the extras that need only a few points of a curve: the Accumulator
	// computes them.
	sweepFewPoints = sweepTrapezoids
)

// sweepsOf returns what else a sweep has to compute for a metric under p.
func (p *Params) sweepsOf(c choice) sweepExtra {
	if p.Quantiles && c.metric.binned {
		return c.metric.sweeps | sweepQuantiles
	}
	return c.metric.sweeps
}

// sweepsOfAll returns what else sweeps have to compute; the gain only for PooledLabel.
func (p *Params) sweepsOfAll() (extra sweepExtra) {
	for c := range p.chosen() {
		extra |= p.sweepsOf(c)
	}
	return extra
}

// WithoutGroups returns the parameters for computing metrics without each group of examples, for
// confidence intervals. The metrics are those with the given names or, if there are none, all
// except those that need every point of a curve for something of their own: each of these would
// take one more sweep for every group, whereas the others use bins (see Binned).
func (p *Params) WithoutGroups(names []string) (*Params, error) {
	all, err := p.completed()
	if err != nil {
		return nil, err
	}
	some := *all.OfGroups()
	some.Tuning, some.CurveLines, some.Replicated = nil, 0, nil
	if some.Metrics = names; len(names) == 0 {
		for c := range all.chosen() {
			if all.sweepsOf(c)&^(sweepMedian|sweepFewPoints) == 0 {
				some.Metrics = append(some.Metrics, c.full)
			}
		}
	}
	if err := some.Complete(); err != nil {
		return nil, err
	}
	some.binned = some.Curving() && some.sweepsOfAll()&^sweepFewPoints == 0
	return &some, nil
}

// Binned reports whether the curves under p, which must be from WithoutGroups, are exact only at
// the ends of bins: those of curves.Bins, which sweeps find for each group, or those of the
// histograms of groups. That is enough for metrics that do not need every point of a curve for
// something of their own.
func (p *Params) Binned() bool { return p.binned || p.ofGroup && p.Curves == BoundedCurves }
