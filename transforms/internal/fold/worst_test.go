package fold

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/ingest"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// multilabelJob lists the worst examples of a task with the labels a, b and c.
func multilabelJob(options input.Worst) (*shuffle.Job, *input.Vocabulary) {
	j := &shuffle.Job{Spec: input.Spec{Worst: &options, Decision: new(input.Decision), Params: metrics.Params{Task: metrics.Multilabel, Labels: 3, Scores: true, Decisions: true, Metrics: []string{"log_loss_micro"}}}}
	return j, &input.Vocabulary{Names: []string{"a", "b", "c"}}
}

// drawn are examples with few different losses, some of which have the same id or none. Every
// third is in the slice of two, and every sixth has no weight.
func drawn(r *rand.Rand, rows int) (*batches.Batch, *metrics.Batch, []int32) {
	ids := &columns.Column{Type: columns.Int, Null: make([]bool, rows)}
	b := &metrics.Batch{Rows: rows, Labels: 3, True: metrics.Sets{Offset: []int32{0}}, PredictedSet: metrics.Sets{Offset: []int32{0}}}
	var tuples []int32
	for row := range rows {
		ids.Ints, ids.Null[row] = append(ids.Ints, int64(r.IntN(rows))), r.IntN(4) == 0
		for label := range int32(3) {
			p := float64(r.IntN(3)) / 2
			if r.IntN(2) == 0 {
				b.True.Label = append(b.True.Label, label)
			}
			if p >= .5 {
				b.PredictedSet.Label = append(b.PredictedSet.Label, label)
			}
			b.Truth, b.Probability = append(b.Truth, slices.Contains(b.True.Label[b.True.Offset[row]:], label)), append(b.Probability, p)
		}
		b.True.Offset, b.PredictedSet.Offset = append(b.True.Offset, int32(len(b.True.Label))), append(b.PredictedSet.Offset, int32(len(b.PredictedSet.Label)))
		b.Weight = append(b.Weight, float64(r.IntN(6)))
		tuples = append(tuples, int32(row%3/2))
	}
	b.Complete(metrics.Multilabel)
	return &batches.Batch{IDs: ids, At: func(row int) report.SkippedRow { return report.SkippedRow{File: "f", Row: int64(row)} }}, b, tuples
}

func cellOfTwo(tuple int32) shuffle.Membership {
	return shuffle.Membership{Slices: []string{shuffle.Overall, key(1)}[:1+tuple], Fold: shuffle.NoFold}
}

// TestWorstIsTheBeginningOfAll compares with sorting all examples, however they are divided among
// folders and bundles.
func TestWorstIsTheBeginningOfAll(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		options := input.Worst{Count: 1 + r.IntN(12), PerLabel: r.IntN(2) == 0, PerSlice: r.IntN(2) == 0}
		j, vocab := multilabelJob(options)
		from, b, tuples := drawn(r, r.IntN(150))
		losses, err := j.Params.NewLossEvaluator("", 0)
		require.NoError(t, err)

		all := map[string]map[int32][]shuffle.WorstExample{}
		reference, err := newWorst(j, vocab, cellOfTwo)
		require.NoError(t, err)
		list := func(row, label int32, loss float64) {
			for _, of := range cellOfTwo(tuples[row]).Slices {
				if loss == 0 || b.Weight[row] == 0 || of != shuffle.Overall && !options.PerSlice {
					continue
				}
				if all[of] == nil {
					all[of] = map[int32][]shuffle.WorstExample{}
				}
				e := reference.describe(&judged{from: from, Batch: b}, row, label)
				e.Loss = loss
				all[of][label] = append(all[of][label], e)
			}
		}
		rows := r.Perm(b.Rows)
		for row := range int32(b.Rows) {
			loss, _ := losses.Loss(b, row)
			list(row, shuffle.AllLabels, loss)
			if options.PerLabel {
				losses.ByLabel(b, row, func(label int32, loss, _ float64) { list(row, label, loss) })
			}
		}
		sums := map[string]*shuffle.Partial{}
		for len(rows) > 0 { // bundle by bundle, each of two folders
			one, err := newWorst(j, vocab, cellOfTwo)
			require.NoError(t, err)
			two, err := newWorst(j, vocab, cellOfTwo)
			require.NoError(t, err)
			for _, w := range []*worst{one, two, one} {
				n := min(r.IntN(40), len(rows))
				for _, row := range rows[:n] {
					require.NoError(t, w.add(&judged{from: from, Batch: b}, []int32{int32(row)}, tuples))
				}
				rows = rows[n:]
			}
			require.NoError(t, one.merge(two))
			for _, of := range []string{shuffle.Overall, key(1)} {
				p := shuffle.NewPartial()
				p.Worst = one.of(of)
				data, err := p.Encode()
				require.NoError(t, err)
				p, err = shuffle.DecodePartial(data)
				require.NoError(t, err)
				if sums[of] == nil {
					sums[of] = new(shuffle.NewPartial())
				}
				sums[of].Merge(&p)
			}
		}
		for of, sum := range sums {
			if all[of] == nil {
				require.True(t, sum.Worst == nil || len(sum.Worst.Lists) == 0)
				continue
			}
			require.Len(t, sum.Worst.Lists, len(all[of]))
			for label, list := range all[of] {
				slices.SortFunc(list, func(a, b shuffle.WorstExample) int {
					if a.Before(&b) {
						return -1
					}
					return 1
				})
				list = list[:min(len(list), options.Count)]
				got := sum.Worst.Lists[label]
				require.Equal(t, fmt.Sprintf("%+v", list), fmt.Sprintf("%+v", got), "seed %d", seed)
			}
		}
	}
}

