package curves

import (
	"math"
	"math/bits"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
)

// groupSums are what a chunk of entries adds to the curves of a slice without each of its groups:
// flat arrays by curve.
type groupSums struct {
	own  []int  // how many entries are of the group
	used []bool // whether the sums are those of a curve; others hold nothing of meaning

	before         []float64 // FP before the entries of a score
	nextTP, nextFP []float64 // TP and FP after them

	// Steps of the precision-recall curve, in weights that are not scaled.
	steps, trapezoids extracted
	extractor         float64
	wantsTrapezoids   bool

	// Areas are sums of products of whole numbers of units, from where the chunk starts.
	startTP, startFP     []float64
	inverseTP, inverseFP []float64 // what one unit is multiplied by to be 1
	rises                []integer // dTP * (FP after the step - FP at the start)
	wholeRises           []float64 // instead, of whole numbers
	tied                 []integer // dTP * dFP

	blocks []groupBlock // the first is empty
	points [][]Point    // of blocks, of one curve at a time
}

// extracted are sums in flat arrays, of numbers in two parts: the first is a multiple of a
// power of two (Rump, Ogita, Oishi 2008), of which few enough are added for both sums to be exact.
type extracted struct{ high, low []float64 }

func (e *extracted) start(n int) {
	e.high, e.low = grown(e.high, n), grown(e.low, n)
	clear(e.high)
	clear(e.low)
}

