package curves

import "math"

// Most chunks have none of the best points of their curves, as these go on to better ones. So before
// the curves without groups are swept, some of their points are found: a few times in a range, the weights of
// the tags so far are added up to those of curves. These sums are rounded. So floors are a bit below how
// good the points are.

const (
	// foreseenPoints is how many points of a range are foreseen, about: no more than it has chunks.
	foreseenPoints = 16
	// roundings is more than the share by which sums of weights are off.
	roundings = 0x1p-20
)

// foresight is how good the points of curves are.
type foresight struct {
	tags   []float64   // the weights of the examples of each tag: negatives, positives
	curves []Point     // of each slice, and of each of its groups
	floors [][]float64 // by curve and criterion; nil: nothing is known
}

// floorOf returns how good a point of a curve without a group is by a criterion, or less.
func (s *Sweep) floorOf(curve, criterion int) float64 {
	if floors := s.foresight.floors[curve]; len(floors) > 0 {
		return floors[criterion]
	}
	return math.Inf(-1)
}

// foresee finds the floors of the curves without groups.
func (s *Sweep) foresee() {
	f, n := &s.foresight, s.sorted.Len()
	f.tags, f.curves, f.floors = grown(f.tags, 2*len(s.Tags)), grown(f.curves, len(s.Totals)), grown(f.floors, len(s.Totals))
	clear(f.tags)
	for i := range f.floors {
		f.floors[i] = f.floors[i][:0]
	}
	every := max(n/foreseenPoints, stretchEntries)
	for i, next := 0, every; i < n; i++ {
		tag := int(s.sorted.Tag(i))
		if tag >= len(s.Tags) {
			return // an error, for Stretches to find
		}
		at := 2 * tag
		if s.positive(i, s.Tags[tag].Class) {
			at++
		}
		f.tags[at] += s.sorted.Weight(i) * float64(s.sorted.Count(i))
		if i+1 == n || i+1 >= next && s.sorted.Image(i) != s.sorted.Image(i+1) {
			s.foreseePoints()
			next = i + 1 + every
		}
	}
}

// foreseePoints raises the floors to what the curves are worth after the weights of the tags.
func (s *Sweep) foreseePoints() {
	f := &s.foresight
	clear(f.curves)
	for i, weight := range f.tags {
		if weight == 0 {
			continue
		}
		tag := &s.Tags[i/2]
		for _, slice := range tag.Slices {
			in := &s.entries[slice]
			f.add(in.first, i%2 == 1, weight)
			if place := in.sweep.placeOf(tag.Group); len(in.groups) > 0 && place > 0 {
				f.add(in.first+int(place), i%2 == 1, weight)
			}
		}
	}
	for k := range s.entries {
		in := &s.entries[k]
		for i := range in.groups {
			s.foreseePoint(in, i)
		}
	}
}

func (f *foresight) add(curve int, positive bool, weight float64) {
	if positive {
		f.curves[curve].TP += weight
	} else {
		f.curves[curve].FP += weight
	}
}

// foreseePoint raises the floors of the curve without a group, unless it has not moved yet.
func (s *Sweep) foreseePoint(in *sliceEntries, i int) {
	f, at, start := &s.foresight, in.first+1+i, Point{TP: in.sweep.tp[i], FP: in.sweep.fp[i]}
	all, of := f.curves[in.first], f.curves[at]
	tp, fp := all.TP-of.TP, all.FP-of.FP
	if !(tp+fp > 8*roundings*(all.TP+all.FP)) {
		return
	}
	a := s.accumulatorOf(at, start)
	if len(f.floors[at]) == 0 {
		for range a.criteria {
			f.floors[at] = append(f.floors[at], math.Inf(-1))
		}
	}
	// A point that is no better than the one of the curve.
	lower := Point{TP: max(start.TP+tp-roundings*(start.TP+all.TP), 0), FP: start.FP + fp + roundings*(start.FP+all.FP)}
	r := a.scale.rates(lower, a.totals)
	for c, criterion := range a.criteria {
		if criterion.Objective == KolmogorovSmirnov { // whose value may be that of TPR < FPR
			criterion.Objective = Youden
		}
		if value, ok := criterion.value(&r); ok {
			if value -= roundings * math.Abs(value); value > f.floors[at][c] {
				f.floors[at][c] = value
			}
		}
	}
}

// accumulatorOf returns the accumulator of a curve without a group, which starts at a point if there is none.
func (s *Sweep) accumulatorOf(curve int, at Point) *Accumulator {
	c := &s.curves[curve]
	if c.accumulator == nil {
		c.accumulator = s.Without(curve, at)
	}
	return c.accumulator
}
