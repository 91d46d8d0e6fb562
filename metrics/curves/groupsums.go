package curves

import (
	"math"
	"math/bits"

	"github.com/beameval/beameval/metrics/exact"
)

// groupSums are what a chunk of entries adds to the curves of a slice without each of its groups.
type groupSums struct {
	counts []entryCounts // by place of the group; see groupSweep
	curves []curveSums
	steps  []extracted // of the precision-recall curve without each group

	extractor       float64
	wantsTrapezoids bool
	lone            loneSums
	before          []float64 // FP before the entries of a score

	// A block is the entries of some consecutive points. starts has the first entry of each and, last,
	// the number of entries. weights has the weights there: those of all entries, then those of each group
	// by its place.
	starts  []int
	weights []classWeights
	points  []Point // of one block
}

// blockEntries is how many entries a block has, or a few more: enough for a block to be cheap, and few
// enough to look at if an operating point may be there.
const blockEntries = 32

// curveSums are the sums of the curve without a group, in weights that are not scaled.
type curveSums struct {
	used  bool  // others hold nothing of meaning
	start Point // where the curve was before
	tp    float64

	trapezoids extracted

	// Areas are sums of products of whole numbers of units.
	inverseTP, inverseFP float64 // what one unit is multiplied by to be 1
	units                uint64  // of tp
	rises                integer // dTP * (FP after the step - FP at the start)
	tied                 integer // dTP * dFP
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
	u.counts, u.curves, u.before = grown(u.counts, 1+n), grown(u.curves, n), grown(u.before, n)
	u.steps = grown(u.steps, n)
	clear(u.counts)
	clear(u.curves)
	clear(u.steps)
	u.lone.start(n)
	u.starts, u.weights = u.starts[:0], u.weights[:0]
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

// startBlock starts a block at an entry or, after all of them, ends the last one.
func (u *groupSums) startBlock(g *groupSweep, at int) {
	g.weights = g.weights.normal() // blockEntries are fewer than lazyAdditions
	u.starts = append(u.starts, at)
	u.weights = append(append(u.weights, g.weights), g.ofWeights...)
}

// weightsAt returns the weights at the start of a block: those of all entries, and those of the group
// that a curve is without.
func (u *groupSums) weightsAt(block, curve int) (all, own classWeights) {
	list := u.weights[block*(2+len(u.curves)):]
	return list[0], list[2+curve]
}

// addChunk adds entries to the curves whose sums are used.
func (s *Sweep) addChunk(in *sliceEntries, entries []entry) {
	g, u := &in.sweep, &s.sums
	lone := g.whole && !u.wantsTrapezoids
	for at, block := 0, 0; at < len(entries); {
		if at >= block {
			u.startBlock(g, at)
			block = at + blockEntries
		}
		e := &entries[at]
		last := at+1 == len(entries) || entries[at+1].image != e.image
		switch single := last && s.sorted.Count(int(e.at)) == 1; {
		case single && lone:
			u.addLone(g, e.kind&1, g.placeOf(in.group[at]))
			at++
		case single:
			u.addSingle(g, e.kind&1, g.placeOf(in.group[at]), s.sorted.Weight(int(e.at)))
			at++
		default:
			at = s.addScore(in, entries, at)
		}
	}
	u.startBlock(g, len(entries))
	if !g.whole {
		g.tallyChunk(u)
	}
	for i := range in.groups {
		if u.curves[i].used {
			s.endChunk(in, i, entries)
		}
	}
}

// addSingle adds an entry of one example that has its score for itself, where addLone does not: loneSums have
// nothing to note then.
func (u *groupSums) addSingle(g *groupSweep, kind uint32, place int32, weight float64) {
	g.rows++
	all, of := &g.weights[kind], &g.ofWeights[place][kind]
	*all, *of = all.plus(weight), of.plusRows(weight, 1)
	if kind == positive {
		u.rise(g, false)
	}
}

// addScore adds the entries of a score, from one on, and returns where those of the next one start.
func (s *Sweep) addScore(in *sliceEntries, entries []entry, start int) (end int) {
	g, u, rises, falls := &in.sweep, &s.sums, false, false
	for end = start; end < len(entries) && entries[end].image == entries[start].image; end++ {
		rises, falls = rises || entries[end].kind&1 == positive, falls || entries[end].kind&1 == negative
	}
	if rises && (falls || g.whole) {
		u.beforeRise(g, falls)
	}
	for k := start; k < end; k++ {
		e, place := &entries[k], g.placeOf(in.group[k])
		s.add(g, e, place)
		if g.whole && e.kind&1 == negative {
			u.lone.fall(place, s.sorted.Count(int(e.at)))
		}
	}
	if rises {
		u.rise(g, falls)
	}
	return end
}

// tallyChunk tallies the entries of a chunk.
func (g *groupSweep) tallyChunk(u *groupSums) {
	var all entryCounts
	for place := range u.counts {
		of := &u.counts[place]
		all.add(of)
		addTotals(&g.of[place], of.ones, of.others, &u.weights[1+place], &g.ofWeights[place])
	}
	addTotals(&g.all, all.ones, all.others, &u.weights[0], &g.weights)
}

// beforeRise notes where curves are before a score that has positives.
func (u *groupSums) beforeRise(g *groupSweep, falls bool) {
	for i := range u.curves {
		c, of := &u.curves[i], &g.ofWeights[1+i]
		if falls {
			u.before[i] = g.weights[negative].without(&of[negative])
		}
		if g.whole { // addLone does not go on
			c.tp = g.weights[positive].hi - of[positive].hi
			c.units = wholeOf(c.tp)
		}
	}
}

// rise adds the step to a score that has positives. falls says whether it has negatives, too.
func (u *groupSums) rise(g *groupSweep, falls bool) {
	positives, negatives, extractor, trapezoids := g.weights[positive], g.weights[negative], u.extractor, u.wantsTrapezoids
	n := len(u.curves)
	list, groups, before, steps := u.curves, g.ofWeights[1:1+n], u.before[:n], u.steps[:n]
	for i := range list {
		c, of := &list[i], &groups[i]
		// The compiler does not put classWeights.without in line: to call it takes sweeps 15 % longer.
		tp, fp := positives.without(&of[positive]), negatives.without(&of[negative])
		d, precision := tp-c.tp, tp/(tp+fp)
		steps[i].add(float64(d*precision), extractor)
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

// endChunk adds the sums of a curve to its accumulator.
func (s *Sweep) endChunk(in *sliceEntries, i int, entries []entry) {
	g, u, a := &in.sweep, &s.sums, s.curves[in.first+1+i].accumulator
	c := &u.curves[i]
	u.steps[i].addTo(&a.steps, a.scale.positive)
	c.trapezoids.addTo(&a.trapezoids, a.scale.positive)
	search := groupSearch{Accumulator: a, sums: u, sorted: s.sorted, entries: entries, groups: in.group, curve: i, own: in.groups[i], whole: g.whole, start: c.start}
	end := search.bests()
	c.rises.addProduct(1, u.lone.area(g, c, i))
	var strict integer // dFP * TP before the step
	strict.addProduct(wholeOf(end.TP*c.inverseTP), wholeOf((end.FP-c.start.FP)*c.inverseFP))
	strict.subtract(c.rises)
	unit := a.scale.positive / c.inverseTP * (a.scale.negative / c.inverseFP)
	strict.addTo(&a.pessimistic, unit)
	strict.addTo(&a.optimistic, unit)
	c.tied.addTo(&a.optimistic, unit)
	a.MoveTo(end)
	g.tp[i], g.fp[i] = end.TP, end.FP
}
