package isotonic

import (
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/simulation"
	"github.com/beameval/beameval/metrics/curves"
)

func itself(score float64) float64 { return score }

// labelled returns the points of the curve of calibrated examples with these probabilities.
func labelled(p []float64, r *rand.Rand) (points []curves.Point, totals curves.Totals) {
	slices.Sort(p)
	for i, x := range slices.Backward(p) {
		if r.Float64() < x {
			totals.Positives++
		} else {
			totals.Negatives++
		}
		if i == 0 || p[i-1] != x {
			points = append(points, curves.Point{Score: x, TP: totals.Positives, FP: totals.Negatives})
		}
	}
	return points, totals
}

// bandOf returns the band of a curve whose drawing has so many lines.
func bandOf(points []curves.Point, totals curves.Totals, lines int) []BandPoint {
	o := curves.NewOutline(totals, lines)
	o.Add(points)
	return Band(o.Spans(), itself, lines)
}

// at returns the band at x, between its points.
func at(band []BandPoint, x float64) (low, high float64) {
	i := sort.Search(len(band), func(i int) bool { return band[i].Probability >= x })
	if i == 0 || i == len(band) {
		b := band[min(i, len(band)-1)]
		return b.Low, b.High
	}
	a, b := band[i-1], band[i]
	part := (x - a.Probability) / (b.Probability - a.Probability)
	return a.Low + float64(part*(b.Low-a.Low)), a.High + float64(part*(b.High-a.High))
}

// forecasts are distributions of probabilities.
var forecasts = map[string]func(*rand.Rand) float64{
	"uniform":  (*rand.Rand).Float64,
	"timid":    func(r *rand.Rand) float64 { return (r.Float64() + r.Float64() + r.Float64()) / 3 },
	"rare":     func(r *rand.Rand) float64 { return r.Float64() * r.Float64() * r.Float64() / 2 },
	"coarse":   func(r *rand.Rand) float64 { return float64(1+r.IntN(9)) / 10 },
	"extremes": func(r *rand.Rand) float64 { p := r.Float64() * r.Float64(); return [...]float64{p, 1 - p}[r.IntN(2)] },
}

// share is a share of cases.
type share struct{ in, all float64 }

func (s *share) add(in bool) {
	if s.all++; in {
		s.in++
	}
}

func (s *share) percent() float64 { return 100 * s.in / s.all }

// TestSimulatedCoverageOfBands: for calibrated forecasts, the fitted values of 95 ± 1.5 % of examples are within the band of
// the fit, and of a little more of few examples, because many of their fitted values are 0 or 1. Its log also says how many would be in bands of bins (1.96 binomial standard deviations around the mean
// probability), and how many shares of bins in the band of the fit: neither band belongs to the other curve.
func TestSimulatedCoverageOfBands(t *testing.T) {
	t.Parallel()
	const all = 150
	trials, slack := simulation.Draws(all), 100*simulation.Slack(0.95, all)
	var every share
	for _, name := range slices.Sorted(maps.Keys(forecasts)) {
		for _, n := range []int{300, 1000, 20_000} {
			if n > 1000 && trials < all {
				continue
			}
			var fits, fitsInBins, bins share
			r := rand.New(rand.NewPCG(3, 4))
			for range trials {
				cover(r, n, forecasts[name], &fits, &fitsInBins, &bins)
			}
			t.Logf("%s, %d examples: %.2f %%; of the fit in bands of bins: %.2f %%; of bins in the band of the fit: %.2f %%",
				name, n, fits.percent(), fitsInBins.percent(), bins.percent())
			require.InDelta(t, 95, fits.percent(), map[bool]float64{true: 1.5, false: 2}[n >= 1000]+slack, "%s %d", name, n)
			every.in, every.all = every.in+fits.in/fits.all, every.all+1
		}
	}
	require.InDelta(t, 95, every.percent(), 1.5)
}

// cover draws n calibrated examples and counts the fitted values within the band of the fit, the
// fitted values within the band of their bin, and the shares of bins within the band of the fit.
func cover(r *rand.Rand, n int, draw func(*rand.Rand) float64, fits, fitsInBins, inFit *share) {
	const bins = 10
	p := make([]float64, n)
	for i := range p {
		p[i] = draw(r)
	}
	points, totals := labelled(p, r)
	band := bandOf(points, totals, 250)
	fit := New(n)
	fit.Add(points)
	blocks := fit.Blocks()
	slices.Reverse(blocks)
	value := func(x float64) float64 {
		return blocks[max(sort.Search(len(blocks), func(i int) bool { return blocks[i].Score > x })-1, 0)].Share()
	}
	var sums, weights, positives [bins]float64
	for _, x := range p {
		low, high := at(band, x)
		v := value(x)
		fits.add(low <= v && v <= high)
		bin := min(int(x*bins), bins-1)
		sums[bin], weights[bin] = sums[bin]+x, weights[bin]+1
	}
	before := curves.Point{}
	for _, q := range points {
		positives[min(int(q.Score*bins), bins-1)] += q.TP - before.TP
		before = q
	}
	for bin, w := range weights {
		x := sums[bin] / w
		if variance := x * (1 - x) * w; variance >= 5 {
			reach := 1.96 * math.Sqrt(variance) / w
			fitsInBins.add(math.Abs(value(x)-x) <= reach)
			low, high := at(band, x)
			inFit.add(low <= positives[bin]/w && positives[bin]/w <= high)
		}
	}
}

