package metrics

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/simulation"
)

// The rows of a cluster have its effect in common: of a normal distribution, besides their own of variance 1.
const (
	rowsOfCluster = 25
	effect        = 0.5
	falsePositive = 0.1
)

// row of a cluster: it has the score of a binary task and the error of a regression.
type clustered struct {
	cluster      int
	positive     bool
	score, error float64
}

func drawClusters(r *rand.Rand, n int) (list []clustered) {
	for c := range n {
		shared, off := effect*r.NormFloat64(), effect*r.NormFloat64()
		for range rowsOfCluster {
			positive := r.Float64() < 0.4
			list = append(list, clustered{c, positive, 1.5*float64(oneIf(positive)) + shared + r.NormFloat64(), math.Abs(off + r.NormFloat64())})
		}
	}
	return list
}

// trueOfClusters are the values of the distribution that drawClusters draws from, by clusteredMetrics.
func trueOfClusters() []float64 {
	sd := math.Sqrt(1 + effect*effect)
	above := func(z float64) float64 { return math.Erfc(z/sd/math.Sqrt2) / 2 }
	best := 0.0
	for t := -3.0; t < 5; t += 1e-4 {
		tp, fp := 0.4*above(t-1.5), 0.6*above(t)
		best = max(best, 2*tp/(tp+fp+0.4))
	}
	return []float64{1 - above(0.75), best, above(1.2815515655446004*sd - 1.5), 0.6744897501960817 * sd}
}

var clusteredMetrics = []string{"accuracy", "max_f1", fmt.Sprintf("recall_at_fpr@%v", falsePositive), "median_absolute_error"}

// valuesOfClusters returns the metrics of rows, which are given by descending score and by
// ascending error. It leaves out one group; -1 leaves out none.
func valuesOfClusters(byScore, byError []clustered, group func(cluster int) int, without int) []float64 {
	var right, n, positives float64
	for _, e := range byScore {
		if group(e.cluster) != without {
			n++
			positives += float64(oneIf(e.positive))
			right += float64(oneIf(e.positive == (e.score > 0.75)))
		}
	}
	var tp, fp, best, recall float64
	for _, e := range byScore {
		if group(e.cluster) == without {
			continue
		}
		if e.positive {
			tp++
			best = max(best, 2*tp/(tp+fp+positives))
		} else {
			fp++
		}
		if fp <= falsePositive*(n-positives) {
			recall = tp / positives
		}
	}
	var at, median float64
	for _, e := range byError {
		if group(e.cluster) != without {
			if at++; at == math.Floor(n/2)+1 {
				median = e.error
			}
		}
	}
	return []float64{right / n, best, recall, median}
}

// TestSimulatedCoverageOfClusters: if each cluster is a group of its own, ten clusters suffice for
// intervals, and these cover the true value at least as often as intervals from random groups. The
// first line of the table in docs/studies.md, for ten clusters, also holds for a region with ten
// clusters, however many clusters the data have.
func TestSimulatedCoverageOfClusters(t *testing.T) {
	t.Parallel()
	binary := &Params{Task: Binary, Metrics: clusteredMetrics[:3], Scores: true, Curves: ExactCurves}
	regression := &Params{Task: Regression, Metrics: clusteredMetrics[3:], Curves: ExactCurves}
	truth := trueOfClusters()
	for _, clusters := range []int{10, 20, 40, 200} {
		r := source(uint64(clusters))
		var given, covered [2][4]int // by division and metric
		draws := simulation.Draws(trials)
		for range draws {
			byScore := drawClusters(r, clusters)
			byError := slices.Clone(byScore)
			slices.SortFunc(byScore, func(a, b clustered) int { return cmp.Compare(b.score, a.score) })
			slices.SortFunc(byError, func(a, b clustered) int { return cmp.Compare(a.error, b.error) })
			random := fill(clusters, func() int { return r.IntN(groupsDrawn) })
			for division, group := range []func(int) int{func(c int) int { return random[c] }, func(c int) int { return c }} {
				var groups []int
				for c := range clusters {
					groups = append(groups, group(c))
				}
				slices.Sort(groups)
				results := func(without int) (list []Result) {
					for i, v := range valuesOfClusters(byScore, byError, group, without) {
						list = append(list, Result{clusteredMetrics[i], -1, defined(v), int64(len(byScore))})
					}
					return list
				}
				all := results(-1)
				var without [][]Result
				for _, g := range slices.Compact(groups) {
					without = append(without, results(g))
				}
				part := func(from, to int) (of [][]Result) {
					for _, list := range without {
						of = append(of, list[from:to])
					}
					return of
				}
				o := IntervalOptions{Level: 0.95, Clustered: true}
				for i, v := range slices.Concat(binary.Intervals(o, all[:3], part(0, 3)), regression.Intervals(o, all[3:], part(3, 4))) {
					given[division][i] += oneIf(v.NoInterval == "")
					covered[division][i] += oneIf(v.NoInterval == "" && v.Low <= truth[i] && truth[i] <= v.High)
				}
			}
		}
		for i, name := range clusteredMetrics {
			share := func(division int) float64 {
				return 100 * float64(covered[division][i]) / float64(max(given[division][i], 1))
			}
			t.Logf("%d clusters, %s: %.1f %% of random groups (%.0f %% have intervals), %.1f %% of a group each (%.0f %%)", clusters, name,
				share(0), 100*float64(given[0][i])/float64(draws), share(1), 100*float64(given[1][i])/float64(draws))
			require.Equal(t, draws, given[1][i], name)
			require.GreaterOrEqual(t, share(1), 89-slackOf(0.89), name)
		}
	}
}
