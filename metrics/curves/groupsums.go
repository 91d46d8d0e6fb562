package curves

import (
	"math"
	"math/bits"
	"sort"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
)

// groupSums are what a chunk of entries adds to the curves of a slice without each of its groups.
type groupSums struct {
	counts []entryCounts // by place of the group; see groupSweep
	curves []curveSums

	extractor       float64
	wantsTrapezoids bool
	before          []float64 // FP before the entries of a score

	// Positives that are alone with their score, of weight 1, and the sum of how many negatives of
	// the chunk are above each.
	alone, above int64

	points  []slicePoint
	history []groupPoint // of each group, in the order of their places
	next    []int        // where the history of each goes on; when it is complete, where it ends
}

// curveSums are the sums of the curve without a group, in weights that are not scaled.
type curveSums struct {
	used  bool  // others hold nothing of meaning
	start Point // where the curve was before
	tp    float64

	// Steps of the precision-recall curve.
	steps, trapezoids extracted

	// Areas are sums of products of whole numbers of units.
	inverseTP, inverseFP float64 // what one unit is multiplied by to be 1
	units                uint64  // of tp
	rises                integer // dTP * (FP after the step - FP at the start)
	tied                 integer // dTP * dFP

	// How much of groupSums.above involves the group: negatives above its positives, and how many of
	// these are its own; its negatives, and the sum of how many positives were above each.
	aboveOwn, ownAboveOwn, ownNegatives, aloneAboveOwn int64
}

// slicePoint is a point of the curve of all entries.
type slicePoint struct {
	image   uint64
	weights classWeights
}

// groupPoint is what there is of a group from a point of its slice on.
type groupPoint struct {
	at      int
	weights classWeights
}

// extracted are sums of numbers in two parts: the first is a multiple of a power of two (Rump, Ogita,
// Oishi 2008), of which few enough are added for both sums to be exact.
type extracted struct{ high, low float64 }

func (e *extracted) add(x, extractor float64) {
	first := x + extractor - extractor
	e.high += first
	e.low += x - first
}

// addTo adds the sum times a power of two.
func (e *extracted) addTo(s *exact.Sum, scale float64) {
	s.Add(e.high * scale)
	s.Add(e.low * scale)
}

// extractorOf returns the number that is added and taken away to round to the first part. n
// positive numbers are added, which are least or more, and most together. It is 0 if sums
// would not be exact.
func extractorOf(n int, least, most float64) float64 {
	// With s = unit: as the total is below 2^(s+51), the first parts add up to less than 2^(s+53)
	// multiples of 2^s. The others are up to 2^(s-1) and multiples of least's last bit.
	unit := math.Ilogb(most) + 1 - 51
	if !(least > 0) || math.Ilogb(least)-52 < unit+bits.Len(uint(n))-54 {
		return 0
	}
	return math.Ldexp(1.5, unit+52)
}

// start starts a chunk of n curves.
func (u *groupSums) start(n int) {
	u.counts, u.curves, u.before, u.next = grown(u.counts, 1+n), grown(u.curves, n), grown(u.before, n), grown(u.next, 1+n)
	clear(u.counts)
	clear(u.curves)
	u.alone, u.above, u.points = 0, 0, u.points[:0]
}

// startCurve starts the sums of a curve.
func (u *groupSums) startCurve(g *groupSweep, a *Accumulator, i int) {
	u.wantsTrapezoids = !a.noPRAUC
	c := &u.curves[i]
	c.used, c.start, c.tp, c.inverseTP, c.inverseFP = true, Point{TP: g.tp[i], FP: g.fp[i]}, g.tp[i], 1, 1
	if !g.whole {
		c.inverseTP, c.inverseFP = inverseUnit(c.start.TP), inverseUnit(c.start.FP)
	}
	c.units = wholeOf(c.tp * c.inverseTP)
}

// inverseUnit returns the inverse of the unit in the last place of x. All larger numbers are
// multiples of that unit, too.
func inverseUnit(x float64) float64 { return math.Ldexp(1, 52-math.Ilogb(x)) }

// startHistories starts the history of each group: it will have a point for each entry.
func (u *groupSums) startHistories(g *groupSweep) {
	n := 0
	for place := range u.counts {
		u.next[place] = n
		n += 1 + u.counts[place].entries
	}
	u.history = grown(u.history, n)
	for place, at := range u.next {
		u.history[at] = groupPoint{-1, g.ofWeights[place]}
		u.next[place]++
	}
}

// historyOf returns the history of the group that a curve is without.
func (u *groupSums) historyOf(curve int) []groupPoint {
	return u.history[u.next[curve]:u.next[1+curve]]
}

