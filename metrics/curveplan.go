package metrics

import (
	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/internal/exactcurve"
)

// Special labels: all labels pooled; the top class, which is the class with the highest probability of
// each example; and the only label of a binary task, where each example weighs what its error costs (see
// Batch.CostWeights). An example is positive for the top class if that is its true class.
const (
	PooledLabel = -1
	TopClass    = -2
	CostLabel   = -3
)

// Curving reports whether the metrics need curves that a Collector traces. The number of labels may still be unknown.
func (p *Params) Curving() bool {
	some := *p
	some.Labels = max(p.Labels, 1)
	p = some.orNothing()
	return p.Curves == ExactCurves && p.curveNeeds() != curveNeeds{}
}

// CurveLabels returns the labels whose curves the metrics need: none or all, and possibly
// PooledLabel, TopClass and CostLabel.
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
	if needs.costs {
		labels = append(labels, CostLabel)
	}
	return labels
}

// ScoredLabels returns the labels whose scores these curves are made of: none or all, and possibly
// TopClass or CostLabel.
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
	if needs.costs {
		labels = append(labels, CostLabel)
	}
	return labels
}

// LabelNumber returns the number of one of ScoredLabels in the entries of runs.
func (p *Params) LabelNumber(label int) int {
	if label == TopClass || label == CostLabel { // no task has both
		return p.scored()
	}
	return label
}

// curveNeeds says whether metrics need the curve of each label, of all labels pooled, and of the
// top class, and whether tuning needs the curve of costs.
type curveNeeds struct{ each, pooled, top, costs bool }

func (p *Params) curveNeeds() curveNeeds {
	needs := curveNeeds{each: p.Tuning != nil && !p.tunesCosts(), costs: p.tunesCosts()}
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

// tunesCosts reports whether thresholds are tuned for the least of the costs of each example. These are
// the only weights that matter then.
func (p *Params) tunesCosts() bool {
	return p.has(HasErrorCosts) && p.Tuning != nil && p.Tuning.Objective == curves.NetBenefit
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
		if c.metric.extra&exactcurve.Pairs != 0 {
			return true
		}
	}
	return false
}

// CurvePlan says what is computed of curves under some Params. Goroutines may share it; each needs
// its own Collector.
type CurvePlan struct {
	params       *Params
	compares     bool // whether pairs of classes are compared
	binned       bool // whether the curves without a fold come from bins
	all, without exactcurve.Work
}

// CurvePlan returns what is computed of curves under p, or an error if p is invalid.
func (p *Params) CurvePlan() (*CurvePlan, error) {
	p, err := p.completed()
	if err != nil {
		return nil, err
	}
	without, err := p.WithoutFolds(p.Replicated)
	if err != nil {
		return nil, err
	}
	return &CurvePlan{params: p, compares: p.ComparesClasses(), binned: without.binned, all: p.work(), without: without.work()}, nil
}

// work returns what is computed for a curve; the gain is computed only for PooledLabel.
func (p *Params) work() exactcurve.Work {
	w := exactcurve.Work{Extra: p.extras(), Criteria: p.criteria(), Bins: p.Bins, Blocks: p.MaxDistinct}
	if p.ScoreType == Logit && p.Task != Multiclass {
		w.Probability = sigmoid
	}
	return w
}

// work returns what is computed for a label in the given number of slices: for curves of all
// examples, and for curves without a fold.
func (plan *CurvePlan) work(label, slices int) (all, without exactcurve.Work) {
	all, without = plan.all, plan.without
	all.Label, without.Label = int32(label), int32(label)
	if label != PooledLabel {
		all.Extra &^= exactcurve.Gain
		without.Extra &^= exactcurve.Gain
	}
	if label == CostLabel { // which is tuned and drawn, and has no metrics
		all.Extra, without.Extra = 0, 0
	}
	if label != TopClass {
		all.Lines = plan.params.Lines(slices)
	}
	return all, without
}

// extraOf returns what else has to be computed of curves for a metric under p.
func (p *Params) extraOf(c choice) exactcurve.Extra {
	if p.Quantiles && c.metric.binned {
		return c.metric.extra | exactcurve.Quantiles
	}
	return c.metric.extra
}

// extras returns what else has to be computed of curves for all metrics.
func (p *Params) extras() (all exactcurve.Extra) {
	for c := range p.chosen() {
		all |= p.extraOf(c)
	}
	return all
}

// WithoutFolds returns the parameters for computing metrics without each fold of examples, for
// confidence intervals. If names is empty, they are all metrics for which bins suffice (see
// Binned). Any other metric reads every point of a curve, and would need one more traced curve for
// every fold.
func (p *Params) WithoutFolds(names []string) (*Params, error) {
	all, err := p.completed()
	if err != nil {
		return nil, err
	}
	some := *all.OfFolds()
	some.Tuning, some.CurveLines, some.Replicated = nil, 0, nil
	if some.Metrics = names; len(names) == 0 {
		for c := range all.chosen() {
			if all.extraOf(c)&^(exactcurve.OnlyMedian|exactcurve.FewPoints) == 0 {
				some.Metrics = append(some.Metrics, c.full)
			}
		}
	}
	if err := some.Complete(); err != nil {
		return nil, err
	}
	some.binned = some.Curving() && some.extras()&^exactcurve.FewPoints == 0
	return &some, nil
}

// Binned reports whether the curves under p, which must be from WithoutFolds, are exact only at the
// ends of bins. The bins are curves.Bins, which a tracer finds for each fold, or the histograms of
// folds. That is enough for metrics that do not read every point of a curve.
func (p *Params) Binned() bool { return p.binned || p.ofFold && p.Curves == BoundedCurves }
