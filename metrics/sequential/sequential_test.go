package sequential_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/sequential"
)

// requireSteps compares steps by their bits, as NaN is a part of them.
func requireSteps(t *testing.T, want, got []sequential.Step) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, math.Float64bits(want[i].P), math.Float64bits(got[i].P), "night %d", i)
		require.Equal(t, math.Float64bits(want[i].Evidence), math.Float64bits(got[i].Evidence), "night %d", i)
	}
}

// changed returns 120 nights; the last 60 are worse by 2 standard deviations.
func changed() []sequential.Night { return nights(120, (&random{7}).normal, 60, 2) }

func TestMonotoneTransformsChangeNothing(t *testing.T) {
	gate := sequential.Gate{BurnIn: 14, Threshold: 365}
	all := changed()
	steps, alarms := gate.Watch("s", all, 0)
	require.NotEmpty(t, alarms)
	for _, f := range []func(float64) float64{math.Exp, math.Atan, func(x float64) float64 { return 1e300 * x }} {
		other := slices.Clone(all)
		for i := range other {
			other[i].Value = f(other[i].Value)
		}
		got, gotAlarms := gate.Watch("s", other, 0)
		requireSteps(t, steps, got)
		require.Equal(t, alarms, gotAlarms)
	}
}

func TestBothSidesAreSymmetric(t *testing.T) {
	// Distinct values: with the mirrored u, p becomes 1-p.
	gate := sequential.Gate{BurnIn: 14, Threshold: 365, TwoSided: true}
	all := changed()
	up := slices.Clone(all)
	for i := range up {
		up[i].Value = -up[i].Value
	}
	_, down := gate.Watch("s", all, 0)
	_, rises := gate.Watch("s", up, 0)
	require.NotEmpty(t, down)
	require.NotEmpty(t, rises)
	require.InDelta(t, down[0].At, rises[0].At, 2)
	_, oneSided := sequential.Gate{BurnIn: 14, Threshold: 365}.Watch("s", up, 0)
	require.Empty(t, oneSided) // a rise is no alarm
}

// TestWorstNights computes by hand: with no ties, p is the rank.
func TestWorstNights(t *testing.T) {
	all := make([]sequential.Night, 16)
	for i := range all {
		all[i] = sequential.Night{Name: fmt.Sprint(i), Value: float64(i)}
	}
	all[14].Value, all[15].Value = -1, -2 // the worst of 15, and of 16
	steps, alarms := sequential.Gate{BurnIn: 14, Threshold: 365}.Watch("s", all, 0)
	require.Empty(t, alarms)
	for i, s := range steps[:14] {
		require.True(t, math.IsNaN(s.P) && math.IsNaN(s.Evidence), "night %d", i)
	}
	require.True(t, steps[14].P > 0 && steps[14].P < 1./15)
	require.True(t, steps[15].P > 0 && steps[15].P < 1./16)
	half, one := 1.0, 1.0
	for _, s := range steps[14:] {
		z := math.Sqrt2 * math.Erfinv(1-2*s.P)
		half *= math.Exp(z/2 - 1./8)
		one *= math.Exp(z - 1./2)
		require.InEpsilon(t, (half+one)/2, s.Evidence, 1e-12)
	}
}

func TestTies(t *testing.T) {
	// Constant nights: p is u itself, which is uniform.
	sum := 0.0
	all := nights(2000, func() float64 { return 0.5 }, never, 0)
	steps, _ := sequential.Gate{BurnIn: 14, Threshold: math.Inf(1)}.Watch("s", all, 0)
	for _, s := range steps[14:] {
		require.True(t, s.P > 0 && s.P < 1)
		sum += s.P
	}
	require.InDelta(t, 0.5, sum/1986, 0.03)
	other, _ := sequential.Gate{BurnIn: 14, Threshold: math.Inf(1)}.Watch("another", all, 0)
	require.NotEqual(t, steps[14:], other[14:])
}

func TestRestart(t *testing.T) {
	gate := sequential.Gate{BurnIn: 14, Threshold: 365}
	all := changed()
	steps, alarms := gate.Watch("s", all, 0)
	require.Len(t, alarms, 1, "the nights since the change are the new reference")
	at, since := alarms[0].At, alarms[0].Since
	require.InDelta(t, 60, since, 5)
	require.GreaterOrEqual(t, steps[at].Evidence, 365.0)
	// Afterwards it watches as if the series began with the change.
	again, _ := gate.Watch("s", all[since:], never)
	requireSteps(t, again[max(at+1-since, 14):], steps[max(at+1, since+14):])
	for _, s := range steps[at+1 : since+14] {
		require.True(t, math.IsNaN(s.P), "a burn-in follows the alarm")
	}
	// A second change is a second alarm.
	for i := 100; i < len(all); i++ {
		all[i].Value -= 4
	}
	_, alarms = gate.Watch("s", all, 0)
	require.Len(t, alarms, 2)
	require.InDelta(t, 100, alarms[1].Since, 5)
}

