package transforms

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/simulation"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics/disparity"
)

// people are groups of people: how many there are, and the share of them that has something, by
// metric.
type people struct {
	name  string
	size  []int
	share []float64 // of each group, and each metric
}

var ratesOfPeople = []string{"fpr", "recall"}

// rows returns the rows of these people, with the values and replicates that value makes.
func (p *people) rows(value func(row *report.Row, n int, share float64)) (list []report.Row) {
	for _, name := range ratesOfPeople {
		list = append(list, report.Row{Name: name})
		for k, n := range p.size {
			row := report.Row{Name: name, Slice: slice.Key{{Column: "g", Value: slice.String(fmt.Sprint(k))}}, Confidence: &report.Confidence{}}
			value(&row, n, p.share[k])
			list = append(list, row)
		}
	}
	return list
}

// sampled makes the value and the replicates of a sample of n people.
func sampled(r *rand.Rand) func(row *report.Row, n int, share float64) {
	return func(row *report.Row, n int, share float64) {
		var of [50]struct{ n, hits int }
		hits := 0
		for range n {
			g := &of[r.IntN(len(of))]
			g.n++
			if r.Float64() < share {
				g.hits, hits = g.hits+1, hits+1
			}
		}
		row.Value = float64(hits) / float64(n)
		for g := range of {
			if of[g].n > 0 {
				row.Folds = append(row.Folds, int32(g))
				row.Replicates = append(row.Replicates, float64(hits-of[g].hits)/float64(n-of[g].n))
			}
		}
	}
}

// The simulation behind docs/studies.md: intervals of what compares groups cover the value of
// all people 95 times in 100, whether groups are equal, nearly equal or far apart. Where several
// groups are near the extremes, it is more often.
func TestSimulatedCoverageOfDisparities(t *testing.T) {
	t.Parallel()
	const all = 1000
	trials := simulation.Draws(all)
	shown := []string{"recall_difference", "recall_ratio", "equalized_odds_difference", "equalized_odds_ratio", "recall_group_max", "recall_group_min"}
	combined := slices.DeleteFunc(disparity.Combinations(ratesOfPeople), func(c disparity.Combination) bool { return !slices.Contains(shown, c.Name) })
	require.Len(t, combined, len(shown))
	c := &report.Folding{Level: 0.95, Folds: 50}
	g := &Groups{By: []string{"g"}, Metrics: ratesOfPeople}
	rowsOf := func(rows []report.Row, c *report.Folding) (list []report.Row) {
		found, _, _ := groupings(g)[0].find(rows)
		for _, of := range combined {
			list = append(list, combinedRow(&of, found, c))
		}
		return list
	}
	for i, p := range []people{
		{"two equal groups", []int{500, 500}, []float64{0.4, 0.4}},
		{"two, 0.4 and 0.6", []int{500, 500}, []float64{0.4, 0.6}},
		{"three equal", []int{500, 500, 500}, []float64{0.4, 0.4, 0.4}},
		{"three, 0.4, 0.4 and 0.5", []int{500, 500, 500}, []float64{0.4, 0.4, 0.5}},
		{"1,000, 500 and 200, 0.3, 0.5 and 0.7", []int{1000, 500, 200}, []float64{0.3, 0.5, 0.7}},
		{"five equal", []int{300, 300, 300, 300, 300}, []float64{0.4, 0.4, 0.4, 0.4, 0.4}},
		{"five from 0.3 to 0.5", []int{300, 300, 300, 300, 300}, []float64{0.3, 0.35, 0.4, 0.45, 0.5}},
		{"two, 0.9 and 0.96", []int{300, 300}, []float64{0.9, 0.96}},
		{"1,000 and 100, 0.9 and 0.8", []int{1000, 100}, []float64{0.9, 0.8}},
	} {
		truth := rowsOf(p.rows(func(row *report.Row, _ int, share float64) { row.Value = share }), nil)
		r, covered := rand.New(rand.NewPCG(15, uint64(i))), make([]int, len(truth))
		for range trials {
			for k, row := range rowsOf(p.rows(sampled(r)), c) {
				require.Empty(t, row.Confidence.NoInterval, row.Name)
				if x := truth[k].Value; row.Confidence.Low <= x+1e-12 && x-1e-12 <= row.Confidence.High {
					covered[k]++
				}
			}
		}
		var texts []string
		for k, n := range covered {
			percent := 100 * float64(n) / float64(trials)
			texts = append(texts, fmt.Sprintf("%s %.1f", truth[k].Name, percent))
			require.GreaterOrEqual(t, percent, 93-100*simulation.Slack(0.93, all), "%s of %s", truth[k].Name, p.name)
		}
		t.Logf("%s: %s", p.name, strings.Join(texts, ", "))
	}
}

