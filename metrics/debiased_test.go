package metrics

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/simulation"
)

// probabilitiesOff returns a population of 20 probabilities; each differs by off(p) from its share
// of positives.
func probabilitiesOff(off func(p float64) float64) *population {
	const probabilities = 20
	p := &population{params: &Params{Task: Binary, Metrics: []string{"ece", "ece_debiased"}, Bins: 10, ScoreType: Probability}}
	var prediction []float64
	for i := range probabilities {
		at := (float64(i) + 0.5) / probabilities
		prediction = append(prediction, at, at)
		positive := at + off(at)
		p.share = append(p.share, 1e15*(1-positive), 1e15*positive) // so many examples have no bias
	}
	p.values = func(count []float64) []float64 {
		var sum, debiased, total float64
		for i := 0; i < len(count); i += 4 { // two probabilities are in a bin
			negative, positive := count[i]+count[i+2], count[i+1]+count[i+3]
			n := negative + positive
			if n == 0 {
				continue
			}
			gap := math.Abs(prediction[i]*(count[i]+count[i+1])+prediction[i+2]*(count[i+2]+count[i+3])-positive) / n
			s, excess := math.Sqrt(negative/n*positive/n/n), 0.0
			if s > 0 {
				z := gap / s
				excess = s*math.Sqrt(2/math.Pi)*math.Exp(-z*z/2) - gap*math.Erfc(z/math.Sqrt2)
			}
			sum, debiased, total = sum+n*gap, debiased+n*(gap-excess), total+n
		}
		return []float64{sum / total, debiased / total}
	}
	p.batch = func(of []int) *Batch {
		b := &Batch{Rows: len(of), Labels: 1}
		for _, i := range of {
			b.Class = append(b.Class, int32(i%2))
			b.Predicted = append(b.Predicted, int32(oneIf(prediction[i] >= 0.5)))
			b.Probability = append(b.Probability, prediction[i])
		}
		return finish(b, Binary)
	}
	return p
}

// TestSimulatedBiasOfDebiasedCalibrationError has the numbers of docs/metrics/classification.md.
func TestSimulatedBiasOfDebiasedCalibrationError(t *testing.T) {
	t.Parallel()
	for name, off := range map[string]func(p float64) float64{
		"calibrated":    func(float64) float64 { return 0 },
		"off by 0.02":   func(p float64) float64 { return math.Copysign(0.02, 0.5-p) },
		"off by 0.1":    func(p float64) float64 { return math.Copysign(0.1, 0.5-p) },
		"overconfident": func(p float64) float64 { return (0.5 - p) / 2 },
	} {
		p := probabilitiesOff(off)
		if name != "calibrated" { // whose error is 0 but for rounding
			p.requireTrue(t)
		}
		r, truth := source(1), p.values(p.share)
		require.InDelta(t, truth[0], truth[1], 1e-8, name)
		var bias, debiased float64
		draws := simulation.Draws(trials)
		for range draws {
			all, _ := p.evaluate(p.draw(r))
			bias += (all[0].Number - truth[0]) / float64(draws)
			debiased += (all[1].Number - truth[0]) / float64(draws)
		}
		t.Logf("%s: true %.4f, bias of ece %.4f, of ece_debiased %.4f", name, truth[0], bias, debiased)
		noise := 0.05 * (1/math.Sqrt(float64(draws)) - 1/math.Sqrt(trials)) // four standard errors
		require.Less(t, math.Abs(debiased), max(0.6*bias, 0.0025)+noise, name)
	}
}
