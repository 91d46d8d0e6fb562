package confidence

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProjectionOfFarGaps: far from 0 nothing is biased, and the interval is normal, of a level a tenth of the
// way to 1, with a continuity correction. The share of a gap is at the expense of the other.
func TestProjectionOfFarGaps(t *testing.T) {
	one := &Gaps{400, []Gap{{0.5, 0.02}}}
	low, high := one.Interval(level)
	half := 0.02*2.004654461765096 + 0.5/400
	require.InDelta(t, 0.5-half, low, 1e-12)
	require.InDelta(t, 0.5+half, high, 1e-12)

	two := &Gaps{1e6, []Gap{{0.5, 0.001}, {0.25, 0.001}}}
	low, high = two.Interval(level)
	far := NormalQuantile(1-0.0025) * 0.001
	half = 2.004654461765096*math.Sqrt(2e-6-2*(0.5-far)*(0.25-far)/1e6) + 0.5/1e6
	require.InDelta(t, 0.75-half, low, 1e-12)
	require.InDelta(t, 0.75+half, high, 1e-12)
}

// TestProjectionContainsTheValue: unless it is negative, which no sum of sizes is.
func TestProjectionContainsTheValue(t *testing.T) {
	gaps := &Gaps{1000, []Gap{{0.01, 0.01}, {0, 0}, {0.001, 0.02}}}
	for _, value := range []float64{-0.03, 0, 0.02, 0.9} {
		got := Estimate{Value: value, Scale: Projection, Gaps: gaps}.Interval(level)
		require.Equal(t, MethodProjection, got.Method)
		require.Zero(t, got.Low)
		require.LessOrEqual(t, value, got.High)
		require.Less(t, 0.05, got.High)
	}
}

// TestUntestable: replicates cannot test the differences of values with an interval by projection,
// because they are biased.
func TestUntestable(t *testing.T) {
	require.Equal(t, HasBias, Untestable(MethodProjection, ""))
	require.Equal(t, FewFolds, Untestable("", FewFolds))
	require.Empty(t, Untestable(MethodJackknife, ""))
}
