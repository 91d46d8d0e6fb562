package confidence

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// spread returns n replicates around a value.
func spread(value float64, n int) (replicates []float64) {
	for i := range n {
		replicates = append(replicates, value+float64(i%5-2)/1000)
	}
	return replicates
}

func TestNoInterval(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		reason string
		e      Estimate
	}{
		{Undefined, Estimate{nan, spread(0.5, 20), Logit, 0, 20, false, 0, nil, false}},
		{Undefined, Estimate{nan, nil, Proportion, 0, 20, false, 0, nil, false}},
		{FewFolds, Estimate{0.5, spread(0.5, 9), Logit, 0, 20, false, 0, nil, false}},
		{FewFolds, Estimate{0.5, spread(0.5, 9), Proportion, 0, 5, false, 0, nil, false}},
		{FewFolds, Estimate{0.5, nil, Log, 0, 5, false, 0, nil, false}},
		{FewOfAClass, Estimate{0.5, spread(0.5, 20), Logit, 0, 9, false, 0, nil, false}},
		{FewRowsOfShare, Estimate{0.5, spread(0.5, 20), Logit, 0, 20, false, 0, nil, true}},
		{UndefinedWithout, Estimate{0.5, append(spread(0.5, 20), nan), Logit, 0, 20, false, 0, nil, false}},
		{UndefinedWithout, Estimate{0.5, append(spread(0.5, 20), math.Inf(1)), Logit, 0, 20, false, 0, nil, false}},
		{NoVariation, Estimate{0.5, slices.Repeat([]float64{0.5}, 20), Logit, 0, 20, false, 0, nil, false}},
		{NoVariation, Estimate{1, slices.Repeat([]float64{1}, 20), Logit, 0, 20, false, 0, nil, false}},
		{AtItsBound, Estimate{1, spread(0.9, 20), Logit, 0, 20, false, 0, nil, false}},
		{AtItsBound, Estimate{0, spread(0.1, 20), Proportion, 0, 20, false, 0, nil, false}},
		{AtItsBound, Estimate{0, spread(0.1, 20), Log, 0, 20, false, 0, nil, false}},
		{AtItsBound, Estimate{-1, spread(-0.9, 20), Atanh, 0, 20, false, 0, nil, false}},
		{AtItsBound, Estimate{1, spread(0.9, 20), LogOneMinus, 0, 20, false, 0, nil, false}},
		{TooWide, Estimate{1e-6, spread(0.1, 20), Log, 0, 20, false, 0, nil, false}},
		{FewFolds, Estimate{0.5, spread(0.5, 9), Log, 0, 20, true, 0, nil, false}},
		{NoVariation, Estimate{0.5, slices.Repeat([]float64{0.5}, 20), Log, 0, 20, true, 0, nil, false}},
		{HasBias, Estimate{0.1, spread(0.1, 20), Biased, 0, 20, false, 0, nil, false}},
		{HasBias, Estimate{0.1, spread(0.1, 20), Projection, 0, 20, false, 0, nil, false}},
		{IsNotSmooth, Estimate{0.1, spread(0.1, 9), NotSmooth, 0, 20, false, 0, nil, false}},
		{IsCount, Estimate{100, spread(100, 20), Count, 0, 20, false, 0, nil, false}},
	} {
		got := c.e.Interval(level)
		require.Equal(t, c.reason, got.NoInterval)
		require.Empty(t, got.Method)
		require.Len(t, c.e.Replicates, got.Folds)
		require.True(t, math.IsNaN(got.Low) && math.IsNaN(got.High))
	}
}

// TestHeavyTails: an interval made of replicates comes with the warning.
func TestHeavyTails(t *testing.T) {
	for _, heavy := range []bool{false, true} {
		got := Estimate{0.5, spread(0.5, 20), Log, 0, 20, heavy, 0, nil, false}.Interval(level)
		require.Less(t, got.Low, got.High)
		require.Equal(t, map[bool]string{true: "heavy tails"}[heavy], got.Warning)
	}
	require.Empty(t, Estimate{0.5, spread(0.5, 9), Log, 0, 20, true, 0, nil, false}.Interval(level).Warning)
}

