package confidence

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// sampled is a row of a sample.
type sampled struct {
	Stratum     int
	Probability float64
	Inside      bool // whether the row is in a domain
	Y           float64
}

// sampleCase is a case of testdata/sample.json, which sample.py made.
type sampleCase struct {
	Rows   []sampled
	Groups []int // of rows
	Means  []struct{ Value, StdError, Finite float64 }
}

// sampleOf returns the sample of rows that are divided into groups, the weighted mean of the rows in a domain, and the means
// without each group with the shares of the weight.
func sampleOf(rows []sampled, groups []int, domain bool) (s Sample, value float64, without, shares []float64) {
	names := slices.Compact(slices.Sorted(slices.Values(groups)))
	sums, weights := make([]float64, len(names)), make([]float64, len(names))
	s = Sample{Stratum: make([]int, len(names)), Rows: make([]float64, len(names)), Total: make([]float64, len(names))}
	sum, weight := 0.0, 0.0
	for i, r := range rows {
		g, _ := slices.BinarySearch(names, groups[i])
		w := 1 / r.Probability
		s.Stratum[g], s.Rows[g], s.Total[g] = r.Stratum, s.Rows[g]+1, s.Total[g]+w
		if r.Inside || !domain {
			sums[g], weights[g] = sums[g]+w*r.Y, weights[g]+w
			sum, weight = sum+w*r.Y, weight+w
		}
	}
	for g := range names {
		without, shares = append(without, (sum-sums[g])/(weight-weights[g])), append(shares, weights[g]/weight)
	}
	return s, sum / weight, without, shares
}

// TestSampleGolden compares standard errors of means, of all rows and of a domain, with the formulas of textbooks.
func TestSampleGolden(t *testing.T) {
	data, err := os.ReadFile("testdata/sample.json")
	require.NoError(t, err)
	var cases []sampleCase
	require.NoError(t, json.Unmarshal(data, &cases))
	for _, c := range cases {
		for i, want := range c.Means {
			s, value, without, shares := sampleOf(c.Rows, c.Groups, i == 1)
			require.InEpsilon(t, want.Value, value, 1e-12)
			require.Empty(t, s.Obstacle())
			se, _ := Jackknife(s.Replicates(value, without, shares))
			require.InEpsilon(t, want.StdError, se, 1e-10)
			s.Finite = true
			se, _ = Jackknife(s.Replicates(value, without, shares))
			require.InEpsilon(t, want.Finite, se, 1e-10)
		}
	}
}

// TestSampleOfOneStratum: where folds have as many rows, each with the same probability, the standard error of a mean is that
// of the jackknife.
func TestSampleOfOneStratum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var rows []sampled
	var groups []int
	for i := range 120 {
		rows, groups = append(rows, sampled{Probability: 0.25, Y: r.NormFloat64()}), append(groups, i%20)
	}
	s, value, without, shares := sampleOf(rows, groups, false)
	want, dof := Jackknife(without)
	se, sameDOF := Jackknife(s.Replicates(value, without, shares))
	require.InEpsilon(t, want, se, 1e-12)
	require.InEpsilon(t, dof, sameDOF, 1e-9)
	s.Finite = true
	se, _ = Jackknife(s.Replicates(value, without, shares))
	require.InEpsilon(t, want*math.Sqrt(0.75), se, 1e-12)
}

// TestSampleDifferences: the replicates of a difference are the differences of replicates.
func TestSampleDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var a, b, c []sampled
	var groups []int
	for i := range 200 {
		row := sampled{Stratum: i % 4, Probability: 1 / float64(1+i%4), Inside: r.IntN(2) == 0, Y: r.NormFloat64()}
		other := row
		other.Y = r.NormFloat64()
		difference := row
		difference.Y -= other.Y
		a, b, c, groups = append(a, row), append(b, other), append(c, difference), append(groups, 100*(i%4)+r.IntN(15))
	}
	replicates := func(rows []sampled) []float64 {
		s, value, without, shares := sampleOf(rows, groups, true)
		return s.Replicates(value, without, shares)
	}
	of, minus, want := replicates(a), replicates(b), replicates(c)
	for i := range want {
		require.InDelta(t, want[i], of[i]-minus[i], 1e-12)
	}
}

// TestSampleObstacles: a stratum of one group and too few groups have no interval; nor have undefined replicates.
func TestSampleObstacles(t *testing.T) {
	of := func(sizes ...int) Sample {
		var s Sample
		for h, n := range sizes {
			for range n {
				s.Stratum, s.Rows, s.Total = append(s.Stratum, h), append(s.Rows, 1), append(s.Total, 2)
			}
		}
		return s
	}
	for want, sizes := range map[string][]int{StratumOfOneGroup: {20, 1, 20}, FewFolds: {5, 4, 2}, "": {5, 4, 3}} {
		s := of(sizes...)
		require.Equal(t, want, s.Obstacle())
	}
	require.Equal(t, FewFolds, new(Sample).Obstacle())
	s := of(6, 6)
	without := make([]float64, 12)
	se, _ := Jackknife(s.Replicates(0, without, make([]float64, 12)))
	require.Zero(t, se)
	without[3] = math.NaN()
	se, _ = Jackknife(s.Replicates(0, without, make([]float64, 12)))
	require.True(t, math.IsNaN(se))
}

