package metrics

import (
	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
)

// In the place of a label: all labels together, and the class of an example that
// has the highest probability, which is right or wrong.
const (
	PooledLabel = pooled
	TopClass    = -2
)

// Curving says whether the metrics need the scores of labels in order, for Sweep,
// however many labels there are: the number need not be known yet.
func (p *Params) Curving() bool {
	some := *p
	some.Labels = max(p.Labels, 1)
	p = some.orNothing()
	return p.Curves == ExactCurves && p.curveNeeds() != curveNeeds{}
}

// CurveLabels returns the labels whose curves the metrics need: none, all, and
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

// curveNeeds says whether metrics need the curves of each label, that of all
// pooled, and that of the top class.
type curveNeeds struct{ each, pooled, top bool }

func (p *Params) curveNeeds() curveNeeds {
	needs := curveNeeds{each: p.Tuning != nil}
	for c := range p.chosen() {
		switch k := p.kindOf(c); {
		case k != kindLabelCurves && k != kindLabelHistograms:
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

// CurveClasses returns how many classes the tags of a label's entries tell apart:
// those of a multiclass task if metrics compare them one with one, else 2.
func (p *Params) CurveClasses(label int) int {
	if p = p.orNothing(); p.comparesClasses(label) {
		return p.Labels
	}
	return 2
}

// CurvePositive returns the class of a label's tags that is positive: of two, 1.
func (p *Params) CurvePositive(label int) int {
	if p = p.orNothing(); p.comparesClasses(label) {
		return label
	}
	return 1
}

func (p *Params) comparesClasses(label int) bool {
	if label < 0 {
		return false
	}
	for c := range p.chosen() {
		if c.metric.sweeps&sweepPairs != 0 {
			return true
		}
	}
	return false
}

// Sweep computes the curves of a label, or of PooledLabel or TopClass, from the
// entries of a merge, whose classes are as CurveClasses and CurvePositive say. The
// merge may have a range of scores only: s.Totals are then the examples with
// higher scores, as for runs.Sweep, and totals those of all ranges. It
// returns a Partial for each slice with examples in the range, nil for others;
// merged with those of other ranges and labels, and with the Partials that Fold
// makes, they can be evaluated.
func (p *Params) Sweep(label int, s *runs.Sweep, totals []runs.Totals, m *runs.Merge) ([]*Partial, error) {
	p, err := p.completed()
	if err != nil {
		return nil, err
	}
	w := &sweep{
		params: p, label: label, totals: totals, starts: make([]runs.Totals, len(totals)),
		curves: make([]*curveUnderWay, len(totals)), criteria: p.criteria(),
	}
	if label != TopClass {
		w.lines = p.Lines(len(totals))
	}
	for c := range p.chosen() {
		w.extra |= p.sweepsOf(c)
	}
	if label != pooled {
		w.extra &^= sweepGain
	}
	s.Positive, s.Classes = int32(p.CurvePositive(label)), p.comparesClasses(label)
	// Sweeping goes on in s.Totals.
	for i := range w.starts {
		w.starts[i].Positive.Merge(&s.Totals[i].Positive)
		w.starts[i].Negative.Merge(&s.Totals[i].Negative)
	}
	if err := s.Points(m, w.point); err != nil {
		return nil, err
	}
	parts := make([]*Partial, len(totals))
	for i, c := range w.curves {
		if c == nil {
			continue
		}
		inRange(&c.positive, &s.Totals[i].Positive, &w.starts[i].Positive)
		inRange(&c.negative, &s.Totals[i].Negative, &w.starts[i].Negative)
		stat := new(labelCurves)
		*stat.value(p.curveKey(label)) = c.curve
		parts[i] = new(Partial)
		parts[i].stats[kindLabelCurves] = stat
	}
	return parts, nil
}

// inRange sets tally to the examples up to an end but not up to a start.
func inRange(tally, end, start *exact.Tally) {
	tally.Merge(end)
	tally.Subtract(start)
}

// sweep is a sweep under way.
type sweep struct {
	params         *Params
	label          int
	totals, starts []runs.Totals
	curves         []*curveUnderWay // by slice

	criteria []curves.Criterion
	lines    int // of drawings; 0: none
	extra    sweepExtra
}

// sweepExtra is what a sweep computes besides areas and operating points.
type sweepExtra uint8

const (
	sweepQuantiles sweepExtra = 1 << iota // calibration bins of equal weight
	sweepGain                             // the gain of all labels as one ranking
	sweepPairs                            // pairs of an example of the class and one of another
	sweepMedian                           // the median, and nothing else
)

// sweepsOf is what a sweep has to compute for a metric.
func (p *Params) sweepsOf(c choice) sweepExtra {
	if p.Quantiles && c.metric.binned {
		return c.metric.sweeps | sweepQuantiles
	}
	return c.metric.sweeps
}

// curveUnderWay is a curve, and where on it the sweep is.
type curveUnderWay struct {
	curve
	tp, fp         float64
	tpRows, fpRows int64
	total          float64
}

// start returns the curve of a slice at the start of the range.
func (w *sweep) start(slice int32) *curveUnderWay {
	from, to := &w.starts[slice], &w.totals[slice]
	totals := curves.Totals{Positives: to.Positive.Weight(), Negatives: to.Negative.Weight()}
	c := &curveUnderWay{
		tp: from.Positive.Weight(), fp: from.Negative.Weight(),
		tpRows: from.Positive.Rows(), fpRows: from.Negative.Rows(),
		total: totals.Positives + totals.Negatives,
	}
	at := curves.Point{TP: c.tp, FP: c.fp}
	if w.extra&sweepMedian != 0 {
		return c
	}
	c.areas = *curves.New(totals, w.criteria...)
	c.areas.MoveTo(at)
	if w.lines > 0 {
		c.outline = *curves.NewOutline(totals, w.lines)
		c.outline.MoveTo(at)
	}
	return c
}

// point takes the curve of a slice to its next point.
func (w *sweep) point(p *runs.Point) {
	c := w.curves[p.Slice]
	if c == nil {
		c = w.start(p.Slice)
		w.curves[p.Slice] = c
	}
	if w.extra&sweepMedian != 0 {
		c.median.add(p.Score, p.TP, c.total)
		return
	}
	next := curves.Point{Score: p.Score, TP: p.TP, FP: p.FP}
	c.areas.Add(next)
	if w.lines > 0 {
		c.outline.Add(next)
	}
	if w.extra&sweepGain != 0 {
		above := c.tpRows + c.fpRows
		c.gain.Add(above, p.TPRows+p.FPRows-above, p.TPRows-c.tpRows)
	}
	for _, other := range p.Classes {
		if int(other.Class) != w.label {
			c.pairs.Add(int(other.Class), other.Weight, c.tp, p.TP)
		}
	}
	if w.extra&sweepQuantiles != 0 {
		w.quantile(c, p)
	}
	c.tp, c.fp, c.tpRows, c.fpRows = p.TP, p.FP, p.TPRows, p.FPRows
}

// quantile adds the examples of a score to their bin of equal weight.
func (w *sweep) quantile(c *curveUnderWay, p *runs.Point) {
	if c.total == 0 {
		return
	}
	b := c.quantiles.value(quantile(c.tp+c.fp, c.total, w.params.Bins))
	positive, negative := p.TP-c.tp, p.FP-c.fp
	if positive > 0 {
		b.positive.Add(positive)
	}
	if negative > 0 {
		b.negative.Add(negative)
	}
	probability := p.Score
	if w.params.ScoreType == Logit && w.params.Task != Multiclass {
		probability = sigmoid(probability)
	}
	b.prediction.Add(times(positive+negative, probability))
}
