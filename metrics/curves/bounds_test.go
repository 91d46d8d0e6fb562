package curves

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// everyArea lists the areas, in one order.
var everyArea = []Area{ROCAUC, ROCAUCOptimistic, ROCAUCPessimistic, Gini, AveragePrecision, PRAUC, PRAUCInterpolated}

func (a *Accumulator) areas() (list []Value) {
	for _, m := range everyArea {
		list = append(list, a.Area(m))
	}
	return list
}

func (b *Bounds) areas() (list []Interval) {
	for _, m := range everyArea {
		list = append(list, b.Area(m))
	}
	return list
}

// areas computes them from all pairs and all thresholds.
func (v *naive) areas() []float64 {
	return []float64{v.auc(0.5), v.auc(1), v.auc(0), 2*v.auc(0.5) - 1, v.averagePrecision(), v.prAUC(), v.interpolatedPRAUC()}
}

// contains checks that an interval holds a value and its own number.
func contains(t *testing.T, v Interval, exactly float64, text ...any) {
	t.Helper()
	if !(v.Low <= min(exactly, v.Number) && max(exactly, v.Number) <= v.High) {
		require.Fail(t, fmt.Sprintf("%v does not contain %v", v, exactly), text...)
	}
}

func TestIntervalsContainTheExactValues(t *testing.T) {
	t.Parallel()
	inexact := 0
	for seed := range uint64(10_000) {
		r := source(seed)
		s := drawSample(r, 1+r.IntN(24))
		h := folded(1+r.IntN(6), s, s.rows())
		b := h.Bounds(everyCriterion...)
		if !isExact(h) {
			inexact++
		}
		points, totals := s.points()
		a, v := accumulated(points, totals), newNaive(s)
		exactly, byDefinition := a.areas(), v.areas()
		for i, interval := range b.areas() {
			want := exactly[i]
			require.Equal(t, want.Undefined, interval.Undefined)
			if want.Undefined != "" {
				require.True(t, math.IsNaN(interval.Low) && math.IsNaN(interval.High))
				continue
			}
			contains(t, interval, want.Number, "seed %d area %d", seed, i)
			interval.Low -= 1e-14 // the definitions round, too
			interval.High += 1e-14
			contains(t, interval, byDefinition[i], "seed %d area %d", seed, i)
		}
		for _, c := range everyCriterion {
			want, interval := a.Operating(c).Value, b.Operating(c)
			require.Equal(t, want.Undefined, interval.Undefined, "seed %d %v", seed, c)
			if want.Undefined == "" {
				contains(t, interval, want.Number, "seed %d %v", seed, c)
			}
		}
	}
	require.Greater(t, inexact, 3000)
}

// TestIntervalsAreNarrow: with 1000 bins, intervals are narrow.
func TestIntervalsAreNarrow(t *testing.T) {
	r := source(1)
	s := new(sample)
	for range 20_000 {
		score := r.Float64()
		s.scores = append(s.scores, score)
		s.positive = append(s.positive, r.Float64() < score)
	}
	b := folded(1000, s, s.rows()).Bounds(everyCriterion...)
	for i, interval := range b.areas() {
		require.Less(t, interval.High-interval.Low, 0.01, "%d", i)
	}
	for _, c := range everyCriterion {
		if v := b.Operating(c); c.At != 0 && c.At != 1 {
			require.Less(t, v.High-v.Low, 0.05, "%v", c)
		}
	}
}

func TestThresholdsHaveTheirValues(t *testing.T) {
	r := source(2)
	s := new(sample)
	for range 300 {
		s.scores = append(s.scores, r.NormFloat64())
		s.positive = append(s.positive, r.NormFloat64() < s.scores[len(s.scores)-1])
	}
	b := folded(20, s, s.rows()).Bounds(everyCriterion...)
	v := newNaive(s)
	tp, fp := v.at(b.Threshold(Criterion{Youden, 0}).Number)
	agree(t, b.Operating(Criterion{Youden, 0}).Number, tp/v.positives-fp/v.negatives)
	tp, fp = v.at(b.Threshold(Criterion{FBeta, 1}).Number)
	agree(t, b.Operating(Criterion{FBeta, 1}).Number, 2*tp/(tp+fp+v.positives))
}

// TestBoundsAreAttained: with a single bin, the best and the worst order of the examples reach the
// ends of the interval, except for rounding.
func TestBoundsAreAttained(t *testing.T) {
	one := NewHistogram(1)
	s := &sample{scores: []float64{1, 2, 3, 4}, positive: []bool{true, false, true, false}}
	s.addTo(one, s.rows())
	b := one.Bounds(everyCriterion...)
	require.InDelta(t, 0, b.Area(ROCAUC).Low, 2*slack)
	require.InDelta(t, 1, b.Area(ROCAUC).High, 2*slack)
	require.InDelta(t, 0.25, b.Area(AveragePrecision).Low, 2*slack) // (0 + 1/2)/2
	require.InDelta(t, 1, b.Area(AveragePrecision).High, 2*slack)
	require.InDelta(t, 0.25, b.Area(PRAUC).Low, 2*slack) // negatives, then tied positives
	require.Equal(t, 1.0, b.Operating(Criterion{KolmogorovSmirnov, 0}).High)
	require.Equal(t, notLookedFor, b.Operating(Criterion{FBeta, 9}).Undefined)
}
