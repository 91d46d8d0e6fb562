package ranges

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/scoreruns"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// TestSliceTable: tables come back as they were; places beyond the keys are an error, not
// a panic later.
func TestSliceTable(t *testing.T) {
	for _, table := range []*sliceTable{{}, newSliceTable([]shuffle.Membership{{Slices: []string{"b", "a"}, Fold: shuffle.NoFold}, {Fold: 3}, {Slices: []string{"", "\xff", "b"}}})} {
		data, err := wire.Encode(table, sliceTableFields)
		require.NoError(t, err)
		var back sliceTable
		require.NoError(t, wire.Decode(data, &back, sliceTableFields))
		require.Equal(t, table, &back)
	}
	for _, k := range []int32{-1, 1, math.MaxInt32} {
		_, err := wire.Encode(&sliceTable{Keys: []string{"a"}, Tuples: []tableRow{{Slices: []int32{0, k}}}}, sliceTableFields)
		require.ErrorContains(t, err, "there is no slice")
	}
}

// toldRanges returns what the ranges are told of the totals of some workers.
func toldRanges(t testing.TB, workers ...map[curveKey][]scoreruns.Totals) map[int]*rangeTotals {
	t.Helper()
	all := make(map[string]*shuffle.ScoreTotals)
	for _, found := range workers {
		packed, err := packTotals(found)
		require.NoError(t, err)
		require.Empty(t, found)
		for slice, of := range packed {
			if all[slice] == nil {
				all[slice] = new(shuffle.ScoreTotals)
			}
			all[slice].Merge(of)
		}
	}
	told := make(map[int]*rangeTotals)
	passOn := func(_ []byte, p shuffle.Partial) { require.Empty(t, p.Totals) }
	tell := func(key int, p Piece) {
		require.Equal(t, key, p.Range)
		require.NotContains(t, told, key)
		var err error
		told[key], err = p.totals()
		require.NoError(t, err)
	}
	f := new(TotalsFn)
	f.StartBundle(passOn, tell)
	for _, slice := range slices.Sorted(maps.Keys(all)) {
		p := shuffle.NewPartial()
		p.Totals = *all[slice]
		require.NoError(t, f.ProcessElement([]byte(slice), p, passOn, tell))
	}
	require.NoError(t, f.FinishBundle(passOn, tell))
	return told
}

// TestTotals: the totals that several workers send to a range add up, by label and slice.
func TestTotals(t *testing.T) {
	membershipOf := func(tuple int32) shuffle.Membership {
		return shuffle.Membership{Slices: [][]string{{""}, {"", "b"}, {"", "a", "b"}}[tuple], Fold: shuffle.NoFold}
	}
	count := func(add func(t *tallies)) map[curveKey][]scoreruns.Totals {
		tallies := newTallies([]int{0, 1}, 2)
		add(&tallies)
		return tallies.byCurve(membershipOf, everySlice, true)
	}
	told := toldRanges(t, count(func(t *tallies) {
		t.add(0, 0, 0, true, 1)
		t.add(1, 2, 1, false, 0.25)
	}), count(func(t *tallies) {
		t.add(0, 2, 1, true, 2)
		t.add(1, 1, 0, false, 1)
	}), count(func(*tallies) {}))
	for at, above := range []float64{0, 2} {
		in := curvesOf([]*rangeTotals{told[at], {}})
		labels := in.totals
		require.Equal(t, []string{"", "a", "b"}, in.keys)
		require.Equal(t, []curve{{"", -1}, {"a", -1}, {"b", -1}}, in.curves)
		require.Len(t, labels, 3)
		for slice, negatives := range []float64{0.25, 0.25, 0.25} {
			of := labels[1]
			require.Equal(t, above, of.above[slice].Positive.Weight())
			require.Equal(t, []float64{2, negatives}, []float64{of.all[slice].Positive.Weight(), of.all[slice].Negative.Weight()})
		}
		pooled := &labels[metrics.PooledLabel].all[0]
		require.Equal(t, []float64{3, 1.25}, []float64{pooled.Positive.Weight(), pooled.Negative.Weight()})
		require.EqualValues(t, 1, labels[metrics.PooledLabel].all[2].Positive.Rows()+labels[0].all[1].Positive.Rows())
	}
	_, err := wire.Encode(&rangeTotals{Curves: []curveTotals{{Slice: 1}}}, rangeTotalsFields)
	require.ErrorContains(t, err, "there is no slice 1")
	for _, group := range []int32{-2, shuffle.MostFolds, math.MaxInt32} {
		_, err := wire.Encode(&rangeTotals{Slices: []string{""}, Curves: []curveTotals{{Fold: group}}}, rangeTotalsFields)
		require.ErrorContains(t, err, "there is no fold")
		_, err = wire.Encode(&sliceTable{Tuples: []tableRow{{Fold: group}}}, sliceTableFields)
		require.ErrorContains(t, err, "there is no fold")
	}
}

