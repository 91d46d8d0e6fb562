package metrics

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/exact"
)

// TestGroupsOfLabels compares the tables of labels, and the groups of labels of
// equal tables, with tables counted label by label: of few labels and of more
// than are array elements (see fields.Keyed), with weights and without.
func TestGroupsOfLabels(t *testing.T) {
	r := source(3)
	for _, task := range []Task{Binary, Multiclass, Multilabel} {
		for _, labels := range []int{1, 2, 7, 1524} {
			for i, weigh := range weighings {
				t.Run(fmt.Sprint(task, labels, i), func(t *testing.T) {
					p := &Params{Task: task, Labels: labels, Decisions: true, Metrics: []string{"recall"}}
					if task != Binary {
						p.Metrics = []string{"recall", "recall_micro"}
					}
					b := drawBatch(r, p, 60)
					b.Weight = nil
					if weigh != nil {
						b.Weight = fill(b.Rows, func() float64 { return weigh(r) })
					}
					e := &evaluation{params: p, partial: folded(t, p, b)}
					got := e.labelTables()
					var all [4]exact.Tally
					of := make(map[Counts]int)
					for label := range p.scored() {
						want := countedTable(b, task, int32(label), &all)
						require.Equal(t, want, got.table(label), "label %d", label)
						of[want]++
					}
					require.Equal(t, Counts{
						all[0].Weight(), all[1].Weight(), all[2].Weight(), all[3].Weight(), all[0].Rows() + all[2].Rows(),
					}, got.table(pooled))

					grouped := make(map[Counts]int)
					for i, a := range got.groups {
						require.Equal(t, got.tables[i], got.table(a.label))
						grouped[got.tables[i]] += a.times
					}
					require.Equal(t, of, grouped)
				})
			}
		}
	}
}

// countedTable counts the table of one label, and adds it to the table of all labels.
func countedTable(b *Batch, task Task, label int32, all *[4]exact.Tally) Counts {
	var cells [4]exact.Tally // tp, fp, fn, tn
	has := func(s Sets, row int32) bool {
		for _, l := range s.Row(row) {
			if l == label {
				return true
			}
		}
		return false
	}
	for r := range int32(b.Rows) {
		var truth, predicted bool
		switch task {
		case Binary:
			truth, predicted = b.Class[r] == 1, b.Predicted[r] == 1
		case Multilabel:
			truth, predicted = has(b.True, r), has(b.PredictedSet, r)
		default:
			truth, predicted = b.Class[r] == label, b.Predicted[r] == label
		}
		cell := 0
		switch {
		case predicted && !truth:
			cell = 1
		case truth && !predicted:
			cell = 2
		case !truth:
			cell = 3
		}
		cells[cell].Add(b.weight(r))
		all[cell].Add(b.weight(r))
	}
	return Counts{cells[0].Weight(), cells[1].Weight(), cells[2].Weight(), cells[3].Weight(), cells[0].Rows() + cells[2].Rows()}
}

// TestAveragesOfManyClasses: of a million classes, two are met.
func TestAveragesOfManyClasses(t *testing.T) {
	const classes = 1_000_000
	p := &Params{Task: Multiclass, Labels: classes, Decisions: true, Metrics: []string{"recall_macro", "precision_macro", "recall_weighted", "specificity_micro"}}
	b := &Batch{Rows: 3, Labels: classes, Class: []int32{7, 7, classes - 1}, Predicted: []int32{7, classes - 1, classes - 1}}
	got := evaluated(t, p, b, Options{})
	require.Equal(t, 1.5/classes, got[key{"recall_macro", -1}].Number)
	require.Equal(t, "999998 of 1000000 labels undefined", got[key{"recall_macro", -1}].Undefined)
	require.Equal(t, 1.5/classes, got[key{"precision_macro", -1}].Number)
	require.InDelta(t, 2./3, got[key{"recall_weighted", -1}].Number, 1e-16)
	require.Equal(t, (3.*classes-4)/(3*(classes-1)), got[key{"specificity_micro", -1}].Number)
}

func TestConfusionOfClasses(t *testing.T) {
	p := params(t, Multiclass, 3, RawScore)
	b := &Batch{Rows: 4, Labels: 3, Class: []int32{0, 2, 2, 2}, Predicted: []int32{0, 1, 2, 1}, Weight: []float64{1, 0.5, 2, 0.25}}
	partial := folded(t, p, b)
	require.Equal(t, []ConfusionCell{{-1, 0, 0, 1, 1}, {-1, 2, 1, 2, 0.75}, {-1, 2, 2, 1, 2}}, p.Confusion(partial, Options{}))
	require.Empty(t, p.Confusion(new(Partial), Options{}))
}

