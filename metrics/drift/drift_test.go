package drift

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/simulation"
)

// TestGoldens compares with testdata/golden.json, made by SciPy and NumPy with golden.py.
func TestGoldens(t *testing.T) {
	data, err := os.ReadFile("testdata/golden.json")
	require.NoError(t, err)
	var golden struct {
		Distances []struct {
			P, Q, At             []float64
			PSI, Wasserstein, KS float64
			JensenShannon        float64 `json:"jensen_shannon"`
		}
		Confusion             [][]float64
		Predicted, Weights    []float64
		SmallestSingularValue float64 `json:"smallest_singular_value"`
	}
	require.NoError(t, json.Unmarshal(data, &golden))
	for _, d := range golden.Distances {
		require.InEpsilon(t, d.PSI, PSI(d.P, d.Q), 1e-12)
		require.InEpsilon(t, d.JensenShannon, JensenShannon(d.P, d.Q), 1e-12)
		require.InEpsilon(t, d.Wasserstein, Wasserstein(d.P, d.Q, d.At), 1e-12)
		require.InEpsilon(t, d.KS, KSBound(d.P, d.Q), 1e-12)
	}
	weights, err := LabelShift(golden.Confusion, golden.Predicted)
	require.NoError(t, err)
	require.InDeltaSlice(t, golden.Weights, weights, 1e-12)
	c := [][]float64{}
	for _, row := range golden.Confusion {
		x := []float64{}
		for _, v := range row {
			x = append(x, v/5000)
		}
		c = append(c, x)
	}
	require.InEpsilon(t, golden.SmallestSingularValue, smallestSingularValue(c), 1e-12)
}

func TestLaws(t *testing.T) {
	p, q, at := []float64{3, 0, 5, 2}, []float64{1, 4, 0, 9}, []float64{0, 1, 3, 4}
	for name, distance := range map[string]func(p, q []float64) float64{
		"psi": PSI, "js": JensenShannon, "ks": KSBound, "w": func(p, q []float64) float64 { return Wasserstein(p, q, at) },
	} {
		require.InDelta(t, distance(p, q), distance(q, p), 1e-15, name)
		require.True(t, math.IsNaN(distance(p, make([]float64, 4))), name)
		require.True(t, math.IsNaN(distance(make([]float64, 4), q)), name)
		require.True(t, math.IsNaN(distance(nil, nil)), name)
		if name != "psi" {
			require.Zero(t, distance(p, p), name)
			require.InDelta(t, distance(p, q), distance([]float64{6, 0, 10, 4}, q), 1e-15, "%s does not depend on the scale", name)
		}
	}
	require.Equal(t, 1., JensenShannon([]float64{1, 0}, []float64{0, 2}))
	require.Equal(t, 1., KSBound([]float64{1, 0}, []float64{0, 2}))
	require.Equal(t, 4., Wasserstein([]float64{1, 0, 0, 0}, []float64{0, 0, 0, 1}, at))
}

func TestLabelShiftIsRefused(t *testing.T) {
	same := [][]float64{{30, 30}, {20, 20}}
	_, err := LabelShift(same, []float64{1, 1})
	require.ErrorContains(t, err, "the predictions do not tell the classes apart: the smallest singular value of the confusion matrix is ")
	_, err = LabelShift([][]float64{{1, 0}, {0, 0.001}}, []float64{1, 1})
	require.ErrorContains(t, err, "below 0.001")
	for _, c := range [][][]float64{nil, {{1, 0}}, {{1, 0}, {1}}, {{0, 0}, {0, 0}}} {
		_, err := LabelShift(c, []float64{1, 1})
		require.Error(t, err)
	}
	weights, err := LabelShift([][]float64{{40, 10}, {10, 40}}, []float64{0, 1})
	require.NoError(t, err)
	require.Equal(t, 0., weights[0], "negative weights are noise")
}

// TestSimulatedCoverage: intervals cover the true distance between two distributions that differ, and without
// drift PSI is 0 on average.
func TestSimulatedCoverage(t *testing.T) {
	const bins, groups, all = 16, 40, 4000
	samples := simulation.Draws(all)
	random := rand.New(rand.NewPCG(1, 2))
	at := make([]float64, bins)
	density := func(slope float64) []float64 {
		weights := make([]float64, bins)
		for i := range weights {
			at[i] = (float64(i) + 0.5) / bins
			weights[i] = math.Exp(slope * at[i])
		}
		of, _ := shares(weights)
		return of
	}
	draw := func(of []float64, n int) [][]float64 {
		list := make([][]float64, groups)
		for j := range list {
			list[j] = make([]float64, bins)
			for range n / groups {
				u, i := random.Float64(), 0
				for ; i < bins-1 && u > of[i]; i++ {
					u -= of[i]
				}
				list[j][i]++
			}
		}
		return list
	}
	distances := map[string]func(p, q []float64) float64{
		"psi": PSI, "jensen_shannon": JensenShannon, "ks": KSBound, "wasserstein": func(p, q []float64) float64 { return Wasserstein(p, q, at) },
	}
	reference, moved := density(1), density(2.5)
	scaled := func(of []float64) []float64 {
		large := make([]float64, len(of))
		for i := range of {
			large[i] = of[i] * 1e12
		}
		return large
	}
	covered, mean := map[string]float64{}, 0.0
	for range samples {
		p, q := draw(reference, 4000), draw(moved, 2000)
		for name, distance := range distances {
			low, high := Interval(p, q, 0.95, distance)
			if truth := distance(scaled(reference), scaled(moved)); low <= truth && truth <= high {
				covered[name] += 1 / float64(samples)
			}
		}
		mean += PSI(total(p), total(draw(reference, 2000))) / float64(samples)
	}
	t.Log(covered, mean)
	for name := range distances {
		require.InDelta(t, 0.95, covered[name], 0.03+simulation.Slack(0.95, all), name)
	}
	require.InDelta(t, 0, mean, 0.0003*math.Sqrt(all/float64(samples)))
	low, high := Interval(draw(reference, 400)[:9], draw(moved, 400), 0.95, PSI)
	require.True(t, math.IsNaN(low) && math.IsNaN(high), "few groups")
}
