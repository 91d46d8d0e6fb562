package curves

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

// agree compares numbers, allowing for the rounding of sums of some hundred terms.
func agree(t *testing.T, want, got float64, text ...any) {
	t.Helper()
	if math.IsInf(want, 0) {
		require.Equal(t, want, got, text...)
		return
	}
	require.InDelta(t, want, got, 1e-12*max(1, math.Abs(want)), text...)
}

func TestMeasuresAgreeWithTheirDefinitions(t *testing.T) {
	for seed := range uint64(800) {
		s := drawSample(source(seed), 1+int(seed%40))
		points, totals := s.points()
		a, v := accumulated(points, totals), newNaive(s)
		if totals.Positives == 0 {
			for _, m := range []Value{a.Area(ROCAUC), a.Area(AveragePrecision), a.Area(PRAUC), a.Area(PRAUCInterpolated), a.Operating(everyCriterion[2]).Value} {
				require.Equal(t, noPositives, m.Undefined)
				require.True(t, math.IsNaN(m.Number))
			}
			continue
		}
		agree(t, v.averagePrecision(), a.Area(AveragePrecision).Number, "seed %d", seed)
		agree(t, v.prAUC(), a.Area(PRAUC).Number, "seed %d", seed)
		agree(t, v.interpolatedPRAUC(), a.Area(PRAUCInterpolated).Number, "seed %d", seed)
		if totals.Negatives == 0 {
			require.Equal(t, defined(1), a.Area(AveragePrecision))
			require.Equal(t, defined(1), a.Area(PRAUC))
			require.Equal(t, defined(1), a.Area(PRAUCInterpolated))
			for _, m := range []Value{
				a.Area(ROCAUC), a.Area(ROCAUCOptimistic), a.Area(ROCAUCPessimistic), a.Area(Gini),
				a.Operating(everyCriterion[0]).Value, a.Operating(everyCriterion[1]).Threshold,
			} {
				require.Equal(t, noNegatives, m.Undefined)
			}
		} else {
			agree(t, v.auc(0.5), a.Area(ROCAUC).Number, "seed %d", seed)
			agree(t, v.auc(1), a.Area(ROCAUCOptimistic).Number, "seed %d", seed)
			agree(t, v.auc(0), a.Area(ROCAUCPessimistic).Number, "seed %d", seed)
			agree(t, 2*v.auc(0.5)-1, a.Area(Gini).Number, "seed %d", seed)
		}
		for _, c := range everyCriterion {
			if c.needsNegatives() && totals.Negatives == 0 {
				continue
			}
			value, threshold := v.operating(c)
			got := a.Operating(c)
			agree(t, value, got.Value.Number, "seed %d %v", seed, c)
			if c.hasArea() {
				require.Equal(t, noThreshold, got.Threshold.Undefined)
			} else if math.IsNaN(threshold) {
				require.Equal(t, onlyWithout, got.Threshold.Undefined, "seed %d %v", seed, c)
			} else if s.weights == nil { // otherwise rounding decides between equals
				require.Equal(t, threshold, got.Threshold.Number, "seed %d %v", seed, c)
			}
		}
	}
}

func TestCutsDoNotMatter(t *testing.T) {
	for seed := range uint64(300) {
		r := source(seed)
		s := drawSample(r, r.IntN(60))
		points, totals := s.points()
		whole := accumulated(points, totals)
		want := encode(whole)

		ends := cuts(r, len(points))
		merged := new(Accumulator)
		one := New(totals, everyCriterion...).Interpolating() // goes through the ranges itself
		for _, i := range r.Perm(len(ends) - 1) {
			part := New(totals, everyCriterion...).Interpolating()
			part.MoveTo(before(points, ends[i]))
			one.MoveTo(before(points, ends[i]))
			list := movingOf(before(points, ends[i]), points[ends[i]:ends[i+1]])
			part.Add(list, false)
			one.Add(list, false)
			if r.IntN(2) == 0 {
				part = throughBytes(t, part)
			}
			bytes := encode(part)
			if r.IntN(2) == 0 {
				require.NoError(t, merge(merged, part))
			} else {
				left := new(Accumulator)
				require.NoError(t, merge(left, part))
				require.NoError(t, merge(left, merged))
				merged = left
			}
			require.Equal(t, bytes, encode(part), "merging changed its argument")
		}
		require.Equal(t, want, encode(merged))
		require.Equal(t, want, encode(one))
		for _, c := range everyCriterion {
			x, y := whole.Operating(c), merged.Operating(c)
			require.Equal(t, x.Value.Undefined, y.Value.Undefined)
			require.Equal(t, math.Float64bits(x.Value.Number), math.Float64bits(y.Value.Number))
			require.Equal(t, math.Float64bits(x.Threshold.Number), math.Float64bits(y.Threshold.Number))
		}
		// The neutral element, and sharing nothing.
		require.NoError(t, merge(merged, new(Accumulator)))
		require.NoError(t, merge(merged, New(totals, everyCriterion...)))
		require.Equal(t, want, encode(merged))
		require.NoError(t, merge(merged, merged))
		require.Equal(t, want, encode(whole))
	}
}

