package curves

import (
	"math"

	"github.com/beameval/beameval/metrics/runs"
)

// A slice has a curve without each of its groups: often fifty, which nearly all examples move. No
// points are made of them. The weight of all examples without a group's is that of all less that
// of the group: both change with each example, once, and where positives are added, a loop over all
// groups adds the steps of their curves (see groupSums). Points are only made where an operating point
// may be.
//
// This holds for chunks of examples in which negatives less than double, as most do but the
// first: there, areas are not rounded (see Accumulator.addNegatives), and weights are held by
// doubles. Of others, every point is made.

// groupSweep is how far the curves of a slice without its groups are.
type groupSweep struct {
	whole bool  // see Stretch.Whole
	rows  int64 // how many examples the slice has so far
	// place has the place of each group in lists: that of the first one with a curve is 1. Groups
	// without a curve share place 0.
	place []int32

	// The examples of the slice so far, and those of each group by its place, unless whole.
	all runs.Totals
	of  []runs.Totals

	// Their weights. doubles says whether doubles can hold them, unless whole.
	weights   classWeights
	ofWeights []classWeights
	doubles   bool

	tp, fp []float64 // where each curve is
}

// fewestEntries is how many entries a chunk has, at least.
const fewestEntries = 64

// startGroups starts the curves of a slice without its groups at the totals.
func (s *Sweep) startGroups(in *sliceEntries, added addedUnits) {
	g, n := &in.sweep, len(in.groups)
	t := &s.Totals[in.first]
	g.whole, g.rows = s.curves[in.first].whole, t.Positive.Rows()+t.Negative.Rows()
	unit := math.MaxInt
	g.all = runs.Totals{}
	g.all.Merge(t)
	g.weights = weightsOf(t, &unit)
	g.of, g.ofWeights = grown(g.of, 1+n), grown(g.ofWeights, 1+n)
	g.of[0], g.ofWeights[0] = runs.Totals{}, classWeights{}
	g.tp, g.fp = grown(g.tp, n), grown(g.fp, n)
	clear(g.place)
	for i, group := range in.groups {
		rest, of := &s.Totals[in.first+1+i], &g.of[1+i]
		*of = runs.Totals{}
		of.Merge(t)
		of.Positive.Subtract(&rest.Positive)
		of.Negative.Subtract(&rest.Negative)
		g.ofWeights[1+i] = weightsOf(of, &unit)
		g.tp[i], g.fp[i] = rest.Positive.Weight(), rest.Negative.Weight()
		for int(group) >= len(g.place) {
			g.place = append(g.place, 0)
		}
		g.place[group] = int32(i) + 1
	}
	g.doubles = added.held(unit, &g.weights)
	in.enough = g.chunk()
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
		tp, fp := g.weights.without(&g.ofWeights[1+i])
		t.Positive.AddOnes(int64(tp))
		t.Negative.AddOnes(int64(fp))
		return
	}
	t.Merge(&g.all)
	t.Positive.Subtract(&g.of[1+i].Positive)
	t.Negative.Subtract(&g.of[1+i].Negative)
}

// addToGroups adds entries, which are those of whole points, to the curves without a group.
func (s *Sweep) addToGroups(in *sliceEntries, entries []entry) {
	g, sums := &in.sweep, &s.sums
	sums.start(len(in.groups))
	added := s.countEntries(g, entries, in.group)
	exact, some := g.exact(added), false
	for i := range in.groups {
		if sums.counts[1+i].entries == len(entries) { // the curve stays where it is
			continue
		}
		c := &s.curves[in.first+1+i]
		if c.accumulator == nil {
			c.accumulator = s.Without(in.first+1+i, Point{TP: g.tp[i], FP: g.fp[i]})
		}
		if extractor := g.extractor(i, added, len(entries)); exact && extractor != 0 && g.fits(i, added) {
			sums.startCurve(g, c.accumulator, i)
			sums.extractor, some = extractor, true // that of all
		} else {
			s.everyPoint(in, i, entries)
		}
	}
	if exact && some {
		s.addChunk(in, entries)
		return
	}
	for k := range entries {
		s.tally(g, &entries[k], g.placeOf(in.group[k]))
	}
}

