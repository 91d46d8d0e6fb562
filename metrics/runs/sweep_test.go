package runs

import (
	"cmp"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/exact"
)

// drawTags draws tags of some classes and slices; each tag has its own classes and
// slices, or shares them with others.
func drawTags(r *rand.Rand, n, slices int) []Tag {
	tags := make([]Tag, n)
	for i := range tags {
		tags[i].Class = int32(r.IntN(3))
		for slice := range slices {
			if r.IntN(2) == 0 {
				tags[i].Slices = append(tags[i].Slices, int32(slice))
			}
		}
	}
	return tags
}

// total is an exact total the slow way.
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

// naivePoints are the points of all slices, by definition.
func naivePoints(list []example, tags []Tag, positive int32, slicesOfData int) []Point {
	groups := make(map[float64][]example)
	for _, e := range list {
		groups[e.score+0] = append(groups[e.score+0], e)
	}
	totals := make([][2]total, slicesOfData)
	var points []Point
	for _, score := range slices.SortedFunc(maps.Keys(groups), func(a, b float64) int { return cmp.Compare(b, a) }) {
		for slice := range totals {
			classes := make(map[int32]*total)
			for _, e := range groups[score] {
				tag := tags[e.tag]
				if !slices.Contains(tag.Slices, int32(slice)) {
					continue
				}
				if tag.Class == positive {
					totals[slice][0].add(e.weight)
				} else {
					totals[slice][1].add(e.weight)
				}
				if classes[tag.Class] == nil {
					classes[tag.Class] = new(total)
				}
				classes[tag.Class].add(e.weight)
			}
			if len(classes) == 0 {
				continue
			}
			tp, fp := &totals[slice][0], &totals[slice][1]
			p := Point{int32(slice), score, tp.rounded(), fp.rounded(), tp.rows, fp.rows, nil}
			for _, class := range slices.Sorted(maps.Keys(classes)) {
				p.Classes = append(p.Classes, ClassWeight{class, classes[class].rounded()})
			}
			points = append(points, p)
		}
	}
	return points
}

func sweepAll(t testing.TB, s *Sweep, runs []Run) []Point {
	t.Helper()
	var points []Point
	require.NoError(t, s.Points(NewMerge(runs), func(p *Point) {
		q := *p
		q.Classes = slices.Clone(p.Classes)
		points = append(points, q)
	}))
	return points
}

// TestPointsDoNotDependOnTheDivision divides examples among runs, and runs among
// ranges, and compares the points with those of the definition, bit for bit.
func TestPointsDoNotDependOnTheDivision(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := source(seed)
		numTags, numSlices := 1+r.IntN(8), 1+r.IntN(4)
		tags := drawTags(r, numTags, numSlices)
		list := drawExamples(r, pick(r, 0, 1, 2, 10, 50, 300, 1200), numTags)
		want := naivePoints(list, tags, 1, numSlices)

		runs := runsOf(list, numTags, 1+r.IntN(6), seed)
		whole := &Sweep{Tags: tags, Positive: 1, Totals: make([]Totals, numSlices), Classes: true}
		require.Equal(t, want, sweepAll(t, whole, runs), "seed %d", seed)

		bounds := drawBounds(r, list)
		ranges := make([][]Run, len(bounds)+1)
		for _, run := range runs {
			pieces, err := Cut(run.Data, bounds)
			require.NoError(t, err)
			for i, piece := range pieces {
				ranges[i] = append(ranges[i], Run{piece, run.Tags})
			}
		}
		var points []Point
		for i, pieces := range ranges {
			s := &Sweep{Tags: tags, Positive: 1, Totals: make([]Totals, numSlices), Classes: seed%2 == 0}
			for _, above := range ranges[:i] {
				addAll(t, s, above)
			}
			points = append(points, sweepAll(t, s, pieces)...)
			if i == len(bounds) {
				for slice := range whole.Totals {
					require.Equal(t, whole.Totals[slice].Positive.Append(nil), s.Totals[slice].Positive.Append(nil))
					require.Equal(t, whole.Totals[slice].Negative.Append(nil), s.Totals[slice].Negative.Append(nil))
				}
			}
		}
		if seed%2 == 1 {
			for i := range want {
				want[i].Classes = nil
			}
		}
		require.Equal(t, want, points, "seed %d", seed)
	}
}

// addAll adds the totals of runs.
func addAll(t testing.TB, s *Sweep, runs []Run) {
	t.Helper()
	for _, run := range runs {
		totals := make([]exact.Tally, len(run.Tags))
		require.NoError(t, AddTotals(totals, run.Data))
		for local, tag := range run.Tags {
			for _, slice := range s.Tags[tag].Slices {
				if s.Tags[tag].Class == s.Positive {
					s.Totals[slice].Positive.Merge(&totals[local])
				} else {
					s.Totals[slice].Negative.Merge(&totals[local])
				}
			}
		}
	}
}

func TestSweepAllocatesNothingPerPoint(t *testing.T) {
	list := drawn(workloads[1].draw, 20_000)
	tags := []Tag{{0, []int32{0, 1}}, {1, []int32{0}}}
	run := Run{runOf(list), sameTags(2)}
	points := 0
	for _, classes := range []bool{false, true} {
		require.Less(t, testing.AllocsPerRun(1, func() {
			s := &Sweep{Tags: tags, Positive: 1, Totals: make([]Totals, 2), Classes: classes}
			require.NoError(t, s.Points(NewMerge([]Run{run}), func(*Point) { points++ }))
		}), 40.0)
	}
	require.Greater(t, points, 100_000)
}

func TestSweepChecksTags(t *testing.T) {
	run := []Run{{runOf([]example{{1, 1, 1}}), sameTags(2)}}
	for message, s := range map[string]*Sweep{
		"tag 1 of 1": {Tags: []Tag{{0, nil}}},
		"tag 1: slices [0 1] do not ascend or are not of 1":  {Tags: []Tag{{0, nil}, {0, []int32{0, 1}}}, Totals: make([]Totals, 1)},
		"tag 1: slices [1 0] do not ascend or are not of 2":  {Tags: []Tag{{0, nil}, {0, []int32{1, 0}}}, Totals: make([]Totals, 2)},
		"tag 1: slices [0 0] do not ascend or are not of 2":  {Tags: []Tag{{0, nil}, {0, []int32{0, 0}}}, Totals: make([]Totals, 2)},
		"tag 1: slices [-1 0] do not ascend or are not of 2": {Tags: []Tag{{0, nil}, {0, []int32{-1, 0}}}, Totals: make([]Totals, 2)},
	} {
		require.EqualError(t, s.Points(NewMerge(run), func(*Point) { t.Fail() }), message)
	}
	s := &Sweep{}
	require.ErrorContains(t, s.Points(NewMerge([]Run{{Data: []byte{0}}}), func(*Point) { t.Fail() }), "run 0: corrupt run")
}
