package multiplecomparisons

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/testing/simulation"
	"github.com/beameval/beameval/metrics/confidence"
)

func TestRanks(t *testing.T) {
	values := []float64{5, 9, 5, 1}
	low, high := Ranks(4, func(i, j int) int {
		switch d := values[i] - values[j]; {
		case d > 3:
			return 1
		case d < -3:
			return -1
		}
		return 0
	})
	require.Equal(t, []int{2, 1, 2, 4}, low)
	require.Equal(t, []int{3, 1, 3, 4}, high)
	low, high = Ranks(3, func(i, j int) int { return 0 })
	require.Equal(t, [][]int{{1, 1, 1}, {3, 3, 3}}, [][]int{low, high})
}

func TestMaxTIsBetweenPAndHolm(t *testing.T) {
	nan := math.NaN()
	random := newGenerator(1)
	for round := range 20 {
		n := 2 + round%7
		replicates := make([][]float64, n)
		common := make([]float64, 30)
		for j := range common {
			common[j] = random.normal()
		}
		p := make([]float64, n)
		for k := range replicates {
			for j := range 30 {
				replicates[k] = append(replicates[k], common[j]+float64(k)*random.normal()/3)
			}
			p[k] = math.Abs(random.signed())
			if k%3 == 2 {
				p[k] *= 1e-15
			}
		}
		if n > 3 {
			p[3] = nan
		}
		covariance := Covariance(replicates)
		adjusted, holm := MaxT(p, covariance, 7), confidence.Holm(p)
		require.True(t, slices.EqualFunc(adjusted, MaxT(p, covariance, 7), same))
		for i := range p {
			if math.IsNaN(p[i]) {
				require.True(t, math.IsNaN(adjusted[i]))
				continue
			}
			require.GreaterOrEqual(t, adjusted[i], p[i])
			require.LessOrEqual(t, adjusted[i], holm[i])
			for j := range p {
				if p[i] < p[j] {
					require.LessOrEqual(t, adjusted[i], adjusted[j], "monotone")
				}
			}
		}
	}
}

