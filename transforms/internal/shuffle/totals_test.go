package shuffle

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
)

// drawTotals returns totals of some labels, folds and ranges, in any order.
func drawTotals(r *rand.Rand, n int) (list []RangeTotals) {
	for range n {
		of := RangeTotals{Label: r.IntN(9) - 3, Range: int32(r.IntN(40)), Fold: int32(r.IntN(4)) + NoFold}
		of.Positive.AddOnes(int64(r.IntN(100)))
		if of.Negative.AddOnes(1); r.IntN(4) == 0 {
			of.Negative.Add(r.Float64())
		}
		list = append(list, of)
	}
	return list
}

func packed(t testing.TB, list []RangeTotals) []byte {
	t.Helper()
	data, err := PackTotals(list)
	require.NoError(t, err)
	return data
}

// TestScoreTotals: totals add up to the same however they are divided, sent and merged, and take no more memory
// than twice their sum.
func TestScoreTotals(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	list := drawTotals(r, 20_000)
	var once ScoreTotals
	once.Add(packed(t, list))
	want, err := once.List()
	require.NoError(t, err)
	require.Len(t, want, 9*40*4)
	require.True(t, slices.IsSortedFunc(want, compareTotals))

	a, b := NewPartial(), NewPartial()
	for i, part := range slices.Collect(slices.Chunk(list, 10)) {
		if i%3 == 0 {
			a.Totals.Add(packed(t, part))
		} else {
			b.Totals.Add(packed(t, part))
		}
	}
	require.Less(t, b.Totals.size, fewTotals+1)
	data, err := a.Encode()
	require.NoError(t, err)
	back, err := DecodePartial(data)
	require.NoError(t, err)
	b.Merge(&back)
	require.Len(t, back.Totals.packed, 1)
	got, err := b.Totals.List()
	require.NoError(t, err)
	require.Equal(t, packed(t, want), packed(t, got))

	var none ScoreTotals
	empty, err := none.List()
	require.NoError(t, err)
	require.Empty(t, empty)
}

// TestBrokenTotals: totals that cannot be decoded are an error when they are read, not lost.
func TestBrokenTotals(t *testing.T) {
	var totals ScoreTotals
	totals.Add([]byte{2, 0})
	totals.Add(packed(t, drawTotals(rand.New(rand.NewPCG(2, 2)), 50_000)))
	_, err := totals.List()
	require.ErrorContains(t, err, "decoding the totals of scores")
	for _, of := range []RangeTotals{{Fold: MostFolds}, {Fold: NoFold, Range: -1}} {
		_, err := PackTotals([]RangeTotals{of})
		require.ErrorContains(t, err, "there is no")
	}
}

// FuzzTotals: arbitrary data are totals that come back as they were, or an error.
func FuzzTotals(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{0, 1, blockRows, 300} {
		f.Add(packed(f, drawTotals(r, n)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var list []RangeTotals
		if wire.Decode(data, &list, totalsFields) != nil {
			return
		}
		var again []RangeTotals
		require.NoError(t, wire.Decode(packed(t, list), &again, totalsFields))
		require.Equal(t, list, again)
	})
}
