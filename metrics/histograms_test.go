package metrics

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/exact"
)

// spread returns the histograms of a batch.
func spread(t testing.TB, p *Params, b *Batch) []Histogram {
	t.Helper()
	partial, err := p.NewSpread()
	require.NoError(t, err)
	partial.Fold(b, AllRows(nil, b.Rows))
	return p.Histograms(partial)
}

func TestHistogramsOfRegression(t *testing.T) {
	p := params(t, Regression, 0, RawScore)
	b := &Batch{
		Rows:     7,
		Weight:   []float64{1, 0.5, 2, 1, 0, 0.1, 0.2},
		Target:   []float64{1, 1, 3, math.Inf(1), 9, 2, 2},
		Estimate: []float64{2, 2, 2.5, 4, 9, 3, 3},
	}
	list := spread(t, p, b)
	require.Len(t, list, 2)
	require.Equal(t, "residual", list[0].Name)
	type bin struct {
		from, yFrom float64
		rows        int64
		weight      float64
	}
	short := func(h Histogram) (list []bin) {
		for _, of := range append(h.Bins, h.Outside) {
			yFrom := of.YFrom
			if math.IsNaN(yFrom) {
				yFrom = -99
			}
			require.Equal(t, math.IsNaN(of.YFrom), math.IsNaN(of.YTo))
			list = append(list, bin{of.From, yFrom, of.Rows, of.Weight})
		}
		last := &list[len(list)-1]
		require.True(t, math.IsNaN(last.from))
		last.from = -99
		return list
	}
	require.Equal(t, []bin{{-1, -99, 4, 1.8}, {0.5, -99, 1, 2}, {-99, -99, 1, 1}}, short(list[0]), "weights add up exactly: 1 + 0.5 + 0.1 + 0.2")
	require.Equal(t, []bin{{1, 2, 2, 1.5}, {2, 3, 2, b.Weight[5] + b.Weight[6]}, {3, 2.5, 1, 2}, {-99, -99, 1, 1}}, short(list[1]))
}

// The bins of many values hold all of them, and an outlier does not widen the bins of residuals.
func TestHistogramOfManyValues(t *testing.T) {
	r := source(1)
	p := params(t, Regression, 0, RawScore)
	b := &Batch{Rows: 20_000}
	b.Target = fill(b.Rows, r.NormFloat64)
	b.Estimate = fill(b.Rows, r.NormFloat64)
	alone := spread(t, p, b)
	b.Target[7] = 1e30
	for i, h := range spread(t, p, b) {
		require.LessOrEqual(t, len(h.Bins), []int{cellsOfResiduals, cellsOfPairs}[i])
		require.Equal(t, alone[i].Bins[9].To-alone[i].Bins[9].From, h.Bins[9].To-h.Bins[9].From)
		n := int64(0)
		for _, bin := range h.Bins {
			n += bin.Rows
		}
		require.EqualValues(t, b.Rows, n)
	}
}

// Each query is in the bin of its value, as the evaluator of single queries has it.
func TestHistogramsOfQueries(t *testing.T) {
	for seed := range uint64(10) {
		r := source(seed)
		p := queryParams(t)
		b := drawBatch(r, p, 50)
		e, err := p.NewQueryEvaluator()
		require.NoError(t, err)
		list := spread(t, p, b)
		require.Len(t, list, 3)
		partial, err := p.New()
		require.NoError(t, err)
		besides, err := p.NewSpread()
		require.NoError(t, err)
		partial.FoldWith(besides, b, AllRows(nil, b.Rows))
		require.Equal(t, lawful{folded(t, p, b).stats[kindMeans]}.Append(nil), lawful{partial.stats[kindMeans]}.Append(nil))
		alone, err := p.NewSpread()
		require.NoError(t, err)
		alone.Fold(b, AllRows(nil, b.Rows))
		require.Equal(t, alone.Append(nil), besides.Append(nil))
		for _, h := range list {
			at := slices.Index(p.QueryMetrics(), h.Name)
			require.GreaterOrEqual(t, at, 0)
			tallies := make([]exact.Tally, len(h.Bins)+1)
			for _, row := range b.withWeight(AllRows(nil, b.Rows)) {
				v := e.Values(b, row)[at]
				in := slices.IndexFunc(h.Bins, func(bin Bin) bool { return v >= bin.From && (v < bin.To || bin.To == 1 && v <= 1) })
				if in < 0 {
					require.False(t, v >= 0 && v <= 1, "seed %d: %s of row %d is %v", seed, h.Name, row, v)
					in = len(h.Bins)
				}
				tallies[in].Add(b.weight(row))
			}
			for i, bin := range append(slices.Clone(h.Bins), h.Outside) {
				require.Equal(t, [2]float64{float64(tallies[i].Rows()), tallies[i].Weight()}, [2]float64{float64(bin.Rows), bin.Weight})
			}
		}
	}
}

