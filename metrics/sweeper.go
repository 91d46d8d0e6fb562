package metrics

import (
	"iter"
	"slices"

	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
)

// Sweeper sweeps the curves of labels, one after the other, and reuses its memory. The zero Sweeper
// is ready to use.
type Sweeper struct {
	of             *Sweeps
	label          int
	sweep          *curves.Sweep
	totals, starts []runs.Totals
	binTotals      []curves.Totals
	known          []curves.Bests
	curves         []curveUnderWay

	lines        int       // of drawings; 0 if there are none
	all, without sweepWork // for the curves of all examples, and for those without a group
}

// Sweep computes the curves of a label, which may be PooledLabel or TopClass, from the sorted
// entries of runs, whose classes are as CurveClasses says. The entries may be those of a range of
// scores: then s.Totals must have the examples with higher scores, as for curves.Sweep, and totals
// those of all ranges, for each curve. There is one curve for each slice and, with s.Groups, one
// for each slice without each group. If tags have groups and WithoutGroups is Binned, there are no
// curves without groups: the sweep finds the bins of each group instead.
//
// known holds, for each curve, the best points that are known from other ranges (see Bests), so
// that worse points can be skipped. It is nil if none are known.
//
// The results are valid until the next call of Sweep: see Swept.
func (w *Sweeper) Sweep(of *Sweeps, label int, s *curves.Sweep, totals []runs.Totals, known []curves.Bests, sorted *runs.Sorted) error {
	w.of, w.label, w.sweep, w.totals, w.known, w.all, w.without, w.lines = of, label, s, totals, known, of.all, of.without, 0
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
	s.BinTotals = nil
	if of.binned && len(s.Tags) > 0 && s.Tags[0].Group >= 0 {
		w.binTotals = w.binTotals[:0]
		for i := range totals {
			w.binTotals = append(w.binTotals, curves.Totals{Positives: totals[i].Positive.Weight(), Negatives: totals[i].Negative.Weight()})
		}
		s.BinTotals = w.binTotals
	}
	n := len(totals)
	w.starts, w.curves = slices.Grow(w.starts[:0], n)[:n], slices.Grow(w.curves[:0], n)[:n]
	for i := range w.curves {
		w.curves[i].swept = false
		w.starts[i].Reset()
		w.starts[i].Merge(&s.Totals[i]) // because Stretches adds to them
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

// Swept yields the indices of the curves that have examples in the range, for AddTo.
func (w *Sweeper) Swept() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range w.curves {
			if w.curves[i].swept && !yield(i) {
				return
			}
		}
	}
}

// AddTo adds a swept curve to a Partial, which may already have other ranges and labels of the
// curve, and the folded statistics of its examples.
func (w *Sweeper) AddTo(p *Partial, curve int) {
	p.need(kindLabelCurves, nil)
	p.stats[kindLabelCurves].(*labelCurves).add(w.of.params.curveKey(w.label), &labelCurve{&w.curves[curve].curve})
	if w.sweep.BinTotals != nil {
		w.addBins(p, w.sweep.BinScores(curve))
	}
}

// AddBinsTo adds the bins of each group of a slice to the Partial of the group; see Params.Binned.
func (w *Sweeper) AddBinsTo(slice int, of func(group int32) *Partial) {
	if w.sweep.BinTotals == nil {
		return
	}
	for group, bins := range w.sweep.FoldBins(slice) {
		w.addBins(of(group), bins)
	}
}

func (w *Sweeper) addBins(p *Partial, bins *curves.Bins) {
	p.need(kindLabelBins, nil)
	p.stats[kindLabelBins].(*labelBins).Value(w.of.params.curveKey(w.label)).Merge(bins)
}

// Bests returns the best points of the curve of a label in a Partial that AddTo has added to.
func (of *Sweeps) Bests(label int, p *Partial) curves.Bests {
	if stat, ok := p.stats[kindLabelCurves].(*labelCurves); ok {
		if c := stat.Lookup(of.params.curveKey(label)); c != nil && c.curve != nil {
			return c.areas.Bests()
		}
	}
	return nil
}

// inRange sets tally, which must be empty, to the examples of end without those of start.
func inRange(tally, end, start *exact.Tally) {
	tally.Merge(end)
	tally.Subtract(start)
}

// curveUnderWay is the state of a curve during a sweep.
type curveUnderWay struct {
	curve
	swept bool    // if false, the other fields are left over from an earlier sweep
	total float64 // the weight of all examples
	extra sweepExtra
}

// curve returns a curve, and starts it at a point if this sweep has not reached it before. all says
// whether it is the curve of all examples of a slice.
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

// stretch advances a curve through the points of a stretch.
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

// addGain adds the gain of the rows of each score. Negatives have no gain.
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

// quantilePoints is the largest number of points that are added to a bin at once.
const quantilePoints = 128

// addQuantiles adds the examples of each score to their bin of equal weight. Points are in order:
// if the first and the last are in a bin, so are all between them.
func (w *Sweeper) addQuantiles(c *curveUnderWay, s *curves.Stretch) {
	before, points := s.Before, s.Points
	for len(points) > 0 {
		n, at := min(len(points), quantilePoints), w.binAfter(c, before)
		for n > 1 && w.binAfter(c, points[n-2]) != at {
			n /= 2
		}
		w.addToBin(c.quantiles.Value(at), before, points[:n])
		before, points = points[n-1], points[n:]
	}
}

// binAfter returns the bin of the examples that follow a point.
func (w *Sweeper) binAfter(c *curveUnderWay, p curves.Point) uint64 {
	return quantile(p.TP+p.FP, c.total, w.of.params.Bins)
}

// addToBin adds at most quantilePoints points to a bin.
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
