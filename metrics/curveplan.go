package metrics

import (
	"slices"

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
	needs := curveNeeds{each: p.Tuning != nil && !p.TunesCosts(), costs: p.TunesCosts()}
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

// TunesCosts reports whether thresholds are tuned for the least of the costs of each example. These are
// the only weights that matter then.
func (p *Params) TunesCosts() bool {
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

// Statistics of parts of the data can be merged long after these were folded, except exact curves: what a
// score adds to an area depends on all scores above it. Params.Portable therefore also folds the histograms
// of bounded curves. A report shows the exact curves; what travels has the histograms.

// Bounded returns p with bounded curves instead of exact ones, as the statistics that Travelling returns
// have them, and the metrics that are left out because they need exact curves.
func (p *Params) Bounded() (bounded Params, leftOut []string) {
	bounded = *p
	bounded.Portable = false
	if p.Curves != ExactCurves {
		return bounded, nil
	}
	bounded.Curves, bounded.Metrics = BoundedCurves, nil
	known := bounded
	known.Labels = max(p.Labels, 1) // their number may still be unknown
	for _, name := range p.Metrics {
		found, err := p.lookup(name, nil)
		if err == nil && slices.ContainsFunc(found, func(c choice) bool { return known.missing(c) != 0 }) {
			leftOut = append(leftOut, name)
			continue
		}
		bounded.Metrics = append(bounded.Metrics, name)
	}
	bounded.Replicated = without(p.Replicated, leftOut)
	bounded.SpreadOf = without(p.SpreadOf, leftOut)
	return bounded, leftOut
}

// without returns the names that are not left out.
func without(names, leftOut []string) []string {
	if len(leftOut) == 0 {
		return names
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(leftOut, name) })
}

// both reports whether exact curves and the histograms of bounded ones are folded.
func (p *Params) both() bool { return p.Portable && p.Curves == ExactCurves }

// Own returns a partial, which may be nil, without what Portable alone asks for. It shares the rest.
func (p *Params) Own(partial *Partial) *Partial {
	if partial == nil || !p.both() {
		return partial
	}
	return partial.lacking(kindLabelHistograms)
}

// Travelling returns a partial, which may be nil, without the exact curves, for the Params that Bounded
// returns. It shares the rest.
func (p *Params) Travelling(partial *Partial) *Partial {
	if partial == nil || !p.both() {
		return partial
	}
	return partial.lacking(kindLabelCurves, kindLabelBins)
}

// Untraced returns a partial, which may be nil, without what is traced from all scores in order. It shares the rest.
func (p *Partial) Untraced() *Partial {
	if p == nil {
		return nil
	}
	return p.lacking(kindLabelCurves, kindLabelBins)
}

// Undigested returns the partial without its digest. It shares the rest.
func (p *Partial) Undigested() *Partial { return p.lacking(kindDigest) }

// Unspread returns the partial without what a report shows of all examples alone; see NewSpread. It shares the rest.
func (p *Partial) Unspread() *Partial {
	return p.lacking(kindErrorSpread, kindQuerySpread, kindMoveSpread, kindLabelPairs)
}

// lacking returns the partial without some statistics.
func (p *Partial) lacking(kinds ...kind) *Partial {
	some := *p
	for _, k := range kinds {
		some.stats[k] = nil
	}
	return &some
}
