package runs

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/exact"
)

// drawBounds draws descending bounds: images of the examples, ones next to those,
// and any others.
func drawBounds(r *rand.Rand, list []example) []uint64 {
	bounds := make([]uint64, r.IntN(6))
	for i := range bounds {
		bounds[i] = r.Uint64()
		if len(list) > 0 && r.IntN(5) > 0 {
			bounds[i] = Image(pick(r, list...).score) + uint64(r.IntN(3)) - 1
		}
	}
	slices.SortFunc(bounds, func(a, b uint64) int { return cmp.Compare(b, a) })
	return bounds
}

func TestCutDividesByScore(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := source(seed)
		list := drawExamples(r, drawSize(r), 4)
		run := runOf(list)
		bounds := drawBounds(r, list)
		pieces, err := Cut(run, bounds)
		require.NoError(t, err)
		require.Len(t, pieces, len(bounds)+1)
		above := uint64(math.MaxUint64)
		all := []Entry{}
		for i, piece := range pieces {
			for _, e := range readAll(t, piece) {
				require.True(t, e.Image < above || i == 0)
				require.True(t, i == len(bounds) || e.Image >= bounds[i])
				all = append(all, e)
			}
			if i < len(bounds) {
				above = bounds[i]
			}
		}
		require.Equal(t, entriesOf(list), all, "seed %d", seed)
		require.Equal(t, run, runOf(list), "cutting changed the run")
	}
}

func TestBoundsMustDescend(t *testing.T) {
	_, err := Cut(nil, []uint64{5, 6})
	require.ErrorContains(t, err, "do not descend")
}

func TestTotalsAreByTag(t *testing.T) {
	for seed := range uint64(100) {
		r := source(seed)
		list := drawExamples(r, drawSize(r), 4)
		want, got := make([]exact.Tally, 4), make([]exact.Tally, 4)
		for _, e := range list {
			want[e.tag].Add(e.weight)
		}
		pieces, err := Cut(runOf(list), drawBounds(r, list))
		require.NoError(t, err)
		for _, piece := range pieces {
			require.NoError(t, AddTotals(got, piece))
		}
		for tag := range want {
			require.Equal(t, want[tag].Append(nil), got[tag].Append(nil), "seed %d", seed)
		}
	}
	require.EqualError(t, AddTotals(make([]exact.Tally, 2), runOf([]example{{1, 2, 1}})), "tag 2 of 2")
}

func TestKnotsCoverARun(t *testing.T) {
	for seed := range uint64(100) {
		r := source(seed)
		entries := readAll(t, runOf(drawExamples(r, drawSize(r), 2)))
		var run []byte // in blocks of other sizes
		for rest := entries; len(rest) > 0; {
			n := min(len(rest), 1+r.IntN(blockSize))
			run, rest = appendBlock(run, rest[:n]), rest[n:]
		}
		n := pick(r, 0, 1, 7, 64, 5000)
		knots, err := Knots(run, n)
		require.NoError(t, err)
		require.Len(t, knots, min(n, len(entries)))
		at := 0
		for _, k := range knots {
			require.InDelta(t, float64(len(entries))/float64(len(knots)), k.Entries, 1)
			at += k.Entries
			require.Equal(t, entries[at-1].Image, k.Image)
		}
		require.True(t, n == 0 || at == len(entries))
	}
}

// TestBoundsBalanceRuns has runs of unequal sizes and ranges of scores.
func TestBoundsBalanceRuns(t *testing.T) {
	const n = 64
	for seed := range uint64(30) {
		r := source(seed)
		var knots []Knot
		var list [][]byte
		all := 0
		for range 1 + r.IntN(10) {
			center, rows := r.NormFloat64(), 1+r.IntN(4000)
			var b Builder
			for range rows {
				b.Add(center+r.NormFloat64(), 0, 1)
			}
			run := b.AppendRun(nil)
			of, err := Knots(run, n)
			require.NoError(t, err)
			list, knots, all = append(list, run), append(knots, of...), all+rows
		}
		parts := 1 + r.IntN(8)
		bounds := Bounds(knots, parts)
		r.Shuffle(len(knots), func(i, j int) { knots[i], knots[j] = knots[j], knots[i] })
		require.Equal(t, bounds, Bounds(knots, parts))
		sizes := make([]int, len(bounds)+1)
		for _, run := range list {
			pieces, err := Cut(run, bounds)
			require.NoError(t, err)
			for i, piece := range pieces {
				sizes[i] += countEntries(piece)
			}
		}
		for _, size := range sizes {
			require.LessOrEqual(t, size, all/parts+2*all/n+len(list), "seed %d", seed)
		}
	}
}

func TestBoundsOfFewScores(t *testing.T) {
	require.Empty(t, Bounds(nil, 3))
	require.Empty(t, Bounds([]Knot{{7, 100}, {7, 100}}, 3))
	require.Empty(t, Bounds([]Knot{{7, 0}, {6, 0}}, 3))
	require.Empty(t, Bounds([]Knot{{7, 1}, {6, 1}}, 0))
	require.Equal(t, []uint64{7}, Bounds([]Knot{{7, 100}, {6, 1}}, 3))
	require.Equal(t, []uint64{9, 7}, Bounds([]Knot{{6, 1}, {7, 1}, {9, 1}}, 8))
}
