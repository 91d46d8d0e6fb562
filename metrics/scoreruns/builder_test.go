package scoreruns

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestImagesKeepTheOrderOfScores(t *testing.T) {
	r := source(1)
	for range 3000 {
		score := pick(r, scorings...)
		x, y := score(r), score(r)
		require.Equal(t, x < y, Image(x) < Image(y), "%g %g", x, y)
		require.Equal(t, x == y, Image(x) == Image(y), "%g %g", x, y)
		require.Equal(t, math.Float64bits(x+0), math.Float64bits(Score(Image(x))))
		require.True(t, lowest <= Image(x) && Image(x) <= highest)
	}
	require.Equal(t, Image(0), Image(math.Copysign(0, -1)))
	require.NotZero(t, lowest)
}

// TestRunsHoldTheirExamples checks the entries, and that they do not depend on what a builder
// held before.
func TestRunsHoldTheirExamples(t *testing.T) {
	t.Parallel()
	var b Builder
	for seed := range uint64(200) {
		r := source(seed)
		list := drawExamples(r, drawSize(r), pick(r, 1, 2, 40, 1<<32-1))
		want := runOf(list)
		require.Equal(t, totalsOf(list), totals(readAll(t, want)), "seed %d", seed)

		for _, e := range list {
			e.addTo(&b)
		}
		require.Equal(t, len(list), b.Len())
		require.Equal(t, append([]byte("before"), want...), b.AppendRun([]byte("before")), "seed %d", seed)
		require.Zero(t, b.Len())
	}
}

// TestEqualExamplesAreJoined if there are many of them.
func TestEqualExamplesAreJoined(t *testing.T) {
	for kinds, most := range map[int]int{1: 1, 100: 100, 5000: 5000} {
		r := source(uint64(kinds))
		list := make([]example, 50_000)
		for i := range list {
			k := r.IntN(kinds)
			list[i] = example{float64(k / 8), uint32(k % 2), uint32(k / 2 % 2), float64(1 + k/4%2)}
		}
		require.LessOrEqual(t, Count(runOf(list)), most)
	}
	r := source(1)
	list := make([]example, 50_000)
	for i := range list {
		list[i] = example{float64(r.IntN(50)), uint32(r.IntN(2)), 0, r.ExpFloat64()}
	}
	require.LessOrEqual(t, Count(runOf(list)), 100*4, "whatever their weights")
	distinct := drawn(workloads[0].draw, 50_000)
	require.Equal(t, len(distinct), Count(runOf(distinct)))
}

// TestSortingOfHardKeys has keys that agree in all bits at which radix sort looks
// first, in groups of every size.
func TestSortingOfHardKeys(t *testing.T) {
	for seed := range uint64(60) {
		r := source(seed)
		shift := r.IntN(60)
		keys := make([]key, pick(r, 1, 15, fewKeys, 3000))
		for i := range keys {
			keys[i] = key{order: uint64(r.IntN(1+r.IntN(3000)))<<shift | uint64(r.IntN(3))<<61, at: uint32(i)}
		}
		want := slices.Clone(keys)
		slices.SortFunc(want, func(a, b key) int { return cmp.Compare(a.order, b.order) })
		sortByOrder(keys, make([]key, len(keys)))
		seen := make(map[key]bool)
		for i := range keys {
			require.Equal(t, want[i].order, keys[i].order, "seed %d", seed)
			seen[keys[i]] = true
		}
		require.Len(t, seen, len(keys), "seed %d", seed)
	}
}

func TestReusedBuildersAllocateNothing(t *testing.T) {
	list := drawExamples(source(3), 3000, 5)
	var b Builder
	run := make([]byte, 0, 1<<20)
	build := func() {
		for _, e := range list {
			e.addTo(&b)
		}
		b.AppendRun(run)
	}
	build()
	require.Zero(t, testing.AllocsPerRun(3, build))
}

func TestRunsAreCompact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		workload string
		bytes    float64 // for each example
	}{
		{"float32", 4.5}, {"float32 one tag", 4.3}, {"float64", 7.4}, {"float64 few weights", 8}, {"float64 weighted", 14.2}, {"percentages", .03},
	} {
		i := slices.IndexFunc(workloads, func(w workload) bool { return w.name == c.workload })
		run := runOf(drawn(workloads[i].draw, benchmarkRows))
		require.Less(t, float64(len(run))/benchmarkRows, c.bytes, c.workload)
	}
}