// A known standard error gives a normal interval, even of few folds; NaN and 0 are unknown.
func TestNormalInterval(t *testing.T) {
	for _, n := range []int{0, 20} {
		e := Estimate{0.5, spread(0.5, n), Identity, 0, 20, false, 0.1, nil, false}
		got := e.Interval(0.95)
		require.Equal(t, MethodNormal, got.Method)
		require.InDelta(t, 0.5-0.1959963984540054, got.Low, 1e-12)
		require.InDelta(t, 0.5+0.1959963984540054, got.High, 1e-12)
		for _, e.StdError = range []float64{0, math.NaN()} {
			require.NotEqual(t, MethodNormal, e.Interval(0.95).Method)
		}
	}
}

// A reason for which there is no interval does not hide the standard error.
func TestStandardErrorWithoutInterval(t *testing.T) {
	want, dof := Jackknife(spread(0.1, 20))
	for _, s := range []Scale{Biased, NotSmooth, Count} {
		got := Estimate{0.1, spread(0.1, 20), s, 0, 20, false, 0, nil, false}.Interval(level)
		require.Equal(t, want, got.StdError)
		require.Equal(t, dof, got.DOF)
	}
}

// Near the value, an interval on any scale is value ± t·se; everywhere it stays within the bounds.
func TestScales(t *testing.T) {
	for s := Proportion; s < Projection; s++ {
		for _, x := range []float64{0.01, 0.3, 0.5, 0.999} {
			require.InDelta(t, x, scales[s].from(scales[s].to(x)), 1e-15, s)
			const step = 1e-6
			slope := (scales[s].to(x+step*x*(1-x)) - scales[s].to(x-step*x*(1-x))) / (2 * step * x * (1 - x))
			require.InEpsilon(t, slope, scales[s].slope(x), 1e-8, s)

			low, high := s.around(x, 1e-6*x*(1-x))
			require.InEpsilon(t, 2e-6*x*(1-x), high-low, 1e-6, s)
			low, high = s.around(x, 10)
			require.Less(t, low, x)
			require.Less(t, x, high)
			require.GreaterOrEqual(t, low, scales[s].lowest)
			require.LessOrEqual(t, high, scales[s].greatest)
		}
	}
}

// The textbook: the jackknife of a mean is the standard error of the mean.
func TestJackknifeOfMean(t *testing.T) {
	values := []float64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}
	m := float64(len(values))
	var squares float64
	replicates := make([]float64, len(values))
	for i, x := range values {
		replicates[i] = (44 - x) / (m - 1)
		squares += (x - 4) * (x - 4)
	}
	se, dof := Jackknife(replicates)
	require.InEpsilon(t, math.Sqrt(squares/(m-1)/m), se, 1e-14)
	require.True(t, 1 <= dof && dof <= m-1)
}

// Neither the order of the groups nor the size of the values matters to a bit.
func TestJackknifeIsExact(t *testing.T) {
	replicates := []float64{0.1, 0.2, 0.30000001, 0.7, -0.1, 0.13, 0.17, 0.19, 0.23, 0.29}
	se, dof := Jackknife(replicates)
	for _, power := range []int{0, -500, 500} {
		scaled := slices.Clone(replicates)
		slices.Reverse(scaled)
		for i := range scaled {
			scaled[i] = math.Ldexp(scaled[i], power)
		}
		scaledSE, scaledDOF := Jackknife(scaled)
		require.Equal(t, math.Ldexp(se, power), scaledSE)
		require.Equal(t, dof, scaledDOF)
	}
	for _, few := range [][]float64{nil, {1}, {1, math.NaN()}} {
		se, dof := Jackknife(few)
		require.True(t, math.IsNaN(se) && math.IsNaN(dof))
	}
	for _, x := range []float64{2. / 3, 0.1, 1e300, -0.7} { // the mean of which may differ from all of them
		for m := 2; m < 100; m++ {
			se, dof = Jackknife(slices.Repeat([]float64{x}, m))
			require.Equal(t, []float64{0, float64(m - 1)}, []float64{se, dof})
		}
	}
	se, dof = Jackknife([]float64{1, 2})
	require.Equal(t, []float64{0.5, 1}, []float64{se, dof})
}