func queryParams(t testing.TB) *Params {
	p := params(t, Ranking, 0, RawScore)
	p.SpreadOf = []string{"ndcg@3", "mrr", "auc", "queries", "dcg@3", "kendall_tau", "no such metric"}
	return p
}

func TestHistogramsOfOtherParams(t *testing.T) {
	p := params(t, Regression, 0, RawScore)
	partial, err := p.NewSpread()
	require.NoError(t, err)
	require.Nil(t, params(t, Binary, 0, Probability).Histograms(partial))
	require.Len(t, p.Histograms(partial), 2, "of no examples")
	none, err := params(t, Multiclass, 3, Probability).NewSpread()
	require.NoError(t, err)
	require.Empty(t, none.Append(nil))
}

// scoreHistogramCases are tasks with every kind of score histograms.
var scoreHistogramCases = []Params{
	{Task: Binary, Scores: true, Decisions: true},
	{Task: Binary, Scores: true, ScoreType: Logit, Decisions: true},
	{Task: Binary, Scores: true, ScoreType: RawScore, Decisions: true},
	{Task: Binary, Decisions: true},
	{Task: Multiclass, Labels: 4, Scores: true, Decisions: true},
	{Task: Multiclass, Labels: 4, Scores: true, ScoreType: Logit, Decisions: true},
	{Task: Multiclass, Labels: 4, Scores: true, ScoreType: RawScore, Decisions: true},
	{Task: Multiclass, Labels: 4, Scores: true, Sparse: true, Decisions: true},
	{Task: Multiclass, Labels: 1001, Scores: true, Decisions: true},
	{Task: Multilabel, Labels: 7, Scores: true, Decisions: true},
	{Task: Multilabel, Labels: 7, Scores: true, Sparse: true, ScoreType: Logit, Decisions: true},
	{Task: Multilabel, Labels: 1001, Scores: true, ScoreType: RawScore, Decisions: true},
	{Task: Ranking, Scores: true},
	{Task: Regression},
}

// valueOf is a value that a score histogram counts.
type valueOf struct {
	name  string
	label int
	value float64
}

// naiveValues calls each with all values of a row.
func naiveValues(p *Params, b *Batch, r int32, each func(valueOf)) {
	indicator := map[bool]float64{true: 1}
	apart := p.Task != Ranking && p.scored() <= 1000
	named := func(label int) int {
		if p.Task == Binary {
			return -1
		}
		return label
	}
	switch p.Task {
	case Regression:
		each(valueOf{"prediction", -1, b.Estimate[r]})
		each(valueOf{"target", -1, b.Target[r]})
		return
	case Ranking:
		for i := b.ItemOffset[r]; i < b.ItemOffset[r+1]; i++ {
			each(valueOf{"score", -1, b.Score[i]})
			if b.Judged == nil || b.Judged[i] {
				each(valueOf{"target", -1, b.Relevance[i]})
			}
		}
		for i := 0; b.MissedOffset != nil && i < int(b.MissedOffset[r+1]-b.MissedOffset[r]); i++ {
			each(valueOf{"target", -1, b.Missed[int(b.MissedOffset[r])+i]})
		}
		return
	}
	scores := b.CurveScores(p.Task)
	for label := range p.scored() {
		truth, predicted := false, false
		switch p.Task {
		case Multilabel:
			truth, predicted = slices.Contains(b.True.Row(r), int32(label)), slices.Contains(b.PredictedSet.Row(r), int32(label))
		case Binary:
			truth, predicted = b.Class[r] == 1, b.Predicted[r] == 1
		default:
			truth, predicted = int(b.Class[r]) == label, int(b.Predicted[r]) == label
		}
		if apart {
			target := indicator[truth]
			if b.Distribution != nil {
				target = b.Distribution[int(r)*p.Labels+label]
			}
			each(valueOf{"target", named(label), target})
			each(valueOf{"prediction", named(label), indicator[predicted]})
		}
		switch {
		case !p.Scores || p.Sparse:
		case apart:
			each(valueOf{"score", named(label), scores[int(r)*b.Labels+label]})
		default:
			each(valueOf{"score", -1, scores[int(r)*b.Labels+label]})
		}
	}
	if p.Sparse {
		list, _ := b.Scored(r)
		for _, x := range list {
			each(valueOf{"score", -1, x})
		}
	}
}

