package curves

import (
	"errors"
	"slices"

	"github.com/beameval/beameval/metrics/exact"
)

// Accumulator adds up what the measures of a curve are functions of. Fed with
// the ranges of a curve and merged, accumulators hold the same bits however it
// was cut. The zero Accumulator is the neutral element of merging; one made by
// New is needed to add points.
type Accumulator struct {
	totals   Totals
	scale    scale
	criteria []Criterion

	last          Point // where the curve is; of no concern to merging
	lastPrecision float64

	// Sums over the steps of the curve, in scaled weights. A step adds dTP and
	// dFP, which count as tied.
	optimistic  exact.Sum // dFP * TP after the step
	pessimistic exact.Sum // dFP * TP before the step
	steps       exact.Sum // dTP * precision after the step
	trapezoids  exact.Sum // dTP * (precision before + after)
	bests       []best    // by criterion
}

// New returns an Accumulator for a curve with these totals that looks for these
// operating points. It is at the top of the curve, where no example is yet.
func New(totals Totals, criteria ...Criterion) *Accumulator {
	a := &Accumulator{totals: totals, scale: newScale(totals), criteria: slices.Clone(criteria)}
	a.bests = slices.Repeat([]best{none}, len(criteria))
	a.MoveTo(Point{})
	return a
}

// MoveTo goes to where a range starts, without accounting for anything on the
// way: p has the weights of all examples above the range. Its score is not used.
func (a *Accumulator) MoveTo(p Point) {
	a.last, a.lastPrecision = p, p.precision()
}

// Add goes on to the next point.
func (a *Accumulator) Add(p Point) {
	if !a.last.moves(p) {
		return
	}
	p.Score += 0 // the threshold -0 is 0
	precision := p.precision()
	if dFP := (p.FP - a.last.FP) * a.scale.negative; dFP != 0 {
		a.optimistic.AddProduct(dFP, p.TP*a.scale.positive)
		a.pessimistic.AddProduct(dFP, a.last.TP*a.scale.positive)
	}
	if dTP := (p.TP - a.last.TP) * a.scale.positive; dTP != 0 {
		a.steps.Add(float64(dTP * precision))
		a.trapezoids.Add(float64(dTP * (a.lastPrecision + precision)))
	}
	if len(a.criteria) > 0 {
		r := a.scale.rates(p, a.totals)
		considerAll(a.criteria, a.bests, &r, p.Score)
	}
	a.last, a.lastPrecision = p, precision
}

// errDifferent is why Merge refuses.
var errDifferent = errors.New("statistics of different curves, or that were made differently, do not merge")

// Merge adds what from holds and leaves it as it is. Both must be of one curve
// and have the same criteria.
func (a *Accumulator) Merge(from *Accumulator) error {
	if from.neutral() {
		return nil
	}
	if a.neutral() {
		*a = *New(from.totals, from.criteria...)
	}
	if a.totals != from.totals || !slices.Equal(a.criteria, from.criteria) {
		return errDifferent
	}
	a.optimistic.Merge(&from.optimistic)
	a.pessimistic.Merge(&from.pessimistic)
	a.steps.Merge(&from.steps)
	a.trapezoids.Merge(&from.trapezoids)
	for i, b := range from.bests {
		a.bests[i].consider(b.value, b.score)
	}
	return nil
}

// neutral says whether there is nothing to merge, not even totals.
func (a *Accumulator) neutral() bool { return a.totals == Totals{} && len(a.criteria) == 0 }
