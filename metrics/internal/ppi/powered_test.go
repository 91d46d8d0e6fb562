package ppi

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/simulation"
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// row is a label, a judgement and a weight.
type row struct{ y, f, w float64 }

// estimated returns the estimate of rows; labels is how many rows, from the first, have a label.
func estimated(t testing.TB, labels int, rows []row) Estimate {
	var s Sums
	for i, r := range rows {
		if i < labels {
			s.AddLabelled(r.w, r.y, r.f)
		} else {
			s.AddUnlabelled(r.w, r.f)
		}
	}
	e, why := s.Estimate()
	require.Empty(t, why)
	return e
}

// populations draw rows. All labels have the mean 0.7, weighted if rows have weights.
var populations = map[string]func(r *rand.Rand) row{
	"0 or 1, right in 85 % of rows":    func(r *rand.Rand) row { y := flip(r, 0.7); return row{y, agree(r, y, 0.85), 1} },
	"0 or 1, right in 99 % of rows":    func(r *rand.Rand) row { y := flip(r, 0.7); return row{y, agree(r, y, 0.99), 1} },
	"0 or 1, guessed":                  func(r *rand.Rand) row { return row{flip(r, 0.7), flip(r, 0.5), 1} },
	"calibrated probabilities":         func(r *rand.Rand) row { p := math.Pow(r.Float64(), 3./7); return row{flip(r, p), p, 1} },
	"numbers, correlation 0.89":        func(r *rand.Rand) row { x := r.NormFloat64(); return row{0.7 + x + r.NormFloat64()/2, 4 + x, 1} },
	"numbers with a long tail":         func(r *rand.Rand) row { x := r.ExpFloat64() - 0.3; return row{x, math.Exp(x / 5), 1} },
	"numbers that exaggerate 100-fold": func(r *rand.Rand) row { x := r.NormFloat64(); return row{0.7 + x, 100 * (x + r.NormFloat64()/2), 1} },
	"as the first, with weights that depend on labels": func(r *rand.Rand) row {
		y := flip(r, 0.5)
		w := (0.5 + r.Float64()) * []float64{0.6, 1.4}[int(y)]
		return row{y, agree(r, y, 0.85), w}
	},
}

func flip(r *rand.Rand, p float64) float64 {
	if r.Float64() < p {
		return 1
	}
	return 0
}

func agree(r *rand.Rand, y, share float64) float64 {
	if r.Float64() < share {
		return y
	}
	return 1 - y
}

// TestSimulatedCoverage simulates samples: intervals of level 0.95 contain the mean in 94 to 96 %
// of them, and are never wider than intervals from the labels alone. It is the table in
// docs/studies.md.
func TestSimulatedCoverage(t *testing.T) {
	trials, least, most := simulated()
	for name, draw := range populations {
		for _, size := range []struct{ labels, unlabelled int }{{200, 2000}, {500, 500}} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(38, uint64(size.labels)))
				rows := make([]row, size.labels+size.unlabelled)
				covered, byLabels, ratio, widest := 0.0, 0.0, 0.0, 0.0
				for range trials {
					for i := range rows {
						rows[i] = draw(r)
					}
					e := estimated(t, size.labels, rows)
					covered += contains(0.7, e.Mean, e.StdError)
					byLabels += contains(0.7, e.LabelMean, e.LabelStdError)
					ratio += e.StdError / e.LabelStdError
					widest = max(widest, e.StdError/e.LabelStdError)
				}
				n := float64(trials)
				t.Logf("%s, %d labels of %d rows: coverage %.3f, of labels alone %.3f; width relative to theirs %.3f, at most %.3f", name, size.labels, len(rows), covered/n, byLabels/n, ratio/n, widest)
				require.GreaterOrEqual(t, covered/n, least)
				require.LessOrEqual(t, covered/n, most)
				require.LessOrEqual(t, widest, 1.)
			})
		}
	}
}

// simulated returns the number of samples to simulate, and the bounds of the coverage.
func simulated() (trials int, least, most float64) {
	const all = 20_000
	slack := simulation.Slack(0.95, all)
	return simulation.Draws(all), 0.94 - slack, 0.96 + slack
}

// contains returns 1 if the interval of level 0.95 contains the truth, and else 0.
func contains(truth, mean, stdError float64) float64 {
	if math.Abs(mean-truth) <= 1.959963984540054*stdError {
		return 1
	}
	return 0
}

// drawn returns rows whose judgements need not have anything to do with labels.
func drawn(r *rand.Rand, n int) []row {
	rows := make([]row, n)
	scale, shift, of := math.Exp(10*r.NormFloat64()), 100*r.NormFloat64(), r.NormFloat64()
	for i := range rows {
		y := r.NormFloat64()
		rows[i] = row{y, scale * (shift + of*y + math.Exp(2*r.NormFloat64())), 1}
		if r.IntN(2) == 0 {
			rows[i].w = r.ExpFloat64()
		}
	}
	return rows
}

// TestNeverWider: whatever the judgements, the standard error is at most the labels' alone, and no
// other λ has a lower one.
func TestNeverWider(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		n := 2 + r.IntN(20)
		rows := drawn(r, n+r.IntN(30))
		e := estimated(t, n, rows)
		require.LessOrEqual(t, e.StdError, e.LabelStdError)
		require.GreaterOrEqual(t, e.Lambda, 0.)
		require.LessOrEqual(t, e.Lambda, 1.)
		for step := range 21 {
			require.LessOrEqual(t, e.StdError, stdError(rows[:n], rows[n:], float64(step)/20)*(1+1e-9))
		}
	}
}

