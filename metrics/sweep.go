package metrics

import (
	"iter"
	"slices"

	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
)

// These stand for a label: all labels pooled, and the class with the highest probability of
// an example, which is positive if it is the true one.
const (
	PooledLabel = -1
	TopClass    = -2
)

// Curving reports whether the metrics need Sweep. The number of labels need not be known
// yet.
func (p *Params) Curving() bool {
	some := *p
	some.Labels = max(p.Labels, 1)
	p = some.orNothing()
	return p.Curves == ExactCurves && p.curveNeeds() != curveNeeds{}
}

// CurveLabels returns the labels whose curves the metrics need: none or all, and maybe
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

// ScoredLabels returns the labels of whose scores these are the curves: none or all, and maybe
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

// LabelNumber returns the number by which entries of runs know one of ScoredLabels.
func (p *Params) LabelNumber(label int) int {
	if label == TopClass {
		return p.Labels
	}
	return label
}

// curveNeeds says whether metrics need the curve of each label, of all labels pooled, and of
// the top class.
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

// CurveClasses returns how many classes the tags in runs tell apart: all classes of a
// multiclass task if ComparesClasses, else 2.
func (p *Params) CurveClasses() int {
	if p.ComparesClasses() {
		return max(p.Labels, 2)
	}
	return 2
}

// ComparesClasses says whether metrics compare classes in pairs. Then the tag of a score has
// the class of the example, or else 1 if the example is positive and 0 if it is not. The latter
// always holds for TopClass.
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

// Sweeps is what sweeps compute under some Params. Goroutines, each of which has a Sweeper, may share it.
type Sweeps struct {
	params       *Params
	compares     bool // pairs of classes
	all, without sweepWork
}

// sweepWork is what is computed for a curve besides areas.
type sweepWork struct {
	extra    sweepExtra
	criteria []curves.Criterion
}

// Sweeps returns what sweeps compute under p, or an error if p cannot be evaluated.
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
		params: p, compares: p.ComparesClasses(),
		all: sweepWork{p.sweepsOfAll(), p.criteria()}, without: sweepWork{without.sweepsOfAll(), without.criteria()},
	}, nil
}

// Sweeper sweeps the curves of labels, one after the other, and keeps its memory. The zero Sweeper is
// ready to use.
type Sweeper struct {
	of             *Sweeps
	label          int
	totals, starts []runs.Totals
	known          []curves.Bests
	curves         []curveUnderWay

	lines        int       // of drawings; 0: none
	all, without sweepWork // without: of curves without a group
}

// Sweep computes the curves of a label, which may be PooledLabel or TopClass, from the
// sorted entries of runs. Their classes are as CurveClasses says. The
// entries may be those of a range of scores. Then s.Totals has the examples with higher
// scores, as curves.Sweep wants it, and totals those of all ranges, by curve: those of slices
// and, if there are s.Groups, those of slices without a group.
//
// known holds, by curve, the best points that other ranges are known to have (see Bests): points that are
// worse are not looked at. It is nil if none are.
//
// What was found is there until the next Sweep: see Swept.
func (w *Sweeper) Sweep(of *Sweeps, label int, s *curves.Sweep, totals []runs.Totals, known []curves.Bests, sorted *runs.Sorted) error {
	w.of, w.label, w.totals, w.known, w.all, w.without, w.lines = of, label, totals, known, of.all, of.without, 0
	if label != PooledLabel {
		w.all.extra &^= sweepGain
		w.without.extra &^= sweepGain
	}
	if label != TopClass {
		w.lines = of.params.Lines(s.Slices())
	}
	s.Positive, s.Classes, s.Rows = 1, label >= 0 && of.compares, w.all.extra&sweepGain != 0
	if label != TopClass && of.compares {
		s.Positive = curves.OwnClass
	}
	s.Without = nil
	if s.Groups != nil && w.without.extra&^sweepFewPoints == 0 {
		s.Without = func(at int, from curves.Point) *curves.Accumulator { return &w.curve(at, false, from).areas }
	}
	n := len(totals)
	w.starts, w.curves = slices.Grow(w.starts[:0], n)[:n], slices.Grow(w.curves[:0], n)[:n]
	for i := range w.curves {
		w.curves[i].swept = false
		w.starts[i].Reset()
		w.starts[i].Merge(&s.Totals[i]) // to which Stretches adds
	}
	if err := s.Stretches(sorted, w.stretch); err != nil {
		return err
	}
	for i := range w.Swept() {
		c := &w.curves[i]
		inRange(&c.positive, &s.Totals[i].Positive, &w.starts[i].Positive)
		inRange(&c.negative, &s.Totals[i].Negative, &w.starts[i].Negative)
	}
	return nil
}

