package curves

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/scoreruns"
)

// totalsOfCurve returns the totals of tallies.
func totalsOfCurve(t *scoreruns.Totals) Totals {
	return Totals{t.Positive.Weight(), t.Negative.Weight()}
}

// tracedBins traces the parts in turn; scores fall from part to part. It returns, for each slice,
// the bins of its folds and, last, the bins with the scores. Some bins are encoded and decoded on
// the way.
func tracedBins(t *testing.T, tags []scoreruns.Tag, numSlices int, all []Totals, parts ...[]scored) [][]Bins {
	t.Helper()
	r := source(1)
	s := &Tracer{Tags: tags, Positive: 1, Totals: make([]scoreruns.Totals, numSlices), BinTotals: all}
	bins := make([][]Bins, numSlices)
	for i := range bins {
		bins[i] = make([]Bins, 5) // more than tests have folds
	}
	for _, part := range parts {
		require.NoError(t, s.Trace(sortedRuns(t, runsOf(r, part, len(tags), 1+r.IntN(4)), len(tags)), func(st *Stretch) { st.Moving() }))
		for slice := range numSlices {
			bins[slice][4].merge(s.BinScores(slice))
			for fold, of := range s.FoldBins(slice) {
				if r.IntN(2) == 0 {
					of = throughBytes(t, of)
				}
				bins[slice][fold].merge(of)
			}
		}
	}
	return bins
}

// TestBins: the merged bins of all folds give points of the exact curve, few enough and close
// enough. The bins of some folds give what these folds add there. Neither the division into ranges
// nor the order of merging matters.
func TestBins(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := source(seed)
		numTags, numSlices := 1+r.IntN(12), 1+r.IntN(3)
		tags := drawTags(r, numTags, numSlices)
		for i := range tags {
			tags[i].Class = min(tags[i].Class, 1)
		}
		n := []int{0, 1, 2, 10, 50, 300, 1200, 4 * stretchEntries}[r.IntN(8)]
		examples := drawExamples(r, n, numTags)
		exact := &Tracer{Tags: tags, Positive: 1, Totals: make([]scoreruns.Totals, numSlices)}
		points := make([][]Point, numSlices)
		require.NoError(t, exact.Trace(sortedRuns(t, runsOf(r, examples, numTags, 1), numTags), func(st *Stretch) {
			points[st.Curve] = append(points[st.Curve], st.Points...)
		}))
		var all []Totals
		for i := range exact.Totals {
			all = append(all, totalsOfCurve(&exact.Totals[i]))
		}
		bins := tracedBins(t, tags, numSlices, all, examples)
		at := r.Float64()
		below := func(e scored) bool { return e.score < at }
		higher := slices.DeleteFunc(slices.Clone(examples), below)
		lower := slices.DeleteFunc(slices.Clone(examples), func(e scored) bool { return !below(e) })
		ranges := tracedBins(t, tags, numSlices, all, higher, lower)
		for slice := range numSlices {
			for i := range bins[slice] {
				require.Equal(t, bins[slice][i].Append(nil), ranges[slice][i].Append(nil), "seed %d", seed)
			}
			requireBinned(t, points[slice], all[slice], bins[slice])
			requireFold(t, examples, tags, slice, 1, points[slice], all[slice], &bins[slice][1])
		}
	}
}

