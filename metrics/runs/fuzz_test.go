package runs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/exact"
)

// FuzzRun feeds arbitrary bytes to everything that reads runs. Nothing may panic, or
// allocate more than a block; and what reads without an error is in order and
// can be cut.
func FuzzRun(f *testing.F) {
	for seed := range uint64(60) {
		r := source(seed)
		run := runOf(drawExamples(r, pick(r, 0, 1, 5, 40, blockSize+3), 4))
		f.Add(run, Image(0.3))
		if len(run) > 0 { // nearly a run
			run[r.IntN(len(run))] ^= 1 << r.IntN(8)
			f.Add(run, Image(0.5))
			f.Add(run[:r.IntN(len(run))], uint64(0))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, bound uint64) {
		entries, err := entriesRead(data)
		n := countEntries(data)
		above := highest
		for _, e := range entries {
			if e.Image < lowest || e.Image > above || e.Count == 0 {
				t.Fatalf("%+v after %#x", e, above)
			}
			above = e.Image
		}

		run := Run{data, sameTags(4)}
		sorted, unsorted := Sort([]Run{run, run})
		totaled := AddTotals(make([]exact.Tally, len(run.Tags)), data)
		knots, knotted := Knots(data, 3)
		pieces, cut := Cut(data, []uint64{bound, bound / 2})
		if err != nil {
			require.Error(t, unsorted)
			return
		}
		require.Equal(t, unsorted == nil, totaled == nil) // a tag may be unknown
		if unsorted == nil {
			require.Equal(t, 2*n, sorted.Len())
		}
		require.NoError(t, knotted)
		require.Len(t, knots, min(3, n))
		require.NoError(t, cut)
		require.Len(t, entries, n)
		var again []Entry
		for _, piece := range pieces {
			part, err := entriesRead(piece)
			require.NoError(t, err)
			again = append(again, part...)
		}
		require.Len(t, again, n)
		for i, e := range entries {
			f := again[i]
			// By bits, as a weight can be NaN here.
			if e.Image != f.Image || e.Tag != f.Tag || e.Count != f.Count || Image(e.Weight) != Image(f.Weight) {
				t.Fatalf("%+v became %+v", e, f)
			}
		}
	})
}
