package curves

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/scoreruns"
)

// TestAddSkipsNothing compares Add, which passes over blocks of points, with what
// points give one by one.
func TestAddSkipsNothing(t *testing.T) {
	t.Parallel()
	r := source(3)
	for round := range 600 {
		points, totals := drawCurve(r, 1+r.IntN([]int{10, 600, 3000}[round%3]))
		whole := r.IntN(3) > 0
		if !whole {
			unit := []float64{0.1, 1e-200, 1e150}[r.IntN(3)]
			for i := range points {
				points[i].TP, points[i].FP = points[i].TP*unit, points[i].FP*unit
			}
			totals = totalsOf(points)
		}
		one, all := New(totals, everyCriterion...).Interpolating(), New(totals, everyCriterion...).Interpolating()
		m := 1 + r.IntN(50)
		oneOutline, allOutline := NewOutline(totals, m), NewOutline(totals, m)
		points = moving(Point{}, points)
		for i := range points {
			one.addNaively(points[i])
			oneOutline.Add(points[i : i+1])
		}
		for rest := points; len(rest) > 0; {
			n := 1 + r.IntN(len(rest))
			all.Add(rest[:n], whole)
			allOutline.Add(rest[:n])
			rest = rest[n:]
		}
		require.True(t, bytes.Equal(encode(one), encode(all)), "round %d", round)
		require.True(t, bytes.Equal(encode(oneOutline), encode(allOutline)), "round %d", round)
	}
}

// addNaively is Add for one point, written as the sums are defined.
func (a *Accumulator) addNaively(p Point) {
	dTP, dFP := (p.TP-a.last.TP)*a.scale.positive, (p.FP-a.last.FP)*a.scale.negative
	a.optimistic.AddProduct(dFP, p.TP*a.scale.positive)
	a.pessimistic.AddProduct(dFP, a.last.TP*a.scale.positive)
	a.steps.Add(float64(dTP * p.precision()))
	a.trapezoids.Add(float64(dTP * (a.last.precision() + p.precision())))
	if dTP > 0 {
		a.interpolated.Add(float64(dTP * a.last.meanPrecision(&p)))
	}
	for i, c := range a.criteria {
		switch {
		case a.totals.missing(c.needsNegatives()) != "":
		case c.hasArea():
			a.addPartial(i, []Point{p})
		case c.Objective == RecallAtShare:
			a.addShare(i, []Point{p})
		default:
			a.consider(i, &p)
		}
	}
	a.MoveTo(p)
}

// scored is an example of a tag.
type scored struct {
	score  float64
	tag    uint32
	weight float64
}

func drawExamples(r *rand.Rand, n, tags int) []scored {
	draw, weighted := distributions[r.IntN(len(distributions))], r.IntN(2) == 0
	list := make([]scored, n)
	for i := range list {
		list[i] = scored{draw(r), uint32(r.IntN(tags)), 1}
		if weighted {
			list[i].weight = []float64{0.5 + 1.5*r.Float64(), 0, 1, 1e-30, 1e300}[max(r.IntN(24)-19, 0)]
		}
	}
	return list
}

// drawTags draws tags of three classes and some slices.
func drawTags(r *rand.Rand, n, slices int) []scoreruns.Tag {
	tags := make([]scoreruns.Tag, n)
	for i := range tags {
		tags[i].Class, tags[i].Fold = int32(r.IntN(3)), int32(r.IntN(3))
		for slice := range slices {
			if r.IntN(2) == 0 {
				tags[i].Slices = append(tags[i].Slices, int32(slice))
			}
		}
	}
	return tags
}

// runsOf divides examples at random among runs.
func runsOf(r *rand.Rand, list []scored, tags, n int) []scoreruns.Run {
	same := make([]uint32, tags)
	for i := range same {
		same[i] = uint32(i)
	}
	builders := make([]scoreruns.Builder, n)
	for _, e := range list {
		builders[r.IntN(n)].Add(scoreruns.Image(e.score), 0, e.tag, e.weight)
	}
	all := make([]scoreruns.Run, n)
	for i := range all {
		all[i] = scoreruns.Run{Data: builders[i].AppendRun(nil), Tags: same}
	}
	return all
}

// total is an exact total, computed in a slow and obvious way.
type total struct {
	weight *big.Float
	rows   int64
}

func (t *total) add(w float64) {
	if t.weight == nil {
		t.weight = new(big.Float).SetPrec(2300)
	}
	t.weight.Add(t.weight, new(big.Float).SetFloat64(w))
	t.rows++
}

