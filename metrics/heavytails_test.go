package metrics

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/simulation"
	"github.com/beameval/beameval/metrics/confidence"
)

// studentT draws a number of Student's distribution with three degrees of freedom.
func studentT(r *rand.Rand) float64 {
	squares := 0.0
	for range 3 {
		x := r.NormFloat64()
		squares += x * x
	}
	return r.NormFloat64() / math.Sqrt(squares/3)
}

func laplace(r *rand.Rand) float64 { return r.ExpFloat64() * float64(2*r.IntN(2)-1) }

// The simulation behind docs/studies.md: intervals of squared errors cover the true value too
// seldom if fourth powers have no mean, and then most samples say so. Where they have one, hardly any
// does.
func TestSimulatedHeavyTails(t *testing.T) {
	t.Parallel()
	const size = 2000
	p := &Params{Task: Regression, Metrics: []string{"mse"}}
	value := func(partial *Partial) Value {
		list, err := p.Evaluate(partial, Options{})
		require.NoError(t, err)
		return list[0].Value
	}
	for _, c := range []struct {
		name     string
		draw     func(*rand.Rand) float64
		variance float64
		heavy    bool
	}{
		{"normal", (*rand.Rand).NormFloat64, 1, false},
		{"Laplace", laplace, 2, false},
		{"Student's t of 3", studentT, 3, true},
	} {
		r, flagged, covered := source(11), 0, 0
		for range simulation.Draws(trials) {
			parts := make([]*Partial, groupsDrawn)
			for g := range parts {
				b := &Batch{Rows: size / groupsDrawn, Labels: 1}
				for range b.Rows {
					b.Target = append(b.Target, 2*r.NormFloat64())
					b.Estimate = append(b.Estimate, b.Target[len(b.Target)-1]+c.draw(r))
				}
				parts[g] = folded(t, p, b)
			}
			whole := new(Partial)
			for _, part := range parts {
				whole.Merge(part)
			}
			v := value(whole)
			e := confidence.Estimate{Value: v.Number, Scale: confidence.Log, Rarer: confidence.MinFolds}
			require.NoError(t, LeaveOneOut(parts, nil, func(_ int, without *Partial) error {
				e.Replicates = append(e.Replicates, value(without).Number)
				return nil
			}))
			i := e.Interval(0.95)
			covered += oneIf(i.Low <= c.variance && c.variance <= i.High)
			flagged += oneIf(v.HeavyTails)
		}
		percent := func(n int) float64 { return 100 * float64(n) / float64(simulation.Draws(trials)) }
		t.Logf("%s: intervals cover %.1f %%, %.1f %% have heavy tails", c.name, percent(covered), percent(flagged))
		if c.heavy {
			require.GreaterOrEqual(t, percent(flagged), 80-slackOf(0.8))
			require.Less(t, percent(covered), 90+slackOf(0.9))
		} else {
			require.LessOrEqual(t, percent(flagged), 1+slackOf(0.01))
			require.InDelta(t, 95, percent(covered), 2+slackOf(0.95))
		}
	}
}

func TestHeavyTailed(t *testing.T) {
	for what, c := range map[string]struct {
		large, unit, weight float64
		heavy               bool
	}{
		"as the others":                       {1, 1, 1, false},
		"large":                               {8, 1, 1, true},
		"without weight":                      {8, 1, 0, false},
		"tiny unit":                           {8, 0x1p-200, 1, true},
		"huge unit":                           {8, 0x1p200, 1, true},
		"fourth powers beyond float64":        {8, 0x1p300, 1, false},
		"fourth powers that float64 has as 0": {8, 0x1p-300, 1, false},
	} {
		y, p, w := make([]float64, 60), make([]float64, 60), make([]float64, 60)
		for i := range y {
			y[i], p[i], w[i] = float64(i%5)*c.unit, float64(i%5+1-i%2*2)*c.unit, 1
		}
		p[59], w[59] = y[59]+c.large*c.unit, c.weight
		got := regressionOf(t, y, p, w...)
		for _, name := range []string{"mse", "rmse", "r2", "explained_variance", "pearson", "concordance"} {
			require.Equal(t, c.heavy, got[key{name, -1}].HeavyTails, "%s: %s", what, name)
		}
		require.False(t, got[key{"mae", -1}].HeavyTails, what)
	}
}

// TestHeavyTailsOfSquares: metrics that are functions of squared errors have heavy tails where mse has.
func TestHeavyTailsOfSquares(t *testing.T) {
	p := &Params{Task: Regression, Has: HasScale, Metrics: []string{"mae", "mean_tweedie_deviance@0", "mean_tweedie_deviance@1.5", "mse", "rmsse", "mase"}}
	r := source(4)
	heavy := 0
	for range 200 {
		b := drawBatch(r, p, 40)
		b.Scale = nil
		for i := range b.Target {
			b.Target[i], b.Estimate[i], b.Scale = 3+r.Float64(), 3+r.Float64(), append(b.Scale, 2)
			if i%13 == 0 {
				b.Estimate[i] += math.Abs(studentT(r))
			}
		}
		got := evaluated(t, p, b, Options{})
		want := got[key{"mse", -1}].HeavyTails
		heavy += oneIf(want)
		for name, is := range map[string]bool{"rmsse": want, "mean_tweedie_deviance@0": want, "mean_tweedie_deviance@1.5": false, "mae": false, "mase": false} {
			require.Equal(t, is, got[key{name, -1}].HeavyTails, name)
		}
	}
	require.Greater(t, heavy, 20)
	require.Less(t, heavy, 180)
}