func TestEqualPointsGiveTheHighestThreshold(t *testing.T) {
	// TPR - FPR is 1/3 at 0.9, 0.5 and 0.4; 1/3 has no float64.
	points := []Point{{0.9, 1, 0}, {0.8, 1, 1}, {0.5, 2, 1}, {0.4, 3, 2}, {0.1, 3, 3}}
	a := accumulated(points, Totals{3, 3})
	require.Equal(t, Operating{defined(1.0 / 3), defined(0.9)}, a.Operating(Criterion{Youden, 0}))
	require.Equal(t, Operating{defined(1.0 / 3), defined(0.9)}, a.Operating(Criterion{KolmogorovSmirnov, 0}))
	require.Equal(t, Operating{defined(0.4), defined(0.4)}, a.Operating(Criterion{ThresholdAtRecall, 1}))
	b := New(Totals{3, 3}, Criterion{Youden, 0})
	for i := len(points) - 1; i >= 0; i-- {
		b.MoveTo(before(points, i))
		b.Add(points[i:i+1], true)
	}
	require.Equal(t, a.Operating(Criterion{Youden, 0}), b.Operating(Criterion{Youden, 0}))
}

func TestDifferencesOfProductsAreAccurate(t *testing.T) {
	r := source(1)
	for range 1000 {
		a, b := float64(r.Int64N(1<<53)), float64(r.Int64N(1<<53))
		c, d := a+float64(r.IntN(9)), b-float64(r.IntN(9)) // products that nearly cancel
		exactly := new(big.Float).SetPrec(200).Mul(big.NewFloat(a), big.NewFloat(b))
		exactly.Sub(exactly, new(big.Float).SetPrec(200).Mul(big.NewFloat(c), big.NewFloat(d)))
		want, _ := exactly.Float64()
		require.InDelta(t, want, differenceOfProducts(a, b, c, d), math.Abs(want)*0x1p-51)
	}
}

func TestWhatNoThresholdMeets(t *testing.T) {
	a := New(Totals{1, 1}, Criterion{RecallAtPrecision, 0.9}, Criterion{PrecisionAtRecall, 1.5}, Criterion{PrecisionAtRecall, 0}, Criterion{FBeta, math.Inf(1)})
	a.Add([]Point{{2, 0, 1}, {1, 1, 1}}, true)
	at := a.Operating(Criterion{RecallAtPrecision, 0.9})
	require.Equal(t, defined(0), at.Value)
	require.Equal(t, onlyWithout, at.Threshold.Undefined)
	at = a.Operating(Criterion{PrecisionAtRecall, 0})
	require.Equal(t, defined(1), at.Value)
	require.Equal(t, onlyWithout, at.Threshold.Undefined)
	require.Equal(t, noPoint, a.Operating(Criterion{PrecisionAtRecall, 1.5}).Value.Undefined)
	require.Equal(t, noPoint, a.Operating(Criterion{FBeta, math.Inf(1)}).Value.Undefined)
	require.Equal(t, notLookedFor, a.Operating(Criterion{FBeta, 7}).Value.Undefined)
	require.Equal(t, noPoint, New(Totals{1, 1}, Criterion{99, 0}).Operating(Criterion{99, 0}).Value.Undefined)
}

func TestWeightsOfAnySize(t *testing.T) {
	for _, size := range []float64{0x1p-1070, 0x1p-990, 1, 0x1p1020} {
		a := New(Totals{4 * size, 4 * size}, everyCriterion...)
		for _, p := range []Point{{4, 2, 0}, {3, 3, 1}, {2, 3, 3}, {1, 4, 4}} {
			a.Add([]Point{{p.Score, p.TP * size, p.FP * size}}, false)
		}
		require.Equal(t, defined(0.75), a.Area(ROCAUC), "%v", size)
		require.Equal(t, defined(0.5), a.Operating(Criterion{Youden, 0}).Value)
		require.Equal(t, defined(0.8125), a.Area(AveragePrecision))
	}
	for _, totals := range []Totals{{math.Inf(1), 1}, {math.MaxFloat64, math.MaxFloat64}, {-1, 1}, {1, math.NaN()}} {
		a := accumulated([]Point{{1, totals.Positives, totals.Negatives}}, totals)
		require.Equal(t, tooLarge, a.Area(ROCAUC).Undefined)
		require.Equal(t, tooLarge, a.Area(PRAUC).Undefined)
		require.Equal(t, tooLarge, a.Operating(everyCriterion[0]).Value.Undefined)
	}
}

func TestMergingOtherCurvesIsRefused(t *testing.T) {
	a := New(Totals{1, 2}, everyCriterion...)
	require.ErrorIs(t, merge(a, New(Totals{1, 3}, everyCriterion...)), errDifferent)
	require.ErrorIs(t, merge(a, New(Totals{1, 2})), errDifferent)
}

func BenchmarkAdd(b *testing.B) {
	points, totals := drawCurve(source(1), 1<<16)
	points = moving(Point{}, points)
	for _, n := range []int{0, 3, len(everyCriterion)} {
		for _, whole := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d criteria/whole %t", n, whole), func(b *testing.B) {
				a := New(totals, everyCriterion[:n]...)
				for b.Loop() {
					a.MoveTo(Point{})
					a.Add(points, whole)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(points)), "ns/point")
			})
		}
	}
}
