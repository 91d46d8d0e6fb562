package ppi

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// classRow is a row with the class of its label and of its judgement.
type classRow struct {
	w    float64
	y, f int32
}

// shares returns the shares of rows; labels is how many rows, from the first, have a label.
func shares(labels int, rows []classRow) *Shares {
	var s Shares
	for i, r := range rows {
		if i < labels {
			s.AddLabelled(r.w, r.y, r.f)
		} else {
			s.AddUnlabelled(r.w, r.f)
		}
	}
	return &s
}

func drawClasses(r *rand.Rand, n int) []classRow {
	rows := make([]classRow, n)
	weights := [][]float64{{1}, {0, 1, 0.1, 2.5}, {1e-300, 1e-170, 1e100, 1}}[r.IntN(3)]
	for i := range rows {
		rows[i] = classRow{weights[r.IntN(len(weights))], r.Int32N(4), r.Int32N(4)}
	}
	return rows
}

// TestShares: the sums of a class equal, bit for bit, the sums of numbers that are 1 for the class
// and 0 for others, also after shares are merged, or encoded and decoded.
func TestShares(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	code := func(c *wire.Coder, s *Shares) { s.Fields(fields.Coding(c), s) }
	for range 300 {
		rows := drawClasses(r, r.IntN(30))
		n := r.IntN(len(rows) + 1)
		s, cut := shares(n, rows), r.IntN(n+1)
		parts := []*Shares{shares(n-cut, rows[cut:]), shares(cut, rows[:cut])}
		if r.IntN(2) == 0 {
			slices.Reverse(parts)
		}
		var merged, decoded Shares
		for _, p := range parts {
			fields.Merge(&merged, p)
		}
		data, err := wire.Append(nil, s, code)
		require.NoError(t, err)
		again, err := wire.Append(nil, &merged, code)
		require.NoError(t, err)
		require.Equal(t, data, again)
		require.NoError(t, wire.Decode(data, &decoded, code))
		for class := range int32(5) {
			var want Sums
			for i, x := range rows {
				is := map[bool]float64{true: 1}
				if i < n {
					want.AddLabelled(x.w, is[x.y == class], is[x.f == class])
				} else {
					want.AddUnlabelled(x.w, is[x.f == class])
				}
			}
			for _, s := range []*Shares{s, &merged, &decoded} {
				requireSame(t, &want, s.Of(int(class)))
			}
			require.Equal(t, want.Judged(), s.Judged())
		}
	}
}

// requireSame requires that two sums have the same estimates; fmt prints all bits, and NaN as itself.
func requireSame(t *testing.T, want, got *Sums) {
	of := func(s *Sums) string {
		e, why := s.Estimate()
		mean, none := s.JudgedMean()
		return fmt.Sprintf("%x %q %x %q %d", e, why, mean, none, s.Judged())
	}
	require.Equal(t, of(want), of(got))
}

// TestAgreement: a worked example.
func TestAgreement(t *testing.T) {
	a := shares(4, []classRow{{2, 0, 0}, {1, 0, 7}, {0.5, 7, 7}, {0, 1, 2}, {9, 0, 3}}).Agreement()
	require.Equal(t, []int{0, 3, 7}, a.Classes)
	for i, want := range []string{"3 2", "0 0", "0.5 1.5"} {
		require.Equal(t, want, a.Label[i].String()+" "+a.Judged[i].String())
	}
	require.Equal(t, "3.5 1", a.Total.String()+" "+a.Differ.String())
	var none Shares
	require.Zero(t, none.Agreement().Total.Sign())
	require.Zero(t, none.Labelled(3).Rows())
	require.True(t, none.Below(0))
}

// judgedPopulations draw the class of a row, the class that a model predicts, and the judgement.
// The shares of the classes are 0.5, 0.3 and 0.2; right is the accuracy of the predictions.
var judgedPopulations = map[string]struct {
	right, judged float64 // how often the prediction, and the judgement, are the class instead of any
	follows       float64 // how often the judgement is the prediction
}{
	"a good judge":                          {0.7, 0.9, 0},
	"a judge that guesses":                  {0.7, 0, 0},
	"a judge that often follows the model":  {0.6, 0.7, 0.5},
	"a judge that always follows the model": {0.6, 0, 1},
}

// TestSimulatedCoverageOfClasses simulates samples: intervals of level 0.95 of the accuracy of predictions, and of
// the shares of the most and the least frequent class, contain the truth in 94 to 96 % of them, and
// are never wider than intervals from the labels alone. It is the table of classes in
// docs/studies.md.
func TestSimulatedCoverageOfClasses(t *testing.T) {
	trials, least, most := simulated()
	for name, of := range judgedPopulations {
		for _, size := range []struct{ labels, unlabelled int }{{300, 3000}, {600, 600}} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(38, uint64(size.labels)))
				truth := []float64{0.5, 0.2, of.right + (1-of.right)*(0.5*0.5+0.3*0.3+0.2*0.2)}
				var covered, byLabels, ratio [3]float64
				for range trials {
					var s Shares
					var right Sums
					for i := range size.labels + size.unlabelled {
						y := anyClass(r)
						pred, f := mostly(r, of.right, y), int32(0)
						if f = mostly(r, of.judged, y); r.Float64() < of.follows {
							f = pred
						}
						is := map[bool]float64{true: 1}
						if i < size.labels {
							s.AddLabelled(1, y, f)
							right.AddLabelled(1, is[pred == y], is[pred == f])
						} else {
							s.AddUnlabelled(1, f)
							right.AddUnlabelled(1, is[pred == f])
						}
					}
					for i, sums := range []*Sums{s.Of(0), s.Of(2), &right} {
						e, why := sums.Estimate()
						require.Empty(t, why)
						require.LessOrEqual(t, e.StdError, e.LabelStdError)
						covered[i] += contains(truth[i], e.Mean, e.StdError) / float64(trials)
						byLabels[i] += contains(truth[i], e.LabelMean, e.LabelStdError) / float64(trials)
						ratio[i] += e.StdError / e.LabelStdError / float64(trials)
					}
				}
				t.Logf("%s, %d labels of %d rows: coverage of the shares of 0.5 and 0.2 and of the accuracy %.3f, of labels alone %.3f; width relative to theirs %.3f", name, size.labels, size.labels+size.unlabelled, covered, byLabels, ratio)
				for _, share := range covered {
					require.GreaterOrEqual(t, share, least)
					require.LessOrEqual(t, share, most)
				}
			})
		}
	}
}

// anyClass draws a class.
func anyClass(r *rand.Rand) int32 {
	switch x := r.Float64(); {
	case x < 0.5:
		return 0
	case x < 0.8:
		return 1
	}
	return 2
}

// mostly returns a class with a probability, and else any.
func mostly(r *rand.Rand, p float64, class int32) int32 {
	if r.Float64() < p {
		return class
	}
	return anyClass(r)
}

// FuzzDecodeShares: whatever the bytes, decoding shares and estimating from them does not panic.
func FuzzDecodeShares(f *testing.F) {
	code := func(c *wire.Coder, s *Shares) { s.Fields(fields.Coding(c), s) }
	r := rand.New(rand.NewPCG(9, 10))
	for n := range 5 {
		data, err := wire.Append(nil, shares(n/2, drawClasses(r, n)), code)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Shares
		if wire.Decode(data, &s, code) != nil {
			return
		}
		s.Agreement()
		for class := range 4 {
			s.Of(class).Estimate()
			s.Of(class).JudgedMean()
		}
	})
}
