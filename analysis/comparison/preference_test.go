package comparison_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/io/report"
)

// judged returns a report of task preference in which system "x" has the given Elo rating, and "best"
// has none.
func judged(seed uint64, elo float64) *report.Report {
	random := rand.New(rand.NewPCG(seed, 2))
	r := &report.Report{Task: "preference", Examples: 1000, Config: []byte(`{}`), Labels: []string{"x", "y", "best"}, Confidence: &report.Folding{
		Level: 0.95, Folds: groups, By: "id", Digests: []report.FoldDigest{{Rows: 1000, Digest: 7}},
	}}
	add := func(name string, label *string, value, noise float64) {
		row := report.Row{Name: name, Label: label, Value: value, Support: 1000}
		for g := range int32(groups) {
			row.Folds, row.Replicates = append(row.Folds, g), append(row.Replicates, value+float64(noise*random.NormFloat64()))
		}
		r.Metrics = append(r.Metrics, row)
	}
	add("elo", &r.Labels[0], elo, 0.1)
	add("elo", &r.Labels[1], 2000-elo, 0.1)
	r.Metrics = append(r.Metrics, report.Row{Name: "elo", Label: &r.Labels[2], Value: math.NaN(), Undefined: "wins all comparisons", Support: 10})
	add("tie_rate", nil, 0.1, 1e-4)
	add("first_win_rate", nil, 0.5, 1e-4)
	return r
}

// TestReportsOfPreferences: reports of task preference, for example of several judges, are ranked
// by the rating that each gives a system. The rates of ties and of first wins have no ranks, as
// neither direction is better, and nor has a rating that is undefined.
func TestReportsOfPreferences(t *testing.T) {
	t.Parallel()
	var list []comparison.System
	for i, name := range []string{"people", "model", "crowd"} {
		list = append(list, comparison.System{Name: name, Path: "runs/" + name, Report: judged(uint64(i), 1000+20*float64(i))})
	}
	l := rank(t, list, comparison.Options{})
	require.Equal(t, "preference", l.Task)
	require.Equal(t, []string{"tie_rate", "first_win_rate"}, l.Headline)
	of := func(metric, label string) (names []string, places [][2]int) {
		for _, r := range l.Ranks {
			if r.Metric == metric && (r.Label == nil && label == "" || r.Label != nil && *r.Label == label) {
				names, places = append(names, r.System), append(places, [2]int{r.Low, r.High})
			}
		}
		return names, places
	}
	names, places := of("elo", "x")
	require.Equal(t, []string{"crowd", "model", "people"}, names)
	require.Equal(t, [][2]int{{1, 1}, {2, 2}, {3, 3}}, places)
	names, _ = of("elo", "y")
	require.Equal(t, []string{"people", "model", "crowd"}, names)
	for _, unranked := range [][2]string{{"elo", "best"}, {"tie_rate", ""}} {
		_, places = of(unranked[0], unranked[1])
		for _, p := range places {
			require.Equal(t, [2]int{}, p, unranked)
		}
	}
	for _, d := range l.Differences.All() {
		if d.Name == "tie_rate" {
			require.NotContains(t, []string{"better", "worse"}, string(d.Verdict))
		}
	}
}
