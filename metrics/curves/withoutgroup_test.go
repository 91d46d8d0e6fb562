package curves

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
)

// TestSumsWithoutGroups: the sums over all groups give the areas and operating points that all
// points give, bit for bit, and the totals go on to the next range.
func TestSumsWithoutGroups(t *testing.T) {
	t.Parallel()
	for seed := range uint64(400) {
		r := source(seed)
		numTags, numSlices := 1+r.IntN(12), 1+r.IntN(3)
		tags := drawTags(r, numTags, numSlices)
		for i := range tags {
			tags[i].Class = min(tags[i].Class, 1)
			if r.IntN(3) > 0 { // positives are rare
				tags[i].Class = 0
			}
		}
		var groups [][]int32
		var curves int
		for range numSlices {
			groups = append(groups, []int32{0, 1, 2}[r.IntN(3):])
			curves += 1 + len(groups[len(groups)-1])
		}
		n := []int{0, 1, 2, 10, 50, 300, 1200, 4 * stretchEntries}[r.IntN(8)]
		examples := drawExamples(r, n, numTags)
		if r.IntN(2) == 0 { // some scores are of one example, some of many
			few := 1 + r.IntN(6)
			for i := 1; i < len(examples); i += 1 + r.IntN(few) {
				like := examples[r.IntN(min(i, 20))]
				if examples[i].score = like.score; r.IntN(2) == 0 {
					examples[i].tag = like.tag
				}
			}
		}
		for i := range examples { // their areas are rounded at every point
			if w := &examples[i].weight; *w == 1e-30 || *w == 1e300 {
				*w = 0.25
			}
		}
		if spread := []int{1, 1, 8, 30, 90}[r.IntN(5)]; len(examples) > 0 && examples[0].weight != 1 {
			for i := range examples {
				examples[i].weight = math.Ldexp(examples[i].weight, r.IntN(spread)-spread/2)
			}
		}
		below := func(e scored) bool { return e.score < 0.5 }
		parts := [][]scored{slices.DeleteFunc(slices.Clone(examples), below), slices.DeleteFunc(slices.Clone(examples), func(e scored) bool { return !below(e) })}
		noPRAUC := r.IntN(2) == 0
		above := []int64{0, 0, 1 << 45}[r.IntN(3)] // of no group
		swept := func(every bool) (accumulators []*Accumulator, totals []runs.Totals) {
			s := &Sweep{Tags: tags, Positive: 1, Groups: groups, Totals: make([]runs.Totals, curves)}
			all := &Sweep{Tags: tags, Positive: 1, Groups: groups, Totals: make([]runs.Totals, curves)}
			for i := range curves {
				for _, totals := range [...]*runs.Totals{&s.Totals[i], &all.Totals[i]} {
					totals.Negative.AddOnes(above)
					totals.Positive.AddOnes(above / 7)
				}
			}
			require.NoError(t, all.Stretches(sortedRuns(t, runsOf(r, examples, numTags, 2), numTags), func(*Stretch) {}))
			for i := range all.Totals {
				accumulators = append(accumulators, New(Totals{all.Totals[i].Positive.Weight(), all.Totals[i].Negative.Weight()}, everyCriterion...))
				accumulators[i].MoveTo(Point{TP: float64(above / 7), FP: float64(above)})
				if noPRAUC {
					accumulators[i].WithoutPRAUC()
				}
			}
			if !every {
				s.Without = func(curve int, at Point) *Accumulator {
					accumulators[curve].MoveTo(at)
					return accumulators[curve]
				}
			}
			for _, part := range parts {
				require.NoError(t, s.Stretches(sortedRuns(t, runsOf(r, part, numTags, 1+r.IntN(4)), numTags), func(st *Stretch) {
					accumulators[st.Curve].Add(st.Moving(), st.Whole)
				}))
			}
			return accumulators, s.Totals
		}
		want, wantTotals := swept(true)
		got, gotTotals := swept(false)
		for i := range want {
			require.Equal(t, wantTotals[i].Append(nil), gotTotals[i].Append(nil), "seed %d, curve %d", seed, i)
			require.Equal(t, summary(want[i]), summary(got[i]), "seed %d, curve %d", seed, i)
			require.True(t, bytes.Equal(want[i].Append(nil), got[i].Append(nil)), "seed %d, curve %d", seed, i)
		}
	}
}

// summary is what is computed of a curve, as text.
func summary(a *Accumulator) string {
	text := fmt.Sprintln(a.totals, a.bests)
	for m := ROCAUC; m <= PRAUC; m++ {
		text += fmt.Sprintln(m, a.Area(m))
	}
	return text
}

