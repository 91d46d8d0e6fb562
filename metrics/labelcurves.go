package metrics

import (
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/metrics/crossfit"
	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/internal/exactcurve"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// These statistics hold the curves of each label: exact curves, bounded curves, and curves of
// folds, which are known at the ends of bins.

// labelCurves holds what metrics of the exact ROC and precision-recall curves of each label are
// computed from, by Params.curveKey. It comes from tracing all scores of a label in order (see
// Collector.Collect), and not from folding examples.
type labelCurves struct {
	fields.KeyedPointers[exactcurve.Curve, *exactcurve.Curve]
}

func (s *labelCurves) Fold(*Batch, []int32) {}

func (s *labelCurves) visit(v *fields.Visitor, from statistic) {
	s.KeyedPointers.Fields(v, &from.(*labelCurves).KeyedPointers)
}

func (s *labelCurves) fits(p *Params) bool { return s.Below(uint64(p.scored()) + 2) }

// curveKey returns the key of a label. PooledLabel and either TopClass or CostLabel come after all labels.
func (p *Params) curveKey(label int) uint64 {
	switch label {
	case pooled:
		return uint64(p.scored())
	case TopClass, CostLabel:
		return uint64(p.scored()) + 1
	}
	return uint64(label)
}

// labelBins holds the examples of one fold in the bins of the curve of each label, or of all labels
// pooled, by Params.curveKey. The labelBins of all examples holds the scores of the bins. Like
// labelCurves, it comes from tracing all scores of a label in order.
type labelBins struct {
	fields.Keyed[curves.Bins, *curves.Bins]
}

func (s *labelBins) Fold(*Batch, []int32) {}

func (s *labelBins) visit(v *fields.Visitor, from statistic) {
	s.Keyed.Fields(v, &from.(*labelBins).Keyed)
}

func (s *labelBins) fits(p *Params) bool { return s.Below(uint64(p.scored()) + 2) }

// without sets rest to s without the examples of p, which must have been merged into s. rest is empty, or of an
// earlier call.
func (s *labelBins) without(p *Partial, rest *labelBins) {
	part := new(labelBins)
	if p != nil && p.stats[kindLabelBins] != nil {
		part = p.stats[kindLabelBins].(*labelBins)
	}
	for key, all := range s.All() {
		of := part.Lookup(key)
		if of == nil {
			of = new(curves.Bins)
		}
		rest.Value(key).SetWithout(all, of)
	}
}

// labelHistograms holds the scores of each label in a bounded number of bins, from which the
// metrics of its curves are known within an interval.
type labelHistograms struct {
	fields.KeyedPointers[curves.Histogram, *curves.Histogram]
	params     *Params
	weightless fields.Keyed[rowCount, *rowCount] // by label: the positives of weight 0, which are in no bin

	// coarsest is an empty histogram whose bins the histogram of all labels together must not
	// refine; nil if it may have any bins. It is not encoded, and never changes: see bins.
	coarsest *curves.Histogram
}

func (s *labelHistograms) Fold(b *Batch, rows []int32) {
	if len(rows) == 0 {
		return
	}
	scores := b.CurveScores(s.params.Task)
	for label := range b.Labels {
		h := s.of(label)
		for _, r := range rows {
			at := int(r)*b.Labels + label
			positive, w := s.isPositive(b, r, at, label), b.weight(r)
			switch {
			case w != 0:
				h.Add(scores[at], positive, w)
			case positive:
				*s.weightless.Value(uint64(label))++
			}
		}
	}
}

// of returns the histogram of a label.
func (s *labelHistograms) of(label int) *curves.Histogram {
	h := s.Value(uint64(label))
	if h.To == nil {
		h.To = s.params.newHistogram()
	}
	return h.To
}

// newHistogram returns an empty histogram of bounded curves.
func (p *Params) newHistogram() *curves.Histogram {
	if p.ofFold {
		return curves.NewEvenHistogram(p.CurveBins)
	}
	return curves.NewHistogram(p.CurveBins)
}

func (s *labelHistograms) isPositive(b *Batch, r int32, at, label int) bool {
	if s.params.Task == Multiclass {
		return int(b.Class[r]) == label
	}
	return b.Truth[at]
}

func (s *labelHistograms) visit(v *fields.Visitor, from statistic) {
	f := from.(*labelHistograms)
	s.KeyedPointers.Fields(v, &f.KeyedPointers)
	s.weightless.Fields(v, &f.weightless)
	if v.Merges() && f.coarsest != nil {
		s.coarsest = f.coarsest
	}
}

func (s *labelHistograms) fits(p *Params) bool {
	return s.Below(uint64(p.scored())) && s.weightless.Below(uint64(p.scored()))
}

// support returns the weight of the positives of a label, and their number.
func (s *labelHistograms) support(label int) (weight float64, rows int64) {
	if h := s.Lookup(uint64(label)); h != nil && h.To != nil {
		positives, _ := h.To.Tallies()
		weight, rows = positives.Weight(), positives.Rows()
	}
	if n := s.weightless.Lookup(uint64(label)); n != nil {
		rows += int64(*n)
	}
	return weight, rows
}

// pooled returns the histogram of all labels together. It is the same as if all scores had been
// added to it one by one.
func (s *labelHistograms) pooled() *curves.Histogram {
	var sum curves.Histogram
	v := fields.Merging()
	if s.coarsest != nil {
		sum.Fields(v, s.coarsest)
	}
	for _, h := range s.All() {
		sum.Fields(v, h.To)
	}
	return &sum
}

// bins returns empty histograms, of each label and of all together. A histogram that is merged into
// them has no finer bins than s, and exactly the same bins if s has all of its examples.
func (s *labelHistograms) bins() *labelHistograms {
	b := &labelHistograms{params: s.params}
	for key, h := range s.All() {
		b.Value(key).To = h.To.Bins()
	}
	if s.Size() > 1 {
		b.coarsest = s.pooled().Bins()
	}
	return b
}

// without sets rest to s without the examples of p, which must have been merged into s. rest is from bins, or of an earlier
// call.
func (s *labelHistograms) without(p *Partial, rest *labelHistograms) {
	part := new(labelHistograms)
	if p != nil && p.stats[kindLabelHistograms] != nil {
		part = p.stats[kindLabelHistograms].(*labelHistograms)
	}
	for key, all := range s.All() {
		of := part.Lookup(key)
		if of == nil || of.To == nil {
			of = &fields.Pointer[curves.Histogram, *curves.Histogram]{To: new(curves.Histogram)}
		}
		rest.Value(key).To.SetWithout(all.To, of.To)
	}
	rest.weightless.Fields(fields.Emptying(), &rest.weightless)
	rest.weightless.Fields(fields.Merging(), &s.weightless)
	rest.weightless.Fields(fields.Removing(), &part.weightless)
}

// Decided returns the examples of each fold of a binary task, by their decisions and by their scores, and the lowest score of
// each bin. all holds the examples of all folds. It returns nil if there are no decisions, or no bins of folds: see Binned.
func (p *Params) Decided(all *Partial, folds []*Partial) (list []crossfit.Fold, lowest []float64) {
	p = p.orNothing()
	scores, binned := all.stats[kindLabelBins].(*labelBins)
	if p.Task != Binary || !p.Decisions || !binned || !all.fits(p) || scores.Lookup(0) == nil {
		return nil, nil
	}
	numbers, lowest := scores.Lookup(0).Scores()
	for _, f := range folds {
		var fold crossfit.Fold
		if f == nil { // without examples
			continue
		}
		for _, c := range p.Confusion(f, Options{}) {
			fold.Decided[crossfit.Outcome(c.True == 1, c.Predicted == 1)] += c.Weight
		}
		if s, ok := f.stats[kindLabelBins].(*labelBins); ok && s.Lookup(0) != nil {
			fold.Positives, fold.Negatives = s.Lookup(0).Weights(numbers)
		}
		list = append(list, fold)
	}
	return list, lowest
}

// Drawing holds the points of the curves of a label, which may be PooledLabel.
type Drawing struct {
	Label       int
	ROC         []curves.ROCPoint
	PR          []curves.PRPoint
	Calibration []CalibrationPoint
	Isotonic    []FitPoint  // by increasing score, if metrics need the isotonic fit
	Costs       []CostPoint // by decreasing threshold, if thresholds are tuned for the costs of each example
}

// CostPoint is the mean cost of an example at a threshold, if each example has costs of its own.
// The threshold is +Inf if none is predicted positive.
type CostPoint struct{ Threshold, Cost float64 }

// FitPoint is a block of an isotonic fit: its lowest score, the probability that this stands for, and the
// share of positives.
type FitPoint struct{ Score, Probability, PositiveShare float64 }

// drawnCurves is the number of curves, over labels and slices, that are drawn on a grid of
// CurveLines. If there are more, the grid is coarser, so that all curves together have some
// millions of points.
const drawnCurves = 1000

// fewestLines is the coarsest grid for which a drawing is worthwhile.
const fewestLines = 8

// Lines returns the number of lines of each drawing's grid for the given number of slices. It is 0
// if there are too many slices for drawings.
func (p *Params) Lines(slices int) int {
	lines := p.CurveLines
	if n := slices * p.scored(); n > drawnCurves {
		lines = lines * drawnCurves / n
	}
	if lines < fewestLines {
		return 0
	}
	return lines
}

// Drawings returns the curves of the examples of a partial, which belongs to one of the given
// number of slices: one for each label that gets results of its own, and one for all labels pooled.
// Drawings without points are left out. It returns nil if weights are too large, or if the partial
// was folded under other Params.
func (p *Params) Drawings(partial *Partial, o Options, slices int) []Drawing {
	lines := p.Lines(slices)
	if p = p.orNothing(); lines == 0 || !partial.fits(p) || partial.tooHeavy() {
		return nil
	}
	e := &evaluation{params: p, partial: partial, options: o}
	var list []Drawing
	labels := []int{0}
	if p.Task != Binary {
		labels = append([]int{pooled}, e.labels()...)
	}
	for _, label := range labels {
		d := Drawing{Label: label, Calibration: e.reliability(label), Isotonic: e.isotonic(label, lines), Costs: e.costs()}
		if outline := e.outline(label, lines); outline != nil {
			d.ROC, d.PR = outline.ROC(), outline.PR()
		}
		if d.ROC != nil || d.PR != nil || d.Calibration != nil || d.Isotonic != nil || d.Costs != nil {
			list = append(list, d)
		}
	}
	return list
}

// costs returns the points of the curve of costs, if there is one.
func (e *evaluation) costs() (points []CostPoint) {
	if !e.params.TunesCosts() || e.weight().Weight() == 0 {
		return nil
	}
	c := e.curveOf(CostLabel)
	all, missed := e.weight().Weight(), c.Positive.Weight()
	if c.Empty() || tooHeavy(c) {
		return nil
	}
	for _, p := range c.Outline.Points() {
		points = append(points, CostPoint{p.Score, (missed - p.TP + p.FP) / all})
	}
	return points
}

// isotonic returns the isotonic fit of the scores of a label, or nil. If it has more blocks than lines, it
// has that many of them.
func (e *evaluation) isotonic(label, lines int) (points []FitPoint) {
	if label == pooled || e.params.extras()&exactcurve.Isotonic == 0 {
		return nil
	}
	for _, b := range slices.Backward(collections.Spread(e.curveOf(label).Fit.Blocks(), lines)) {
		p := FitPoint{b.Score, b.Score, b.Share()}
		if e.params.ScoreType == Logit {
			p.Probability = sigmoid(b.Score)
		}
		points = append(points, p)
	}
	return points
}

// outline returns the outline of the curve of a label, or nil.
func (e *evaluation) outline(label, lines int) *curves.Outline {
	if h := e.histogram(label); h != nil {
		return h.Outline(lines)
	}
	if c := e.curveOf(label); !c.Empty() {
		return &c.Outline
	}
	return nil
}
