package scoreruns

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRun feeds arbitrary bytes to everything that reads runs. Nothing may panic, or
// allocate more than a block; and what reads without an error can be built again.
func FuzzRun(f *testing.F) {
	for seed := range uint64(60) {
		r := source(seed)
		run := runOf(drawExamples(r, pick(r, 0, 1, 5, 40, blockSize+3), 4))
		f.Add(run)
		if len(run) > 0 { // nearly a run
			run[r.IntN(len(run))] ^= 1 << r.IntN(8)
			f.Add(run)
			f.Add(run[:r.IntN(len(run))])
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := entriesRead(data)
		for _, e := range entries {
			if e.Image < lowest || e.Image > highest || e.Count == 0 {
				t.Fatalf("%+v", e)
			}
		}
		run := Run{data, sameTags(4)}
		sorted, unsorted := sortWithin(new(Sorter), []Run{run, run}, 4, Everything)
		if err != nil {
			require.Error(t, unsorted)
			return
		}
		require.Len(t, entries, Count(data))
		if unsorted != nil { // a tag or a label may be too large
			return
		}
		require.Equal(t, 2*len(entries), sorted.Len())
		var b Builder
		examples := 0
		for _, e := range entries {
			if e.Count < 100 && e.Weight == e.Weight {
				for range e.Count {
					b.Add(e.Image, e.Label, e.Tag, e.Weight)
				}
				examples += int(e.Count)
			}
		}
		again, err := entriesRead(b.AppendRun(nil))
		require.NoError(t, err)
		for _, e := range again {
			examples -= int(e.Count)
		}
		require.Zero(t, examples)
	})
}
