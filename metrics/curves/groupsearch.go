package curves

import (
	"math"

	"github.com/beameval/beameval/metrics/runs"
)

// groupSearch looks for the best points of the curve without a group in a chunk. Points are not made
// before they are looked at: they are those of all entries, less what there is of the group.
type groupSearch struct {
	*Accumulator
	sums    *groupSums
	sorted  *runs.Sorted
	entries []entry
	groups  []int32 // of the entries
	curve   int     // which of the slice
	own     int32   // group that the curve is without
	whole   bool    // see Stretch.Whole
	start   Point
	number  int // of the criterion
	wider   Criterion
}

// section is where a section of the curve begins or ends.
type section struct {
	Point
	value float64 // by the criterion
}

// bests looks for the operating points, and returns where the curve ends.
func (s *groupSearch) bests() (end Point) {
	last := len(s.sums.starts) - 1
	end = s.point(last)
	for i, c := range s.criteria {
		if s.totals.missing(c.needsNegatives()) != "" {
			continue
		}
		s.number, s.wider = i, c.relaxed()
		start := section{s.start, math.Inf(-1)}
		if value, ok := s.valueOf(i, &s.start); ok {
			start.value = value
		}
		s.between(0, last, start, section{end, s.value(end)})
	}
	return end
}

// between is Accumulator.search for the blocks from one up to another. Where they end was considered.
func (s *groupSearch) between(first, end int, from, to section) {
	switch n := end - first; {
	case !s.mayImprove(s.number, s.wider, from.Point, to.Point, s.score(s.sums.starts[first])):
	case n == 1:
		if points := s.points(first, from.Point); len(points) > 0 { // it may have the group's examples alone
			s.search(s.number, s.wider, from.Point, points)
		}
	default:
		half := first + n/2
		p := s.point(half)
		middle := section{p, s.value(p)}
		if to.value > from.value { // the better half first
			s.between(half, end, middle, to)
			s.between(first, half, from, middle)
		} else {
			s.between(first, half, from, middle)
			s.between(half, end, middle, to)
		}
	}
}

// value considers a point, and returns how good it is.
func (s *groupSearch) value(p Point) float64 {
	if !s.start.moves(p) { // it is no point of this chunk
		return math.Inf(-1)
	}
	return s.consider(s.number, &p)
}

// score returns the score of an entry.
func (s *groupSearch) score(entry int) float64 { return runs.Score(s.entries[entry].image) }

// point returns where the curve is at the start of a block that is not the first, or at the end of the last.
func (s *groupSearch) point(block int) Point {
	all, own := s.sums.weightsAt(block, s.curve)
	tp, fp := all.without(&own)
	return Point{s.score(s.sums.starts[block] - 1), tp, fp}
}

// points returns the points of a block, which come after from.
func (s *groupSearch) points(block int, from Point) []Point {
	all, own := s.sums.weightsAt(block, s.curve)
	at := all.minus(&own)
	list, end := s.sums.points[:0], s.sums.starts[block+1]
	for i := s.sums.starts[block]; i < end; i++ {
		if s.groups[i] != s.own {
			s.add(&at, &s.entries[i])
		}
		if i+1 == end || s.entries[i+1].image != s.entries[i].image {
			if p := (Point{s.score(i), at[positive].hi, at[negative].hi}); from.moves(p) {
				list, from = append(list, p), p
			}
		}
	}
	s.sums.points = list
	return list
}

// add adds an entry to weights.
func (s *groupSearch) add(to *classWeights, e *entry) {
	n, of := s.sorted.Count(int(e.at)), &to[e.kind&1]
	if s.whole {
		of.hi += float64(n)
	} else {
		*of = of.plusRows(s.sorted.Weight(int(e.at)), n)
	}
}
