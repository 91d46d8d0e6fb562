package metrics

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// rationalRegression computes r2, explained variance and Pearson's r from
// their textbook definitions, in rational numbers.
func rationalRegression(b *Batch) (r2, explained, pearson float64) {
	rat := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	mul := func(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }
	sub := func(x, y *big.Rat) *big.Rat { return new(big.Rat).Sub(x, y) }
	total := func(of func(i int) *big.Rat) *big.Rat {
		sum := new(big.Rat)
		for i := range b.Rows {
			sum.Add(sum, mul(rat(b.weight(int32(i))), of(i)))
		}
		return sum
	}
	n := total(func(int) *big.Rat { return rat(1) })
	y := func(i int) *big.Rat { return rat(b.Target[i]) }
	p := func(i int) *big.Rat { return rat(b.Estimate[i]) }
	e := func(i int) *big.Rat { return sub(y(i), p(i)) }
	mean := func(of func(int) *big.Rat) *big.Rat { return new(big.Rat).Quo(total(of), n) }
	my, mp, me := mean(y), mean(p), mean(e)
	yy := total(func(i int) *big.Rat { return mul(sub(y(i), my), sub(y(i), my)) })
	pp := total(func(i int) *big.Rat { return mul(sub(p(i), mp), sub(p(i), mp)) })
	yp := total(func(i int) *big.Rat { return mul(sub(y(i), my), sub(p(i), mp)) })
	ee := total(func(i int) *big.Rat { return mul(sub(e(i), me), sub(e(i), me)) })
	left := total(func(i int) *big.Rat { return mul(e(i), e(i)) })
	less := func(partial *big.Rat) float64 {
		v, _ := sub(rat(1), new(big.Rat).Quo(partial, yy)).Float64()
		return v
	}
	high := func(x *big.Rat) *big.Float { return new(big.Float).SetPrec(400).SetRat(x) }
	pearson, _ = new(big.Float).Quo(high(yp), new(big.Float).Sqrt(high(mul(yy, pp)))).Float64()
	return less(left), less(ee), pearson
}

func TestVariancesWhereTheMeanDwarfsTheDeviation(t *testing.T) {
	for name, draw := range map[string]func(*rand.Rand) (y, p float64){
		"ordinary": func(r *rand.Rand) (float64, float64) { y := r.NormFloat64(); return y, y + r.NormFloat64() },
		"1e9": func(r *rand.Rand) (float64, float64) {
			y := 1e9 + r.Float64()
			return y, y + r.NormFloat64()/3
		},
		"1e9 + 1e-7": func(r *rand.Rand) (float64, float64) {
			return 1e9 + float64(r.IntN(4))*0x1p-23, 1e9 + float64(r.IntN(4))*0x1p-23
		},
		"1e15": func(r *rand.Rand) (float64, float64) { return 1e15 + float64(r.IntN(9)), 1e15 + float64(r.IntN(9)) },
	} {
		for _, weighted := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				r := source(3)
				b := &Batch{Rows: 50, Labels: 1}
				for range b.Rows {
					y, p := draw(r)
					b.Target, b.Estimate = append(b.Target, y), append(b.Estimate, p)
				}
				if weighted {
					b.Weight = fill(b.Rows, func() float64 { return pick(r, 0, 1, r.Float64(), 1e-9, 1e9) })
				}
				got := evaluated(t, params(t, Regression, 0, RawScore), b, Options{})
				r2, explained, pearson := rationalRegression(b)
				for metric, want := range map[string]float64{"r2": r2, "explained_variance": explained, "pearson": pearson} {
					require.InDelta(t, want, got[key{metric, -1}].Number, 1e-14*max(1, math.Abs(want)), metric)
				}
			})
		}
	}
}

// regressionOf evaluates labels and predictions, all of weight 1 but for those
// given.
func regressionOf(t *testing.T, y, p []float64, weight ...float64) map[key]Result {
	t.Helper()
	return evaluated(t, params(t, Regression, 0, RawScore), &Batch{Rows: len(y), Labels: 1, Target: y, Estimate: p, Weight: weight}, Options{})
}

func TestConstantLabelsDoNotVary(t *testing.T) {
	// 0.1 has no short binary form: sums that round would see a variance.
	y := []float64{0.1, 0.1, 0.1, 0.1, 0.1}
	for _, weight := range [][]float64{nil, {0.7, 0.1, 0.3, 1e-20, 1e20}} {
		got := regressionOf(t, y, []float64{0.1, 0.2, 0.1, 0.3, 0.1}, weight...)
		for _, name := range []string{"r2", "explained_variance"} {
			require.Equal(t, Value{Number: 0, Undefined: constantLabels}, got[key{name, -1}].Value)
		}
		require.True(t, math.IsNaN(got[key{"pearson", -1}].Number))
		got = regressionOf(t, y, y, weight...)
		require.Equal(t, Value{Number: 1, Undefined: constantLabels}, got[key{"r2", -1}].Value)
		require.Equal(t, Value{Number: 1, Undefined: constantLabels}, got[key{"explained_variance", -1}].Value)
	}
}