func TestDistributions(t *testing.T) {
	for _, dof := range []float64{1, 1.7, 9, 49.5, 1000} {
		for _, level := range []float64{0.5, 0.9, 0.95, 0.999} {
			require.InEpsilon(t, 1-level, PValue(TQuantile(level, dof), dof), 1e-10)
			require.InEpsilon(t, 1-level, PValue(-TQuantile(level, dof), dof), 1e-10)
		}
	}
	require.Equal(t, 1.0, PValue(0, 9))
	require.InEpsilon(t, 12.706204736174698, TQuantile(0.95, 1), 1e-12) // tan(0.475 π)
	require.InEpsilon(t, 1.959963984540054, NormalQuantile(0.95), 1e-14)
	for _, x := range []float64{1e-9, 0.1, 1, 2.5, 40, 1e6} {
		require.InEpsilon(t, 2/math.Pi*math.Atan2(1, x), PValue(x, 1), 1e-13)
		require.InEpsilon(t, 2/(2+x*x+x*math.Sqrt(2+x*x)), PValue(x, 2), 1e-13)
		require.InEpsilon(t, math.Erfc(min(x, 30)/math.Sqrt2), normalTails(min(x, 30), math.Exp(-min(x, 30)*min(x, 30)/2)/math.Sqrt(2*math.Pi)), 1e-12)
	}
	require.Positive(t, PValue(20, 49)) // far out it does not become 0
}

// Wilson's bounds are where the score test of the proportion rejects.
func TestWilson(t *testing.T) {
	for _, p := range []float64{0, 0.01, 0.5, 1} {
		low, high := Wilson(p, 100, level)
		require.True(t, 0 <= low && low <= p && p <= high && high <= 1)
		for _, bound := range []float64{low, high} {
			if bound != 0 && bound != 1 {
				require.InEpsilon(t, NormalQuantile(level), math.Abs(p-bound)/math.Sqrt(bound*(1-bound)/100), 1e-12)
			}
		}
	}
}

func TestUnpaired(t *testing.T) {
	a, b := spread(0.5, 30), spread(0.7, 20)
	seA, dofA := Jackknife(a)
	seB, dofB := Jackknife(b)
	got := Unpaired(0.5, 0.7, a, b, level)
	require.InEpsilon(t, math.Sqrt(seA*seA+seB*seB), got.StdError, 1e-14)
	require.InEpsilon(t, math.Pow(seA*seA+seB*seB, 2)/(math.Pow(seA, 4)/dofA+math.Pow(seB, 4)/dofB), got.DOF, 1e-14) // Welch
	require.InEpsilon(t, 0.2, got.Difference, 1e-14)
	require.InEpsilon(t, PValue(0.2/got.StdError, got.DOF), got.PValue, 1e-12)
	require.InEpsilon(t, 2*TQuantile(level, got.DOF)*got.StdError, got.High-got.Low, 1e-12)
	require.Equal(t, 20, got.Folds)

	constant := slices.Repeat([]float64{0.5}, 20)
	got = Unpaired(0.5, 0.7, constant, b, level)
	require.Equal(t, []float64{seB, dofB}, []float64{got.StdError, got.DOF})

	for reason, c := range map[string][2][]float64{
		FewFolds:         {a, b[:9]},
		UndefinedWithout: {append([]float64{math.NaN()}, a...), b},
		NoVariation:      {constant, constant},
	} {
		got := Unpaired(0.5, 0.7, c[0], c[1], level)
		require.Equal(t, reason, got.NoInterval)
		require.True(t, math.IsNaN(got.Low) && math.IsNaN(got.High) && math.IsNaN(got.PValue))
	}
	require.Equal(t, Undefined, Unpaired(math.NaN(), 0.7, a, b, level).NoInterval)
	require.Equal(t, Undefined, Paired(0.5, math.NaN(), a, a, level).NoInterval)
	require.Equal(t, TooWide, Paired(-math.MaxFloat64, math.MaxFloat64, b, spread(9, 20)[:20], level).NoInterval)
}

