package metrics

import (
	"iter"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/exactcurve"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/scoreruns"
)

// Collector traces the curves of labels, one after the other, and collects what metrics of curves are
// computed from. It reuses its memory. The zero Collector is ready to use.
type Collector struct {
	plan           *CurvePlan
	label          int
	tracer         *curves.Tracer
	totals, starts []scoreruns.Totals
	binTotals      []curves.Totals
	known          []curves.Bests
	curves         []curveUnderWay

	all, without exactcurve.Work // for the curves of all examples, and for those without a fold
}

// curveUnderWay is the state of a curve.
type curveUnderWay struct {
	exactcurve.Builder
	traced bool // if false, the builder is left over from an earlier call of Collect
}

// Collect computes the curves of a label, which may be PooledLabel or TopClass, from the sorted
// entries of runs, whose classes are as CurveClasses says. The entries may cover only a range of
// scores: then t.Totals must count the examples with higher scores, as for curves.Tracer, and
// totals the examples of all ranges, for each curve. There is one curve for each slice and, with
// t.Folds, one for each slice without each fold. If tags have folds and WithoutFolds is Binned,
// there are no curves without folds: the tracer finds the bins of each fold instead.
//
// known holds, for each curve, the best points that are known from other ranges (see Bests), so
// that worse points can be skipped. It is nil if none are known.
//
// The results are valid until the next call of Collect: see Traced.
func (c *Collector) Collect(plan *CurvePlan, label int, t *curves.Tracer, totals []scoreruns.Totals, known []curves.Bests, sorted *scoreruns.Sorted) error {
	c.plan, c.label, c.tracer, c.totals, c.known = plan, label, t, totals, known
	c.all, c.without = plan.work(label, t.Slices())
	t.Positive, t.Classes, t.Rows = 1, label >= 0 && plan.compares, c.all.Extra&exactcurve.Gain != 0
	if label != TopClass && plan.compares {
		t.Positive = curves.OwnClass
	}
	t.BinTotals = nil
	if plan.binned && len(t.Tags) > 0 && t.Tags[0].Fold >= 0 {
		c.binTotals = c.binTotals[:0]
		for i := range totals {
			c.binTotals = append(c.binTotals, curves.Totals{Positives: totals[i].Positive.Weight(), Negatives: totals[i].Negative.Weight()})
		}
		t.BinTotals = c.binTotals
	}
	n := len(totals)
	c.starts, c.curves = collections.Resize(c.starts, n), collections.Resize(c.curves, n)
	for i := range c.curves {
		c.curves[i].traced = false
		c.starts[i].Reset()
		c.starts[i].Merge(&t.Totals[i]) // because Trace adds to them
	}
	if err := t.Trace(sorted, c.add); err != nil {
		return err
	}
	for i := range c.Traced() {
		of := &c.curves[i]
		inRange(&of.Positive, &t.Totals[i].Positive, &c.starts[i].Positive)
		inRange(&of.Negative, &t.Totals[i].Negative, &c.starts[i].Negative)
	}
	return nil
}

// add adds a stretch to its curve, which begins there if Collect has not reached it before.
func (c *Collector) add(s *curves.Stretch) {
	of := &c.curves[s.Curve]
	if !of.traced {
		of.traced = true
		work, known := &c.without, curves.Bests(nil)
		if s.All {
			work = &c.all
		}
		if c.known != nil {
			known = c.known[s.Curve]
		}
		of.Start(work, &c.totals[s.Curve], s.Before, known)
	}
	of.Add(s)
}

// inRange sets tally, which must be empty, to end minus start.
func inRange(tally, end, start *exact.Tally) {
	tally.Merge(end)
	tally.Subtract(start)
}

// Traced yields the indices of the curves that have examples in the range, for AddTo.
func (c *Collector) Traced() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range c.curves {
			if c.curves[i].traced && !yield(i) {
				return
			}
		}
	}
}

// AddTo adds a traced curve to a Partial, which may already have other ranges and labels of the
// curve, and the folded statistics of its examples.
func (c *Collector) AddTo(p *Partial, curve int) {
	p.need(kindLabelCurves, nil)
	v := fields.Merging()
	p.stats[kindLabelCurves].(*labelCurves).Value(c.plan.params.curveKey(c.label)).Fields(v, &fields.Pointer[exactcurve.Curve, *exactcurve.Curve]{To: &c.curves[curve].Curve})
	p.mixed = p.mixed || v.Conflict() != nil
	if c.tracer.BinTotals != nil {
		c.addBins(p, c.tracer.BinScores(curve))
	}
}

// AddBinsTo adds the bins of each fold of a slice to the Partial of the fold; see Params.Binned.
func (c *Collector) AddBinsTo(slice int, of func(fold int32) *Partial) {
	if c.tracer.BinTotals == nil {
		return
	}
	for fold, bins := range c.tracer.FoldBins(slice) {
		c.addBins(of(fold), bins)
	}
}

func (c *Collector) addBins(p *Partial, bins *curves.Bins) {
	p.need(kindLabelBins, nil)
	fields.Merge(p.stats[kindLabelBins].(*labelBins).Value(c.plan.params.curveKey(c.label)), bins)
}

// Bests returns the best points of the curve of a label in a Partial that AddTo has added to.
func (plan *CurvePlan) Bests(label int, p *Partial) curves.Bests {
	if stat, ok := p.stats[kindLabelCurves].(*labelCurves); ok {
		if c := stat.Lookup(plan.params.curveKey(label)); c != nil && c.To != nil {
			return c.To.Areas.Bests()
		}
	}
	return nil
}
