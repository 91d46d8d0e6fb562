package metrics

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/confidence"
)

var full = flag.Bool("full", false, "simulate more samples")

// sharesOf returns gain@share of binormal scores, and its value without each of 50 groups of rows.
func sharesOf(r *rand.Rand, p *Params, n int) (all Result, without [][]Result) {
	const groups = 50
	b := &Batch{Rows: n, Labels: 1, Class: make([]int32, n), Score: make([]float64, n)}
	for i := range n {
		b.Class[i] = int32(oneIf(r.IntN(5) == 0))
		b.Score[i] = float64(b.Class[i]) + r.NormFloat64()
	}
	finish(b, Binary)
	parts := make([]*Partial, groups)
	for g := range parts {
		parts[g], _ = p.New()
	}
	rows := AllRows(nil, n)
	for i, place := range r.Perm(n) {
		parts[i%groups].Fold(b, rows[place:place+1])
	}
	_ = LeaveOneOut(parts, nil, func(_ int, other *Partial) error {
		results, err := p.Evaluate(other, Options{})
		without = append(without, results)
		return err
	})
	whole := new(Partial)
	for _, part := range parts {
		whole.Merge(part)
	}
	results, _ := p.Evaluate(whole, Options{})
	return results[0], without
}

// TestSharesOfFewRows: intervals of gain cover the true value too seldom where the share holds few rows, and
// are left out there.
func TestSharesOfFewRows(t *testing.T) {
	t.Parallel()
	draws, least := 40, 0.8
	if *full {
		draws, least = 2000, 0.93
	}
	for _, c := range []struct {
		share float64
		rows  int
	}{{0.01, 500}, {0.02, 500}, {0.04, 500}, {0.1, 500}} {
		t.Run(fmt.Sprintf("%g of %d", c.share, c.rows), func(t *testing.T) {
			t.Parallel()
			p := &Params{Task: Binary, Scores: true, ScoreType: RawScore, Curves: BoundedCurves, CurveBins: 1 << 14, Metrics: []string{fmt.Sprintf("gain@%g", c.share)}}
			r := source(99)
			large, _ := sharesOf(r, p, 100_000)
			covered := 0
			for range draws {
				all, without := sharesOf(r, p, c.rows)
				i := p.Intervals(IntervalOptions{Level: 0.95, Rows: math.MaxInt64}, []Result{all}, without)[0]
				covered += oneIf(i.Low <= large.Number && large.Number <= i.High)
				i = p.Intervals(IntervalOptions{Level: 0.95, Rows: int64(c.rows)}, []Result{all}, without)[0]
				few := c.share*float64(c.rows) < 20
				require.Equal(t, few, i.NoInterval == confidence.FewRowsOfShare, i)
			}
			t.Logf("the share holds %g rows: intervals cover %.1f %%", c.share*float64(c.rows), 100*float64(covered)/float64(draws))
			if c.share*float64(c.rows) >= 20 {
				require.Greater(t, float64(covered), least*float64(draws))
			}
		})
	}
}