func (t *total) rounded() float64 {
	if t.weight == nil {
		return 0
	}
	v, _ := t.weight.Float64()
	return v
}

// curveOf is a curve of the examples of a slice without a fold; without is -1 if no fold is left
// out.
type curveOf struct{ slice, without int32 }

// drawGroups draws the folds to leave out of slices, and returns all curves.
func drawGroups(r *rand.Rand, numSlices int) (groups [][]int32, curves []curveOf) {
	grouped := r.IntN(2) == 0
	for slice := range int32(numSlices) {
		var of []int32
		for group := range int32(3) {
			if grouped && r.IntN(3) > 0 {
				of = append(of, group)
			}
		}
		groups, curves = append(groups, of), append(curves, curveOf{slice, -1})
		for _, group := range of {
			curves = append(curves, curveOf{slice, group})
		}
	}
	if !grouped {
		groups = nil
	}
	return groups, curves
}

// naivePoints are the points of each curve as text, by definition.
func naivePoints(list []scored, tags []scoreruns.Tag, positive int32, curves []curveOf) [][]string {
	groups := make(map[float64][]scored)
	for _, e := range list {
		groups[e.score+0] = append(groups[e.score+0], e)
	}
	totals, points := make([][2]total, len(curves)), make([][]string, len(curves))
	for _, score := range slices.SortedFunc(maps.Keys(groups), func(a, b float64) int { return cmp.Compare(b, a) }) {
		for i := range totals {
			classes := make(map[int32]*total)
			for _, e := range groups[score] {
				tag := tags[e.tag]
				if !slices.Contains(tag.Slices, curves[i].slice) || tag.Fold == curves[i].without {
					continue
				}
				if tag.Class == positive {
					totals[i][0].add(e.weight)
				} else {
					totals[i][1].add(e.weight)
				}
				if classes[tag.Class] == nil {
					classes[tag.Class] = new(total)
				}
				classes[tag.Class].add(e.weight)
			}
			if len(classes) == 0 {
				continue
			}
			var of []ClassWeight
			for _, class := range slices.Sorted(maps.Keys(classes)) {
				of = append(of, ClassWeight{class, classes[class].rounded()})
			}
			tp, fp := &totals[i][0], &totals[i][1]
			points[i] = append(points[i], text(Point{score, tp.rounded(), fp.rounded()}, Rows{tp.rows, fp.rows}, of))
		}
	}
	return points
}

func text(p Point, rows Rows, classes []ClassWeight) string {
	return fmt.Sprintf("%x %x %x %d %x", p.Score, p.TP, p.FP, rows, classes)
}

// joined adds up the weights of each class.
func joined(list []ClassWeight) (classes []ClassWeight) {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b ClassWeight) int { return cmp.Compare(a.Class, b.Class) })
	for _, c := range list {
		if n := len(classes); n > 0 && classes[n-1].Class == c.Class {
			classes[n-1].Weight += c.Weight
		} else {
			classes = append(classes, c)
		}
	}
	return classes
}

func sortedRuns(t testing.TB, list []scoreruns.Run, tags int) *scoreruns.Sorted {
	t.Helper()
	return sortedBy(t, new(scoreruns.Sorter), list, tags)
}

func sortedBy(t testing.TB, s *scoreruns.Sorter, list []scoreruns.Run, tags int) *scoreruns.Sorted {
	t.Helper()
	s.Start(0, 1, tags, scoreruns.Everything)
	for _, run := range list {
		require.NoError(t, s.Add(run))
	}
	return s.Sort()
}

// tracedPoints appends the points of a trace as text. It requires that each stretch begins where
// the previous one of its curve ended.
func tracedPoints(t *testing.T, s *Tracer, list []scoreruns.Run, points [][]string) {
	t.Helper()
	s.Rows, s.Classes = true, true
	sorted := sortedRuns(t, list, len(s.Tags))
	last := make(map[int]Point)
	require.NoError(t, s.Trace(sorted, func(s *Stretch) {
		if before, met := last[s.Curve]; met {
			require.Equal(t, before, s.Before)
		}
		from := 0
		for i, p := range s.Points {
			points[s.Curve] = append(points[s.Curve], text(p, s.Rows(i), joined(s.Classes[from:s.Ends[i]])))
			from, last[s.Curve] = s.Ends[i], p
		}
	}))
}