// TestTotalsComeBack: the totals of any curves come back as they were, in a few bytes if examples weigh 1.
func TestTotalsComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, weighted := range []bool{false, true} {
		for _, n := range []int{0, 1, 127, 128, 385} {
			told := &rangeTotals{Slices: []string{"", "a", "\xff"}}
			for range n {
				of := curveTotals{Label: r.IntN(20) - 3, Slice: int32(r.IntN(3)), Fold: int32(r.IntN(12)) + shuffle.NoFold}
				for _, tally := range []*exact.Tally{&of.Above.Positive, &of.Above.Negative, &of.All.Positive, &of.All.Negative} {
					if tally.AddOnes(int64(r.IntN(1 << r.IntN(40)))); weighted && r.IntN(2) > 0 {
						tally.Add(r.Float64())
					}
				}
				told.Curves = append(told.Curves, of)
			}
			data, err := wire.Encode(told, rangeTotalsFields)
			require.NoError(t, err)
			var back rangeTotals
			require.NoError(t, wire.Decode(data, &back, rangeTotalsFields))
			again, err := wire.Encode(&back, rangeTotalsFields)
			require.NoError(t, err)
			require.Equal(t, data, again)
			require.Len(t, back.Curves, n)
			for i, want := range told.Curves {
				got := back.Curves[i]
				require.Equal(t, []any{want.Label, want.Slice, want.Fold}, []any{got.Label, got.Slice, got.Fold})
				require.Equal(t, want.Above.Positive.Rows(), got.Above.Positive.Rows())
				require.Equal(t, want.Above.Negative.Weight(), got.Above.Negative.Weight())
				require.Equal(t, want.All.Positive.Weight(), got.All.Positive.Weight())
				require.Equal(t, want.All.Negative.Rows(), got.All.Negative.Rows())
			}
		}
	}
	few := &rangeTotals{Slices: []string{""}}
	for label := range 1000 {
		of := curveTotals{Label: label, Fold: shuffle.NoFold}
		of.All.Positive.AddOnes(int64(r.IntN(16)))
		of.All.Negative.AddOnes(int64(r.IntN(64)))
		few.Curves = append(few.Curves, of)
	}
	data, err := wire.Encode(few, rangeTotalsFields)
	require.NoError(t, err)
	require.Less(t, len(data), 3*len(few.Curves))
	negative := wire.AppendColumn([]byte{0, 2}, []uint64{math.MaxUint64})
	require.Error(t, wire.Decode(negative, new(rangeTotals), rangeTotalsFields))
	require.Error(t, wire.Decode(data[:len(data)/2], new(rangeTotals), rangeTotalsFields))
}

// TestManyTotals counts more examples than rangeCounts.ones can hold.
func TestManyTotals(t *testing.T) {
	tallies := newTallies([]int{0}, 1)
	tallies.add(0, 0, 0, true, 1)
	tallies.ranges[0].ones[1] = math.MaxUint32
	tallies.add(0, 0, 0, true, 1)
	tallies.add(0, 0, 0, true, 0.5)
	found := tallies.byCurve(func(int32) shuffle.Membership { return shuffle.Membership{Slices: []string{""}, Fold: shuffle.NoFold} }, everySlice, false)
	of := found[curveKey{0, "", shuffle.NoFold}][0]
	require.Equal(t, int64(math.MaxUint32+2), of.Positive.Rows())
	require.Equal(t, math.MaxUint32+1.5, of.Positive.Weight())
	require.True(t, of.Negative.Empty())
}

// TestTotalsWithoutFolds: the totals of a slice without a fold are the totals of its other folds.
func TestTotalsWithoutFolds(t *testing.T) {
	memberships := []shuffle.Membership{{Slices: []string{""}, Fold: 7}, {Slices: []string{"", "a"}, Fold: 2}, {Slices: []string{"", "a"}, Fold: 7}}
	tallies := newTallies([]int{0}, 2)
	tallies.add(0, 0, 0, true, 1)
	tallies.add(0, 1, 0, true, 2)
	tallies.add(1, 2, 0, true, 4)
	told := toldRanges(t, tallies.byCurve(func(tuple int32) shuffle.Membership { return memberships[tuple] }, everySlice, false))
	in := curvesOf([]*rangeTotals{told[1]})
	require.Equal(t, []string{"", "a"}, in.keys)
	require.Equal(t, [][]int32{{2, 7}, {2, 7}}, in.folds)
	require.Equal(t, []curve{{"", -1}, {"", 2}, {"", 7}, {"a", -1}, {"a", 2}, {"a", 7}}, in.curves)
	var above, all []float64
	for i := range in.curves {
		above = append(above, in.totals[0].above[i].Positive.Weight())
		all = append(all, in.totals[0].all[i].Positive.Weight())
	}
	require.Equal(t, []float64{7, 5, 2, 6, 4, 2}, all)
	require.Equal(t, []float64{3, 1, 2, 2, 0, 2}, above)
}

