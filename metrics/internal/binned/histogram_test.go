package binned

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

// weights of examples, which make sums that floats would round.
var weights = []float64{1, 1, 0, 0.1, 3, 1e-300, 1e20}

// addOne adds an example to a histogram and to the tallies of its bins.
func addOne(h *Histogram, want *[64]exact.Tally, bin int, w float64) {
	h.Add(bin, w)
	want[bin].Add(w)
}

// require64 compares a histogram with the tallies of all bins.
func require64(t *testing.T, want *[64]exact.Tally, h *Histogram) {
	t.Helper()
	met := 0
	for bin, i := range h.All() {
		require.Equal(t, met, i)
		require.Equal(t, want[bin].Rows(), h.Tallies().Rows(i))
		require.Equal(t, want[bin].Weight(), h.Tallies().Weight(i))
		met++
	}
	for bin := range want {
		require.Equal(t, want[bin].Weight(), h.Weight(bin))
		if !want[bin].Empty() {
			met--
		}
	}
	require.Zero(t, met, "bins without examples are left out")
}

// TestHistogram compares with one tally for each bin: examples are added one by one, in blocks and
// as tallies, merged, decoded, and added again after a reset.
func TestHistogram(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 4))
		var h, other Histogram
		for range 2 {
			var want, of [64]exact.Tally
			few, weighted := 1+r.IntN(64), r.IntN(2) == 0
			draw := func() (bin int, w float64) {
				if w = 1; weighted {
					w = weights[r.IntN(len(weights))]
				}
				return r.IntN(few), w
			}
			for range r.IntN(50) {
				bin, w := draw()
				addOne(&h, &want, bin, w)
			}
			for range r.IntN(3) {
				var bins []uint8
				var all []float64
				for range r.IntN(200) {
					bin, w := draw()
					bins, all = append(bins, uint8(bin)), append(all, w)
					want[bin].Add(w)
				}
				if weighted {
					h.AddAll(bins, all)
				} else {
					h.AddOnes(bins)
				}
			}
			require64(t, &want, &h)
			for range r.IntN(50) {
				bin := r.IntN(64)
				addOne(&other, &of, bin, 1)
			}
			if r.IntN(2) == 0 {
				var tally exact.Tally
				tally.Add(2.5)
				tally.Add(1)
				other.AddTally(9, &tally)
				of[9].Merge(&tally)
			}
			other.AddTally(10, new(exact.Tally))
			before := other.Append(nil)
			h.Merge(&other)
			require.Equal(t, before, other.Append(nil))
			for bin := range want {
				want[bin].Merge(&of[bin])
			}
			require64(t, &want, &h)

			var again Histogram
			d := wire.NewDecoder(h.Append(nil))
			again.Decode(d)
			require.NoError(t, d.Err())
			require.Zero(t, d.Len())
			require64(t, &want, &again)
			h.Reset()
			other.Reset()
			require.True(t, h.Empty())
			require64(t, new([64]exact.Tally), &h)
		}
	}
}

// FuzzDecode: whatever the bytes, a histogram is decoded that encodes to the same, or nothing is.
func FuzzDecode(f *testing.F) {
	var h Histogram
	h.Add(3, 1)
	f.Add(h.Append(nil))
	h.Add(63, 0.5)
	f.Add(h.Append(nil))
	f.Add([]byte{1, 0, 0})
	f.Add([]byte{1, 2, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		var h Histogram
		d := wire.NewDecoder(data)
		if h.Decode(d); d.Err() != nil {
			require.True(t, h.Empty())
			return
		}
		var again Histogram
		d = wire.NewDecoder(h.Append(nil))
		again.Decode(d)
		require.NoError(t, d.Err())
		require.Equal(t, h.Append(nil), again.Append(nil))
		for _, i := range h.All() {
			require.Positive(t, h.Tallies().Rows(i))
		}
	})
}