// requireBinned requires that merged bins give points of the curve, in any order of merging.
func requireBinned(t *testing.T, points []Point, totals Totals, bins []Bins) {
	t.Helper()
	var whole, backwards Bins
	for i := range bins {
		whole.merge(&bins[i])
		backwards.merge(&bins[len(bins)-1-i])
	}
	require.Equal(t, whole.Append(nil), backwards.Append(nil))
	before := whole.Append(nil)
	c := whole.Curve(new(BinnedCurve))
	require.LessOrEqual(t, len(c.points), 3*(binShares+2))
	require.Equal(t, len(points) == 0, c.Empty())
	binner, next := newBinner(totals), 0
	for i, p := range points {
		before := Point{}
		if i > 0 {
			before = points[i-1]
		}
		number := binner.number(before, p)
		if whole.numbers[next] != number {
			next++ // in order
		}
		require.Equal(t, whole.numbers[next], number)
		if i+1 == len(points) || binner.number(p, points[i+1]) != number {
			p.Score += 0
			require.Equal(t, p, c.points[next])
		}
	}
	if n := len(c.points); n > 0 {
		require.Equal(t, totals, totalsOf(c.points))
	}
	for i := range bins {
		var others Bins
		for k := range bins {
			if k != i {
				others.merge(&bins[k])
			}
		}
		var without Bins
		without.SetWithout(&whole, &bins[i])
		without.scores = others.scores
		require.Equal(t, others.Append(nil), without.Append(nil))
		require.Equal(t, before, whole.Append(nil))
	}
	var none Bins
	none.merge(&whole)
	none.merge(&Bins{})
	require.Equal(t, whole.Append(nil), none.Append(nil))
}

// requireFold requires that a fold has its examples in the bins of their scores.
func requireFold(t *testing.T, examples []scored, tags []scoreruns.Tag, slice, fold int, points []Point, totals Totals, bins *Bins) {
	t.Helper()
	numbers, binner := make(map[float64]uint16), newBinner(totals)
	for i, p := range points {
		before := Point{}
		if i > 0 {
			before = points[i-1]
		}
		numbers[p.Score] = binner.number(before, p)
	}
	rows := make(map[uint16]*scoreruns.Totals)
	for _, e := range examples {
		tag := tags[e.tag]
		if int(tag.Fold) != fold || !slices.Contains(tag.Slices, int32(slice)) {
			continue
		}
		number := numbers[e.score]
		if rows[number] == nil {
			rows[number] = new(scoreruns.Totals)
		}
		if tag.Class == 1 {
			rows[number].Positive.Add(e.weight)
		} else {
			rows[number].Negative.Add(e.weight)
		}
	}
	require.Len(t, bins.numbers, len(rows))
	for i, number := range bins.numbers {
		var sum [2]exact.Tally
		bins.addTo(&sum, i)
		require.Equal(t, rows[number].Append(nil), (&scoreruns.Totals{Positive: sum[positive], Negative: sum[negative]}).Append(nil))
	}
	asked := slices.Sorted(maps.Values(numbers)) // also bins without examples of the fold
	asked = slices.Compact(asked)
	positives, negatives := bins.Weights(asked)
	for i, number := range asked {
		of := rows[number]
		if of == nil {
			of = new(scoreruns.Totals)
		}
		require.Equal(t, []float64{of.Positive.Weight(), of.Negative.Weight()}, []float64{positives[i], negatives[i]})
	}
}

// TestBinsOfFewPositives: no positive shares a bin with others, so that areas without a fold are
// exact.
func TestBinsOfFewPositives(t *testing.T) {
	t.Parallel()
	var tags []scoreruns.Tag
	for tag := range int32(8) {
		tags = append(tags, scoreruns.Tag{Class: tag % 2, Fold: tag / 2, Slices: []int32{0}})
	}
	for seed := range uint64(50) {
		r := source(seed)
		examples, without := make([]scored, 1+r.IntN(5000)), []scored{}
		totals := Totals{}
		levels := []int{30, 1 << 40}[r.IntN(2)]
		for i := range examples {
			tag := uint32(2 * r.IntN(4))
			if totals.Positives < 127 && r.IntN(20) == 0 {
				tag++
			}
			examples[i] = scored{float64(r.IntN(levels)), tag, 1}
			totals.Positives += float64(tags[tag].Class)
			totals.Negatives += float64(1 - tags[tag].Class)
			if tag/2 != 2 {
				without = append(without, examples[i])
			}
		}
		var others Bins
		for fold, of := range tracedBins(t, tags, 1, []Totals{totals}, examples)[0] {
			if fold != 2 {
				others.merge(&of)
			}
		}
		s := &Tracer{Tags: tags, Positive: 1, Totals: make([]scoreruns.Totals, 1)}
		var points []Point
		require.NoError(t, s.Trace(sortedRuns(t, runsOf(r, without, 8, 1), 8), func(st *Stretch) { points = append(points, st.Points...) }))
		want := New(totalsOfCurve(&s.Totals[0]))
		want.Add(points, true)
		got := others.Curve(new(BinnedCurve)).Accumulator(true, true)
		for m := ROCAUC; m <= AveragePrecision; m++ {
			require.Equal(t, fmt.Sprint(want.Area(m)), fmt.Sprint(got.Area(m)), "seed %d, area %d", seed, m)
		}
	}
}

