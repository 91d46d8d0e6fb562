package scoreruns

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/exact"
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

// sortAll are the sorted entries of runs.
func sortAll(t testing.TB, s *Sorter, runs []Run, tags int) []Entry {
	t.Helper()
	sorted, err := sortWithin(s, runs, tags, Everything)
	require.NoError(t, err)
	return entriesIn(sorted)
}

func sortWithin(s *Sorter, runs []Run, tags int, within Range) (*Sorted, error) {
	s.Start(0, 1<<11, tags, within)
	for i, run := range runs {
		if err := s.Add(run); err != nil {
			return nil, fmt.Errorf("run %d: %w", i, err)
		}
	}
	return s.Sort(), nil
}

func entriesIn(s *Sorted) []Entry {
	entries := []Entry{}
	for i := range s.Len() {
		entries = append(entries, s.Entry(i))
	}
	return entries
}

func TestSortSortsTheEntriesOfAllRuns(t *testing.T) {
	t.Parallel()
	var s Sorter
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
		got := sortAll(t, new(Sorter), runs, 6)
		require.Equal(t, got, sortAll(t, &s, runs, 6), "a sorter that was used")
		require.True(t, slices.IsSortedFunc(got, func(a, b Entry) int { return cmp.Compare(b.Image, a.Image) }))
		require.Equal(t, totals(want), totals(got), "seed %d", seed)

		inParts := []Entry{}
		for _, part := range Ranges(drawBounds(r, list)) {
			sorted, err := sortWithin(&s, runs, 6, part)
			require.NoError(t, err)
			inParts = append(inParts, entriesIn(sorted)...)
		}
		require.True(t, slices.IsSortedFunc(inParts, func(a, b Entry) int { return cmp.Compare(b.Image, a.Image) }))
		require.Equal(t, totals(want), totals(inParts), "seed %d", seed)
		sortAll(t, &s, runs, 6)

		byLabel := s.ByLabel()
		for label := range 9 {
			of := slices.DeleteFunc(slices.Clone(got), func(e Entry) bool { return e.Label != uint32(label) })
			require.Equal(t, of, entriesIn(byLabel(label)), "seed %d", seed)
		}
	}
}

// TestEqualScoresOfManyRunsAreJoined: a sorter holds no more than twice the entries that are worth
// joining.
func TestEqualScoresOfManyRunsAreJoined(t *testing.T) {
	for name, weigh := range map[string]func(*rand.Rand) float64{"weights": (*rand.Rand).Float64, "no weights": func(*rand.Rand) float64 { return 1 }} {
		r := source(1)
		list := make([]example, 1500)
		for i := range list {
			list[i] = example{0.5, uint32(i % 1500), 0, weigh(r)} // in a run, none are alike
		}
		run, s := Run{runOf(list), sameTags(1)}, new(Sorter)
		require.Equal(t, len(list), Count(run.Data))
		s.Start(0, 1500, 1, Everything)
		var sum exact.Tally
		for range 5000 {
			require.NoError(t, s.Add(run))
			require.LessOrEqual(t, len(s.keys), fewestJoined+len(list))
			for _, e := range list {
				sum.Add(e.weight)
			}
		}
		var got exact.Tally
		for _, e := range entriesIn(s.Sort()) {
			got.AddRows(e.Weight, int64(e.Count))
		}
		require.Equal(t, sum.Rows(), got.Rows(), name)
		require.Equal(t, sum.Append(nil), got.Append(nil), name)
	}
}

func TestSampleIsOfEveryRun(t *testing.T) {
	list := drawn(workloads[0].draw, 3000)
	runs := runsOf(list, 30, 7, 1)
	for _, n := range []int{1, 2, 100, 700, 4000} {
		sample := Sample{Every: n}
		for _, run := range runs {
			require.NoError(t, sample.Add(run.Data))
		}
		require.Len(t, sample.Knots, (len(list)+n-1)/n)
		require.Error(t, sample.Add(runs[2].Data[1:]))
	}
}

func TestSortOfNothingIsEmpty(t *testing.T) {
	require.Empty(t, sortAll(t, new(Sorter), nil, 0))
	require.Empty(t, sortAll(t, new(Sorter), []Run{{}, {}}, 1))
}

func TestSortSaysWhichRunIsCorrupt(t *testing.T) {
	list := drawExamples(source(1), 2000, 3)
	good := Run{runOf(list), sameTags(3)}
	half := Run{good.Data[:len(good.Data)-1], sameTags(3)}
	few := Run{good.Data, sameTags(2)}
	for message, runs := range map[string][]Run{
		"run 1: corrupt run: ":      {good, half},
		"run 0: tag 2 of 2":         {few, good},
		"run 1: label 2048 of 2048": {good, {runOf([]example{{1, 1 << 11, 0, 1}}), sameTags(1)}},
		"run 2: corrupt run: a":     {good, good, {Data: []byte{1}}},
	} {
		_, err := sortWithin(new(Sorter), runs, 3, Everything)
		require.ErrorContains(t, err, message)
	}
	_, err := sortWithin(new(Sorter), []Run{{runOf([]example{{1, 1 << 10, 0, 1}}), sameTags(1)}}, 1<<23, Everything)
	require.ErrorContains(t, err, "run 0: label 1024 with tags of 23 bits")
}