// The simulation behind docs/studies.md: how often compare says, without pairs, that what
// compares groups differs between two samples, though it is the same. The greatest of several equal
// values is too high by chance, so that seldom happens if both samples are about as large, and
// often if one has much smaller groups.
func TestSimulatedErrorsOfUnpairedDisparities(t *testing.T) {
	t.Parallel()
	const all = 500
	trials := simulation.Draws(all)
	shown := []string{"recall_difference", "recall_group_max", "recall_group_min", "recall_ratio"}
	g := &Groups{By: []string{"g"}, Metrics: ratesOfPeople}
	of := func(p *people, r *rand.Rand, seed uint64) *report.Report {
		made := &report.Report{Task: "binary", Confidence: &report.Folding{Level: 0.95, Folds: 50, Seed: seed}}
		list, _, err := disparities(g, p.rows(sampled(r)), made.Confidence)
		require.NoError(t, err)
		made.Metrics = slices.DeleteFunc(list, func(row report.Row) bool { return !slices.Contains(shown, row.Name) })
		return made
	}
	equal := []float64{0.4, 0.4, 0.4, 0.4, 0.4}
	for i, c := range []struct {
		name        string
		share       []float64
		sizeA       []int
		sizeB       []int
		least, most float64 // percent
	}{
		{"two equal groups", equal[:2], []int{500, 500}, []int{500, 500}, 0, 5},
		{"1,000, 500 and 50 people, equal", equal[:3], []int{1000, 500, 50}, []int{1000, 500, 50}, 0, 5},
		{"0.3, 0.5 and 0.7, ten times fewer people in b", []float64{0.3, 0.5, 0.7}, []int{1000, 1000, 1000}, []int{100, 100, 100}, 2, 8},
		{"0.3, 0.5 and 0.7, of 1,000, 500 and 200 people, in b 1,000, 100 and 50", []float64{0.3, 0.5, 0.7}, []int{1000, 500, 200}, []int{1000, 100, 50}, 2, 8},
		{"five equal groups", equal, []int{500, 500, 500, 500, 500}, []int{500, 500, 500, 500, 500}, 0, 5},
		{"five equal groups, three times fewer people in b", equal, []int{900, 900, 900, 900, 900}, []int{300, 300, 300, 300, 300}, 0, 6.5},
		{"five equal groups, ten times fewer people in b", equal, []int{1000, 1000, 1000, 1000, 1000}, []int{100, 100, 100, 100, 100}, 2, 25},
	} {
		a, b := &people{c.name, c.sizeA, c.share}, &people{c.name, c.sizeB, c.share}
		r, wrong := rand.New(rand.NewPCG(16, uint64(i))), outcomes{}
		for range trials {
			wrong.rejected(t, of(a, r, 0), of(b, r, 1), comparison.Unpaired)
		}
		var texts []string
		for _, name := range shown {
			percent := wrong.percent(name, trials)
			texts = append(texts, fmt.Sprintf("%s %.1f", name, percent))
			slack := 100 * simulation.Slack(c.most/100, all)
			require.True(t, c.least-slack <= percent && percent <= c.most+slack, "%s of %s: %v %%", name, c.name, percent)
		}
		t.Logf("%s: %s", c.name, strings.Join(texts, ", "))
	}
}
