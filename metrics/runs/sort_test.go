package runs

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// runsOf divides examples at random among runs that number their tags
// each in their own way.
func runsOf(list []example, tags int, n int, seed uint64) []Run {
	r := source(seed)
	runs := make([]Run, n)
	for i, part := range parts(r, list, n) {
		local := make([]uint32, tags) // by common tag
		runs[i].Tags = make([]uint32, tags)
		for tag, at := range r.Perm(tags) {
			local[tag] = uint32(at)
			runs[i].Tags[at] = uint32(tag)
		}
		renamed := slices.Clone(part)
		for j := range renamed {
			renamed[j].tag = local[renamed[j].tag]
		}
		runs[i].Data = runOf(renamed)
	}
	return runs
}

func sortAll(t testing.TB, runs []Run) []Entry {
	t.Helper()
	sorted, err := Sort(runs)
	require.NoError(t, err)
	entries := make([]Entry, sorted.Len())
	for i := range entries {
		entries[i] = sorted.Entry(i)
	}
	return entries
}

func TestSortSortsTheEntriesOfAllRuns(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := source(seed)
		list := drawExamples(r, drawSize(r), 6)
		runs := runsOf(list, 6, pick(r, 1, 2, 3, 7, 33), seed)
		want := []Entry{}
		for _, run := range runs {
			for _, e := range readAll(t, run.Data) {
				e.Tag = run.Tags[e.Tag]
				want = append(want, e)
			}
		}
		got := sortAll(t, runs)
		require.Equal(t, got, sortAll(t, runs))
		require.True(t, slices.IsSortedFunc(got, func(a, b Entry) int { return cmp.Compare(b.Image, a.Image) }))
		slices.SortFunc(want, compareEntries)
		slices.SortFunc(got, compareEntries)
		require.Equal(t, want, got, "seed %d", seed)
	}
}

func TestSortOfNothingIsEmpty(t *testing.T) {
	require.Empty(t, sortAll(t, nil))
	require.Empty(t, sortAll(t, []Run{{}, {}}))
}

func TestSortSaysWhichRunIsCorrupt(t *testing.T) {
	list := drawExamples(source(1), 2000, 3)
	good := Run{runOf(list), sameTags(3)}
	half := Run{good.Data[:len(good.Data)-1], sameTags(3)}
	few := Run{good.Data, sameTags(2)}
	for message, runs := range map[string][]Run{
		"run 1: corrupt run: ":  {good, half},
		"run 0: tag 2 of 2":     {few, good},
		"run 2: corrupt run: a": {good, good, {Data: []byte{1}}},
	} {
		_, err := Sort(runs)
		require.ErrorContains(t, err, message)
	}
}
