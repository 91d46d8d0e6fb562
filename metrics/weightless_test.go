package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// countsOfRows are the metrics that count rows of weight 0, too, and what they are counted in: the list in
// docs/metrics.md.
var countsOfRows = map[string]Task{"queries": Ranking, "queries_without_relevant": Ranking, "ndcg_micro": Multilabel}

// weighed gives every row of a batch a positive weight, and returns the batch with further rows of weight 0.
func weighed(r *rand.Rand, p *Params, n int) (b *Batch, with []int32) {
	b = drawBatch(r, p, 2*n+r.IntN(3))
	if p.Task == Regression && p.Curving() { // no curve has residuals that are NaN
		b.Target, b.Estimate = fill(b.Rows, r.NormFloat64), fill(b.Rows, r.NormFloat64)
	}
	draw := pick(r, func() float64 { return 1 }, func() float64 { return 0.1 + r.Float64() })
	b.Weight = fill(b.Rows, draw)
	for _, row := range r.Perm(b.Rows) {
		if len(with) < n {
			with = append(with, int32(row))
		} else {
			b.Weight[row] = 0
		}
	}
	slices.Sort(with)
	return b, with
}

// TestRowsOfNoWeight: rows of weight 0 leave nothing but counts of rows: results are those without them.
func TestRowsOfNoWeight(t *testing.T) {
	for i, c := range lawCases {
		if c.Labels > 1000 {
			continue
		}
		for _, mode := range []CurveMode{NoCurves, ExactCurves, BoundedCurves} {
			p := c
			p.Quantiles = mode == ExactCurves && i%2 == 0
			p.ScoreHistograms = true
			if p.Curves == NoCurves {
				p.Curves = mode
			}
			if p.Metrics == nil {
				p = *everyMetric(t, p)
			}
			t.Run(fmt.Sprintf("%d %s %d %s", i, p.Task, p.Labels, mode), func(t *testing.T) {
				t.Parallel()
				require.NoError(t, p.Complete())
				for seed := range uint64(6) {
					t.Logf("seed %d", seed)
					r := source(seed)
					b, with := weighed(r, &p, rowsOf(seed, &p))
					requireNoTrace(t, r, &p, b, with)
				}
			})
		}
	}
}

// requireNoTrace requires of all rows the results of those with weight.
func requireNoTrace(t *testing.T, r *rand.Rand, p *Params, b *Batch, with []int32) {
	t.Helper()
	o := Options{ZeroDivision: math.NaN(), PerLabel: everyLabel}
	less, all := collected(t, r, p, take(b, with)), collected(t, r, p, b)
	for _, part := range []struct {
		into *Partial
		of   *Batch
	}{{less, take(b, with)}, {all, b}} {
		spread, err := p.NewSpread()
		require.NoError(t, err)
		if spread != nil {
			spread.Fold(part.of, AllRows(nil, part.of.Rows))
			part.into.Merge(spread)
		}
	}
	want, err := p.Evaluate(less, o)
	require.NoError(t, err)
	got, err := p.Evaluate(all, o)
	require.NoError(t, err)
	require.Len(t, got, len(want))
	var wrong []string
	for i := range want {
		want[i].Support, got[i].Support = 0, 0
		if countsOfRows[want[i].Name]&p.Task == 0 && !sameResult(want[i], got[i]) {
			wrong = append(wrong, fmt.Sprintf("%+v\n  %+v\n", want[i], got[i]))
		}
	}
	require.Empty(t, wrong)
	requireSameBins(t, p, less, all)
	for label := range max(p.Labels, 1) {
		positive, negative := less.Positives(label)
		p, n := all.Positives(label)
		require.Equal(t, []int64{positive, negative}, []int64{p, n}, "a fold without weight has neither positives nor negatives")
	}
}

// requireSameBins requires that histograms have the same bins of the same weight.
func requireSameBins(t *testing.T, p *Params, less, all *Partial) {
	t.Helper()
	bins := func(of *Partial) (list []string) {
		for _, h := range p.ScoreHistogramsOf(of, []*Partial{of}) {
			for _, bin := range h.Bins {
				list = append(list, fmt.Sprintln(h.Name, h.Label, bin.From, bin.To, bin.Weight))
			}
			list = append(list, fmt.Sprint(h.Folds))
		}
		for _, h := range p.Histograms(of) {
			list = append(list, fmt.Sprint(h))
		}
		return list
	}
	require.Equal(t, bins(less), bins(all))
}

// sameResult compares results bit by bit.
func sameResult(a, b Result) bool {
	text := func(r Result) string {
		gaps := fmt.Sprint(r.Gaps)
		if r.Gaps != nil {
			gaps = fmt.Sprint(*r.Gaps)
		}
		r.Gaps = nil
		return fmt.Sprintf("%b %+v %s", r.Number, r, gaps)
	}
	return text(a) == text(b)
}
