package multiplecomparisons

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// golden is testdata/golden.json, made by SciPy with golden.py.
type golden struct {
	Friedman []struct {
		Values  [][]float64
		Higher  bool
		Ranks   []float64
		Chi2, P float64
	}
	Range []struct {
		Q, DOF, P float64
		K         int
	}
	Queries []struct {
		Differences   []float64
		T             []float64 // the statistic and its p-value
		Randomization *float64
	}
	Replicates, Covariance [][]float64
}

func readGolden(t *testing.T) (g golden) {
	data, err := os.ReadFile("testdata/golden.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &g))
	return g
}

func TestGoldens(t *testing.T) {
	g := readGolden(t)
	for _, want := range g.Friedman {
		ranks, chi2, dof, p := Friedman(want.Values, want.Higher)
		require.InDeltaSlice(t, want.Ranks, ranks, 1e-12)
		require.InEpsilon(t, want.Chi2, chi2, 1e-12)
		require.InEpsilon(t, want.P, p, 1e-11)
		require.Equal(t, float64(len(ranks)-1), dof)
	}
	for _, want := range g.Range {
		dof := want.DOF
		if dof == 0 {
			dof = math.Inf(1)
		}
		p := StudentizedRange(want.Q, want.K, dof)
		require.InDelta(t, want.P, p, 1e-8, "%+v", want)
		if want.P > 0.01 && want.P < 0.99 && (dof > 100 || want.K == 3 && dof == 5) {
			require.InEpsilon(t, want.Q, StudentizedRangeQuantile(p, want.K, dof), 1e-9, "%+v", want)
		}
	}
	for _, want := range g.Queries {
		statistic, dof, p := PairedT(want.Differences)
		require.Equal(t, float64(len(want.Differences)-1), dof)
		if want.T == nil {
			require.True(t, math.IsNaN(statistic) && math.IsNaN(p))
		} else {
			require.InEpsilon(t, want.T[0], statistic, 1e-12)
			require.InEpsilon(t, want.T[1], p, 1e-11)
		}
		drawn := Randomization(want.Differences, 100_000, 1)
		if want.Randomization != nil {
			require.Equal(t, *want.Randomization, drawn)
			require.InDelta(t, *want.Randomization, Randomization(want.Differences, 50, 1), 0.15)
		} else {
			require.InDelta(t, p, drawn, 0.005)
		}
	}
	for k, row := range Covariance(g.Replicates) {
		require.InDeltaSlice(t, g.Covariance[k], row, 1e-12)
	}
}

// TestDemsar repeats the examples of Demšar (2006).
func TestDemsar(t *testing.T) {
	c45 := readGolden(t).Friedman[0] // his table 6
	ranks, _, _, _ := Friedman(c45.Values, true)
	squares := 0.0
	for _, r := range ranks {
		squares += r * r
	}
	require.InDeltaSlice(t, []float64{3.143, 2.000, 2.893, 1.964}, ranks, 0.0005)
	require.InDelta(t, 9.28, 12*14./20*(squares-4*25./4), 0.005) // he does not correct for ties
	infinite := math.Inf(1)
	require.InDelta(t, 1.25, CriticalDifference(0.05, 4, 14, infinite), 0.005)
	require.InDelta(t, 1.12, CriticalDifference(0.10, 4, 14, infinite), 0.005)
	require.InDelta(t, 1.014, CriticalDifference(0.10, 5, 30, 145), 0.0005) // Nemenyi's test in scmamp
	// His table 5(a).
	for i, q := range []float64{1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164} {
		require.InDelta(t, q, StudentizedRangeQuantile(0.95, i+2, infinite)/math.Sqrt2, 0.0015)
	}
}
