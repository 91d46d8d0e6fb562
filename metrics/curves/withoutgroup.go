package curves

import (
	"math"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
)

// A slice has a curve without each of its groups: often fifty, which nearly all examples move.
// Areas and operating points need few of their points: those where positives are added, and the one
// before each. Only these are made, from what the slice has so far and what each group has of it.

// groupSweep is how far the curves of a slice without its groups are.
type groupSweep struct {
	whole  bool // see Stretch.Whole
	groups []groupCurve
	place  []int32     // by group, from 1 on; 0: it has no curve
	all    runs.Totals // the examples of the slice so far
	recent recentImages
}

// groupCurve is the curve of a slice without a group.
type groupCurve struct {
	of     runs.Totals // the examples of the group so far
	before Point       // the last point that was emitted
	last   Point       // the last point that was made
	since  int         // the first entry of those under way that is not in it
}

// groupPoints is how many points are made of each curve before they are emitted: few enough for
// those of all groups to stay in a cache.
const groupPoints = 256

// recentImages are the images of the last entry and of the last that is of another group.
type recentImages struct {
	image, other uint64
	group        int32
}

func (r *recentImages) add(image uint64, group int32) {
	if group != r.group {
		r.other, r.group = r.image, group
	}
	r.image = image
}

// without returns the image of the last entry that is not of a group.
func (r *recentImages) without(group int32) uint64 {
	if group == r.group {
		return r.other
	}
	return r.image
}

// startGroups starts the curves of a slice without its groups at the totals.
func (s *Sweep) startGroups(in *sliceEntries) {
	g := &in.sweep
	t := &s.Totals[in.first]
	*g = groupSweep{whole: s.curves[in.first].whole, groups: grown(g.groups, len(in.groups)), place: g.place}
	g.all.Merge(t)
	clear(g.place)
	for i, group := range in.groups {
		rest := &s.Totals[in.first+1+i]
		c := &g.groups[i]
		*c = groupCurve{}
		c.of.Merge(t)
		c.of.Positive.Subtract(&rest.Positive)
		c.of.Negative.Subtract(&rest.Negative)
		c.last = Point{TP: rest.Positive.Weight(), FP: rest.Negative.Weight()}
		c.before = c.last
		for int(group) >= len(g.place) {
			g.place = append(g.place, 0)
		}
		g.place[group] = int32(i) + 1
	}
}

// finishGroups completes the totals of the curves.
func (s *Sweep) finishGroups(in *sliceEntries) {
	all := &s.Totals[in.first]
	for i := range in.sweep.groups {
		c, t := &in.sweep.groups[i], &s.Totals[in.first+1+i]
		*t = runs.Totals{}
		t.Merge(all)
		t.Positive.Subtract(&c.of.Positive)
		t.Negative.Subtract(&c.of.Negative)
	}
}

// addToGroups adds entries, which are those of whole points, to the curves without a group.
func (s *Sweep) addToGroups(in *sliceEntries, entries []entry) {
	g := &in.sweep
	for len(s.points) < len(g.groups) {
		s.points = append(s.points, make([]Point, 0, groupPoints+2))
	}
	for i := range g.groups {
		g.groups[i].since = 0
	}
	for start := 0; start < len(entries); {
		image, end, rises, falls := entries[start].image, start, false, false
		for ; end < len(entries) && entries[end].image == image; end++ {
			positive := entries[end].kind&1 == 1
			rises, falls = rises || positive, falls || !positive
		}
		if rises {
			s.approach(in, entries, start)
		}
		for i := start; i < end; i++ {
			s.tallyEntry(g, &entries[i], in.group[i])
		}
		if rises {
			s.rise(in, runs.Score(image), end, falls)
		}
		start = end
	}
	s.approach(in, entries, len(entries))
	for i := range g.groups {
		s.emitGroup(in, i)
	}
}