// Adjusted p-values do not depend on the order, and numbers that are no p-values do not count.
func TestAdjust(t *testing.T) {
	nan := math.NaN()
	require.InDeltaSlice(t, []float64{0.04, 0.03, 0.04}, BenjaminiHochberg([]float64{0.04, 0.01, 0.03}), 1e-15)
	require.InDeltaSlice(t, []float64{0.06, 0.03, 0.06}, Holm([]float64{0.04, 0.01, 0.03}), 1e-15)
	for _, adjust := range []func([]float64) []float64{BenjaminiHochberg, Holm} {
		p := []float64{nan, 0.02, 0.9, nan, 0.02}
		got := adjust(p)
		require.True(t, math.IsNaN(got[0]) && math.IsNaN(got[3]))
		require.Equal(t, adjust([]float64{0.02, 0.9, 0.02}), []float64{got[1], got[2], got[4]})
		require.Equal(t, 0.02, p[1])
		require.Empty(t, adjust(nil))
	}
}

func BenchmarkTQuantile(b *testing.B) {
	for b.Loop() {
		TQuantile(0.95, 48.7)
	}
}

// An interval has its value, to the last bit: one of 0 begins at 0, one of 1 ends at 1.
func TestIntervalsHaveTheirValue(t *testing.T) {
	for n := 1.0; n <= 3000; n++ {
		for _, hits := range []float64{0, 1, math.Floor(n / 3), n - 1, n} {
			for _, scale := range []Scale{Proportion, F1} {
				e := Estimate{Value: hits / n, Scale: scale, Trials: n}
				got := e.Interval(level)
				require.True(t, got.Low <= e.Value && e.Value <= got.High, "%v of %v: %v", hits, n, got)
				if e.Value == 0 || e.Value == 1 {
					require.Equal(t, e.Value, []float64{got.Low, got.High}[int(e.Value)], "%v of %v", hits, n)
				}
			}
		}
	}
	for value := 1.0; value > 1e-15; value /= 1.7 {
		replicates := spread(value, 20)
		for i := range replicates {
			replicates[i] = value * (1 + float64(i%5-2)*0x1p-52)
		}
		for _, scale := range []Scale{Logit, Log, Atanh, LogOneMinus, Identity} {
			if got := (Estimate{value, replicates, scale, 0, 20, false, 0, nil, false}).Interval(level); got.NoInterval == "" {
				require.True(t, got.Low <= value && value <= got.High, "%v, %v: %v", scale, value, got)
			}
		}
	}
}

// A Maximum is less its bias, which widens the interval as it is uncertain.
func TestMaximum(t *testing.T) {
	replicates := spread(0.501, 20)
	se, dof := Jackknife(replicates)
	got := Estimate{Value: 0.5, Replicates: replicates, Scale: Maximum, Rarer: 20}.Interval(level)
	low, high := Logit.around(0.5-19*0.001, TQuantile(level, dof)*math.Hypot(se, 19*0.001))
	require.InEpsilon(t, low, got.Low, 1e-9)
	require.InEpsilon(t, high, got.High, 1e-9)
	require.Equal(t, se, got.StdError)

	got = Estimate{Value: 0.5, Replicates: spread(0.6, 20), Scale: Maximum, Rarer: 20}.Interval(level)
	require.Equal(t, AtItsBound, got.NoInterval) // less its bias it is negative
	require.True(t, math.IsNaN(got.Low) && math.IsNaN(got.High))
}