// Swept yields the curves that have examples in the range, for AddTo.
func (w *Sweeper) Swept() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range w.curves {
			if w.curves[i].swept && !yield(i) {
				return
			}
		}
	}
}

// AddTo adds a swept curve to a Partial, which may have other ranges and labels of it, and what was folded
// of its examples.
func (w *Sweeper) AddTo(p *Partial, curve int) {
	p.need(kindLabelCurves, nil)
	of := p.stats[kindLabelCurves].(*labelCurves)
	if of.value(w.of.params.curveKey(w.label)).join(labelCurve{&w.curves[curve].curve}) != nil {
		of.wrong = true
	}
}

// Bests returns the best points of the curve of a label in a Partial that AddTo added to.
func (of *Sweeps) Bests(label int, p *Partial) curves.Bests {
	if stat, ok := p.stats[kindLabelCurves].(*labelCurves); ok {
		if c := stat.lookup(of.params.curveKey(label)); c != nil && c.curve != nil {
			return c.areas.Bests()
		}
	}
	return nil
}

// inRange sets tally, which is empty, to the examples up to end without those up to start.
func inRange(tally, end, start *exact.Tally) {
	tally.Merge(end)
	tally.Subtract(start)
}

// sweepExtra says what a sweep computes besides areas and operating points: a set of bits.
type sweepExtra uint8

const (
	sweepQuantiles  sweepExtra = 1 << iota // calibration bins of equal weight
	sweepGain                              // the gain of all labels as one ranking
	sweepPairs                             // pairs of an example of the class and one of another
	sweepMedian                            // the median, and nothing else
	sweepTrapezoids                        // the area under the precision-recall curve

	// sweepFewPoints is what needs few points of a curve: Accumulators have it.
	sweepFewPoints = sweepTrapezoids
)

// sweepsOf returns what a sweep has to compute for a metric under p.
func (p *Params) sweepsOf(c choice) sweepExtra {
	if p.Quantiles && c.metric.binned {
		return c.metric.sweeps | sweepQuantiles
	}
	return c.metric.sweeps
}

// sweepsOfAll returns what sweeps have to compute besides: the gain only for PooledLabel.
func (p *Params) sweepsOfAll() (extra sweepExtra) {
	for c := range p.chosen() {
		extra |= p.sweepsOf(c)
	}
	return extra
}

// WithoutGroups returns the parameters of the metrics that are computed without each group of
// examples, for confidence intervals: those with these names or, if there are none, all but
// those that need every point of a curve for something of their own. These take longer than
// all others together.
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
	return &some, some.Complete()
}

// curveUnderWay is a curve while it is swept.
type curveUnderWay struct {
	curve
	swept bool    // others hold what an earlier sweep found
	total float64 // weight of all examples
	extra sweepExtra
}

// curve returns a curve, which it starts at a point if it is not under way. all says whether it is
// that of all examples of a slice.
func (w *Sweeper) curve(at int, all bool, from curves.Point) *curveUnderWay {
	c := &w.curves[at]
	if !c.swept {
		c.swept = true
		w.start(c, at, all, from)
	}
	return c
}

