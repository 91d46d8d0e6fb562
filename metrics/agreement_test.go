package metrics

import (
	"math"
	"math/big"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// cell weights of a confusion matrix, and how often each was counted.
type weightedCell struct {
	truth, predicted int
	weight           float64
	times            int64
}

func confusionOf(classes int, list []weightedCell) *confusion {
	s := &confusion{classes: classes}
	for _, c := range list {
		tally := s.Value(uint64(c.truth*classes + c.predicted))
		if c.weight == 1 {
			tally.AddOnes(c.times)
			continue
		}
		for range c.times {
			tally.Add(c.weight)
		}
	}
	return s
}

// rationalAgreement computes MCC and the kappas from their textbook
// definitions, in rational numbers.
func rationalAgreement(classes int, list []weightedCell) (mcc, kappa, linear, quadratic float64) {
	matrix := make([][]*big.Rat, classes)
	for i := range matrix {
		matrix[i] = fill(classes, func() *big.Rat { return new(big.Rat) })
	}
	truth, predicted := fill(classes, func() *big.Rat { return new(big.Rat) }), fill(classes, func() *big.Rat { return new(big.Rat) })
	n, correct := new(big.Rat), new(big.Rat)
	mul := func(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }
	for _, c := range list {
		w := mul(new(big.Rat).SetFloat64(c.weight), big.NewRat(c.times, 1))
		for _, sum := range []*big.Rat{matrix[c.truth][c.predicted], truth[c.truth], predicted[c.predicted], n} {
			sum.Add(sum, w)
		}
		if c.truth == c.predicted {
			correct.Add(correct, w)
		}
	}
	of := func(cost func(d int64) int64) float64 {
		observed, chance := new(big.Rat), new(big.Rat)
		for i := range classes {
			for j := range classes {
				c := big.NewRat(cost(int64(i-j)), 1)
				observed.Add(observed, mul(c, matrix[i][j]))
				chance.Add(chance, mul(c, mul(truth[i], predicted[j])))
			}
		}
		v, _ := new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).Quo(mul(observed, n), chance)).Float64()
		return v
	}
	covariance, tt, pp := mul(correct, n), mul(n, n), mul(n, n)
	for k := range classes {
		covariance.Sub(covariance, mul(truth[k], predicted[k]))
		tt.Sub(tt, mul(truth[k], truth[k]))
		pp.Sub(pp, mul(predicted[k], predicted[k]))
	}
	high := func(x *big.Rat) *big.Float { return new(big.Float).SetPrec(400).SetRat(x) }
	den := new(big.Float).Sqrt(high(mul(tt, pp)))
	mcc, _ = new(big.Float).Quo(high(covariance), den).Float64()
	abs := func(d int64) int64 { return max(d, -d) }
	return mcc, of(func(d int64) int64 { return min(abs(d), 1) }), of(abs), of(func(d int64) int64 { return d * d })
}

func TestAgreementWhereOneClassDominates(t *testing.T) {
	const many = 1_000_000_000_000
	for name, list := range map[string][]weightedCell{
		"rare":             {{0, 0, 1, many}, {0, 1, 1, 3}, {1, 0, 1, 2}, {1, 1, 1, 1}},
		"rare, three":      {{2, 2, 1, many}, {0, 1, 1, 3}, {1, 0, 1, 2}, {2, 1, 1, 1}, {0, 0, 1, 5}},
		"rare by weight":   {{0, 0, 0.1, 1000}, {0, 1, 1e-13, 3}, {1, 0, 0.7e-13, 2}, {1, 1, 1.3e-13, 4}},
		"rare beyond 2⁻⁵³": {{0, 0, 0.1, 10}, {0, 1, 1e-30, 3}, {1, 0, 3e-30, 2}, {1, 1, 1e-29, 4}, {2, 1, 1e-31, 1}},
		"lopsided":         {{0, 0, 0.3, 50}, {1, 0, 0.3, 49}, {1, 1, 1e-12, 2}, {0, 1, 1e-13, 1}},
		"weighted":         {{0, 0, 0.3, 5}, {1, 0, 0.1, 4}, {1, 1, 2.5, 2}, {0, 2, 1.7, 1}, {2, 2, 0.2, 7}},
		"near the largest": {{0, 2, 1e308, 1}, {1, 1, 1, 1}, {0, 0, 1e307, 3}},
		"all wrong":        {{0, 1, 1, 4}, {1, 2, 1, 5}, {2, 0, 1, 6}},
	} {
		t.Run(name, func(t *testing.T) {
			const classes = 3
			s := confusionOf(classes, list)
			m := s.margins()
			mcc, kappa, linear, quadratic := rationalAgreement(classes, list)
			near(t, mcc, multiclassMCC(s, m).Number, "mcc")
			// A kappa is 1 - x, rounded when x is.
			require.InDelta(t, kappa, cohenKappa(s, m).Number, 4*machineEpsilon*max(1, math.Abs(kappa)), "kappa")
			require.InDelta(t, linear, linearKappa(s, m).Number, 4*machineEpsilon*max(1, math.Abs(linear)), "linear")
			require.InDelta(t, quadratic, quadraticKappa(s, m).Number, 4*machineEpsilon*max(1, math.Abs(quadratic)), "quadratic")
		})
	}
}