// TestScoreHistograms compares with one tally for each bin, of all examples and of each fold.
func TestScoreHistograms(t *testing.T) {
	for _, c := range scoreHistogramCases {
		for seed := range uint64(8) {
			r := source(seed)
			p := c
			p.ScoreHistograms = true
			require.NoError(t, p.Complete())
			b := drawBatch(r, &p, pick(r, 0, 1, 40, 300))
			if p.Labels > 100 {
				b = drawBatch(r, &p, 3)
			}
			folds, all := make([]*Partial, 4), new(Partial)
			rows := make([][]int32, 4)
			for i := range int32(b.Rows) {
				fold := r.IntN(3) // the last has no examples
				rows[fold] = append(rows[fold], i)
			}
			for fold, rows := range rows {
				if len(rows) > 0 {
					var err error
					folds[fold], err = p.New()
					require.NoError(t, err)
					folds[fold].Fold(b, rows)
					all.MergeFold(folds[fold])
				}
			}
			list := p.ScoreHistogramsOf(all, folds)
			require.Equal(t, withoutFolds(list), withoutFolds(p.ScoreHistogramsOf(all, nil)))
			rest := map[valueOf][]exact.Tally{} // by the index of the bin, of all and of each fold
			add := func(fold int, rows []int32) {
				for _, row := range rows {
					naiveValues(&p, b, row, func(v valueOf) {
						weightless := b.weight(row) == 0
						if weightless && p.Task == Regression { // whose bins depend on the numbers
							return
						}
						bin := binWith(list, v)
						if weightless && bin == -1 { // where nothing has weight, there is no bin
							return
						}
						require.GreaterOrEqual(t, bin, 0, "%v is in no bin", v)
						v.value = float64(bin)
						if rest[v] == nil {
							rest[v] = make([]exact.Tally, 1+len(folds))
						}
						rest[v][0].Add(b.weight(row))
						rest[v][1+fold].Add(b.weight(row))
					})
				}
			}
			for fold, rows := range rows {
				add(fold, rows)
			}
			n := 0
			for _, h := range list {
				for i, bin := range h.Bins {
					want := rest[valueOf{h.Name, h.Label, float64(i)}]
					require.NotNil(t, want, "%s %d of label %d: %s from %v", p.Task, seed, h.Label, h.Name, bin.From)
					require.Equal(t, want[0].Rows(), bin.Rows)
					require.Equal(t, want[0].Weight(), bin.Weight)
					for fold := range folds {
						require.Equal(t, want[1+fold].Weight(), h.Folds[i*len(folds)+fold])
					}
					n++
				}
			}
			require.Len(t, rest, n)
		}
	}
}

// withoutFolds makes histograms comparable: NaN equals nothing.
func withoutFolds(list []ScoreHistogram) []ScoreHistogram {
	list = slices.Clone(list)
	for i := range list {
		list[i].Bins, list[i].Folds = slices.Clone(list[i].Bins), nil
		for j := range list[i].Bins {
			b := &list[i].Bins[j]
			if math.IsNaN(b.From) {
				b.From, b.To = -7, -7
			}
		}
	}
	return list
}