// addChunk adds entries to the curves whose sums are used.
func (s *Sweep) addChunk(in *sliceEntries, entries []entry) {
	g, u := &in.sweep, &s.sums
	before := g.weights
	u.startHistories(g)
	for start := 0; start < len(entries); {
		image, end, rises, falls := entries[start].image, start, false, false
		for ; end < len(entries) && entries[end].image == image; end++ {
			positive := entries[end].kind&1 == 1
			rises, falls = rises || positive, falls || !positive
		}
		alone := g.whole && !u.wantsTrapezoids && end == start+1 && s.sorted.Count(int(entries[start].at)) == 1
		if rises && !alone {
			u.beforeRise(g, falls)
		}
		for k := start; k < end; k++ {
			s.addEntry(g, &entries[k], g.placeOf(in.group[k]))
		}
		u.points = append(u.points, slicePoint{image, g.weights.copied()})
		switch {
		case rises && alone:
			u.riseAlone(g, before.negative.hi, g.placeOf(in.group[start]))
		case rises:
			u.rise(g, falls)
		}
		start = end
	}
	if !g.whole {
		g.tallyChunk(&before, u)
	}
	for i := range in.groups {
		if u.curves[i].used {
			s.endChunk(in, i)
		}
	}
}

// addEntry adds an entry of a group to the weights so far and to the history of the group.
func (s *Sweep) addEntry(g *groupSweep, e *entry, place int32) {
	u, n, positive := &s.sums, s.sorted.Count(int(e.at)), e.kind&1 == 1
	of := g.add(place, positive, s.sorted.Weight(int(e.at)), n)
	u.history[u.next[place]] = groupPoint{len(u.points), of.copied()}
	u.next[place]++
	if g.whole && !positive && place > 0 {
		c := &u.curves[place-1]
		c.ownNegatives += n
		c.aloneAboveOwn += n * u.alone
	}
}

// tallyChunk tallies the entries of a chunk.
func (g *groupSweep) tallyChunk(before *classWeights, u *groupSums) {
	var all entryCounts
	start := 0
	for place := range u.counts {
		of := &u.counts[place]
		all.add(of)
		of.tally(&g.of[place], &u.history[start].weights, &g.ofWeights[place])
		start = u.next[place]
	}
	all.tally(&g.all, before, &g.weights)
}

// beforeRise notes where curves are before a score that has positives.
func (u *groupSums) beforeRise(g *groupSweep, falls bool) {
	for i := range u.curves {
		c, of := &u.curves[i], &g.ofWeights[1+i]
		if falls {
			u.before[i] = g.weights.negative.without(&of.negative)
		}
		if g.whole { // riseAlone does not go on
			c.tp = g.weights.positive.hi - of.positive.hi
			c.units = wholeOf(c.tp)
		}
	}
}

// rise adds the step to a score that has positives. falls says whether it has negatives, too.
func (u *groupSums) rise(g *groupSweep, falls bool) {
	all, trapezoids, extractor := g.weights, u.wantsTrapezoids, u.extractor
	list, groups, before := u.curves, g.ofWeights[1:1+len(u.curves)], u.before[:len(u.curves)]
	for i := range list {
		c, of := &list[i], &groups[i]
		tp, fp := all.positive.without(&of.positive), all.negative.without(&of.negative)
		d, precision := tp-c.tp, tp/(tp+fp)
		c.steps.add(float64(d*precision), extractor)
		above := fp
		if falls {
			above = before[i]
		}
		if trapezoids {
			c.trapezoids.add(float64(d*(c.tp/(c.tp+above)+precision)), extractor)
		}
		units := wholeOf(tp * c.inverseTP)
		rise := units - c.units
		c.rises.addProduct(rise, wholeOf((fp-c.start.FP)*c.inverseFP))
		if falls {
			c.tied.addProduct(rise, wholeOf((fp-above)*c.inverseFP))
		}
		c.tp, c.units = tp, units
	}
}

// riseAlone is rise for a positive of weight 1, of a group, that has its score for itself, where all
// numbers are whole and trapezoids are not asked for. Most positives are like that. So areas are counted
// by pairs: all, less those that involve the group.
func (u *groupSums) riseAlone(g *groupSweep, negativesBefore float64, place int32) {
	above := int64(g.weights.negative.hi - negativesBefore)
	u.alone++
	u.above += above
	if place == 0 {
		u.addPrecision(g, 0, len(u.curves))
		return
	}
	own := int(place) - 1
	u.curves[own].aboveOwn += above
	u.curves[own].ownAboveOwn += u.curves[own].ownNegatives
	u.addPrecision(g, 0, own)
	u.addPrecision(g, own+1, len(u.curves))
}