// TestBandsOfOthers: bands equal make_bands.py's, which draws the label of each example, within the
// noise of both.
func TestBandsOfOthers(t *testing.T) {
	data, err := os.ReadFile("testdata/bands.json")
	require.NoError(t, err)
	var golden struct {
		Cases []struct {
			Forecast string
			Examples int
			Points   [][3]float64
		}
	}
	require.NoError(t, json.Unmarshal(data, &golden))
	require.NotEmpty(t, golden.Cases)
	of := map[string]func(u float64) float64{
		"uniform": itself,
		"rare":    func(u float64) float64 { return u * u * u / 2 },
		"coarse":  func(u float64) float64 { return math.Ceil(u*9) / 10 },
		"extremes": func(u float64) float64 {
			if u < 0.5 {
				return 2*u*u*0.98 + 0.01
			}
			return (1-2*(1-u)*(1-u))*0.98 + 0.01
		},
	}
	for _, c := range golden.Cases {
		p := make([]float64, c.Examples)
		for i := range p {
			p[i] = of[c.Forecast]((float64(i) + 0.5) / float64(c.Examples))
		}
		points, totals := labelled(p, rand.New(rand.NewPCG(1, 1)))
		band := bandOf(points, totals, 250)
		all, expected := 0.0, 0.0
		for _, want := range c.Points {
			low, high := at(band, p[int(want[0])])
			width := want[2] - want[1]
			require.InDelta(t, want[1], low, 0.3*width, "%s %d %v", c.Forecast, c.Examples, want)
			require.InDelta(t, want[2], high, 0.3*width, "%s %d %v", c.Forecast, c.Examples, want)
			all, expected = all+high-low, expected+width
		}
		t.Logf("%s, %d examples: %.3f times as wide", c.Forecast, c.Examples, all/expected)
		require.InDelta(t, 1, all/expected, 0.03, "%s %d", c.Forecast, c.Examples)
	}
}

// TestBandOfFewExamples: bands of certain, of tied and of single examples are what they must be.
func TestBandOfFewExamples(t *testing.T) {
	certain := []curves.Span{{Low: 1, High: math.Inf(1), Positives: 7, Tied: true}, {Low: 0, High: 1, Negatives: 3, Tied: true}}
	require.Equal(t, []BandPoint{{0, 0, 0}, {1, 1, 1}}, Band(certain, itself, 10))
	// 2.5 % of samples of 100 coins have at most 40 heads, and as many at least 60.
	tied := Band([]curves.Span{{Low: 0.5, High: math.Inf(1), Positives: 50, Negatives: 50, Tied: true}}, itself, 10)
	require.Len(t, tied, 1)
	require.InDelta(t, 0.4, tied[0].Low, 0.011)
	require.InDelta(t, 0.6, tied[0].High, 0.011)
	require.Equal(t, []BandPoint{{0.3, 0, 1}}, Band([]curves.Span{{Low: 0.3, High: 2, Positives: 1, Tied: true}}, itself, 10))
	huge := Band([]curves.Span{{Low: 0.5, High: math.Inf(1), Positives: 1 << 52, Tied: true}, {Low: 0, High: 0.5, Negatives: 1 << 51}}, itself, 50)
	require.Len(t, huge, 50)
	for _, b := range huge {
		require.InDelta(t, b.Probability, b.Low, 1e-3)
		require.InDelta(t, b.Probability, b.High, 1e-3)
	}
	require.Empty(t, Band(nil, itself, 10))
	for _, examples := range []float64{0, -1, 1.5, 1 << 60, math.Inf(1), math.NaN()} {
		require.Empty(t, Band([]curves.Span{{Low: 0.3, High: 2, Positives: 1}, {Low: 0.1, High: 0.3, Positives: examples}}, itself, 10))
	}
}

func BenchmarkBand(b *testing.B) {
	p := make([]float64, 1_000_000)
	for i := range p {
		p[i] = (float64(i) + 0.5) / float64(len(p))
	}
	points, totals := labelled(p, rand.New(rand.NewPCG(1, 1)))
	for b.Loop() {
		bandOf(points, totals, 250)
	}
}
