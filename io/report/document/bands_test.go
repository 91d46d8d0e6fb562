package document

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/picture"
)

// TestBandsCoverCalibratedModels: of the bins of calibrated models, 95 ± 1.5 % are within their bands,
// for bins of equal width and of equal weight, and for common and rare positives.
func TestBandsCoverCalibratedModels(t *testing.T) {
	t.Parallel()
	const bins, trials = 10, 250
	for name, draw := range map[string]func(*rand.Rand) float64{
		"uniform":  (*rand.Rand).Float64,
		"timid":    func(r *rand.Rand) float64 { return (r.Float64() + r.Float64() + r.Float64()) / 3 },
		"rare":     func(r *rand.Rand) float64 { return r.Float64() * r.Float64() * r.Float64() / 2 },
		"coarse":   func(r *rand.Rand) float64 { return float64(1+r.IntN(9)) / 10 },
		"extremes": func(r *rand.Rand) float64 { p := r.Float64() * r.Float64(); return [...]float64{p, 1 - p}[r.IntN(2)] },
	} {
		for _, examples := range []int{1000, 20_000} {
			for _, quantiles := range []bool{false, true} {
				r := rand.New(rand.NewPCG(1, 2))
				inside, all := 0, 0
				for range trials {
					p := make([]float64, examples)
					for i := range p {
						p[i] = draw(r)
					}
					slices.Sort(p)
					points := make([]report.CurvePoint, bins)
					for i, x := range p {
						b := &points[min(int(x*bins), bins-1)]
						if quantiles {
							b = &points[i*bins/examples]
						}
						b.Weight++
						b.X += x
						if r.Float64() < x {
							b.Y++
						}
					}
					for i := range points {
						points[i].X /= points[i].Weight
						points[i].Y /= points[i].Weight
						if band, ok := consistent(&points[i]); ok {
							all++
							if band.Low <= points[i].Y && points[i].Y <= band.High {
								inside++
							}
						}
					}
				}
				covered := float64(inside) / float64(all)
				t.Logf("%s, %d examples, equal weight %v: %.2f %% of %d bins", name, examples, quantiles, 100*covered, all)
				require.InDelta(t, 0.95, covered, 0.015, "%s %d %v", name, examples, quantiles)
			}
		}
	}
}

// TestBandsOfFitsAreFinite: null in a file is no corner of the band.
func TestBandsOfFitsAreFinite(t *testing.T) {
	curves := map[string]*report.Curve{
		report.CurveIsotonicLower: {Points: []report.CurvePoint{{X: 0.1, Y: 0}, {X: 0.5, Y: math.NaN()}, {X: 0.8, Y: 0.7}}},
		report.CurveIsotonicUpper: {Points: []report.CurvePoint{{X: 0.1, Y: 0.2}, {X: 0.5, Y: 0.6}, {X: 0.8, Y: 0.9}}},
	}
	g := Gallery{Task: "binary", Plot: func(kind, _ string) Plot { return Plot{Curves: []*report.Curve{curves[kind]}} }}
	require.Equal(t, []picture.Band{{X: 0.1, Low: 0, High: 0.2}, {X: 0.8, Low: 0.7, High: 0.9}}, g.fitBands())
}

// TestBandsNeedCounts: weights that are no numbers of examples say nothing about chance.
func TestBandsNeedCounts(t *testing.T) {
	curve := func(weights ...float64) *report.Curve {
		c := new(report.Curve)
		for _, w := range weights {
			c.Points = append(c.Points, report.CurvePoint{X: 0.5, Y: 0.5, Weight: w})
		}
		return c
	}
	require.True(t, areCounts(curve(3, 0, 4), 7))
	require.False(t, areCounts(curve(3, 4), 8))
	require.False(t, areCounts(curve(3.5, 3.5), 7))
	require.False(t, areCounts(curve(), 0))
	_, ok := consistent(&report.CurvePoint{X: 0.5, Y: 0.5, Weight: 19})
	require.False(t, ok)
	_, ok = consistent(new(report.CurvePoint))
	require.False(t, ok)
}