// TestPointsDoNotDependOnTheDivision divides examples among runs, and runs among
// ranges, and compares the points with the definition's, bit for bit.
func TestPointsDoNotDependOnTheDivision(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := source(seed)
		numTags, numSlices := 1+r.IntN(8), 1+r.IntN(4)
		tags := drawTags(r, numTags, numSlices)
		n := []int{0, 1, 2, 10, 50, 300, 1200}[r.IntN(7)]
		if seed == 0 {
			n = 3 * stretchEntries
		}
		examples := drawExamples(r, n, numTags)
		groups, curves := drawGroups(r, numSlices)
		want := naivePoints(examples, tags, 1, curves)
		list := runsOf(r, examples, numTags, 1+r.IntN(6))

		whole := &Tracer{Tags: tags, Positive: 1, Folds: groups, Totals: make([]scoreruns.Totals, len(curves))}
		got := make([][]string, len(curves))
		tracedPoints(t, whole, list, got)
		require.Equal(t, want, got, "seed %d", seed)

		ranged := &Tracer{Tags: tags, Positive: 1, Folds: groups, Totals: make([]scoreruns.Totals, len(curves))}
		got = make([][]string, len(curves))
		below := func(e scored) bool { return e.score < 0.5 }
		for _, part := range [][]scored{slices.DeleteFunc(slices.Clone(examples), below), slices.DeleteFunc(slices.Clone(examples), func(e scored) bool { return !below(e) })} {
			tracedPoints(t, ranged, runsOf(r, part, numTags, 1+r.IntN(6)), got) // the totals go on
		}
		require.Equal(t, want, got, "seed %d", seed)
		for i := range whole.Totals {
			require.Equal(t, whole.Totals[i].Append(nil), ranged.Totals[i].Append(nil))
		}
	}
}

// TestLargeTotalsStayExact traces weights that lose nearly half a unit in the last place of the
// total with each addition: together, the losses are more than a double holds.
func TestLargeTotalsStayExact(t *testing.T) {
	t.Parallel()
	const first, other = 1 << (doubleBits - 2), 1<<(doubleBits-2-53) - 1
	tags := []scoreruns.Tag{{Class: 1, Slices: []int32{0}}}
	examples := []scored{{1e6, 0, first}}
	for i := range 5000 {
		examples = append(examples, scored{float64(5000 - i), 0, other})
	}
	s := &Tracer{Tags: tags, Positive: 1, Totals: make([]scoreruns.Totals, 1)}
	var want exact.Tally
	next := 0
	require.NoError(t, s.Trace(sortedRuns(t, runsOf(source(1), examples, 1, 3), 1), func(st *Stretch) {
		for _, p := range st.Points {
			want.Add(examples[next].weight)
			next++
			require.Equal(t, want.Weight(), p.TP, "point %d", next)
		}
	}))
	require.Equal(t, len(examples), next)
	require.Equal(t, want.Append(nil), s.Totals[0].Positive.Append(nil))
}

func TestTraceAllocatesNothingPerPoint(t *testing.T) {
	r := source(2)
	examples := make([]scored, 20_000)
	for i := range examples {
		examples[i] = scored{r.Float64(), uint32(r.IntN(2)), r.Float64()}
	}
	sorted := sortedRuns(t, runsOf(r, examples, 2, 1), 2)
	tags := []scoreruns.Tag{{Class: 0, Slices: []int32{0, 1}}, {Class: 1, Slices: []int32{0}}}
	points := 0
	for _, classes := range []bool{false, true} {
		require.Less(t, testing.AllocsPerRun(1, func() {
			s := &Tracer{Tags: tags, Positive: 1, Totals: make([]scoreruns.Totals, 2), Rows: classes, Classes: classes}
			require.NoError(t, s.Trace(sorted, func(s *Stretch) { points += len(s.Points) }))
		}), 180.0)
	}
	require.Greater(t, points, 100_000)
}

func TestTraceChecksTags(t *testing.T) {
	sorted := sortedRuns(t, runsOf(source(1), []scored{{1, 1, 1}}, 2, 1), 2)
	for message, s := range map[string]*Tracer{
		"tag 1 of 1": {Tags: []scoreruns.Tag{{}}},
		"tag 1: slices [0 1] are not ascending or not of 1":  {Tags: []scoreruns.Tag{{}, {Slices: []int32{0, 1}}}, Totals: make([]scoreruns.Totals, 1)},
		"tag 1: slices [1 0] are not ascending or not of 2":  {Tags: []scoreruns.Tag{{}, {Slices: []int32{1, 0}}}, Totals: make([]scoreruns.Totals, 2)},
		"tag 1: slices [0 0] are not ascending or not of 2":  {Tags: []scoreruns.Tag{{}, {Slices: []int32{0, 0}}}, Totals: make([]scoreruns.Totals, 2)},
		"folds [2 1] are not ascending from 0 on":            {Tags: []scoreruns.Tag{{}, {}}, Folds: [][]int32{{2, 1}}, Totals: make([]scoreruns.Totals, 3)},
		"totals of 2 curves: expected 3":                     {Tags: []scoreruns.Tag{{}, {}}, Folds: [][]int32{{1, 2}}, Totals: make([]scoreruns.Totals, 2)},
		"tag 1: slices [-1 0] are not ascending or not of 2": {Tags: []scoreruns.Tag{{}, {Slices: []int32{-1, 0}}}, Totals: make([]scoreruns.Totals, 2)},
	} {
		require.EqualError(t, s.Trace(sorted, func(*Stretch) { t.Fail() }), message)
	}
}

