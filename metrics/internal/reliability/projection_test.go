package reliability

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/simulation"
	"github.com/beameval/beameval/metrics/confidence"
)

// intervalOf returns the interval of a calibration error.
func intervalOf(bins []Bin, level float64) (low, high float64) { return Gaps(bins).Interval(level) }

// binned returns bins of so many negatives and positives, whose probabilities add up to so much.
func binned(negatives, positives []int, predictions []float64) []Bin {
	bins := make([]Bin, len(negatives))
	for i := range bins {
		for range negatives[i] {
			bins[i].Negative.Add(1)
		}
		for range positives[i] {
			bins[i].Positive.Add(1)
		}
		bins[i].Prediction.Add(predictions[i])
	}
	return bins
}

// TestGolden: testdata/projection.py finds the same bounds by brute force.
func TestGolden(t *testing.T) {
	data, err := os.ReadFile("testdata/projection.json")
	require.NoError(t, err)
	var cases []struct {
		Name string
		Bins []struct {
			Negatives, Positives int
			Predictions          float64
		}
		Intervals [][3]float64
	}
	require.NoError(t, json.Unmarshal(data, &cases))
	require.Len(t, cases, 7)
	for _, c := range cases {
		var negatives, positives []int
		var predictions []float64
		for _, b := range c.Bins {
			negatives, positives, predictions = append(negatives, b.Negatives), append(positives, b.Positives), append(predictions, b.Predictions)
		}
		for _, want := range c.Intervals {
			low, high := intervalOf(binned(negatives, positives, predictions), want[0])
			require.InDelta(t, want[1], low, 1e-12, "%s at %v", c.Name, want[0])
			require.InDelta(t, want[2], high, 1e-12, "%s at %v", c.Name, want[0])
		}
	}
}

// population has the quantiles of the probabilities of its examples, and says how likely these are positive.
type population struct {
	score func(u float64) float64
	truth func(p float64, bins int) float64
}

var scores = map[string]func(u float64) float64{
	"uniform":  func(u float64) float64 { return u },
	"extreme":  func(u float64) float64 { s := math.Sin(math.Pi / 2 * u); return s * s }, // beta of ½ and ½
	"few high": func(u float64) float64 { return math.Pow(u, 8) },
	"of five":  func(u float64) float64 { return []float64{0.05, 0.25, 0.5, 0.75, 0.95}[int(u*5)] },
	"equal":    func(float64) float64 { return 0.35 },
}

var truths = map[string]func(p float64, bins int) float64{
	"calibrated":              func(p float64, _ int) float64 { return p },
	"one bin off slightly":    func(p float64, bins int) float64 { return within(p, oneBin(p, bins, 0.04)) },
	"one bin off":             func(p float64, bins int) float64 { return within(p, oneBin(p, bins, 0.3)) },
	"all off slightly":        func(p float64, _ int) float64 { return within(p, 0.02) },
	"all off":                 func(p float64, _ int) float64 { return within(p, 0.15) },
	"overconfident":           func(p float64, _ int) float64 { return logistic(logit(p) / 2) },
	"timid":                   func(p float64, _ int) float64 { return logistic(2 * logit(p)) },
	"shifted":                 func(p float64, _ int) float64 { return logistic(logit(p) - 0.5) },
	"right on either side":    func(p float64, _ int) float64 { return math.Round(p) },
	"against the probability": func(p float64, _ int) float64 { return 1 - p },
}

func logit(p float64) float64    { return math.Log(p) - math.Log1p(-p) }
func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// within moves a probability towards 0.5, and never beyond [0, 1].
func within(p, by float64) float64 {
	if p > 0.5 {
		by = -by
	}
	return min(max(p+by, 0), 1)
}

// oneBin returns by in the bin of 0.35, and 0 in others.
func oneBin(p float64, bins int, by float64) float64 {
	if binOf(p, bins) == binOf(0.35, bins) {
		return by
	}
	return 0
}

func binOf(p float64, bins int) int { return max(int(math.Ceil(p*float64(bins)))-1, 0) }

// trueError returns the calibration error of a population.
func (p *population) trueError(bins int) float64 {
	const quantiles = 200_000
	gaps, sum := make([]float64, bins), 0.0
	for i := range quantiles {
		s := p.score((float64(i) + 0.5) / quantiles)
		gaps[binOf(s, bins)] += (s - p.truth(s, bins)) / quantiles
	}
	for _, g := range gaps {
		sum += math.Abs(g)
	}
	return sum
}

// sample returns the bins of n examples.
func (p *population) sample(r *rand.Rand, n, bins int) []Bin {
	negatives, positives, predictions := make([]int, bins), make([]int, bins), make([]float64, bins)
	for range n {
		s := p.score(r.Float64())
		b := binOf(s, bins)
		predictions[b] += s
		if r.Float64() < p.truth(s, bins) {
			positives[b]++
		} else {
			negatives[b]++
		}
	}
	return binned(negatives, positives, predictions)
}

