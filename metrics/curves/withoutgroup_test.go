package curves

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/runs"
)

// TestFewPointsWithoutGroups: the few points of curves without a group give the areas and
// operating points that all points give, bit for bit, and the totals go on to the next range.
func TestFewPointsWithoutGroups(t *testing.T) {
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
		n := []int{0, 1, 2, 10, 50, 300, 1200, 3 * stretchEntries}[r.IntN(8)]
		examples := drawExamples(r, n, numTags)
		for i := range examples { // their areas are rounded at every point
			if w := &examples[i].weight; *w == 1e-30 || *w == 1e300 {
				*w = 0.25
			}
		}
		below := func(e scored) bool { return e.score < 0.5 }
		parts := [][]scored{slices.DeleteFunc(slices.Clone(examples), below), slices.DeleteFunc(slices.Clone(examples), func(e scored) bool { return !below(e) })}
		swept := func(every bool) (accumulators []*Accumulator, totals []runs.Totals) {
			s := &Sweep{Tags: tags, Positive: 1, Groups: groups, Totals: make([]runs.Totals, curves), EveryPoint: every}
			all := &Sweep{Tags: tags, Positive: 1, Groups: groups, Totals: make([]runs.Totals, curves), EveryPoint: true}
			require.NoError(t, all.Stretches(sortedRuns(t, runsOf(r, examples, numTags, 2), numTags), func(*Stretch) {}))
			for i := range all.Totals {
				accumulators = append(accumulators, New(Totals{all.Totals[i].Positive.Weight(), all.Totals[i].Negative.Weight()}, everyCriterion...))
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
			if !bytes.Equal(want[i].Append(nil), got[i].Append(nil)) {
				t.Logf("n %d weighted %v totals %v", n, examples[0].weight, want[i].totals)
				for k := range want[i].bests {
					t.Log(want[i].criteria[k], want[i].bests[k], got[i].bests[k])
				}
				t.Log(want[i].optimistic.Float64()-got[i].optimistic.Float64(), want[i].pessimistic.Float64()-got[i].pessimistic.Float64(), want[i].steps.Float64()-got[i].steps.Float64(), want[i].trapezoids.Float64()-got[i].trapezoids.Float64())
			}
			require.True(t, bytes.Equal(want[i].Append(nil), got[i].Append(nil)), "seed %d, curve %d", seed, i)
		}
	}
}