// Two workers make runs. A third one traces the ROC curve of a slice from them.
func ExampleTracer() {
	const negative, positive = 0, 1
	tags := []scoreruns.Tag{{Class: 0, Slices: []int32{0}}, {Class: 1, Slices: []int32{0}}}
	var first, second scoreruns.Builder
	first.Add(scoreruns.Image(0.9), 0, positive, 1)
	first.Add(scoreruns.Image(0.4), 0, negative, 1)
	second.Add(scoreruns.Image(0.4), 0, positive, 2)
	second.Add(scoreruns.Image(0.1), 0, negative, 0.5)

	var sorter scoreruns.Sorter
	sorter.Start(4, 1, len(tags), scoreruns.Everything)
	for _, builder := range []*scoreruns.Builder{&first, &second} {
		if err := sorter.Add(scoreruns.Run{Data: builder.AppendRun(nil), Tags: []uint32{0, 1}}); err != nil {
			fmt.Println(err)
		}
	}
	sorted := sorter.Sort()
	trace := Tracer{Tags: tags, Positive: 1, Totals: make([]scoreruns.Totals, 1)}
	err := trace.Trace(sorted, func(s *Stretch) {
		for _, p := range s.Points {
			fmt.Println(p.Score, p.TP, p.FP)
		}
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0.9 1 0
	// 0.4 3 1
	// 0.1 3 1.5
}

// BenchmarkTrace sorts 32 runs, finds the points of two slices, and computes the metrics of their
// curves.
func BenchmarkTrace(b *testing.B) {
	const n, numSlices = 1 << 20, 6
	for _, weighted := range []bool{false, true} {
		r := source(1)
		tags := make([]scoreruns.Tag, 2*(numSlices-1))
		for i := range tags {
			tags[i] = scoreruns.Tag{Class: int32(i % 2), Slices: []int32{0, 1 + int32(i/2)}}
		}
		examples := make([]scored, n)
		totals := make([]Totals, numSlices)
		for i := range examples {
			e := scored{float64(r.Float32()), uint32(r.IntN(len(tags))), 1}
			if weighted {
				e.weight = 0.5 + 1.5*r.Float64()
			}
			if e.tag%2 == 1 && r.IntN(2) == 0 {
				e.score = math.Sqrt(e.score)
			}
			examples[i] = e
		}
		list := runsOf(r, examples, len(tags), 32)
		sorted := sortedRuns(b, list, len(tags))
		s := &Tracer{Tags: tags, Positive: 1, Totals: make([]scoreruns.Totals, numSlices)}
		require.NoError(b, s.Trace(sorted, func(*Stretch) {}))
		for i, t := range s.Totals {
			totals[i] = Totals{t.Positive.Weight(), t.Negative.Weight()}
		}
		for name, trace := range map[string]func(s *Stretch, a *Accumulator, o *Outline){
			"points": func(*Stretch, *Accumulator, *Outline) {},
			"all": func(s *Stretch, a *Accumulator, o *Outline) {
				points := s.Moving()
				a.Add(points, s.Whole)
				o.Add(points)
			},
		} {
			b.Run(fmt.Sprintf("%s/weighted %t", name, weighted), func(b *testing.B) {
				var sorter scoreruns.Sorter
				s := &Tracer{Tags: tags, Positive: 1}
				for b.Loop() {
					accumulators, outlines := make([]*Accumulator, numSlices), make([]*Outline, numSlices)
					for i := range totals {
						accumulators[i], outlines[i] = New(totals[i], everyCriterion[:11]...), NewOutline(totals[i], 250)
					}
					s.Totals = make([]scoreruns.Totals, numSlices)
					sorted := sortedBy(b, &sorter, list, len(tags))
					require.NoError(b, s.Trace(sorted, func(s *Stretch) { trace(s, accumulators[s.Curve], outlines[s.Curve]) }))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/score")
			})
		}
	}
}
