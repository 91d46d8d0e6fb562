package metrics

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/curves"
)

// FuzzDecodePartial feeds arbitrary bytes to everything that a runner's bytes
// go through. Nothing may panic, or take memory that neither the bytes nor the
// parameters account for.
func FuzzDecodePartial(f *testing.F) {
	var all []*Params
	for _, n := range taskNames {
		for _, score := range []ScoreType{Probability, Logit} {
			p := params(f, n.task, 3, score)
			p.SpreadOf = []string{"ndcg"}
			p.LabelPairs = p.Task&(Multiclass|Multilabel) != 0
			all = append(all, p)
			for seed := range uint64(3) {
				b := drawBatch(source(seed), p, int(2*seed))
				partial := folded(f, p, b)
				f.Add(partial.Append(nil))
				spread, err := p.NewSpread()
				require.NoError(f, err)
				spread.Fold(b, AllRows(nil, b.Rows))
				partial.Merge(spread)
				f.Add(partial.Append(nil))
			}
		}
	}
	for i, p := range append(curveCases(f), boundedCases(f, 5)...) {
		if p.Task != Regression {
			p.CurveLines, p.Tuning = 20, &curves.Criterion{Objective: curves.FBeta, At: 1}
		}
		all = append(all, p)
		r := source(uint64(i))
		b := curveBatch(r, p, i%5)
		if p.Curves == BoundedCurves {
			f.Add(folded(f, p, b).Append(nil))
		} else {
			f.Add(collected(f, r, p, b).Append(nil))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		partial, err := DecodePartial(data)
		if err == nil {
			exercise(t, partial, all)
		}
		runtime.ReadMemStats(&after)
		// Evaluating the seeds takes some megabytes, whatever they hold.
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<26+4096*len(data)))
	})
}

// exercise does with a decoded partial whatever a pipeline might.
func exercise(t *testing.T, partial *Partial, all []*Params) {
	encoded := partial.Append(nil)
	again, err := DecodePartial(encoded)
	require.NoError(t, err, "what was decoded does not encode")
	require.Equal(t, encoded, again.Append(nil), "encoding is not canonical")

	sum := new(Partial)
	sum.Merge(partial)
	require.Equal(t, encoded, sum.Append(nil), "merging into nothing")
	partial.Examples()
	for _, p := range all {
		// The partial may hold statistics of other parameters: an error, no panic.
		rows, err := p.Evaluate(partial, Options{PerLabel: everyLabel})
		if err == nil {
			require.NotEmpty(t, rows)
		}
		p.Confusion(partial, Options{PerLabel: everyLabel})
		p.LabelPairsOf(partial, 5)
		p.Drawings(partial, Options{PerLabel: everyLabel}, 1)
		p.ConsistencyBand(partial)
		for _, h := range p.Histograms(partial) {
			require.NotEmpty(t, h.Name)
		}
		if p.Tuning != nil {
			p.Thresholds(partial)
		}
		for _, r := range rows {
			require.False(t, math.IsNaN(r.Number) && r.Undefined == "", "%s is NaN for no reason", r.Name)
		}
		fresh, err := p.New()
		require.NoError(t, err)
		fresh.Merge(partial)
		fresh.Append(nil)
		_, _ = p.Evaluate(fresh, Options{PerLabel: everyLabel})
	}
	require.Equal(t, encoded, partial.Append(nil), "evaluating changed the partial")
	sum.Merge(sum)
	sum.Merge(partial)
	sum.Append(nil)
	sum.Reset()
	sum.Append(nil)
}

// FuzzNames looks names of metrics up. A name that stands for metrics of a task stands for the same
// metrics under their own names.
func FuzzNames(f *testing.F) {
	for _, name := range []string{"f1", "f0.5_macro", "precision@3", "recall_at_fpr@0.01", "pinball@1e-9", "ndcg@", "f", "f1e400", "rbp@-0", "ndcg@99999999999999999999", "tpr", "mean_cost", "best@3_cost", "quantile@1e400_cost", "pass^2_timed_out"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for _, n := range taskNames {
			list, err := find(n.task, name, DefaultArguments())
			require.True(t, err != nil || len(list) > 0)
			for _, c := range list {
				again, err := find(n.task, c.full, DefaultArguments())
				require.NoError(t, err)
				require.Len(t, again, 1)
				require.Equal(t, c.full, again[0].full)
			}
			_ = Definition(n.task, name)
		}
		p := Params{Task: Grading, FurtherGrades: furtherGraded}
		list, err := p.lookup(name, DefaultArguments())
		require.True(t, err != nil || len(list) > 0)
		for _, c := range list {
			again, err := p.lookup(c.full, nil)
			require.NoError(t, err)
			require.Equal(t, []string{c.full}, []string{again[0].full})
		}
		_, _ = p.Direction(name), PowerMean(Grading, name)
	})
}