// stdError returns the standard error for any λ, computed from deviations.
func stdError(labelled, unlabelled []row, lambda float64) float64 {
	variance := func(rows []row, x func(row) float64) float64 {
		mean, weight, sum := 0.0, 0.0, 0.0
		for _, r := range rows {
			mean, weight = mean+r.w*x(r), weight+r.w
		}
		for _, r := range rows {
			sum += math.Pow(r.w*(x(r)-mean/weight), 2)
		}
		return sum / weight / weight
	}
	if len(unlabelled) == 0 {
		lambda = 0
		return math.Sqrt(variance(labelled, func(r row) float64 { return r.y }))
	}
	return math.Sqrt(variance(labelled, func(r row) float64 { return r.y - lambda*r.f }) + variance(unlabelled, func(r row) float64 { return lambda * r.f }))
}

// TestShifts: neither a constant added to all judgements nor a common factor of all weights changes the
// estimate; one added to labels is added to it.
func TestShifts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	rows := make([]row, 60)
	for i := range rows {
		y := float64(r.IntN(64)) / 8
		rows[i] = row{y, y + float64(r.IntN(32))/8, float64(1 + r.IntN(4))}
	}
	want := estimated(t, 20, rows)
	other := make([]row, len(rows))
	for i, x := range rows {
		other[i] = row{x.y, x.f + 0x1p30, 1024 * x.w}
	}
	require.Equal(t, want, estimated(t, 20, other))
	for i, x := range rows {
		other[i] = row{x.y + 0x1p30, x.f, x.w}
	}
	shifted := estimated(t, 20, other)
	require.InDelta(t, want.Mean, shifted.Mean-0x1p30, 1e-6)
	require.Equal(t, want.StdError, shifted.StdError)
	require.Equal(t, want.Lambda, shifted.Lambda)
}

// TestSpecial: what cannot be estimated has a reason, and judgements that say nothing are not trusted.
func TestSpecial(t *testing.T) {
	sums := func(labelled, unlabelled []row) *Sums {
		var s Sums
		for _, r := range labelled {
			s.AddLabelled(r.w, r.y, r.f)
		}
		for _, r := range unlabelled {
			s.AddUnlabelled(r.w, r.f)
		}
		return &s
	}
	one, two := []row{{1, 0.5, 1}}, []row{{1, 0.5, 1}, {0, 0.25, 1}}
	for want, s := range map[string]*Sums{
		NoLabels: sums(nil, two),
		TooLarge: sums([]row{{math.Inf(1), 1, 1}, {0, 1, 1}}, two),
		TooLight: sums([]row{{1, 0.5, 1e-300}, {0, 0, 1e-300}}, two),
	} {
		_, why := s.Estimate()
		require.Equal(t, want, why)
	}
	_, why := sums(two, []row{{0, math.Inf(1), 1}}).Estimate()
	require.Equal(t, TooLarge, why)
	_, why = sums([]row{{1, 1, 0}}, nil).Estimate()
	require.Equal(t, NoLabels, why)

	e, why := sums(one, two).Estimate()
	require.Empty(t, why)
	require.Equal(t, 1., e.Mean)
	require.True(t, math.IsNaN(e.StdError) && math.IsNaN(e.LabelStdError))
	e, _ = sums(two, nil).Estimate() // all have a label
	require.Equal(t, Estimate{0.5, math.Sqrt(0.125), 0, 0.5, math.Sqrt(0.125), 1}, e)
	e, _ = sums([]row{{1, 2, 1}, {0, 2, 1}}, []row{{0, 2, 1}}).Estimate() // a judge that says the same of all
	require.True(t, math.IsNaN(e.Correlation))
	require.Equal(t, Estimate{0.5, math.Sqrt(0.125), 0, 0.5, math.Sqrt(0.125), 0}, Estimate{e.Mean, e.StdError, e.Lambda, e.LabelMean, e.LabelStdError, 0})
	e, _ = sums([]row{{1e200, 1e200, 1}, {-1e200, -1e200, 1}}, []row{{0, 1e200, 1}, {0, -1e200, 1}}).Estimate()
	require.Equal(t, 0.5, e.Lambda)
	require.Equal(t, 1., e.Correlation)
	require.InEpsilon(t, 5e199, e.StdError, 1e-15)

	var none Sums
	_, why = none.JudgedMean()
	require.Equal(t, NoJudgements, why)
	mean, _ := sums(two, one).JudgedMean()
	require.Equal(t, 1.25/3, mean)
	require.EqualValues(t, 3, sums(two, one).Judged())
}

// FuzzDecode: whatever the bytes, decoding sums and estimating from them does not panic.
func FuzzDecode(f *testing.F) {
	code := func(c *wire.Coder, s *Sums) { s.Fields(fields.Coding(c), s) }
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 4 {
		var s Sums
		for _, x := range drawn(r, n) {
			s.AddLabelled(x.w, x.y, x.f)
			s.AddUnlabelled(x.w, x.f)
		}
		data, err := wire.Append(nil, &s, code)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Sums
		if wire.Decode(data, &s, code) != nil {
			return
		}
		s.Estimate()
		s.JudgedMean()
	})
}
