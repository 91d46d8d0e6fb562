package sequential_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/hash"
	"github.com/beameval/beameval/internal/testing/simulation"
	"github.com/beameval/beameval/metrics/sequential"
)

const all = 3000 // simulated runs

func runs() int { return simulation.Draws(all) }

// random is a sequence of random numbers.
type random struct{ state uint64 }

func (r *random) uniform() float64 {
	r.state += 0x9e3779b97f4a7c15
	return (float64(hash.Mix(r.state)>>11) + 0.5) / (1 << 53)
}

// normal returns a standard normal number (Box & Muller 1958).
func (r *random) normal() float64 {
	return math.Sqrt(-2*math.Log(r.uniform())) * math.Cos(2*math.Pi*r.uniform())
}

// t5 returns a number with Student's distribution with 5 degrees of freedom and variance 1.
func (r *random) t5() float64 {
	z, chi := r.normal(), 0.0
	for range 5 {
		x := r.normal()
		chi += x * x
	}
	return z / math.Sqrt(chi/5) * math.Sqrt(3.0/5)
}

// nights returns n nights with values of a distribution, which are worse by shift from night at on.
func nights(n int, value func() float64, at int, shift float64) []sequential.Night {
	all := make([]sequential.Night, n)
	for i := range all {
		all[i] = sequential.Night{Name: fmt.Sprint("night ", i), Day: i, Value: value()}
		if i >= at {
			all[i].Value -= shift
		}
	}
	return all
}

const never = math.MaxInt

func TestSimulatedFalseAlarms(t *testing.T) {
	weekly := []float64{0, 1, 2, 1, 0, -3, -4}
	for _, c := range []struct {
		name     string
		value    func(*random) float64
		season   int
		twoSided bool
		nightly  float64 // the least share of runs in which some night has p < 0.05
	}{
		{"normal", (*random).normal, 0, false, 0.999},
		{"t5", (*random).t5, 0, false, 0.999},
		{"both sides", (*random).normal, 0, true, 0.999},
		{"season", (*random).normal, 7, false, 0.99},
		{"season of t5", (*random).t5, 7, false, 0.99},
	} {
		t.Run(c.name, func(t *testing.T) {
			alarmed, nightly, low, count := 0, 0, 0, 0
			for run := range runs() {
				r := &random{uint64(run) << 32}
				all := nights(365, func() float64 { return c.value(r) }, never, 0)
				for i := range all {
					if c.season > 0 {
						all[i].Value += weekly[i%7]
					}
				}
				steps, alarms := sequential.Gate{BurnIn: 14, Season: c.season, Threshold: 365, TwoSided: c.twoSided}.Watch(fmt.Sprint(run), all, 0)
				if len(alarms) > 0 {
					alarmed++
				}
				any := false
				for _, s := range steps {
					if math.IsNaN(s.P) {
						continue
					}
					count++
					if s.P < 0.05 {
						low++
						any = true
					}
				}
				if any {
					nightly++
				}
			}
			share := func(n int) float64 { return float64(n) / float64(runs()) }
			t.Logf("%s: alarms in %.1f%% of runs; some night with p < 0.05 in %.1f%%; p < 0.05 on %.2f%% of nights", c.name, 100*share(alarmed), 100*share(nightly), 100*float64(low)/float64(count))
			slack := simulation.Slack(0.1, all)
			require.LessOrEqual(t, share(alarmed), 0.15+slack)
			require.Greater(t, share(alarmed), 0.02-slack) // otherwise it would be blind
			require.GreaterOrEqual(t, share(nightly), c.nightly-simulation.Slack(c.nightly, all))
			require.InDelta(t, 0.05, float64(low)/float64(count), 0.005)
		})
	}
}

func TestSimulatedDelay(t *testing.T) {
	const at = 100
	for _, c := range []struct {
		name   string
		season int
		delays [3]float64 // for shifts of 1, 2 and 3 standard deviations
	}{{"no season", 0, [3]float64{14, 6, 5}}, {"season", 7, [3]float64{17, 8, 6}}} {
		for i, most := range c.delays {
			var delays, sinces []float64
			for run := range runs() {
				r := &random{uint64(run)<<32 + 1}
				all := nights(365, r.normal, at, float64(i+1))
				delay, since := 365.0, 365.0
				_, alarms := sequential.Gate{BurnIn: 14, Season: c.season, Threshold: 365}.Watch(fmt.Sprint(run), all, 0)
				for _, a := range slices.Backward(alarms) {
					if a.At >= at {
						delay, since = float64(a.At-at+1), float64(a.Since-at)
					}
				}
				delays, sinces = append(delays, delay), append(sinces, since)
			}
			slices.Sort(delays)
			slices.Sort(sinces)
			t.Logf("%s, shift %d: median delay %v nights, 90%% quantile %v; since is off by %v to %v in the middle 80%%",
				c.name, i+1, delays[len(delays)/2], delays[len(delays)*9/10], sinces[len(sinces)/10], sinces[len(sinces)*9/10])
			require.LessOrEqual(t, delays[len(delays)/2], most)
		}
	}
}

func TestSimulatedMeanHolds(t *testing.T) {
	for _, c := range []struct {
		name            string
		within, between float64
		known           bool
	}{{"errors only", 1, 0, true}, {"between nights", 1, 2, true}, {"mostly between", 0.1, 1, true}, {"unknown errors", 1, 1, false}} {
		outside, below := 0, 0
		runs := runs() / 2
		for run := range runs {
			r := &random{uint64(run)<<32 + 2}
			all := make([]sequential.Measured, 365)
			for i := range all {
				se := c.within * (0.5 + r.uniform())
				all[i] = sequential.Measured{Value: float64(c.between*r.normal()) + float64(se*r.normal()), StdError: se}
				if !c.known {
					all[i].StdError = math.NaN()
				}
			}
			means := sequential.Mean(all, 14, 0, 0.05)
			if slices.ContainsFunc(means, func(in sequential.Interval) bool { return in.Low > 0 || in.High < 0 }) {
				outside++
			}
			if slices.ContainsFunc(means, func(in sequential.Interval) bool { return in.Most < 0 }) {
				below++
			}
		}
		share := func(n int) float64 { return float64(n) / float64(runs) }
		t.Logf("%s: outside on some night in %.1f%% of runs, below in %.1f%%", c.name, 100*share(outside), 100*share(below))
		slack := simulation.Slack(0.05, all/2)
		require.LessOrEqual(t, share(outside), 0.065+slack) // the variance is estimated
		require.LessOrEqual(t, share(below), 0.065+slack)
	}
}