func same(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// TestMaxTOfKnownCorrelations: equal variables are one test; independent variables have Šidák's
// adjustment.
func TestMaxTOfKnownCorrelations(t *testing.T) {
	p := []float64{0.02, 0.02, 0.02}
	one := [][]float64{{4, 4, 4}, {4, 4, 4}, {4, 4, 4}}
	require.InDelta(t, 0.02, MaxT(p, one, 3)[0], 0.002)
	independent := [][]float64{{4, 0, 0}, {0, 1, 0}, {0, 0, 9}}
	require.InDelta(t, 1-math.Pow(0.98, 3), MaxT(p, independent, 3)[0], 0.002)
	opposite := [][]float64{{4, -4, 0}, {-4, 4, 0}, {0, 0, 1}}
	require.InDelta(t, 1-math.Pow(0.98, 2), MaxT(p, opposite, 3)[0], 0.002)
	// What has no variance is as if it were independent.
	require.InDelta(t, 1-math.Pow(0.98, 3), MaxT(p, square(3), 3)[0], 0.002)
	require.Equal(t, []float64{0.02}, MaxT(p[:1], one, 3))
	require.Empty(t, MaxT(nil, nil, 0))
}

func TestFactorize(t *testing.T) {
	c := [][]float64{{1, 0.5, 1, -0.5}, {0.5, 1, 0.5, -1}, {1, 0.5, 1, -0.5}, {-0.5, -1, -0.5, 1}} // of rank 2
	f := factorize(c)
	require.Len(t, f[0], 2)
	for i := range c {
		for j := range c {
			require.InDelta(t, c[i][j], collections.Dot(f[i], f[j]), 1e-12)
		}
	}
}

func TestUndefined(t *testing.T) {
	_, chi2, _, p := Friedman([][]float64{{1, 2, 3}}, true)
	require.True(t, math.IsNaN(chi2) && math.IsNaN(p))
	ranks, chi2, _, _ := Friedman([][]float64{{1, 1}, {2, 2}}, true)
	require.Equal(t, []float64{1.5, 1.5}, ranks)
	require.True(t, math.IsNaN(chi2))
	require.True(t, math.IsNaN(Randomization(nil, 100, 0)))
	require.True(t, math.IsNaN(Randomization([]float64{math.NaN(), 1}, 100, 0)))
	require.Equal(t, 1., Randomization([]float64{0, 0}, 100, 0))
	require.Equal(t, 0.25, Randomization([]float64{1, 2, 3}, 100, 0))
	require.True(t, math.IsNaN(StudentizedRange(1, 1, 5)) && math.IsNaN(StudentizedRangeQuantile(1, 3, 5)))
	require.Zero(t, StudentizedRange(-1, 3, 5))
}

// TestSimulatedFamilyWiseError: of five equal systems, four are compared with the first, and all
// pairs are ranked. A run has 50 groups of examples, which have errors in common.
func TestSimulatedFamilyWiseError(t *testing.T) {
	const systems, groups = 5, 50
	const all = 4000
	runs, slack := simulation.Draws(all), simulation.Slack(0.05, all)
	random := newGenerator(3)
	errors, covered := map[string]int{}, 0
	for run := range runs {
		values, replicates := system(random, systems, groups)
		p, against := differences(values, replicates, func(i, j int) bool { return i == 0 && j > 0 })
		for name, adjusted := range map[string][]float64{"holm": confidence.Holm(p), "maxt": MaxT(p, Covariance(against), uint64(run))} {
			if slices.Min(adjusted) <= 0.05 {
				errors[name]++
			}
		}
		p, _ = differences(values, replicates, func(i, j int) bool { return i < j })
		if slices.Min(confidence.Holm(p)) > 0.05 { // otherwise some system is not tied for first
			covered++
		}
	}
	share := func(n int) float64 { return float64(n) / float64(runs) }
	t.Logf("family-wise error: holm %.3f, maxt %.3f; all ranks covered: %.3f", share(errors["holm"]), share(errors["maxt"]), share(covered))
	require.InDelta(t, 0.05, share(errors["maxt"]), 0.01+slack)
	require.InDelta(t, 0.045, share(errors["holm"]), 0.01+slack)
	require.GreaterOrEqual(t, share(covered), 0.94-slack)
}

// system returns the values of equal systems and their replicates.
func system(random *generator, systems, groups int) (values []float64, replicates [][]float64) {
	sums := make([]float64, systems)
	of := make([][]float64, systems)
	for range groups {
		common := random.normal()
		for k := range of {
			x := common + random.normal()
			of[k] = append(of[k], x)
			sums[k] += x
		}
	}
	for k := range of {
		values = append(values, sums[k]/float64(groups))
		var without []float64
		for _, x := range of[k] {
			without = append(without, (sums[k]-x)/float64(groups-1))
		}
		replicates = append(replicates, without)
	}
	return values, replicates
}

// differences returns the p-values of pairs of systems, and the replicates of their differences.
func differences(values []float64, replicates [][]float64, pair func(i, j int) bool) (p []float64, of [][]float64) {
	for i := range values {
		for j := range values {
			if !pair(i, j) {
				continue
			}
			p = append(p, confidence.Paired(values[i], values[j], replicates[i], replicates[j], 0.95).PValue)
			var d []float64
			for m := range replicates[i] {
				d = append(d, replicates[j][m]-replicates[i][m])
			}
			of = append(of, d)
		}
	}
	return p, of
}

func BenchmarkMaxT(b *testing.B) {
	random := newGenerator(1)
	values, replicates := system(random, 50, 50)
	for name, pair := range map[string]func(i, j int) bool{
		"reference": func(i, j int) bool { return i == 0 && j > 0 },
		"all_pairs": func(i, j int) bool { return i < j },
	} {
		p, of := differences(values, replicates, pair)
		c := Covariance(of)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				MaxT(p, c, 1)
			}
		})
	}
}