// addTo adds a sum times a power of two.
func (e *extracted) addTo(s *exact.Sum, i int, scale float64) {
	s.Add(e.high[i] * scale)
	s.Add(e.low[i] * scale)
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

// groupBlock is a block of entries.
type groupBlock struct {
	from, to int          // which entries
	end      groupWeights // after them
}

// point returns where the curve without a group is after the block.
func (b *groupBlock) point(i int) Point {
	positive, negative := b.end.without(i)
	return Point{TP: positive.hi, FP: negative.hi}
}

// start starts a chunk of n curves.
func (u *groupSums) start(n int) {
	u.own, u.used = grown(u.own, n), grown(u.used, n)
	clear(u.own)
	clear(u.used)
	for _, list := range []*[]float64{&u.before, &u.nextTP, &u.nextFP, &u.startTP, &u.startFP, &u.wholeRises, &u.inverseTP, &u.inverseFP} {
		*list = grown(*list, n)
	}
	u.steps.start(n)
	u.trapezoids.start(n)
	u.rises, u.tied = grown(u.rises, n), grown(u.tied, n)
	clear(u.rises)
	clear(u.wholeRises)
	clear(u.tied)
	u.blocks = u.blocks[:0]
}

// startCurve starts the sums of a curve.
func (u *groupSums) startCurve(g *groupSweep, a *Accumulator, i int) {
	u.used[i], u.wantsTrapezoids = true, !a.noPRAUC
	u.startTP[i], u.startFP[i] = g.tp[i], g.fp[i]
	u.inverseTP[i], u.inverseFP[i] = 1, 1
	if !g.whole {
		u.inverseTP[i], u.inverseFP[i] = inverseUnit(g.tp[i]), inverseUnit(g.fp[i])
	}
}

// inverseUnit returns the inverse of the unit in the last place of x. All larger numbers are
// multiples of that unit, too.
func inverseUnit(x float64) float64 { return math.Ldexp(1, 52-math.Ilogb(x)) }

// addChunk adds entries to the curves whose sums are used.
func (s *Sweep) addChunk(in *sliceEntries, entries []entry) {
	g, u := &in.sweep, &s.sums
	from := 0
	u.endBlock(g, 0, 0)
	for start := 0; start < len(entries); {
		image, end, rises, falls := entries[start].image, start, false, false
		for ; end < len(entries) && entries[end].image == image; end++ {
			positive := entries[end].kind&1 == 1
			rises, falls = rises || positive, falls || !positive
		}
		if rises && falls {
			g.allWithout(u.before, g.negatives, &g.ofNegative)
		}
		for k := start; k < end; k++ {
			s.tallyEntry(g, &entries[k], in.group[k])
		}
		if rises {
			u.rise(g, falls)
		}
		if start = end; start-from >= blockEntries || start == len(entries) {
			u.endBlock(g, from, start)
			from = start
		}
	}
	for i := range in.groups {
		if u.used[i] {
			s.endChunk(in, entries, i)
		}
	}
}

// allWithout sets list to the weight of all that is not of a group, by curve.
func (g *groupSweep) allWithout(list []float64, all double, of *doubles) {
	hi, lo := of.hi[:len(list)], of.lo[:len(list)]
	if g.whole {
		for i := range list {
			list[i] = all.hi - hi[i]
		}
		return
	}
	for i := range list {
		sum, rest := difference(all.hi, all.lo, hi[i], lo[i])
		list[i] = sum + rest
	}
}

// rise adds the step to a score that has positives. falls says whether it has negatives, too.
func (u *groupSums) rise(g *groupSweep, falls bool) {
	if g.whole && !falls && !u.wantsTrapezoids { // most of the time is spent here
		u.addWhole(g)
		return
	}
	g.allWithout(u.nextTP, g.positives, &g.ofPositive)
	g.allWithout(u.nextFP, g.negatives, &g.ofNegative)
	before := u.nextFP
	if falls {
		before = u.before
		u.addTied(g.tp)
	}
	if g.whole {
		u.addWholeAreas(g.tp)
	} else {
		u.addAreas(g.tp)
	}
	u.addSteps(g.tp)
	if u.wantsTrapezoids {
		u.addTrapezoids(g.tp, before)
	}
	g.tp, u.nextTP = u.nextTP, g.tp
}

// addWhole is addWholeAreas and addSteps, at once.
func (u *groupSums) addWhole(g *groupSweep) {
	tp, n := g.tp, len(g.tp)
	ofPositive, ofNegative, start := g.ofPositive.hi[:n], g.ofNegative.hi[:n], u.startFP[:n]
	rises, high, low := u.wholeRises[:n], u.steps.high[:n], u.steps.low[:n]
	positives, negatives, extractor := g.positives.hi, g.negatives.hi, u.extractor
	for i := range tp {
		next, fp := positives-ofPositive[i], negatives-ofNegative[i]
		d := next - tp[i]
		tp[i] = next
		rises[i] += d * (fp - start[i])
		step := float64(d * (next / (next + fp)))
		first := step + extractor - extractor
		high[i] += first
		low[i] += step - first
	}
}

func (u *groupSums) addAreas(tp []float64) {
	for i := range tp {
		u.rises[i].addProduct(u.risen(tp, i), wholeOf((u.nextFP[i]-u.startFP[i])*u.inverseFP[i]))
	}
}

func (u *groupSums) addWholeAreas(tp []float64) {
	next, fp, start, rises := u.nextTP[:len(tp)], u.nextFP[:len(tp)], u.startFP[:len(tp)], u.wholeRises[:len(tp)]
	for i := range tp {
		rises[i] += (next[i] - tp[i]) * (fp[i] - start[i])
	}
}

func (u *groupSums) addTied(tp []float64) {
	for i := range tp {
		u.tied[i].addProduct(u.risen(tp, i), wholeOf((u.nextFP[i]-u.before[i])*u.inverseFP[i]))
	}
}

// risen returns how many units TP rises.
func (u *groupSums) risen(tp []float64, i int) uint64 {
	return wholeOf(u.nextTP[i]*u.inverseTP[i]) - wholeOf(tp[i]*u.inverseTP[i])
}

// addSteps is Accumulator.addSteps.
func (u *groupSums) addSteps(tp []float64) {
	n := len(tp)
	nextTP, nextFP, high, low, extractor := u.nextTP[:n], u.nextFP[:n], u.steps.high[:n], u.steps.low[:n], u.extractor
	for i := range tp {
		next := nextTP[i]
		step := float64((next - tp[i]) * (next / (next + nextFP[i])))
		first := step + extractor - extractor
		high[i] += first
		low[i] += step - first
	}
}

func (u *groupSums) addTrapezoids(tp, before []float64) {
	n := len(tp)
	nextTP, nextFP, high, low, extractor := u.nextTP[:n], u.nextFP[:n], u.trapezoids.high[:n], u.trapezoids.low[:n], u.extractor
	for i := range tp {
		next := nextTP[i]
		twice := float64((next - tp[i]) * (tp[i]/(tp[i]+before[i]) + next/(next+nextFP[i])))
		first := twice + extractor - extractor
		high[i] += first
		low[i] += twice - first
	}
}

// endBlock notes where the curves are after a block.
func (u *groupSums) endBlock(g *groupSweep, from, to int) {
	n := len(u.blocks)
	u.blocks = grown(u.blocks, n+1)
	b := &u.blocks[n]
	b.from, b.to = from, to
	b.end.copyOf(&g.groupWeights)
}

// endChunk adds the sums of a curve to its accumulator.
func (s *Sweep) endChunk(in *sliceEntries, entries []entry, i int) {
	g, u, a := &in.sweep, &s.sums, s.curves[in.first+1+i].accumulator
	u.steps.addTo(&a.steps, i, a.scale.positive)
	u.trapezoids.addTo(&a.trapezoids, i, a.scale.positive)
	end := u.blocks[len(u.blocks)-1].point(i)
	var strict integer // dFP * TP before the step
	strict.addProduct(wholeOf(end.TP*u.inverseTP[i]), wholeOf((end.FP-u.startFP[i])*u.inverseFP[i]))
	strict.subtract(u.rises[i])
	strict.subtract(integer{low: wholeOf(u.wholeRises[i])})
	unit := a.scale.positive / u.inverseTP[i] * (a.scale.negative / u.inverseFP[i])
	strict.addTo(&a.pessimistic, unit)
	strict.addTo(&a.optimistic, unit)
	u.tied[i].addTo(&a.optimistic, unit)
	s.findBests(in, entries, i)
	a.MoveTo(end)
	g.tp[i], g.fp[i] = end.TP, end.FP
}

// findBests looks for the operating points of a curve. It makes the points of blocks that may
// have one.
func (s *Sweep) findBests(in *sliceEntries, entries []entry, i int) {
	u, a := &s.sums, s.curves[in.first+1+i].accumulator
	u.points = grown(u.points, len(u.blocks))
	for b := range u.points {
		u.points[b] = u.points[b][:0]
	}
	for c, criterion := range a.criteria {
		if a.totals.missing(criterion.needsNegatives()) != "" {
			continue
		}
		from, to := u.blocks[0].point(i), u.blocks[len(u.blocks)-1].point(i)
		search := blockSearch{s, in, entries, i, c, criterion.relaxed(), math.Inf(-1)}
		search.floor = a.atLeast(c, to, a.atLeast(c, from, search.floor))
		search.between(1, len(u.blocks), from, to)
	}
}

// blockSearch looks for the best point of a curve by a criterion.
type blockSearch struct {
	*Sweep
	in      *sliceEntries
	entries []entry
	curve   int // of the slice, from 0 on
	number  int // of the criterion
	wider   Criterion
	floor   float64 // there is a point as good as that
}

// between is Accumulator.search for blocks: from one up to another. It does not know the score of the
// points where a block ends, but how good they are: other points that are worse do not matter.
func (b *blockSearch) between(first, end int, from, to Point) {
	block, a := &b.sums.blocks[first], b.curves[b.in.first+1+b.curve].accumulator
	if !a.mayImprove(b.number, b.wider, from, to, runs.Score(b.entries[block.from].image), b.floor) {
		return
	}
	if end-first > 1 {
		half := (first + end) / 2
		middle := b.sums.blocks[half-1].point(b.curve)
		b.floor = a.atLeast(b.number, middle, b.floor)
		if inf := math.Inf(-1); a.atLeast(b.number, to, inf) > a.atLeast(b.number, from, inf) { // the better half first
			b.between(half, end, middle, to)
			b.between(first, half, from, middle)
		} else {
			b.between(first, half, from, middle)
			b.between(half, end, middle, to)
		}
		return
	}
	points := &b.sums.points[first]
	if len(*points) == 0 {
		*points = b.pointsWithout(*points, b.entries[block.from:block.to], b.in.group[block.from:block.to],
			b.in.groups[b.curve], &b.sums.blocks[first-1].end, b.curve)
	}
	if len(*points) > 0 {
		a.search(b.number, b.wider, from, *points, b.floor)
	}
}

// pointsWithout appends the points of entries that are not of a group, after what is so far.
func (s *Sweep) pointsWithout(points []Point, entries []entry, group []int32, without int32, so *groupWeights, i int) []Point {
	positive, negative := so.without(i)
	last := Point{TP: positive.hi, FP: negative.hi}
	whole := s.sorted.Single()
	var image uint64 // of the point under way
	for k := range entries {
		e := &entries[k]
		if group[k] == without {
			continue
		}
		if e.image != image {
			points, last = appendMoved(points, last, Point{TP: positive.hi, FP: negative.hi}, image)
			image = e.image
		}
		if whole {
			positive.hi += float64(e.kind & 1)
			negative.hi += float64(1 - e.kind&1)
			continue
		}
		weight, n := s.sorted.Weight(int(e.at)), s.sorted.Count(int(e.at))
		if e.kind&1 == 1 {
			positive = positive.plusRows(weight, n)
		} else {
			negative = negative.plusRows(weight, n)
		}
	}
	points, _ = appendMoved(points, last, Point{TP: positive.hi, FP: negative.hi}, image)
	return points
}

// appendMoved appends the point of an image, and returns it, unless it is where the last one is.
func appendMoved(points []Point, last, p Point, image uint64) ([]Point, Point) {
	if !last.moves(p) {
		return points, last
	}
	p.Score = runs.Score(image)
	return append(points, p), p
}