// TestPerfectCurvesStayPerfect: if a threshold separates the classes, no bin has examples of both.
func TestPerfectCurvesStayPerfect(t *testing.T) {
	t.Parallel()
	tags := []scoreruns.Tag{{Class: 0, Slices: []int32{0}}, {Class: 1, Slices: []int32{0}}}
	for _, inverse := range []bool{false, true} {
		var examples []scored
		for i := range 5000 {
			tag := uint32(0)
			if (i >= 2000) != inverse {
				tag = 1
			}
			examples = append(examples, scored{float64(i), tag, 1})
		}
		totals := Totals{3000, 2000}
		want := 1.0
		if inverse {
			totals, want = Totals{2000, 3000}, 0
		}
		var whole Bins
		for _, of := range tracedBins(t, tags, 1, []Totals{totals}, examples)[0] {
			whole.merge(&of)
		}
		a := whole.Curve(new(BinnedCurve)).Accumulator(true, true)
		for _, area := range []Area{ROCAUC, ROCAUCOptimistic, ROCAUCPessimistic} {
			require.Equal(t, defined(want), a.Area(area))
		}
	}
}

// TestPointAtBound compares operating points at a bound between the ends of a bin with values that
// were computed by hand.
func TestPointAtBound(t *testing.T) {
	t.Parallel()
	c := &BinnedCurve{points: []Point{{0.9, 2, 0}, {0.5, 6, 4}, {0.1, 8, 12}}, several: []bool{false, true, true}}
	c.Positives.AddOnes(8)
	c.Negatives.AddOnes(12)
	criteria := []Criterion{{RecallAtFPR, 0.25}, {PrecisionAtRecall, 0.625}, {SpecificityAtSensitivity, 0.625}, {SensitivityAtSpecificity, 0.75}, {RecallAtFPR, 0}, {RecallAtPrecision, 0.5}}
	a := c.Accumulator(true, true, criteria...)
	for i, want := range []float64{
		5. / 8,  // FP = 3: three quarters of the way from (0, 2) to (4, 6)
		5. / 8,  // TP = 5 at FP = 3
		9. / 12, // FP = 3
		5. / 8,  // FP = 3
		2. / 8,  // at an end
		6. / 8,  // not between the ends
	} {
		require.Equal(t, defined(want), a.Operating(criteria[i]).Value, "%v", criteria[i])
	}
	c.several = make([]bool, 3) // all scores of a bin are tied: there is nothing between the ends
	a = c.Accumulator(true, true, criteria...)
	require.Equal(t, defined(2./8), a.Operating(criteria[0]).Value)
	require.Equal(t, defined(6./10), a.Operating(criteria[1]).Value)
	require.Equal(t, defined(8./12), a.Operating(criteria[2]).Value)
	require.Equal(t, defined(2./8), a.Operating(criteria[3]).Value)
}

// TestBinsWithoutScores: if the scores of the bins are missing, no threshold is known.
func TestBinsWithoutScores(t *testing.T) {
	t.Parallel()
	var b Bins
	b.add(3, 1, 1, 2)
	b.add(4, 0, 0.5, 3)
	c := b.Curve(new(BinnedCurve))
	require.True(t, math.IsNaN(c.points[0].Score))
	require.Equal(t, [2]float64{2, 1.5}, [2]float64{c.points[1].TP, c.points[1].FP})
}

