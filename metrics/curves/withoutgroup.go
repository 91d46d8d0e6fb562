package curves

import (
	"math"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
)

// A slice has a curve without each of its groups: often fifty, which nearly all examples move. No
// points are made of them. The weight of all examples without a group's is that of all less that
// of the group: both change with each example, once, and where positives are added, a loop over all
// groups adds the steps of their curves to flat arrays (see groupSums). Points are only made of
// blocks that may have an operating point.
//
// This holds for chunks of examples in which negatives less than double, as most do but the
// first: there, areas are not rounded (see Accumulator.addNegatives), and weights are held by
// doubles. Of others, every point is made.

// groupSweep is how far the curves of a slice without its groups are.
type groupSweep struct {
	whole bool    // see Stretch.Whole
	rows  int64   // how many examples the slice has so far
	place []int32 // by group, from 1 on; 0: it has no curve

	// The examples of the slice so far, and those of each group, unless whole.
	all runs.Totals
	of  []runs.Totals

	// Their weights, which are multiples of 2 to the power unit.
	groupWeights
	unit int

	tp, fp []float64 // where each curve is
}

// groupWeights are the weights of examples so far: those of the slice, and those of each group.
type groupWeights struct {
	positives, negatives   double
	ofPositive, ofNegative doubles
}

// without returns where the curve without a group is.
func (g *groupWeights) without(i int) (positive, negative double) {
	return g.positives.minus(g.ofPositive.at(i)), g.negatives.minus(g.ofNegative.at(i))
}

// copyOf sets g to a copy of from, in its own memory.
func (g *groupWeights) copyOf(from *groupWeights) {
	g.positives, g.negatives = from.positives, from.negatives
	g.ofPositive.copyOf(&from.ofPositive)
	g.ofNegative.copyOf(&from.ofNegative)
}

// doubles are doubles in flat arrays.
type doubles struct{ hi, lo []float64 }

func (d *doubles) grow(n int) { d.hi, d.lo = grown(d.hi, n), grown(d.lo, n) }

func (d *doubles) set(i int, v double) { d.hi[i], d.lo[i] = v.hi, v.lo }

func (d *doubles) at(i int) double { return double{d.hi[i], d.lo[i]} }

func (d *doubles) copyOf(from *doubles) {
	d.hi, d.lo = append(d.hi[:0], from.hi...), append(d.lo[:0], from.lo...)
}

const (
	// fewestEntries is how many entries a chunk has, at least.
	fewestEntries = 64
	// blockEntries is how many entries a block of a chunk has, about: few enough for the
	// bounds of operating points to be close.
	blockEntries = 128
	// noUnit is the unit of weights that doubles cannot hold.
	noUnit = math.MinInt
)

// startGroups starts the curves of a slice without its groups at the totals.
func (s *Sweep) startGroups(in *sliceEntries) {
	g, n := &in.sweep, len(in.groups)
	t := &s.Totals[in.first]
	g.whole, g.rows, g.unit = s.curves[in.first].whole, t.Positive.Rows()+t.Negative.Rows(), math.MaxInt
	g.all = runs.Totals{}
	g.all.Merge(t)
	g.positives, g.negatives = g.double(&t.Positive), g.double(&t.Negative)
	g.of, g.tp, g.fp = grown(g.of, n), grown(g.tp, n), grown(g.fp, n)
	g.ofPositive.grow(n)
	g.ofNegative.grow(n)
	clear(g.place)
	for i, group := range in.groups {
		rest, of := &s.Totals[in.first+1+i], &g.of[i]
		*of = runs.Totals{}
		of.Merge(t)
		of.Positive.Subtract(&rest.Positive)
		of.Negative.Subtract(&rest.Negative)
		g.ofPositive.set(i, g.double(&of.Positive))
		g.ofNegative.set(i, g.double(&of.Negative))
		g.tp[i], g.fp[i] = rest.Positive.Weight(), rest.Negative.Weight()
		for int(group) >= len(g.place) {
			g.place = append(g.place, 0)
		}
		g.place[group] = int32(i) + 1
	}
	in.enough = g.chunk()
}

// double returns the weight of a tally, and notes its unit.
func (g *groupSweep) double(t *exact.Tally) double {
	d, unit, ok := doubleOf(t)
	if !ok {
		unit = noUnit
	}
	g.unit = min(g.unit, unit)
	return d
}

// chunk returns how many entries the next chunk has: so many that negatives do not double, if
// they are spread evenly.
func (g *groupSweep) chunk() int {
	return int(min(max(g.rows/2, fewestEntries), stretchEntries))
}

// finishGroups completes the totals of the curves.
func (s *Sweep) finishGroups(in *sliceEntries) {
	for i := range in.groups {
		s.completeGroup(in, i)
	}
}

// completeGroup sets the totals of a curve to what is so far in the slice, without its group.
func (s *Sweep) completeGroup(in *sliceEntries, i int) {
	t, g := &s.Totals[in.first+1+i], &in.sweep
	t.Positive.Reset()
	t.Negative.Reset()
	if g.whole {
		positive, negative := g.without(i)
		t.Positive.AddOnes(int64(positive.hi))
		t.Negative.AddOnes(int64(negative.hi))
		return
	}
	t.Merge(&g.all)
	t.Positive.Subtract(&g.of[i].Positive)
	t.Negative.Subtract(&g.of[i].Negative)
}