func TestHugeValuesOverflowToInfinity(t *testing.T) {
	got := regressionOf(t, []float64{1e200, -1e200, 3}, []float64{-1e200, 1e200, 3})
	require.Equal(t, inf, got[key{"mse", -1}].Number)
	require.Equal(t, inf, got[key{"rmse", -1}].Number)
	require.InDelta(t, 1, got[key{"mae", -1}].Number/(4e200/3), 1e-15)
	for _, name := range []string{"r2", "explained_variance", "pearson", "concordance"} {
		require.Equal(t, map[bool]float64{true: -1, false: -3}[name == "pearson" || name == "concordance"], got[key{name, -1}].Number, name)
	}
	got = regressionOf(t, []float64{inf, 1, 3}, []float64{1, 2, 3})
	for _, name := range []string{"r2", "explained_variance", "pearson", "concordance"} {
		require.Equal(t, tooLarge, got[key{name, -1}].Undefined, name)
	}
	// The sum is beyond float64, the mean is not.
	const half = math.MaxFloat64 / 2
	got = regressionOf(t, []float64{half, half, half, half}, []float64{0, 0, 0, 0})
	for _, name := range []string{"mae", "max_error"} {
		require.Equal(t, half, got[key{name, -1}].Number, name)
	}
	require.Equal(t, -half, got[key{"mean_bias", -1}].Number)
	require.Equal(t, half/2, got[key{"pinball@0.5", -1}].Number)
}

func TestRowsWithoutWeightCountForNothing(t *testing.T) {
	b := &Batch{Target: []float64{1, 2, 4, inf, -3}, Estimate: []float64{1.5, 2, 3, 0, 0}, Weight: []float64{1, 2, 1, 0, 0}, Rows: 5, Labels: 1}
	p := params(t, Regression, 0, RawScore)
	want := evaluated(t, p, take(b, []int32{0, 1, 2}), Options{})
	for k, r := range evaluated(t, p, b, Options{}) {
		require.Equal(t, want[k].Value, r.Value, "%v", k)
		require.EqualValues(t, 5, r.Support)
	}
}

func TestRegressionOfNothing(t *testing.T) {
	for _, b := range []*Batch{{}, {Rows: 2, Target: []float64{1, 2}, Estimate: []float64{3, 1}, Weight: []float64{0, 0}}} {
		for k, r := range evaluated(t, params(t, Regression, 0, RawScore), b, Options{}) {
			require.True(t, math.IsNaN(r.Number), "%v", k)
			require.Contains(t, []string{noExamples, fewExamples}, r.Undefined, "%v", k)
		}
	}
}

// Metrics that do not depend on the unit are the same in any, to the last bit, and others are
// multiplied by its power of two.
func TestUnitsOfAnySize(t *testing.T) {
	y, p := []float64{1, 2, 3, 4, 6}, []float64{1.5, 2, 2, 5, 5.25}
	for _, weight := range [][]float64{nil, {1, 0.5, 3, 0.25, 2}} {
		want := regressionOf(t, y, p, weight...)
		for _, exponent := range []int{-1060, -800, -531, -520, -300, -249, 300, 480, 511, 700, 1010} {
			scaled := func(list []float64) (all []float64) {
				for _, x := range list {
					all = append(all, math.Ldexp(x, exponent))
				}
				return all
			}
			got := regressionOf(t, scaled(y), scaled(p), weight...)
			for _, name := range []string{"r2", "explained_variance", "pearson", "concordance"} {
				require.Equal(t, want[key{name, -1}].Value, got[key{name, -1}].Value, "%s in units of 2^%d", name, exponent)
			}
			require.Equal(t, math.Ldexp(want[key{"mse", -1}].Number, 2*exponent), got[key{"mse", -1}].Number, "2^%d", exponent)
		}
	}
}

func TestDevianceOfCloseNumbers(t *testing.T) {
	y := []float64{1e8 + 0.1, 1e8 - 0.1, 3, 3}
	p := []float64{1e8, 1e8, 3, 3}
	for i := range y {
		exact, d := 0.0, y[i]-p[i]
		exact = d*d/p[i] - d*d*d/(3*p[i]*p[i]) // of 2 (y log(y/p) - y + p), where d is small
		got := regressionOf(t, y[i:i+1], p[i:i+1])[key{"mean_poisson_deviance", -1}].Number
		require.InDelta(t, exact, got, 1e-14*exact)
	}
}

func TestConcordance(t *testing.T) {
	for _, c := range []struct {
		y, p []float64
		want float64
	}{
		{[]float64{1, 2, 3}, []float64{1, 2, 3}, 1},
		{[]float64{1, 2, 3}, []float64{3, 2, 1}, -1},
		{[]float64{1, 2, 3}, []float64{2, 3, 4}, 4.0 / 7}, // Cov = Var = 2/3, means 1 apart
		{[]float64{1, 2, 3}, []float64{5, 5, 5}, 0},
	} {
		require.Equal(t, c.want, regressionOf(t, c.y, c.p)[key{"concordance", -1}].Number)
	}
	require.Equal(t, 4.0/7, regressionOf(t, []float64{1, 2, 3, 9}, []float64{2, 3, 4, 0}, 2, 2, 2, 0)[key{"concordance", -1}].Number)
	require.Equal(t, "labels and predictions are all one number", regressionOf(t, []float64{2, 2}, []float64{2, 2})[key{"concordance", -1}].Undefined)
	require.Equal(t, fewExamples, regressionOf(t, []float64{2}, []float64{3})[key{"concordance", -1}].Undefined)
}