// TestWorstByHand: highest loss first, then by id; what is right or weighs nothing is not listed.
func TestWorstByHand(t *testing.T) {
	j, vocab := multilabelJob(input.Worst{Count: 2, PerLabel: true})
	w, err := newWorst(j, vocab, cellOfTwo)
	require.NoError(t, err)
	b := &metrics.Batch{
		Rows: 5, Labels: 3, Weight: []float64{1, 1, 0, 1, 1},
		True:         metrics.Sets{Offset: []int32{0, 1, 3, 3, 4, 4}, Label: []int32{0, 0, 1, 0}},
		PredictedSet: metrics.Sets{Offset: []int32{0, 0, 0, 3, 3, 3}, Label: []int32{0, 1, 2}},
		Truth:        []bool{true, false, false, true, true, false, false, false, false, true, false, false, false, false, false},
		Probability:  []float64{.5, 0, 0, .5, .5, 0, 1, 1, 1, .5, 0, 0, 0, 0, 0},
	}
	b.Complete(metrics.Multilabel)
	dict := columns.StringsOf([]string{"x", "y", "z", "k", "perfect"})
	from := &batches.Batch{IDs: &columns.Column{Type: columns.String, Dict: dict, Codes: []int32{0, 1, 2, 3, 4}}}
	require.NoError(t, w.add(&judged{from: from, Batch: b}, []int32{4, 0, 1, 2, 3}, make([]int32, 5)))
	found := w.of(shuffle.Overall)
	ids := func(label int32) (ids []string) {
		for _, e := range found.Lists[label] {
			ids = append(ids, e.ID.Text()+" "+e.True+"/"+e.Predicted)
		}
		return ids
	}
	require.Equal(t, []string{"y a, b/", "k a/"}, ids(shuffle.AllLabels))
	require.Equal(t, []string{"k 1/0", "x 1/0"}, ids(0))
	require.Equal(t, []string{"y 1/0", "k 0/0"}, ids(1)[:2])
	require.Equal(t, .5, found.Lists[1][0].Score)
	require.Nil(t, w.of(key(1)))
	require.Equal(t, slice.String("y"), found.Lists[shuffle.AllLabels][0].ID)

	from.IDs = &columns.Column{Type: columns.Int, Ints: []int64{1}, Offsets: []int32{0, 1}}
	from.Place = func(*ingest.Bad) report.SkippedRow { return report.SkippedRow{File: "p.parquet"} }
	j.Columns.Example = "id"
	require.EqualError(t, w.add(&judged{from: from, Batch: b}, nil, nil), `p.parquet: column "id" is list<int>: an id must be one value a row`)
}

// TestTooManyWorst: the message is the same whether one folder finds too many, or only several.
func TestTooManyWorst(t *testing.T) {
	const message = "listed examples: those of all labels and slices are more than 200000: in Spec.Worst, lower count, or leave label or slice out of per"
	j, vocab := multilabelJob(input.Worst{Count: 10_000, PerSlice: true})
	membershipOf := func(tuple int32) shuffle.Membership {
		return shuffle.Membership{Slices: []string{shuffle.Overall, key(int(tuple))}, Fold: shuffle.NoFold}
	}
	from, b, _ := drawn(rand.New(rand.NewPCG(1, 2)), 10_500)
	b.Weight = nil
	fill := func(first, slices int32) (*worst, error) {
		w, err := newWorst(j, vocab, membershipOf)
		require.NoError(t, err)
		rows, tuples := metrics.AllRows(nil, b.Rows), make([]int32, b.Rows)
		for slice := range slices {
			for row := range tuples {
				tuples[row] = first + slice
			}
			if err = w.add(&judged{from: from, Batch: b}, rows, tuples); err != nil {
				break
			}
		}
		return w, err
	}
	_, err := fill(0, 20)
	require.EqualError(t, err, message)
	one, err := fill(0, 12)
	require.NoError(t, err)
	two, err := fill(6, 12)
	require.NoError(t, err)
	require.NoError(t, one.merge(two), "6 of the slices are the same: 19 lists")
	three, err := fill(18, 2)
	require.NoError(t, err)
	require.EqualError(t, one.merge(three), message)
}