// addedWeights is about what entries add.
type addedWeights struct {
	positives, negatives float64
	least                float64 // the least weight of positives that is not 0
}

// entryCounts are how many entries there are, and how many rows of these weigh 1, and how many do
// not, by whether they are positive.
type entryCounts struct {
	entries      int
	ones, others [2]int64
}

// countEntries counts entries, all and those of each group, and returns what they add.
func (s *Sweep) countEntries(g *groupSweep, entries []entry, group []int32) addedWeights {
	u := &s.sums
	if g.whole && s.sorted.Single() {
		positives := 0
		for k := range entries {
			positives += int(entries[k].kind & 1)
			u.counts[g.placeOf(group[k])].entries++
		}
		return addedWeights{float64(positives), float64(len(entries) - positives), 1}
	}
	var weights [2]float64 // of negatives, and of positives
	least := math.Inf(1)
	for k := range entries {
		e := &entries[k]
		kind, w, n := e.kind&1, s.sorted.Weight(int(e.at)), s.sorted.Count(int(e.at))
		of := &u.counts[g.placeOf(group[k])]
		of.entries++
		if w == 1 {
			of.ones[kind] += n
		} else {
			of.others[kind] += n
		}
		weights[kind] += float64(w * float64(n))
		if kind == 1 && w != 0 {
			least = min(least, w)
		}
	}
	return addedWeights{weights[1], weights[0], least}
}

// exact says whether doubles can hold all weights, if entries are added.
func (g *groupSweep) exact(added addedWeights) bool {
	if g.whole {
		return added.positives+added.negatives < 1<<26
	}
	return g.doubles
}

// fits says whether the sums of a curve need no points, if entries are added: areas are sums of
// products of integers.
func (g *groupSweep) fits(i int, added addedWeights) bool {
	tp, fp := g.tp[i], g.fp[i]
	return fp > 0 && (g.whole || tp > 0 && added.positives < 0x1p8*tp && added.negatives < 0.99*fp)
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

// placeOf returns the place of a group.
func (g *groupSweep) placeOf(group int32) int32 {
	if group < 0 || int(group) >= len(g.place) {
		return 0
	}
	return g.place[group]
}

// add adds an entry to the weights of the slice and to those of a group.
func (s *Sweep) add(g *groupSweep, e *entry, place int32) {
	n, all, of := s.sorted.Count(int(e.at)), &g.weights[e.kind&1], &g.ofWeights[place][e.kind&1]
	g.rows += n
	if g.whole {
		all.hi += float64(n)
		of.hi += float64(n)
		return
	}
	weight := s.sorted.Weight(int(e.at))
	*all, *of = all.plusRows(weight, n), of.plusRows(weight, n)
}

// tally adds an entry to what is so far in the slice and in its group.
func (s *Sweep) tally(g *groupSweep, e *entry, place int32) {
	s.add(g, e, place)
	if g.whole {
		return
	}
	weight, n := s.sorted.Weight(int(e.at)), s.sorted.Count(int(e.at))
	for _, t := range [...]*runs.Totals{&g.all, &g.of[place]} {
		if e.kind&1 == positive {
			t.Positive.AddRows(weight, n)
		} else {
			t.Negative.AddRows(weight, n)
		}
	}
}

// add adds other entries.
func (c *entryCounts) add(from *entryCounts) {
	c.entries += from.entries
	for kind := range c.ones {
		c.ones[kind] += from.ones[kind]
		c.others[kind] += from.others[kind]
	}
}

// everyPoint adds every point of entries to a curve.
func (s *Sweep) everyPoint(in *sliceEntries, i int, entries []entry) {
	g, at := &in.sweep, in.first+1+i
	s.completeGroup(in, i)
	c, t := &s.curves[at], &s.Totals[at]
	c.tp, c.fp, c.done = t.Positive.Rows(), t.Negative.Rows(), Point{TP: g.tp[i], FP: g.fp[i]}
	if c.doubles = g.doubles; c.doubles {
		c.weights = g.weights.minus(&g.ofWeights[1+i])
	}
	s.addTo(at, false, s.without(in, entries, in.groups[i]), true)
	c.doubles = false // finishGroups completes the totals
	g.tp[i], g.fp[i] = c.done.TP, c.done.FP
}