func (w *Sweeper) start(c *curveUnderWay, at int, all bool, from curves.Point) {
	to := &w.totals[at]
	totals := curves.Totals{Positives: to.Positive.Weight(), Negatives: to.Negative.Weight()}
	work := &w.without
	if all {
		work = &w.all
	}
	c.restart()
	c.total, c.extra = totals.Positives+totals.Negatives, work.extra
	if c.extra&sweepMedian != 0 {
		c.areas = curves.Accumulator{}
		return
	}
	c.areas.Restart(totals, work.criteria...)
	if c.extra&sweepTrapezoids == 0 {
		c.areas.WithoutPRAUC()
	}
	c.areas.MoveTo(from)
	if w.known != nil {
		c.areas.Know(w.known[at])
	}
	if w.lines > 0 && all {
		c.outline = *curves.NewOutline(totals, w.lines)
		c.outline.MoveTo(from)
	}
}

// stretch takes a curve through the points of a stretch.
func (w *Sweeper) stretch(s *curves.Stretch) {
	c := w.curve(s.Curve, s.All, s.Before)
	if c.extra&sweepMedian != 0 {
		for i := range s.Points {
			c.median.add(s.Points[i].Score, s.Points[i].TP, c.total)
		}
		return
	}
	if c.extra&sweepGain != 0 {
		c.addGain(s)
	}
	if c.extra&sweepPairs != 0 && s.Classes != nil {
		c.pairs.AddStretch(s, int32(w.label))
	}
	if c.extra&sweepQuantiles != 0 && c.total != 0 {
		w.addQuantiles(c, s)
	}
	points := s.Moving()
	c.areas.Add(points, s.Whole)
	if w.lines > 0 && s.All {
		c.outline.Add(points)
	}
}

// addGain adds the gain of the rows of each score: negatives have none.
func (c *curveUnderWay) addGain(s *curves.Stretch) {
	for _, i := range s.Rising() {
		before, rows := s.BeforeRows, s.Rows(int(i))
		if i > 0 {
			before = s.Rows(int(i) - 1)
		}
		above := before.TP + before.FP
		c.gain.Add(above, rows.TP+rows.FP-above, rows.TP-before.TP)
	}
}

// quantilePoints is how many points are added to a bin at once.
const quantilePoints = 128

// addQuantiles adds the examples of each score to their bin of equal weight. Points are in order:
// if the first and the last are in a bin, so are those between them.
func (w *Sweeper) addQuantiles(c *curveUnderWay, s *curves.Stretch) {
	before, points := s.Before, s.Points
	for len(points) > 0 {
		n, at := min(len(points), quantilePoints), w.binAfter(c, before)
		for n > 1 && w.binAfter(c, points[n-2]) != at {
			n /= 2
		}
		w.addToBin(c.quantiles.value(at), before, points[:n])
		before, points = points[n-1], points[n:]
	}
}

// binAfter returns the bin of the examples that come next after a point.
func (w *Sweeper) binAfter(c *curveUnderWay, p curves.Point) uint64 {
	return quantile(p.TP+p.FP, c.total, w.of.params.Bins)
}

// addToBin adds points, up to quantilePoints, to a bin.
func (w *Sweeper) addToBin(b *bin, before curves.Point, points []curves.Point) {
	var positives, negatives, predictions [quantilePoints]float64
	np, nn := 0, 0
	for i, p := range points {
		positive, negative := p.TP-before.TP, p.FP-before.FP
		positives[np], negatives[nn] = positive, negative
		if positive > 0 {
			np++
		}
		if negative > 0 {
			nn++
		}
		probability := p.Score
		if w.of.params.ScoreType == Logit && w.of.params.Task != Multiclass {
			probability = sigmoid(probability)
		}
		predictions[i] = times(positive+negative, probability)
		before = p
	}
	b.positive.AddAll(positives[:np])
	b.negative.AddAll(negatives[:nn])
	b.prediction.AddAll(predictions[:len(points)])
}
