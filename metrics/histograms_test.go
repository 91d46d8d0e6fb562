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

// Bins of many values have all of them, and those of residuals are not widened by an outlier.
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
			for row := range int32(b.Rows) {
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
	none, err := params(t, Binary, 0, Probability).NewSpread()
	require.NoError(t, err)
	require.Empty(t, none.Append(nil))
}
