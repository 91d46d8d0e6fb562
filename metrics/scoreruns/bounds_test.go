package scoreruns

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// drawBounds draws descending bounds: images of the examples, ones next to those,
// and any others.
func drawBounds(r *rand.Rand, list []example) []uint64 {
	bounds := make([]uint64, pick(r, 0, 1, 2, 5, 300))
	for i := range bounds {
		bounds[i] = r.Uint64()
		if len(list) > 0 && r.IntN(5) > 0 {
			bounds[i] = Image(pick(r, list...).score) + uint64(r.IntN(3)) - 1
		}
	}
	slices.SortFunc(bounds, func(a, b uint64) int { return cmp.Compare(b, a) })
	return bounds
}

// sampleOf is every 97th of images.
func sampleOf(images []uint64) (knots []Knot) {
	for i := 0; i < len(images); i += 97 {
		knots = append(knots, Knot{images[i], 97})
	}
	return knots
}

func TestDividerDividesByScore(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := source(seed)
		list := drawExamples(r, max(drawSize(r), 1), 4)
		bounds := drawBounds(r, list)
		d := NewDivider(bounds)
		require.Equal(t, len(bounds)+1, d.Ranges())
		for _, image := range append([]uint64{lowest, highest, Image(0)}, bounds...) {
			list = append(list, example{score: Score(min(max(image, lowest), highest))})
		}
		for _, e := range list {
			image := Image(e.score)
			want := slices.IndexFunc(bounds, func(b uint64) bool { return image >= b })
			if want < 0 {
				want = len(bounds)
			}
			require.Equal(t, want, d.Range(image), "seed %d: %#x of %#x", seed, image, bounds)
		}
	}
}

// TestBoundsBalanceRanges has scores of several distributions.
func TestBoundsBalanceRanges(t *testing.T) {
	for seed := range uint64(30) {
		r := source(seed)
		var images []uint64
		for range 1 + r.IntN(10) {
			center := r.NormFloat64()
			for range 1000 + r.IntN(40_000) {
				images = append(images, Image(center+r.NormFloat64()))
			}
		}
		ranges := 1 + r.IntN(8)
		knots := sampleOf(images)
		bounds := Bounds(knots, ranges)
		require.Len(t, bounds, ranges-1)
		r.Shuffle(len(knots), func(i, j int) { knots[i], knots[j] = knots[j], knots[i] })
		require.Equal(t, bounds, Bounds(knots, ranges))
		d, sizes := NewDivider(bounds), make([]int, ranges)
		for _, image := range images {
			sizes[d.Range(image)]++
		}
		for _, size := range sizes {
			require.Less(t, size, len(images)/ranges+len(images)/8, "seed %d", seed)
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