// addPrecision adds steps of 1 to the curves from one up to another.
func (u *groupSums) addPrecision(g *groupSweep, from, to int) {
	positives, negatives, extractor := g.weights.positive.hi, g.weights.negative.hi, u.extractor
	list, groups := u.curves[from:to], g.ofWeights[1+from:1+to]
	for i := range list {
		of := &groups[i]
		tp, fp := positives-of.positive.hi, negatives-of.negative.hi
		list[i].steps.add(tp/(tp+fp), extractor)
	}
}

// wholeRises returns the sum of how many negatives of the chunk are above each positive that is alone,
// without those of the group.
func (u *groupSums) wholeRises(c *curveSums) uint64 {
	return uint64(u.above - c.aboveOwn - (c.ownNegatives*u.alone - c.aloneAboveOwn) + c.ownAboveOwn)
}

// endChunk adds the sums of a curve to its accumulator.
func (s *Sweep) endChunk(in *sliceEntries, i int) {
	g, u, a := &in.sweep, &s.sums, s.curves[in.first+1+i].accumulator
	c := &u.curves[i]
	c.steps.addTo(&a.steps, a.scale.positive)
	c.trapezoids.addTo(&a.trapezoids, a.scale.positive)
	end := u.findBests(a, i)
	var strict integer // dFP * TP before the step
	strict.addProduct(wholeOf(end.TP*c.inverseTP), wholeOf((end.FP-c.start.FP)*c.inverseFP))
	strict.subtract(c.rises)
	strict.subtract(integer{low: u.wholeRises(c)})
	unit := a.scale.positive / c.inverseTP * (a.scale.negative / c.inverseFP)
	strict.addTo(&a.pessimistic, unit)
	strict.addTo(&a.optimistic, unit)
	c.tied.addTo(&a.optimistic, unit)
	a.MoveTo(end)
	g.tp[i], g.fp[i] = end.TP, end.FP
}

// findBests looks for the operating points of a curve, and returns where it ends.
func (u *groupSums) findBests(a *Accumulator, i int) (end Point) {
	search := groupSearch{Accumulator: a, points: u.points, own: u.historyOf(i), start: u.curves[i].start}
	last := len(u.points) - 1
	end = search.point(last, len(search.own)-1)
	for c, criterion := range a.criteria {
		if a.totals.missing(criterion.needsNegatives()) != "" {
			continue
		}
		search.number, search.wider = c, criterion.relaxed()
		search.between(0, last+1, section{search.start, 0, a.atLeast(c, search.start, math.Inf(-1))},
			section{end, len(search.own) - 1, search.consider(end)})
	}
	return end
}

// groupSearch looks for the best point of the curve without a group by a criterion. Points are not
// made before they are looked at: they are those of all entries, less what there is of the group.
type groupSearch struct {
	*Accumulator
	points []slicePoint
	own    []groupPoint
	start  Point
	number int // of the criterion
	wider  Criterion
}

// section is where a section of the curve begins or ends.
type section struct {
	Point
	own   int     // which point of the group's history holds there
	value float64 // by the criterion
}

// point returns a point of the curve, where a point of the history holds.
func (s *groupSearch) point(at, own int) Point {
	p := &s.points[at]
	tp, fp := p.weights.without(&s.own[own].weights)
	return Point{runs.Score(p.image), tp, fp}
}

// consider is Accumulator.consider, and returns how good the point is.
func (s *groupSearch) consider(p Point) float64 {
	if !s.start.moves(p) { // it is no point of this chunk
		return math.Inf(-1)
	}
	r := s.scale.rates(p, s.totals)
	value, ok := s.criteria[s.number].value(&r)
	if !ok {
		return math.Inf(-1)
	}
	s.bests[s.number].consider(value, p.Score+0)
	return value
}

// between is Accumulator.search for the points from one up to another. The last one is considered.
func (s *groupSearch) between(first, end int, from, to section) {
	switch n := end - first; {
	case !s.mayImprove(s.number, s.wider, from.Point, to.Point, runs.Score(s.points[first].image), math.Inf(-1)):
	case n <= fewPoints:
		own := from.own
		for at := first; at < end-1; at++ {
			for own < to.own && s.own[own+1].at <= at {
				own++
			}
			s.consider(s.point(at, own))
		}
	default:
		half := first + n/2
		own := from.own + sort.Search(to.own-from.own, func(k int) bool { return s.own[from.own+1+k].at >= half })
		p := s.point(half-1, own)
		middle := section{p, own, s.consider(p)}
		if to.value > from.value { // the better half first
			s.between(half, end, middle, to)
			s.between(first, half, from, middle)
		} else {
			s.between(first, half, from, middle)
			s.between(half, end, middle, to)
		}
	}
}
