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
	for seed := range uint64(40) {
		r := source(seed)
		list := drawExamples(r, drawSize(r), 4)
		run := runOf(list)
		f.Add(run, Image(0.3))
		if len(run) > 0 { // nearly a run
			run[r.IntN(len(run))] ^= 1 << r.IntN(8)
			f.Add(run, Image(0.5))
			f.Add(run[:r.IntN(len(run))], uint64(0))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, bound uint64) {
		r := NewReader(data)
		n := r.Len()
		var entries []Entry
		for before := highest; r.Next(); before = r.Entry().Image {
			e := *r.Entry()
			require.True(t, lowest <= e.Image && e.Image <= before)
			require.NotZero(t, e.Count)
			entries = append(entries, e)
		}
		require.LessOrEqual(t, cap(r.entries), 2*blockSize)

		m := NewMerge([]Run{{data, sameTags(4)}, {data, sameTags(4)}})
		for m.Next() {
		}
		AddTotals(make([]exact.Tally, 4), data)
		Knots(data, 3)
		pieces, err := Cut(data, []uint64{bound, bound / 2})
		if r.Err() != nil {
			return
		}
		require.Len(t, entries, n)
		require.NoError(t, err)
		var again []Entry
		for _, piece := range pieces {
			again = append(again, readAll(t, piece)...)
		}
		require.Len(t, again, n)
		for i, e := range entries { // by bits: a weight can be NaN here
			require.Equal(t, e.Image, again[i].Image)
			require.Equal(t, Image(e.Weight), Image(again[i].Weight))
			require.Equal(t, [2]uint32{e.Tag, e.Count}, [2]uint32{again[i].Tag, again[i].Count})
		}
	})
}