// tallyEntry adds an entry to the totals of the slice and of its group.
func (s *Sweep) tallyEntry(g *groupSweep, e *entry, group int32) {
	var c *groupCurve
	if group >= 0 && int(group) < len(g.place) && g.place[group] > 0 {
		c = &g.groups[g.place[group]-1]
	}
	weight, n := s.sorted.Weight(int(e.at)), s.sorted.Count(int(e.at))
	if weight != 0 { // or else it moves no curve
		g.recent.add(e.image, group)
	}
	add := func(t *runs.Totals) {
		if e.kind&1 == 1 {
			t.Positive.AddRows(weight, n)
		} else {
			t.Negative.AddRows(weight, n)
		}
	}
	if add(&g.all); c != nil {
		add(&c.of)
	}
}

// positives and negatives return the weight of those that are not of the group of a curve.
func (g *groupSweep) positives(c *groupCurve) float64 {
	return g.all.Positive.WeightWithout(&c.of.Positive)
}

func (g *groupSweep) negatives(c *groupCurve) float64 {
	return g.all.Negative.WeightWithout(&c.of.Negative)
}

// approach takes all curves to where entry end is, which is the first of a point or none: no
// positives were added since their last points.
func (s *Sweep) approach(in *sliceEntries, entries []entry, end int) {
	g := &in.sweep
	for i := range g.groups {
		c := &g.groups[i]
		fp := g.negatives(c)
		if fp == c.last.FP {
			continue
		}
		// At the start, each point may be the best. Where weights more than double, areas are
		// rounded at each point; see Accumulator.addNegatives.
		if c.last.FP == 0 || !g.whole && fp > 2*c.last.FP {
			s.addNegativesOf(in, i, entries[c.since:end], in.group[c.since:end])
			c.since = end
			continue
		}
		c.since = end
		c.last = Point{Score: runs.Score(g.recent.without(in.groups[i])), TP: c.last.TP, FP: fp}
		s.addPoint(in, i)
	}
}

// addNegativesOf adds a point for each score of entries, which add no positives to a curve.
func (s *Sweep) addNegativesOf(in *sliceEntries, i int, entries []entry, group []int32) {
	g, c := &in.sweep, &in.sweep.groups[i]
	var negatives []entry
	var these, sum exact.Tally
	for k, e := range entries {
		if group[k] != in.groups[i] && e.kind&1 == 0 {
			negatives = append(negatives, e)
			these.AddRows(s.sorted.Weight(int(e.at)), s.sorted.Count(int(e.at)))
		}
	}
	sum.Merge(&g.all.Negative)
	sum.Subtract(&c.of.Negative)
	sum.Subtract(&these)
	for k, e := range negatives {
		sum.AddRows(s.sorted.Weight(int(e.at)), s.sorted.Count(int(e.at)))
		if k+1 < len(negatives) && negatives[k+1].image == e.image {
			continue
		}
		if fp := sum.Weight(); fp != c.last.FP {
			c.last = Point{Score: runs.Score(e.image), TP: c.last.TP, FP: fp}
			s.addPoint(in, i)
		}
	}
}

// rise adds a point to the curves to which positives were added; falls says whether there are
// negatives of the same score.
func (s *Sweep) rise(in *sliceEntries, score float64, end int, falls bool) {
	g := &in.sweep
	for i := range g.groups {
		c := &g.groups[i]
		tp, fp := g.positives(c), c.last.FP
		if math.Float64bits(tp) == math.Float64bits(c.last.TP) {
			continue // all of them are of the group; other negatives come with the next point
		}
		if falls {
			fp = g.negatives(c)
		}
		c.last, c.since = Point{score, tp, fp}, end
		s.addPoint(in, i)
	}
}

// addPoint adds the last point of a curve.
func (s *Sweep) addPoint(in *sliceEntries, i int) {
	if s.points[i] = append(s.points[i], in.sweep.groups[i].last); len(s.points[i]) >= groupPoints {
		s.emitGroup(in, i)
	}
}

// emitGroup emits the points of a curve.
func (s *Sweep) emitGroup(in *sliceEntries, i int) {
	points := s.points[i]
	if len(points) == 0 {
		return
	}
	c := &in.sweep.groups[i]
	s.few = Stretch{Curve: in.first + 1 + i, Whole: in.sweep.whole, Before: c.before, Points: points}
	c.before = points[len(points)-1]
	s.emit(&s.few)
	s.points[i] = points[:0]
}