func everySlice(string) bool { return true }

// TestUndividedSlices: a slice without intervals has no curves without folds.
func TestUndividedSlices(t *testing.T) {
	memberships := []shuffle.Membership{{Slices: []string{"", "a"}, Fold: 2}, {Slices: []string{"", "a"}, Fold: 7}}
	tallies := newTallies([]int{0}, 1)
	tallies.add(0, 0, 0, true, 1)
	tallies.add(0, 1, 0, true, 2)
	told := toldRanges(t, tallies.byCurve(func(tuple int32) shuffle.Membership { return memberships[tuple] }, func(slice string) bool { return slice == "" }, false))
	in := curvesOf([]*rangeTotals{told[0]})
	require.Equal(t, []curve{{"", -1}, {"", 2}, {"", 7}, {"a", -1}}, in.curves)
	var all []float64
	for i := range in.curves {
		all = append(all, in.totals[0].all[i].Positive.Weight())
	}
	require.Equal(t, []float64{3, 2, 1, 3}, all)
}

// TestFoldsOfAllLabels: a range knows all folds of a slice, also those in which its labels have no scores, because
// other ranges trace the curves without them.
func TestFoldsOfAllLabels(t *testing.T) {
	memberships := []shuffle.Membership{{Slices: []string{""}, Fold: 1}, {Slices: []string{""}, Fold: 2}}
	tallies := newTallies([]int{0, 1}, 2)
	tallies.add(0, 0, 0, true, 1)
	tallies.add(1, 1, 1, false, 1)
	told := toldRanges(t, tallies.byCurve(func(tuple int32) shuffle.Membership { return memberships[tuple] }, everySlice, false))
	require.Len(t, told, 2)
	for at, of := range told {
		in := curvesOf([]*rangeTotals{of})
		require.Equal(t, [][]int32{{1, 2}}, in.folds)
		require.Len(t, in.totals, 1) // only of the label with scores
		require.Contains(t, in.totals, at)
	}
}

// TestScoresWithoutTotals: scores of slices whose totals a range does not know are an error.
func TestScoresWithoutTotals(t *testing.T) {
	tags := newTagTable([]string{""}, 2)
	table := newSliceTable([]shuffle.Membership{{Slices: []string{"", "a"}, Fold: shuffle.NoFold}, {Slices: []string{""}, Fold: shuffle.NoFold}})
	require.Equal(t, []uint32{scoreruns.NoTag, scoreruns.NoTag, 0, 1}, tags.common(table))
	var b scoreruns.Builder
	b.Add(scoreruns.Image(.5), 0, 1, 1)
	var sorter scoreruns.Sorter
	sorter.Start(1, 1, len(tags.tags), scoreruns.Everything)
	require.EqualError(t, sorter.Add(scoreruns.Run{Data: b.AppendRun(nil), Tags: tags.common(table)}), "tag 1, which no entry should have")
}

// TestTagTable: ranges with the same slices share a table, which maps the tags of each worker once; the same tuples
// of several workers have the same tags.
func TestTagTable(t *testing.T) {
	tags := newTagTable([]string{"", "a", "b"}, 2)
	require.True(t, tags.fits([]string{"", "a", "b"}, 2))
	require.False(t, tags.fits([]string{"", "a", "b"}, 3))
	require.False(t, tags.fits([]string{"", "b"}, 2))
	pieceOf := func(memberships ...shuffle.Membership) *Piece {
		data, err := wire.Encode(newSliceTable(memberships), sliceTableFields)
		require.NoError(t, err)
		return &Piece{Tuples: shuffle.Spilled{Bytes: data}}
	}
	first, second := shuffle.Membership{Slices: []string{"b", ""}, Fold: 3}, shuffle.Membership{Slices: []string{"a", ""}, Fold: 3}
	for range 2 {
		for _, c := range []struct {
			piece *Piece
			want  []uint32
		}{
			{pieceOf(first, second), []uint32{0, 1, 2, 3}},
			{pieceOf(second, shuffle.Membership{Slices: []string{"", "c"}, Fold: 3}, first), []uint32{2, 3, scoreruns.NoTag, scoreruns.NoTag, 0, 1}},
		} {
			common, err := tags.of(c.piece)
			require.NoError(t, err)
			require.Equal(t, c.want, common)
		}
		require.Len(t, tags.mapped, 2)
		require.Equal(t, []scoreruns.Tag{
			{Class: 0, Fold: 3, Slices: []int32{0, 2}}, {Class: 1, Fold: 3, Slices: []int32{0, 2}},
			{Class: 0, Fold: 3, Slices: []int32{0, 1}}, {Class: 1, Fold: 3, Slices: []int32{0, 1}},
		}, tags.tags)
	}
}