// TestSampleCoverage: intervals of 10,000 stratified samples, and of samples of one stratum, cover the true value in 94 to 96 %:
// of the process that makes the rows, and of the rows themselves.
func TestSampleCoverage(t *testing.T) {
	const draws, all = 10_000, 600
	for name, c := range map[string]struct {
		shares []float64 // of strata
		drawn  []int
		p      []float64 // of positives, by stratum
		f1     bool
		groups int
	}{
		"proportional":         {shares: []float64{0.5, 0.3, 0.2}, drawn: []int{60, 36, 24}, p: []float64{0.9, 0.6, 0.2}, groups: 16},
		"Neyman":               {shares: []float64{0.7, 0.2, 0.1}, drawn: []int{80, 60, 60}, p: []float64{0.95, 0.5, 0.4}, groups: 16},
		"rows that are groups": {shares: []float64{0.4, 0.3, 0.2, 0.1}, drawn: []int{25, 20, 12, 8}, p: []float64{0.3, 0.5, 0.7, 0.6}, groups: 1000},
		"one stratum":          {shares: []float64{1}, drawn: []int{100}, p: []float64{0.4}, groups: 25},
		"f1":                   {shares: []float64{0.6, 0.4}, drawn: []int{90, 60}, p: []float64{0.3, 0.7}, f1: true, groups: 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(len(name)), 7))
			// A row is positive with the probability of its stratum, and predicted right with probability 0.8; without f1, only the first counts.
			value := func(tp, wrong float64) float64 { return 2 * tp / (2*tp + wrong) }
			rate := func(all, positive float64) float64 { return positive / all }
			truth := [2]float64{}
			for h, share := range c.shares {
				if c.f1 {
					truth[0], truth[1] = truth[0]+share*c.p[h]*0.8, truth[1]+share*0.2
				} else {
					truth[0], truth[1] = truth[0]+share, truth[1]+share*c.p[h]
				}
			}
			of := rate
			if c.f1 {
				of = value
			}
			process := of(truth[0], truth[1])
			covered := [2]int{}
			row := func(h int) (x [2]float64) {
				positive, right := r.Float64() < c.p[h], r.Float64() < 0.8
				switch {
				case !c.f1 && positive:
					return [2]float64{1, 1}
				case !c.f1:
					return [2]float64{1, 0}
				case positive && right:
					return [2]float64{1, 0}
				case !right:
					return [2]float64{0, 1}
				}
				return x
			}
			for range draws {
				// The process makes rows, of random strata.
				made := make([]int, len(c.shares))
				for range all {
					u, h := r.Float64(), 0
					for h < len(c.shares)-1 && u >= c.shares[h] {
						u, h = u-c.shares[h], h+1
					}
					made[h]++
				}
				var s Sample
				var folds [][2]float64
				var weights []float64
				total, rows, weight := [2]float64{}, [2]float64{}, 0.0
				for h, n := range c.drawn {
					n = min(n, made[h])
					w := float64(made[h]) / float64(n)
					first, groups := len(folds), min(n, c.groups)
					for range groups {
						folds, s.Stratum, s.Rows, s.Total, weights = append(folds, [2]float64{}), append(s.Stratum, h), append(s.Rows, 0), append(s.Total, 0), append(weights, 0)
					}
					for i := range made[h] {
						x := row(h)
						rows[0], rows[1] = rows[0]+x[0], rows[1]+x[1]
						if i >= n {
							continue
						}
						g := first + i%groups
						folds[g][0], folds[g][1] = folds[g][0]+w*x[0], folds[g][1]+w*x[1]
						total[0], total[1] = total[0]+w*x[0], total[1]+w*x[1]
						s.Rows[g], s.Total[g], weights[g], weight = s.Rows[g]+1, s.Total[g]+w, weights[g]+w, weight+w
					}
				}
				estimate := of(total[0], total[1])
				var without, shares []float64
				for g, x := range folds {
					without, shares = append(without, of(total[0]-x[0], total[1]-x[1])), append(shares, weights[g]/weight)
				}
				for i, target := range []float64{process, of(rows[0], rows[1])} {
					s.Finite = i == 1
					found := Estimate{Value: estimate, Replicates: s.Replicates(estimate, without, shares), Scale: Logit, Rarer: math.MaxInt}.Interval(0.95)
					if found.Low <= target && target <= found.High {
						covered[i]++
					}
				}
			}
			for i, target := range []string{"process", "rows"} {
				require.InDelta(t, 0.95, float64(covered[i])/draws, 0.01, target)
				t.Logf("%s: %.2f %%", target, 100*float64(covered[i])/draws)
			}
		})
	}
}
