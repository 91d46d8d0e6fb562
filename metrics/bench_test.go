package metrics

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/scoreruns"
)

// benchmarkRows is how many rows are folded at once.
const benchmarkRows = 1024

// realistic returns rows as a model would predict them: no infinities, and
// weights between 0 and 2.
func realistic(r *rand.Rand, p *Params, weighted bool) *Batch {
	n := benchmarkRows
	b := &Batch{Rows: n, Labels: max(p.scored(), 1)}
	if weighted {
		b.Weight = fill(n, func() float64 { return 2 * r.Float64() })
	}
	switch p.Task {
	case Ranking:
		return realisticQueries(r, b)
	case Regression:
		b.Target, b.Estimate = fill(n, func() float64 { return 100 * r.ExpFloat64() }), make([]float64, n)
		for i, y := range b.Target {
			b.Estimate[i] = y * (0.5 + r.Float64())
		}
		return b
	case Multilabel:
		b.True, b.PredictedSet = realisticSets(r, n, p.Labels), realisticSets(r, n, p.Labels)
	default:
		b.Class = fill(n, func() int32 { return int32(r.IntN(p.classes())) })
		b.Predicted = fill(n, func() int32 { return int32(r.IntN(p.classes())) })
	}
	scores := fill(n*b.Labels, func() float64 { return r.NormFloat64() - 1 })
	if p.ScoreType == Logit {
		b.Logit = scores
		return finish(b, p.Task)
	}
	b.Probability = make([]float64, len(scores))
	for i, z := range scores {
		b.Probability[i] = sigmoid(z)
	}
	return finish(b, p.Task)
}

// realisticSets has a tenth of the labels in each set.
func realisticSets(r *rand.Rand, n, labels int) Sets {
	lists := make([][]int32, n)
	for i := range lists {
		for label := range labels {
			if r.IntN(10) == 0 {
				lists[i] = append(lists[i], int32(label))
			}
		}
	}
	return setsOf(lists)
}

// realisticQueries gives each row 100 items, a fifth of them of some relevance.
func realisticQueries(r *rand.Rand, b *Batch) *Batch {
	const items = 100
	b.Score = fill(b.Rows*items, r.NormFloat64)
	b.Relevance = fill(b.Rows*items, func() float64 { return float64(max(r.IntN(20)-15, 0)) })
	for row := range b.Rows + 1 {
		b.ItemOffset = append(b.ItemOffset, int32(row*items))
	}
	return b
}

type benchmarkCase struct {
	params   *Params
	weighted bool
}

// benchmarkCases are the tasks at their usual sizes.
func benchmarkCases(b testing.TB) map[string]benchmarkCase {
	return map[string]benchmarkCase{
		"binary":            {params(b, Binary, 0, Probability), false},
		"binary, weighted":  {params(b, Binary, 0, Probability), true},
		"binary, logits":    {params(b, Binary, 0, Logit), false},
		"multiclass of 10":  {params(b, Multiclass, 10, Probability), false},
		"multilabel of 20":  {params(b, Multilabel, 20, Probability), false},
		"multilabel, logit": {params(b, Multilabel, 20, Logit), false},
		"regression":        {params(b, Regression, 0, RawScore), false},
		"ranking":           {usualMetrics(b, Params{Task: Ranking, Scores: true, Ranking: usualRanking}), false},
		// Only curves.
		"binary, bounded":           {bounded(b, Params{Task: Binary, Scores: true}), false},
		"binary, bounded, weighted": {bounded(b, Params{Task: Binary, Scores: true}), true},
		"multilabel, bounded":       {bounded(b, Params{Task: Multilabel, Labels: 20, Scores: true}), false},
	}
}

// usualMetrics selects what a run does that is asked for nothing.
func usualMetrics(b testing.TB, p Params) *Params {
	var err error
	p.Metrics, err = p.Select(nil, DefaultArguments())
	require.NoError(b, err)
	return &p
}

// bounded selects the metrics of bounded curves, in as many bins as the
// configuration has unless it says otherwise.
func bounded(b testing.TB, p Params) *Params {
	p.Curves, p.CurveBins = BoundedCurves, 4096
	return curveParams(b, p)
}

// rate reports rows, and values (one for each label of a row), per second.
func rate(b *testing.B, rows, labels int) {
	perSecond := float64(b.N) * float64(rows) / b.Elapsed().Seconds()
	b.ReportMetric(perSecond/1e6, "Mrows/s")
	b.ReportMetric(perSecond*float64(labels)/1e6, "Mvalues/s")
}

func BenchmarkFold(b *testing.B) {
	for name, c := range benchmarkCases(b) {
		batch, rows := realistic(source(1), c.params, c.weighted), AllRows(nil, benchmarkRows)
		b.Run(name, func(b *testing.B) {
			partial := folded(b, c.params, batch)
			b.ReportAllocs()
			for b.Loop() {
				partial.Fold(batch, rows)
			}
			rate(b, batch.Rows, batch.Labels)
		})
	}
}