// TestSimulatedCoverage simulates samples: intervals of level 0.95 contain the true calibration error in at least 95 %
// of them, less what chance takes from the least of so many shares. It is what docs/studies.md tells of.
func TestSimulatedCoverage(t *testing.T) {
	for score := range scores {
		for truth := range truths {
			t.Run(score+", "+truth, func(t *testing.T) {
				t.Parallel()
				p := &population{scores[score], truths[truth]}
				for _, c := range simulated() {
					p.requireCovered(t, c, score+", "+truth)
				}
			})
		}
	}
}

// setting is a setting of the simulation.
type setting struct {
	bins, examples, trials int
	least                  float64 // the least coverage, four standard errors below 0.95
}

func simulated() (list []setting) {
	const all = 4000
	draws, least := simulation.Draws(all), 0.936-simulation.Slack(0.95, all)
	if draws < all {
		return []setting{{10, 300, draws, least}}
	}
	for _, bins := range []int{10, 15} {
		for _, examples := range []int{100, 300, 1000, 5000, 20_000} {
			list = append(list, setting{bins, examples, draws, least})
		}
	}
	return list
}

func (p *population) requireCovered(t *testing.T, c setting, name string) {
	truth, r := p.trueError(c.bins), rand.New(rand.NewPCG(uint64(c.bins), uint64(c.examples)))
	covered, width, mean, squares := 0.0, 0.0, 0.0, 0.0
	for range c.trials {
		bins := p.sample(r, c.examples, c.bins)
		low, high := intervalOf(bins, 0.95)
		if low <= truth+1e-9 && truth-1e-9 <= high {
			covered++
		}
		var ece float64
		for i := range bins {
			gap, _ := bins[i].Gap()
			ece += gap / float64(c.examples)
		}
		width, mean, squares = width+high-low, mean+ece, squares+ece*ece
	}
	n := float64(c.trials)
	deviation := math.Sqrt(squares/n - mean/n*mean/n)
	t.Logf("%s, %d bins, %d examples: true %.4f, coverage %.3f, width %.4f, %.2f of ±1.96 deviations of ece", name, c.bins, c.examples, truth, covered/n, width/n, width/n/(2*1.959964*deviation))
	require.GreaterOrEqual(t, covered/n, c.least)
}

// TestLaws: a higher level never gives a narrower interval, which is within [0, 1] and contains the estimate
// less its bias, or 0 if that is negative.
func TestLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		p := &population{func(u float64) float64 { return u * u * u }, func(p float64, _ int) float64 { return p }}
		if r.IntN(2) == 0 {
			p.truth = func(p float64, _ int) float64 { return logistic(2*logit(p) + 1) }
		}
		n := 1 + r.IntN(1+r.IntN(2000))
		bins := p.sample(r, n, 1+r.IntN(20))
		debiased := 0.0
		for i := range bins {
			gap, _ := bins[i].Gap()
			debiased += (gap - bins[i].Excess(gap)) / float64(n)
		}
		low, high := 2.0, -1.0
		for _, level := range []float64{0.01, 0.5, 0.8, 0.95, 0.99, 0.9999, 1 - 1e-15} {
			l, h := intervalOf(bins, level)
			require.True(t, 0 <= l && l <= low && high <= h && h <= 1, "%v: [%v, %v] beside [%v, %v]", level, l, h, low, high)
			if low, high = l, h; level >= 0.5 {
				require.True(t, l <= max(debiased, 0) && debiased <= h, "%v: [%v, %v] without %v", level, l, h, debiased)
			}
		}
	}
}

// TestFar: if all bins are far off, the interval is the value ± z standard errors, with the z of
// level 0.955. The variance is Var |p - y|: between bins, and what it may be within them.
func TestFar(t *testing.T) {
	const n = 1_000_000
	bins := binned([]int{n / 4, 0, n / 4, n / 4}, []int{0, n / 4, 0, 0}, []float64{n / 4 * 0.2, n / 4 * 0.3, n / 4 * 0.7, n / 4 * 0.9})
	low, high := intervalOf(bins, 0.95)
	const mean, squares = (0.2 + 0.7 + 0.7 + 0.9) / 4, (0.2*0.2 + 0.7*0.7 + 0.7*0.7 + 0.9*0.9) / 4
	inBins := (0.2*0.05 + 0.05*0.2 + 0.2*0.05 + 0.15*0.1) / 4.
	half := confidence.NormalQuantile(0.955) * math.Sqrt((squares-mean*mean+inBins)/n)
	require.InEpsilon(t, half, mean-low, 0.03)
	require.InEpsilon(t, half, high-mean, 0.03)
}

// TestCalibrated: frequencies that equal the probabilities are no evidence of an error, however many examples
// there are; the upper bound falls with their root.
func TestCalibrated(t *testing.T) {
	before := math.Inf(1)
	for n := 20; n <= 200_000; n *= 10 {
		low, high := intervalOf(binned([]int{n * 3 / 4, n / 4}, []int{n / 4, n * 3 / 4}, []float64{float64(n) / 4, float64(n) * 3 / 4}), 0.95)
		require.Zero(t, low)
		require.Less(t, high, before/2.5, fmt.Sprint(n))
		before = high
	}
}