func TestEvidenceBeginsAnewWhereAcknowledged(t *testing.T) {
	all := nights(70, (&random{7}).normal, 60, 1)
	gate := sequential.Gate{BurnIn: 14, Threshold: 1e9}
	steps, _ := gate.Watch("s", all, 0)
	anew, _ := gate.Watch("s", all, 65)
	requireSteps(t, steps[:65], anew[:65])
	for i := 65; i < 70; i++ {
		require.Equal(t, steps[i].P, anew[i].P, "the reference stays")
	}
	require.Less(t, anew[65].Evidence, steps[65].Evidence)
}

func TestSeasons(t *testing.T) {
	// A weekly dip of any size is neither news nor hidden; days before 1970 count as well.
	weekly := nights(120, (&random{3}).normal, 90, 3)
	flat := slices.Clone(weekly)
	gate := sequential.Gate{BurnIn: 14, Season: 7, Threshold: 365}
	for i := range weekly {
		weekly[i].Day -= 50
		flat[i].Day -= 50
		if i%7 == 3 {
			weekly[i].Value -= 1024
		}
	}
	steps, alarms := gate.Watch("s", weekly, 0)
	require.Len(t, alarms, 1)
	require.InDelta(t, 90, alarms[0].Since, 3)
	for i, s := range steps[:21] {
		require.True(t, math.IsNaN(s.P), "night %d", i)
	}
	require.False(t, math.IsNaN(steps[21].P))
	_, flatAlarms := gate.Watch("s", flat, 0)
	require.Equal(t, flatAlarms, alarms)
	_, without := sequential.Gate{BurnIn: 14, Threshold: 365}.Watch("s", flat, 0)
	require.NotEmpty(t, without)
}

// TestNormalMixture has the numbers of the tests of R's confseq.
func TestNormalMixture(t *testing.T) {
	require.InDelta(t, 30.35209, sequential.NormalMixture(100, 100, 0.05), 1e-5)
	require.InDelta(t, 27.66071, sequential.OneSidedNormalMixture(100, 100, 0.05), 1e-5)
	require.InDelta(t, 12.60056, sequential.BestRho(100, 0.05), 1e-5)
	require.Zero(t, sequential.NormalMixture(0, 0, 0.05))
	require.Zero(t, sequential.OneSidedNormalMixture(0, 0, 0.05))
	require.Less(t, sequential.NormalMixture(100, 100, 0.05), sequential.NormalMixture(100, 1, 0.05))
	require.Less(t, sequential.NormalMixture(100, 100, 0.05), sequential.NormalMixture(100, 10000, 0.05))
}

func TestMean(t *testing.T) {
	values := []float64{1, 2, 4, 3, 5}
	var all []sequential.Measured
	for _, v := range values {
		all = append(all, sequential.Measured{Value: v, StdError: 0.5})
	}
	// With equal weights, errors and the variance between nights add up to the variance of the values.
	known := sequential.Mean(all, 5, 0, 0.05)
	for i := range 4 {
		require.True(t, math.IsNaN(known[i].Mean) && math.IsNaN(known[i].Low) && math.IsNaN(known[i].High))
	}
	require.InDelta(t, 3, known[4].Mean, 1e-15)
	require.InDelta(t, sequential.NormalMixture(5*2.5, 30*2.5, 0.05)/5, known[4].High-3, 1e-12)
	all[2].StdError = math.NaN()
	require.InDelta(t, known[4].High, sequential.Mean(all, 5, 0, 0.05)[4].High, 1e-12)

	// Nights that vary less than their errors: the errors alone.
	for i := range all {
		all[i] = sequential.Measured{Value: 1, StdError: 0.5}
	}
	require.InDelta(t, 1+sequential.NormalMixture(5*0.25, 30*0.25, 0.05)/5, sequential.Mean(all, 2, 0, 0.05)[4].High, 1e-12)

	// Nights before from only serve to estimate variances.
	for i := range all {
		all[i] = sequential.Measured{Value: values[i], StdError: math.NaN()}
	}
	since := sequential.Mean(all, 2, 3, 0.05)
	require.True(t, math.IsNaN(since[2].Mean))
	require.Equal(t, 4.0, since[4].Mean)
	require.InDelta(t, sequential.NormalMixture(2*2.5, 30*2.5, 0.05)/2, 4-since[4].Low, 1e-12)
}

func TestMeanOfEqualNightsIsExact(t *testing.T) {
	all := make([]sequential.Measured, 30)
	for i := range all {
		all[i] = sequential.Measured{Value: 0.9, StdError: math.NaN()}
	}
	require.Equal(t, sequential.Interval{Mean: 0.9, Low: 0.9, High: 0.9, Least: 0.9, Most: 0.9}, sequential.Mean(all, 14, 0, 0.05)[29])
}

func TestMeanOfHostileErrors(t *testing.T) {
	for _, errors := range [][2]float64{{1e-300, 1}, {5e-324, 1}, {0, 1}, {1e-200, 1e-200}} {
		all := make([]sequential.Measured, 20)
		for i := range all {
			all[i] = sequential.Measured{Value: float64(i % 3), StdError: errors[i%2]}
		}
		got := sequential.Mean(all, 14, 0, 0.05)[19]
		require.InDelta(t, 0.95, got.Mean, 1e-15)
		require.True(t, got.Low < got.Mean && got.Mean < got.High, "%v: %v", errors, got)
	}
}