func TestBinaryMCCWhereOneClassDominates(t *testing.T) {
	list := []weightedCell{{0, 0, 1, 1_000_000_000_000}, {0, 1, 1, 4}, {1, 0, 1, 3}, {1, 1, 1, 5}}
	want, _, _, _ := rationalAgreement(2, list)
	near(t, want, mcc(Counts{TP: 5, FP: 4, FN: 3, TN: 1_000_000_000_000}).Number)
}

// Only the shares of the counts matter.
func TestBinaryAgreementOfLargeAndSmallWeights(t *testing.T) {
	for _, c := range []Counts{{TP: 5, FP: 4, FN: 3, TN: 7}, {TP: 2, TN: 3}, {TP: 1, FP: 1, FN: 1, TN: 1}, {FP: 3, FN: 5}} {
		for _, power := range []int{-1000, -601, -1, 1, 600, 1000} {
			scaled := Counts{TP: math.Ldexp(c.TP, power), FP: math.Ldexp(c.FP, power), FN: math.Ldexp(c.FN, power), TN: math.Ldexp(c.TN, power)}
			near(t, mcc(c).Number, mcc(scaled).Number, scaled)
			want, got := diagnosticOddsRatio(c), diagnosticOddsRatio(scaled)
			if want.Undefined == "" {
				near(t, want.Number, got.Number, scaled)
			}
			require.Equal(t, want.Undefined, got.Undefined, "%v", scaled)
		}
	}
}

func TestAgreementOfOneClass(t *testing.T) {
	p := params(t, Multiclass, 3, RawScore)
	of := func(truth, predicted int32) map[key]Result {
		b := &Batch{Rows: 2, Labels: 3, Class: []int32{truth, truth}, Predicted: []int32{predicted, predicted}, Weight: []float64{0.1, 7}}
		return evaluated(t, p, b, Options{})
	}
	same := of(1, 1)
	for _, name := range []string{"cohen_kappa", "cohen_kappa_linear", "cohen_kappa_quadratic"} {
		require.Equal(t, chanceAgreement, same[key{name, -1}].Undefined, name)
		require.Zero(t, of(0, 2)[key{name, -1}].Number, name)
	}
	require.Equal(t, Value{Undefined: oneClass}, same[key{"mcc", -1}].Value)
	require.Equal(t, defined(1), same[key{"balanced_accuracy", -1}].Value)
}

// TestManyClasses bounds what a large label set costs.
func TestManyClasses(t *testing.T) {
	const classes, rows = 10_000, 20_000
	r := source(1)
	class := func() int32 { return int32(r.IntN(classes)) }
	draw := map[Task]*Batch{
		Multiclass: {Class: fill(rows, class), Predicted: fill(rows, class)},
		Multilabel: {True: drawSets(r, rows, classes), PredictedSet: drawSets(r, rows, classes)},
	}
	for task, b := range draw {
		t.Run(task.String(), func(t *testing.T) {
			b.Rows, b.Labels, b.Weight = rows, classes, fill(rows, r.Float64)
			p := params(t, task, classes, RawScore)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			partial := folded(t, p, b)
			data := partial.Append(nil)
			list, err := p.Evaluate(partial, Options{PerLabel: everyLabel})
			require.NoError(t, err)
			runtime.ReadMemStats(&after)
			require.Greater(t, len(list), classes)
			require.Less(t, len(data), 5<<20)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(400<<20))
			t.Logf("%d rows: %d bytes, %d MB allocated", len(list), len(data), (after.TotalAlloc-before.TotalAlloc)>>20)
		})
	}
}
