package metrics

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBinsAtTheirEdges compares with the definition, (i/B, (i+1)/B] with 0 in
// the first, on the doubles i/B and their neighbours.
func TestBinsAtTheirEdges(t *testing.T) {
	definition := func(p float64, bins int) int {
		for i := range bins {
			if p <= float64(i+1)/float64(bins) {
				return i
			}
		}
		panic("beyond 1")
	}
	for _, bins := range []int{1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 15, 20, 49, 50, 100, 256, 257, 999} {
		edges := newCalibration(bins).edges
		for i := range bins + 1 {
			edge := float64(i) / float64(bins)
			for _, p := range []float64{edge, math.Nextafter(edge, 0), math.Nextafter(edge, 1), edge - 3e-16, edge + 3e-16} {
				if p >= 0 && p <= 1 {
					require.Equal(t, definition(p, bins), binOf(p, edges), "%v in %d bins", p, bins)
				}
			}
		}
		require.Equal(t, 0, binOf(5e-324, edges))
		require.Equal(t, 0, binOf(math.Copysign(0, -1), edges))
	}
}

// binary returns a batch of binary rows.
func binary(truth []bool, p, weight []float64) *Batch {
	b := &Batch{Rows: len(truth), Labels: 1, Truth: truth, Probability: p, Weight: weight}
	for _, y := range truth {
		class := int32(0)
		if y {
			class = 1
		}
		b.Class, b.Predicted = append(b.Class, class), append(b.Predicted, class)
	}
	return b
}

func TestCalibrationErrorsByHand(t *testing.T) {
	// Bins (0.2, 0.3]: 0.25 and 0.3, one positive; (0.9, 1]: 1, negative, of weight 2.
	b := binary([]bool{true, false, false}, []float64{0.25, 0.3, 1}, []float64{1, 1, 2})
	got := evaluated(t, params(t, Binary, 0, Probability), b, Options{})
	require.InDelta(t, (2*math.Abs(0.275-0.5)+2*1)/4, got[key{"ece", -1}].Number, 1e-15)
	require.Equal(t, 1.0, got[key{"mce", -1}].Number)
}

func TestWeightlessRowsAreNotInTheLargestCalibrationError(t *testing.T) {
	b := binary([]bool{true, false}, []float64{0.05, 0.3}, []float64{0, 1})
	got := evaluated(t, params(t, Binary, 0, Probability), b, Options{})
	require.InDelta(t, 0.3, got[key{"mce", -1}].Number, 1e-15)
}

// TestSpiegelhalterOfLightWeights: z does not depend on the unit of the weights, even where their squares are
// below float64.
func TestSpiegelhalterOfLightWeights(t *testing.T) {
	p := &Params{Task: Binary, Scores: true, Metrics: []string{"spiegelhalter_z"}}
	r := source(17)
	b := drawBatch(r, p, 40)
	b.Logit, b.Probability = nil, fill(40, r.Float64)
	b.Weight = fill(40, func() float64 { return 0.5 + r.Float64() })
	finish(b, Binary)
	z := func(scale int) float64 {
		of := *b
		of.Weight = slices.Clone(b.Weight)
		for i := range of.Weight {
			of.Weight[i] = math.Ldexp(of.Weight[i], scale)
		}
		return evaluated(t, p, &of, Options{})[key{"spiegelhalter_z", -1}].Number
	}
	want := z(0)
	require.Greater(t, math.Abs(want), 0.1)
	for _, scale := range []int{-319, -320, -321, -539, -1000, -900, 400} { // some straddle the scale of light weights
		require.InEpsilon(t, want, z(scale), 1e-12, "weights times 2^%d", scale)
	}
	require.InEpsilon(t, want, z(-1030), 1e-9, "weights that lose digits")
}