// TestDoublesAreExact adds and takes away weights that are multiples of a unit, and compares with
// exact sums.
func TestDoublesAreExact(t *testing.T) {
	t.Parallel()
	r := source(3)
	for range 3000 {
		var all, part exact.Tally
		var d, of double
		fine := r.IntN(34) // how much finer the least weight is
		for i := range r.IntN(300) {
			weight, n := math.Ldexp(1+r.Float64(), -r.IntN(fine+1)), int64(1+r.IntN(2)*r.IntN(9))
			all.AddRows(weight, n)
			if n == 1 {
				d = d.plus(weight)
			} else {
				d = d.plusRows(weight, n)
			}
			if i%lazyAdditions == 0 {
				d = d.normal()
			}
			if r.IntN(3) == 0 {
				part.AddRows(weight, n)
				of = of.plusRows(weight, n)
			}
		}
		want, _, ok := doubleOf(&all)
		require.True(t, ok)
		require.Equal(t, want, d.normal())
		require.Equal(t, want.hi, d.rounded())
		all.Subtract(&part)
		want, _, ok = doubleOf(&all)
		require.True(t, ok)
		require.Equal(t, want, d.minus(of))
		require.Equal(t, want.hi, d.without(&of))
	}
	// The largest sum of units of 1, and additions of which each rounds off as much as can be.
	const most, off = 1 << (doubleBits - 2), 1<<(doubleBits-2-53) - 1
	d, want := double{hi: most}, exact.Tally{}
	want.Add(most)
	for range lazyAdditions {
		d = d.plus(off)
		want.Add(off)
	}
	exactly, _, ok := doubleOf(&want)
	require.True(t, ok)
	require.Equal(t, exactly, d.normal())
	var wide exact.Tally
	wide.Add(1)
	wide.Add(0x1p-300)
	wide.Add(0x1p-600)
	_, _, ok = doubleOf(&wide)
	require.False(t, ok)
	require.Equal(t, []int{0, -1, 1, -1074, -52}, []int{unitOf(1), unitOf(0.5), unitOf(-6), unitOf(5e-324), unitOf(1 + 0x1p-52)})
}

// TestExtractedSumsAreExact adds numbers of many sizes, and compares with exact sums.
func TestExtractedSumsAreExact(t *testing.T) {
	t.Parallel()
	r := source(4)
	exactly := 0
	for range 3000 {
		list := make([]float64, 1+r.IntN(400))
		least, most, spread := math.Inf(1), 0.0, 1+r.IntN(60)
		for i := range list {
			list[i] = math.Ldexp(1+r.Float64(), 20-r.IntN(spread))
			least, most = min(least, list[i]), most+list[i]
		}
		extractor := extractorOf(len(list), least, most)
		if extractor == 0 {
			require.Greater(t, spread, 25)
			continue
		}
		exactly++
		var sums extracted
		var got, want exact.Sum
		for _, x := range list {
			sums.add(x, extractor)
			want.Add(x)
		}
		sums.addTo(&got, 1)
		require.Equal(t, want.Append(nil), got.Append(nil))
	}
	require.Greater(t, exactly, 1000)
}

// BenchmarkSweepWithoutGroups sweeps 500,000 examples, each of all examples and of one of five
// slices, with curves without each of 50 groups.
func BenchmarkSweepWithoutGroups(b *testing.B) {
	const n, numGroups, numSlices = 500_000, 50, 6
	r := source(1)
	var tags []runs.Tag
	for class := range int32(2) {
		for group := range int32(numGroups) {
			for slice := int32(1); slice < numSlices; slice++ {
				tags = append(tags, runs.Tag{Class: class, Group: group, Slices: []int32{0, slice}})
			}
		}
	}
	groups := make([][]int32, numSlices)
	for slice := range groups {
		for group := range int32(numGroups) {
			groups[slice] = append(groups[slice], group)
		}
	}
	for _, c := range []struct {
		name      string
		positives float64
		weighted  bool
		criteria  []Criterion
	}{
		{"multilabel", 0.2, false, []Criterion{{FBeta, 1}}},
		{"weights", 0.1, true, []Criterion{{KolmogorovSmirnov, 0}, {FBeta, 1}, {Youden, 0}, {PrecisionAtRecall, 0.9}, {RecallAtFPR, 0.1}, {SpecificityAtSensitivity, 0.9}}},
	} {
		examples := make([]scored, n)
		for i := range examples {
			class := 0
			if r.Float64() < c.positives {
				class = 1
			}
			z := float64(2*class-1) + 1.2*r.NormFloat64()
			examples[i] = scored{1 / (1 + math.Exp(1-z)), uint32(class*len(tags)/2 + r.IntN(len(tags)/2)), 1}
			if c.weighted {
				examples[i].weight = 0.5 + 1.5*r.Float64()
			}
		}
		sorted := sortedRuns(b, runsOf(r, examples, len(tags), 1), len(tags))
		s := &Sweep{Tags: tags, Positive: 1, Groups: groups}
		totals := make([]runs.Totals, numSlices*(1+numGroups))
		s.Totals = totals
		if err := s.Stretches(sorted, func(*Stretch) {}); err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				accumulators := make([]*Accumulator, len(totals))
				for i := range totals {
					accumulators[i] = New(Totals{totals[i].Positive.Weight(), totals[i].Negative.Weight()}, c.criteria...)
					if !c.weighted {
						accumulators[i].WithoutPRAUC()
					}
				}
				s.Totals = make([]runs.Totals, len(totals))
				s.Without = func(curve int, at Point) *Accumulator { return accumulators[curve] }
				if err := s.Stretches(sorted, func(st *Stretch) { accumulators[st.Curve].Add(st.Moving(), st.Whole) }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/example")
		})
	}
}