// TestOtherBins: totals and tags that do not fit are errors.
func TestOtherBins(t *testing.T) {
	t.Parallel()
	sorted := sortedRuns(t, nil, 1)
	s := &Tracer{Tags: []scoreruns.Tag{{Fold: -1}}, Totals: make([]scoreruns.Totals, 1), BinTotals: make([]Totals, 1)}
	require.ErrorContains(t, s.Trace(sorted, nil), "tag 0 is in no fold")
	s.BinTotals = make([]Totals, 2)
	require.ErrorContains(t, s.Trace(sorted, nil), "totals of the bins of 2 slices: expected 1")
}

// TestDecodeBins refuses what Append never wrote.
func TestDecodeBins(t *testing.T) {
	t.Parallel()
	list := func(numbers ...uint64) []byte {
		data := wire.AppendUint(nil, uint64(len(numbers)))
		for _, n := range numbers {
			data = wire.AppendUint(wire.AppendUint(data, n), 1) // a positive
		}
		return wire.AppendUint(data, 0)
	}
	for name, data := range map[string][]byte{
		"same number":    list(1, 0),
		"too large":      list(mostBins),
		"too large, sum": list(mostBins-1, 1),
		"lowest":         wire.AppendFloat(wire.AppendFloat(wire.AppendUint(wire.AppendUint([]byte{0}, 1), 5), 2), 1),
		"nan":            wire.AppendFloat(wire.AppendFloat(wire.AppendUint(wire.AppendUint([]byte{0}, 1), 5), math.NaN()), 1),
		"cut":            list(1, 2, 3)[:4],
	} {
		d, b := wire.NewDecoder(data), new(Bins)
		b.Decode(d)
		require.Error(t, d.Err(), name)
		require.True(t, b.Empty(), name)
	}
	d, b := wire.NewDecoder(list(0, mostBins-1)), new(Bins)
	b.Decode(d)
	require.NoError(t, d.Err())
	require.Equal(t, []uint16{0, mostBins - 1}, b.numbers)
}

// BenchmarkTraceBins traces 500,000 examples, each of all examples and of one of five slices, and
// divides them into the bins of 50 folds.
func BenchmarkTraceBins(b *testing.B) {
	const n, folds, numSlices = 500_000, 50, 6
	r := source(1)
	var tags []scoreruns.Tag
	for class := range int32(2) {
		for fold := range int32(folds) {
			for slice := int32(1); slice < numSlices; slice++ {
				tags = append(tags, scoreruns.Tag{Class: class, Fold: fold, Slices: []int32{0, slice}})
			}
		}
	}
	for _, weighted := range []bool{false, true} {
		examples := make([]scored, n)
		for i := range examples {
			class := 0
			if r.Float64() < 0.2 {
				class = 1
			}
			z := float64(2*class-1) + 1.2*r.NormFloat64()
			examples[i] = scored{1 / (1 + math.Exp(1-z)), uint32(class*len(tags)/2 + r.IntN(len(tags)/2)), 1}
			if weighted {
				examples[i].weight = 0.5 + 1.5*r.Float64()
			}
		}
		sorted := sortedRuns(b, runsOf(r, examples, len(tags), 1), len(tags))
		s := &Tracer{Tags: tags, Positive: 1, Totals: make([]scoreruns.Totals, numSlices)}
		require.NoError(b, s.Trace(sorted, func(*Stretch) {}))
		var all []Totals
		for i := range s.Totals {
			all = append(all, totalsOfCurve(&s.Totals[i]))
		}
		for _, bins := range [][]Totals{nil, all} {
			b.Run(fmt.Sprintf("weighted %v bins %v", weighted, bins != nil), func(b *testing.B) {
				for b.Loop() {
					s.Totals, s.BinTotals = make([]scoreruns.Totals, numSlices), bins
					require.NoError(b, s.Trace(sorted, func(*Stretch) {}))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/example")
			})
		}
	}
}