func TestConfusionOfLabels(t *testing.T) {
	p := params(t, Multilabel, 3, RawScore)
	b := multilabelBatch([][]int{{1, 0, 1}, {1, 0, 0}, {0, 0, 1}}, [][]int{{1, 0, 0}, {0, 0, 1}, {1, 0, 1}})
	b.Weight = []float64{0.5, 2, 1}
	partial := folded(t, p, b)
	// Whichever labels have results of their own.
	for _, which := range []PerLabel{{}, {Labels: []int{0, 1}}, {Limit: 1}, {All: true}} {
		require.Equal(t, []ConfusionCell{
			{0, 0, 1, 1, 1}, {0, 1, 0, 1, 2}, {0, 1, 1, 1, 0.5},
			{1, 0, 0, 3, 3.5}, // a label that is never true nor predicted
			{2, 0, 1, 1, 2}, {2, 1, 0, 1, 0.5}, {2, 1, 1, 1, 1},
		}, p.Confusion(partial, Options{PerLabel: which}))
	}
}

// Whatever the metrics, the confusion is there if there are decisions.
func TestConfusionNeedsNoMetric(t *testing.T) {
	p := params(t, Multilabel, 3, RawScore)
	p.Metrics = []string{"hamming_loss"}
	partial := folded(t, p, multilabelBatch([][]int{{1, 0, 1}}, [][]int{{1, 0, 0}}))
	require.Len(t, p.Confusion(partial, Options{}), 3)
}

// TestLabelPairs compares with one pass for each pair.
func TestLabelPairs(t *testing.T) {
	p := &Params{Task: Multilabel, Labels: 6, Decisions: true, LabelPairs: true}
	for seed := range uint64(30) {
		b := drawBatch(source(seed), p, int(seed))
		all := AllRows(nil, b.Rows)
		partial, spread := folded(t, p, b), spreadOf(t, p, b, all)
		partial.Merge(spread)
		got, n := p.LabelPairsOf(partial, 100)
		require.Len(t, got, n)
		has := func(list []int32, label int) bool { return slices.Contains(list, int32(label)) }
		var total, missed, wrong, both exact.Tally
		found := 0
		for i := range p.Labels {
			for j := range p.Labels {
				total, missed, wrong, both = exact.Tally{}, exact.Tally{}, exact.Tally{}, exact.Tally{}
				for r := range int32(b.Rows) {
					w, truth, predicted := b.weight(r), b.True.Row(r), b.PredictedSet.Row(r)
					if w == 0 {
						continue
					}
					m, x := has(truth, i) && !has(predicted, i), has(predicted, j) && !has(truth, j)
					total.Add(w)
					for tally, holds := range map[*exact.Tally]bool{&missed: m, &wrong: x, &both: m && x} {
						if holds {
							tally.Add(w)
						}
					}
				}
				if both.Empty() {
					continue
				}
				found++
				at := slices.IndexFunc(got, func(q LabelPair) bool { return q.Label == i && q.Predicted == j })
				require.GreaterOrEqual(t, at, 0)
				share := both.Weight() / missed.Weight()
				requireAlike(t, []float64{float64(both.Rows()), both.Weight(), share, share / (wrong.Weight() / total.Weight())},
					[]float64{float64(got[at].Count), got[at].Weight, got[at].Share, got[at].Lift})
			}
		}
		require.Equal(t, found, n)
		require.True(t, slices.IsSortedFunc(got, func(a, b LabelPair) int { return cmp.Compare(b.Weight, a.Weight) }))
		first, again := p.LabelPairsOf(partial, 2)
		require.Equal(t, n, again)
		require.Len(t, first, min(n, 2))
	}
}

// requireAlike requires equal values; NaN equals NaN.
func requireAlike(t *testing.T, want, got []float64) {
	t.Helper()
	require.True(t, slices.EqualFunc(want, got, func(a, b float64) bool { return a == b || a != a && b != b }), "%v, not %v", got, want)
}

// spreadOf returns what NewSpread collects of rows.
func spreadOf(t testing.TB, p *Params, b *Batch, rows []int32) *Partial {
	spread, err := p.NewSpread()
	require.NoError(t, err)
	spread.Fold(b, rows)
	return spread
}

// TestForgedLabelPairs: a label is not predicted in its own place, and labels are few.
func TestForgedLabelPairs(t *testing.T) {
	for _, key := range []uint64{0, 1001, PairedLabels * PairedLabels, math.MaxUint64} {
		forged := new(Partial)
		forged.need(kindLabelPairs, zeroParams)
		s := forged.stats[kindLabelPairs].(*labelPairs)
		s.Value(key).Add(1)
		_, err := DecodePartial(forged.Append(nil))
		require.ErrorContains(t, err, fmt.Sprintf("pair %d of labels", key))
	}
	p := &Params{Task: Multilabel, Labels: 2, Decisions: true, LabelPairs: true}
	foreign := new(Partial)
	foreign.need(kindLabelPairs, zeroParams)
	foreign.stats[kindLabelPairs].(*labelPairs).Value(2).Add(1)
	_, n := p.LabelPairsOf(foreign, 10)
	require.Zero(t, n, "label 2 of 2")
	require.ErrorContains(t, (&Params{Task: Binary, Decisions: true, LabelPairs: true}).Complete(), "multiclass and multilabel")
}
