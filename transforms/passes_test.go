package transforms

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/scoreruns"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
	"github.com/beameval/beameval/transforms/lanes"
)

// size returns the size of what a pass emits.
func (f folded) size() (n int) {
	for key, data := range f {
		n += len(key) + len(data)
	}
	return n
}

// largest returns the size of the largest slice.
func (f folded) largest() (n int) {
	for key, data := range f {
		n = max(n, len(key)+len(data))
	}
	return n
}

// TestPasses: if statistics exceed what a bundle may emit, they are folded in several passes. No
// pass exceeds the limit, each slice is in exactly one, and the bytes are the same.
func TestPasses(t *testing.T) {
	t.Parallel()
	shard := written(t, drawExamples(300), 100)
	for _, s := range scenarios(t) {
		t.Run(s.name, func(t *testing.T) {
			if !asSettled(s.spec).labelled() {
				s.spec.Labels.Names = labelNames
			}
			s.spec.Worst = &Worst{Count: 3, PerSlice: true}
			s.spec.Columns.Example = "id"
			tasks := []shuffle.TaskInput{{Lane: 2, Shard: &shard}}
			noScores := func(int, ranges.Piece) {}
			whole, err := foldedPasses(t, s.spec, tasks, noScores, oneRange)
			require.NoError(t, err)
			require.Equal(t, 1, len(whole))
			sum, largest := whole[0].size(), whole[0].largest()
			for limit, least := range map[int]int{2*sum + 50: 1, sum - 20: 2, sum/4 + largest: 3, 200: 1} { // 200: no room for the shard
				s.spec.Division = lanes.Division{Lanes: 5, Bundles: true, PartialBytes: limit}
				passes, err := foldedPasses(t, s.spec, tasks, noScores, oneRange)
				require.NoError(t, err)
				requireEqual(t, whole[0], mergedBundles(t, passes...))
				require.True(t, len(passes) >= least && (least > 1 || len(passes) == 1), "%d passes for %d of %d", len(passes), limit, sum)
				met := make(map[string]bool)
				for i, pass := range passes {
					require.Equal(t, i == 0, pass[shuffle.Overall] != "")
					require.True(t, pass.size() <= limit || limit == 200)
					for key := range pass {
						require.False(t, i > 0 && met[key], "a slice in two passes")
						met[key] = i > 0
					}
				}
			}
		})
	}
}

// TestPassesOfCurves: only the first pass emits scores, with the totals of all slices.
func TestPassesOfCurves(t *testing.T) {
	t.Parallel()
	s := scenarioNamed(t, "multilabel")
	parts := divided(drawExamples(30), 3)
	bounds := shuffle.TaskInput{Bounds: &shuffle.Bounds{Images: []uint64{scoreruns.Image(0.7), scoreruns.Image(0.4)}}}
	want, _ := evaluatedWithin(t, s, bounds, parts)
	tasks, noScores := packedPredictions(t, s.spec, s.predictions(parts[0])), func(int, ranges.Piece) {}
	whole, err := foldedPasses(t, s.spec, tasks, noScores, bounds)
	require.NoError(t, err)
	s.spec.Division = lanes.Division{Lanes: 1, Bundles: true, PartialBytes: whole[0].size() - 1}
	passes, err := foldedPasses(t, s.spec, tasks, noScores, bounds)
	require.NoError(t, err)
	require.Greater(t, len(passes), 1)
	require.LessOrEqual(t, passes[0].size(), s.spec.Division.PartialBytes)
	require.Equal(t, len(whole[0]), len(passes[0]))
	require.NotZero(t, len(passes[1]))
	got, _ := evaluatedWithin(t, s, bounds, parts)
	requireEqual(t, want, got)
}

// TestFirstPassHasRoomForTotals: the totals of scores of many slices do not make the first pass exceed the limit.
func TestFirstPassHasRoomForTotals(t *testing.T) {
	t.Parallel()
	s := scenarioNamed(t, "binary")
	s.spec.Slices, s.spec.Goroutines = []Slice{by("id")}, 1
	shard := written(t, drawExamples(2000), 1000)
	for _, limit := range []int{130_000, 160_000, 200_000} {
		s.spec.Division = lanes.Division{Lanes: 5, Bundles: true, PartialBytes: limit}
		passes, err := foldedPasses(t, s.spec, []shuffle.TaskInput{{Shard: &shard}}, func(int, ranges.Piece) {}, oneRange)
		require.NoError(t, err)
		require.Greater(t, len(passes), 1, limit)
		for _, pass := range passes {
			require.LessOrEqual(t, pass.size(), limit)
		}
	}
}

// TestMessages: what is left of a message that has no room for the next element counts, too.
func TestMessages(t *testing.T) {
	t.Parallel()
	const mb = 1_000_000
	for _, c := range []struct {
		sizes []int
		want  int
	}{
		{nil, 0}, {[]int{5, 6}, 11}, {[]int{3 * mb, mb}, 4 * mb}, {[]int{3 * mb, mb, 1}, 4*mb + 1}, {[]int{3 * mb, 2 * mb}, 6 * mb},
		{[]int{2 * mb, 3 * mb, mb, 2 * mb}, 10 * mb}, {[]int{9 * mb, 1}, 9*mb + 1}, {[]int{1, 9 * mb, 1}, 13*mb + 1},
	} {
		var m workers.Messages
		for _, size := range c.sizes {
			m.Add(size)
		}
		require.Equal(t, c.want, m.Bytes(), c.sizes)
	}
}