func BenchmarkFoldStatistic(b *testing.B) {
	for name, c := range benchmarkCases(b) {
		batch, rows := realistic(source(1), c.params, c.weighted), AllRows(nil, benchmarkRows)
		all := folded(b, c.params, batch)
		c.params.SpreadOf = []string{"ndcg", "ndcg@10", "map", "mrr", "recall@10"}
		spread, err := c.params.NewSpread()
		require.NoError(b, err)
		spread.Fold(batch, rows)
		for k, s := range spread.stats {
			if s != nil {
				all.stats[k] = s
			}
		}
		for k, s := range all.stats {
			if s == nil {
				continue
			}
			b.Run(name+"/"+statistics[k].name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					s.Fold(batch, rows)
				}
				rate(b, batch.Rows, batch.Labels)
			})
		}
	}
}

// BenchmarkLabelRanking folds all ranking measures together.
func BenchmarkLabelRanking(b *testing.B) {
	for _, c := range []struct {
		name   string
		labels int
		share  float64 // of labels that are true
		levels int     // of scores, if they are few
	}{
		{"20 labels", 20, 0.1, 0},
		{"20 labels, half of them true", 20, 0.5, 0},
		{"20 labels, ties", 20, 0.1, 4},
		{"1000 labels", 1000, 0.005, 0},
		{"1000 labels, half of them true", 1000, 0.5, 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := source(3)
			p := params(b, Multilabel, c.labels, Probability)
			s := statistics[kindMeans].empty(p)
			batch, rows := &Batch{Rows: benchmarkRows, Labels: c.labels}, AllRows(nil, benchmarkRows)
			batch.Score = fill(benchmarkRows*c.labels, func() float64 {
				if c.levels > 0 {
					return float64(r.IntN(c.levels))
				}
				return r.Float64()
			})
			batch.Truth = fill(len(batch.Score), func() bool { return r.Float64() < c.share })
			b.ReportAllocs()
			for b.Loop() {
				s.Fold(batch, rows)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchmarkRows, "ns/row")
		})
	}
}

func BenchmarkComplete(b *testing.B) {
	for name, c := range benchmarkCases(b) {
		if c.params.ScoreType != Logit && c.params.Task != Multiclass {
			continue
		}
		batch := realistic(source(1), c.params, c.weighted)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				batch.Complete(c.params.Task)
			}
			rate(b, batch.Rows, batch.Labels)
		})
	}
}

func BenchmarkPartial(b *testing.B) {
	for name, c := range benchmarkCases(b) {
		partial := folded(b, c.params, realistic(source(1), c.params, c.weighted))
		data := partial.Append(nil)
		b.Run(name+"/Merge", func(b *testing.B) {
			sum := new(Partial)
			b.ReportAllocs()
			for b.Loop() {
				sum.Merge(partial)
			}
		})
		b.Run(name+"/Append", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				data = partial.Append(data[:0])
			}
			b.ReportMetric(float64(len(data)), "bytes")
		})
		b.Run(name+"/DecodePartial", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := DecodePartial(data)
				require.NoError(b, err)
			}
		})
		b.Run(name+"/New", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := c.params.New()
				require.NoError(b, err)
			}
		})
		b.Run(name+"/Evaluate", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := c.params.Evaluate(partial, Options{PerLabel: everyLabel})
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkTrace traces a range that has all scores of a label.
func BenchmarkTrace(b *testing.B) {
	for name, p := range map[string]*Params{
		"binary":     curveParams(b, Params{Task: Binary, Scores: true, Curves: ExactCurves}),
		"multiclass": curveParams(b, Params{Task: Multiclass, Labels: 10, Scores: true, Curves: ExactCurves}),
		"regression": curveParams(b, Params{Task: Regression, Curves: ExactCurves}),
	} {
		batch := realistic(source(1), p, true)
		ranges := rangesOf(b, p, batch, 0, parts(source(1), batch.Rows, 4), 1)
		plan, err := p.CurvePlan()
		require.NoError(b, err)
		var collector Collector
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s := curves.Tracer{Tags: p.classTags(), Totals: make([]scoreruns.Totals, 1)}
				require.NoError(b, collector.Collect(plan, 0, &s, []scoreruns.Totals{ranges[0].totals}, nil, sorted(b, p, ranges[0].runs)))
			}
			rate(b, batch.Rows, 1)
		})
	}
}

// TestFoldingAllocatesNothing holds once every cell is there.
func TestFoldingAllocatesNothing(t *testing.T) {
	for name, c := range benchmarkCases(t) {
		batch, rows := realistic(source(1), c.params, c.weighted), AllRows(nil, benchmarkRows)
		partial := folded(t, c.params, batch)
		for range 10 { // so that buffers have grown, too
			partial.Fold(batch, rows)
		}
		require.Zero(t, testing.AllocsPerRun(5, func() { partial.Fold(batch, rows) }), name)
	}
}