// addToGroups adds entries, which are those of whole points, to the curves without a group.
func (s *Sweep) addToGroups(in *sliceEntries, entries []entry) {
	g, sums := &in.sweep, &s.sums
	sums.start(len(in.groups))
	added := s.weightsOf(g, entries, in.group)
	some := false
	for i := range in.groups {
		if sums.own[i] == len(entries) { // the curve stays where it is
			continue
		}
		c := &s.curves[in.first+1+i]
		if c.accumulator == nil {
			c.accumulator = s.Without(in.first+1+i, Point{TP: g.tp[i], FP: g.fp[i]})
		}
		if extractor := g.extractor(i, added, len(entries)); extractor != 0 && g.fits(i, added) {
			sums.startCurve(g, c.accumulator, i)
			sums.extractor, some = extractor, true // that of all
		} else {
			s.everyPoint(in, i, entries)
		}
	}
	if some {
		s.addChunk(in, entries)
		return
	}
	for k := range entries {
		s.tallyEntry(g, &entries[k], in.group[k])
	}
}

// addedWeights is about what entries add.
type addedWeights struct {
	positives, negatives float64
	least                float64 // the least weight of positives that is not 0
}

// weightsOf returns what entries add. It notes their unit, and how many are of each group.
func (s *Sweep) weightsOf(g *groupSweep, entries []entry, group []int32) addedWeights {
	var weights [2]float64 // of negatives, and of positives
	least := math.Inf(1)
	for k := range entries {
		if i := g.placeOf(group[k]); i >= 0 {
			s.sums.own[i]++
		}
		e := &entries[k]
		n := float64(s.sorted.Count(int(e.at)))
		if g.whole {
			weights[e.kind&1] += n
			continue
		}
		w := s.sorted.Weight(int(e.at))
		weights[e.kind&1] += w * n
		g.unit = min(g.unit, unitOf(w))
		if e.kind&1 == 1 && w != 0 {
			least = min(least, w)
		}
	}
	if g.whole {
		least = 1
	}
	return addedWeights{weights[1], weights[0], least}
}

// fits says whether the sums of a curve need no points, if entries are added: weights are
// multiples of a unit that doubles can hold, and areas sums of products of integers.
func (g *groupSweep) fits(i int, added addedWeights) bool {
	tp, fp := g.tp[i], g.fp[i]
	if g.whole {
		return fp > 0 && added.positives+added.negatives < 1<<26
	}
	const small, large = -900, 900
	total := g.positives.hi + g.negatives.hi + added.positives + added.negatives
	return g.unit > small && total < math.Ldexp(1, min(g.unit+doubleBits-1, large)) &&
		tp > 0 && added.positives < 0x1p8*tp && fp > 0 && added.negatives < 0.99*fp
}

// extractor returns what extracts the steps of a curve to which n entries are added, or 0 if
// their sums would not be exact.
func (g *groupSweep) extractor(i int, added addedWeights, n int) float64 {
	tp, fp := g.tp[i], g.fp[i]
	rise := added.least
	if added.positives == 0 {
		return 1 // no curve rises
	}
	if !g.whole {
		if rise < 0x1p-50*(tp+added.positives) {
			return 0 // TP may rise by anything, once it is rounded
		}
		rise /= 2
	}
	precision := max(tp, rise) / (max(tp, rise) + fp + added.negatives)
	return extractorOf(n, rise*precision/2, 4*added.positives)
}

// placeOf returns which curve is without a group, or -1.
func (g *groupSweep) placeOf(group int32) int {
	if group < 0 || int(group) >= len(g.place) {
		return -1
	}
	return int(g.place[group]) - 1
}

// tallyEntry adds an entry to what is so far in the slice and in its group.
func (s *Sweep) tallyEntry(g *groupSweep, e *entry, group int32) {
	n, i := s.sorted.Count(int(e.at)), g.placeOf(group)
	g.rows += n
	all, of := &g.negatives, &g.ofNegative
	if e.kind&1 == 1 {
		all, of = &g.positives, &g.ofPositive
	}
	if g.whole {
		if all.hi += float64(n); i >= 0 {
			of.hi[i] += float64(n)
		}
		return
	}
	weight := s.sorted.Weight(int(e.at))
	*all = all.plusRows(weight, n)
	tallyRows(&g.all, e, weight, n)
	if i >= 0 {
		of.set(i, of.at(i).plusRows(weight, n))
		tallyRows(&g.of[i], e, weight, n)
	}
}

func tallyRows(t *runs.Totals, e *entry, weight float64, n int64) {
	if e.kind&1 == 1 {
		t.Positive.AddRows(weight, n)
	} else {
		t.Negative.AddRows(weight, n)
	}
}

// everyPoint adds every point of entries to a curve.
func (s *Sweep) everyPoint(in *sliceEntries, i int, entries []entry) {
	g, at := &in.sweep, in.first+1+i
	s.completeGroup(in, i)
	c, t := &s.curves[at], &s.Totals[at]
	c.tp, c.fp, c.done = t.Positive.Rows(), t.Negative.Rows(), Point{TP: g.tp[i], FP: g.fp[i]}
	s.addTo(at, false, s.without(in, entries, in.groups[i]), true)
	g.tp[i], g.fp[i] = c.done.TP, c.done.FP
}