// TestChooseGroups: row groups of a sample are spread evenly over shards.
func TestChooseGroups(t *testing.T) {
	for groups, want := range map[int]int{0: 0, 3: 3, 9: 4, 100: 12, 10_000: sampledGroups} {
		var shards []input.Shard
		for first := 0; first < groups; first += 7 {
			shards = append(shards, input.Shard{File: "a", First: first, RowGroups: min(7, groups-first)})
		}
		chosen, all := chooseGroups(func(s *input.Shard) bool {
			if len(shards) == 0 {
				return false
			}
			*s, shards = shards[0], shards[1:]
			return true
		})
		require.Equal(t, groups, all)
		require.Len(t, chosen, want)
		for i, s := range chosen {
			require.Equal(t, 1, s.RowGroups)
			require.InDelta(t, (float64(i)+.5)*float64(groups)/float64(want), s.First, 1)
		}
	}
}

// FuzzCollect: scores, tuples and totals of arbitrary data are traced, or an error.
func FuzzCollect(f *testing.F) {
	params := metrics.Params{Task: metrics.Binary, Labels: 2, Scores: true, Curves: metrics.ExactCurves, Metrics: []string{"roc_auc", "average_precision"}}
	require.NoError(f, params.Complete())
	j := shuffle.Job{Spec: input.Spec{Params: params, RangeBytes: 1 << 20}}
	scores, err := NewScores(&j, &shuffle.Bounds{Images: []uint64{scoreruns.Image(.4)}}, func(tuple int32) shuffle.Membership {
		return shuffle.Membership{Slices: []string{"", "a"}, Fold: tuple}
	})
	require.NoError(f, err)
	b := &metrics.Batch{Rows: 4, Labels: 1, Score: []float64{.5, .25, .5, 1}, Truth: []bool{true, false, false, true}}
	require.NoError(f, scores.Add(b, []int32{0, 1, 2, 3}, []int32{0, 1, 0, 1}))
	require.NoError(f, scores.Finish())
	told := toldRanges(f, scores.tallies.byCurve(scores.totalled.membership, everySlice, false))
	require.NoError(f, scores.Emit(func(at int, p Piece) {
		require.Equal(f, at, p.Range)
		totals, err := wire.Encode(told[at], rangeTotalsFields)
		require.NoError(f, err)
		f.Add(p.Tuples.Bytes, p.Scores.Bytes, totals)
	}))
	plan, err := params.CurvePlan()
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, tuples, scores, totals []byte) {
		of := Piece{Labels: 2, Entries: 4, Tuples: shuffle.Spilled{Bytes: tuples}, Scores: shuffle.Spilled{Bytes: scores}}
		all := Piece{Labels: 2, Totals: shuffle.Spilled{Bytes: totals}}
		w := &worker{found: newTraced(new(shuffle.Job))}
		for _, most := range []int{1, 1 << 20} {
			_ = w.collect(&rangeInput{params: &params, plan: plan, scores: []Piece{of, of}, totals: []Piece{all}, most: most})
		}
	})
}

// TestEqualScoresTakeLittle: the size of the pieces does not grow with the number of examples of
// equal score, whatever their weights.
func TestEqualScoresTakeLittle(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		j := shuffle.Job{Spec: input.Spec{RangeBytes: 1 << 20, Params: metrics.Params{Task: metrics.Binary, ScoreType: metrics.Probability, Labels: 1, Metrics: []string{"roc_auc"}}}}
		require.NoError(t, j.Params.Complete())
		s, err := NewScores(&j, &shuffle.Bounds{}, func(int32) shuffle.Membership { return shuffle.Membership{Slices: []string{""}, Fold: shuffle.NoFold} })
		require.NoError(t, err)
		const rows, batches = 4096, 300
		b := &metrics.Batch{Rows: rows, Labels: 1, Score: make([]float64, rows), Truth: make([]bool, rows)}
		all := make([]int32, rows)
		for i := range rows {
			all[i], b.Score[i], b.Truth[i] = int32(i), float64(i%2), i%3 == 0
			if weighted {
				b.Weight = append(b.Weight, math.Sqrt(float64(i)))
			}
		}
		for range batches {
			require.NoError(t, s.Add(b, all, make([]int32, rows)))
		}
		require.NoError(t, s.Finish())
		entries, bytes := 0, 0
		require.NoError(t, s.Emit(func(_ int, p Piece) {
			entries, bytes = entries+p.Entries, bytes+len(p.Scores.Bytes)
		}))
		require.Less(t, entries, rows*batches/1000)
		require.Less(t, bytes, rows*batches/100)
	}
}