// binWith returns the index of the only bin that a value is in: the last one if it is in no other. It is -1
// if there is none, and -2 if there are several.
func binWith(list []ScoreHistogram, v valueOf) int {
	found, outside := -1, -1
	for _, h := range list {
		if h.Name != v.name || h.Label != v.label {
			continue
		}
		for i, bin := range h.Bins {
			in := v.value >= bin.From && v.value < bin.To && !math.IsInf(v.value, 0)
			switch {
			case math.IsNaN(bin.From):
				outside = i
			case in, v.value == bin.From && v.value == bin.To, v.value == 1 && bin.To == 1 && bin.From == 63./64:
				if found >= 0 {
					return -2
				}
				found = i
			}
		}
	}
	if found < 0 {
		return outside
	}
	return found
}

// Without being asked for, there are no score histograms, and no statistic takes memory for them.
func TestScoreHistogramsOfOtherParams(t *testing.T) {
	p := params(t, Binary, 0, Probability)
	partial, err := p.New()
	require.NoError(t, err)
	require.Nil(t, partial.stats[kindScoreHistograms])
	require.Nil(t, p.ScoreHistogramsOf(partial, nil))
	q := *p
	q.ScoreHistograms = true
	require.Empty(t, q.ScoreHistogramsOf(new(Partial), []*Partial{nil}))
	other, err := params(t, Regression, 0, RawScore).New()
	require.NoError(t, err)
	require.Nil(t, q.ScoreHistogramsOf(other, nil))
	require.Nil(t, q.ScoreHistogramsOf(new(Partial), []*Partial{other}))
	require.Equal(t, 1, (&Params{Task: Ranking}).HistogramLabels())
	require.Equal(t, 1000, (&Params{Task: Multiclass, Labels: 1000}).HistogramLabels())
	require.Equal(t, 1, (&Params{Task: Multiclass, Labels: 1001}).HistogramLabels())
}

// Replicates need no score histograms.
func TestLeaveOneOutLeavesOutScoreHistograms(t *testing.T) {
	for _, c := range []Params{{Task: Binary, Scores: true}, {Task: Regression}} {
		r := source(1)
		c.ScoreHistograms = true
		parts := make([]*Partial, 3)
		for i := range parts {
			parts[i] = folded(t, &c, drawBatch(r, &c, 5))
			require.NotNil(t, parts[i].stats[c.scoreHistogramKind()])
		}
		require.NoError(t, LeaveOneOut(parts, nil, func(_ int, without *Partial) error {
			require.Nil(t, without.stats[c.scoreHistogramKind()])
			return nil
		}))
	}
}

// TestHistogramOfMoves: the pairs of old and new scores or predictions are all counted.
func TestHistogramOfMoves(t *testing.T) {
	for task, score := range map[Task]ScoreType{Binary: Probability, Regression: Logit} {
		p := params(t, task, 0, score)
		b := &Batch{Rows: 3, Labels: 1, Class: []int32{0, 1, 1}, Probability: []float64{0.5, 0.25, 0.25}, BaselineScore: []float64{0, 1, 1}, Weight: []float64{1, 2, 3}}
		if task == Regression {
			b = &Batch{Rows: 3, Target: []float64{1, 2, 3}, Estimate: []float64{0.5, 0.25, 0.25}, BaselineEstimate: []float64{0, 1, 1}, Weight: b.Weight}
		}
		b.Complete(task)
		spread, err := p.NewSpread()
		require.NoError(t, err)
		spread.Fold(b, AllRows(nil, b.Rows))
		list := p.Histograms(spread)
		h := list[len(list)-1]
		require.Equal(t, HistogramOfMoves, h.Name)
		require.Len(t, h.Bins, 2)
		require.Equal(t, []float64{0, 0.5, 1, 1, 0.25, 5}, []float64{h.Bins[0].From, h.Bins[0].YFrom, h.Bins[0].Weight, h.Bins[1].From, h.Bins[1].YFrom, h.Bins[1].Weight})
	}
}
