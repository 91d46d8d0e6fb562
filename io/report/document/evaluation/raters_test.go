package evaluation_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// TestChartOfRaters: the rater who disagrees most is on top, and pairs have a matrix and a heat map. A rater of nothing is not drawn.
func TestChartOfRaters(t *testing.T) {
	t.Parallel()
	r := &report.Report{Task: "agreement", Rows: report.RowCounts{Read: 9, Evaluated: 9}, Examples: 9, Labels: []string{"ann", "bob", "judge", "none"}}
	for i, kappa := range []float64{0.75, 0.7, 0.25, math.NaN()} {
		r.Metrics = append(r.Metrics, report.Row{Name: "kappa_with_others", Label: &r.Labels[i], Value: kappa, Support: 9})
	}
	r.RaterPairs = []report.RaterPair{
		{A: "ann", B: "bob", Examples: 9, Agreement: 0.9, Kappa: 0.8, Low: 0.6, High: 0.9},
		{A: "ann", B: "judge", Examples: 8, Agreement: 0.5, Kappa: 0.31, Low: math.NaN(), High: math.NaN()},
		{A: "bob", B: "judge", Examples: 1, Agreement: 1, Kappa: math.NaN(), Low: math.NaN(), High: math.NaN(), Undefined: "all ratings are equal"},
	}
	r.Metrics = append(r.Metrics, report.Row{Name: "ratings", Value: 1074})
	page := pageOf(t, r)
	require.Contains(t, page, "9 of 9 examples evaluated, 0 skipped, 4 raters")
	require.Contains(t, page, "Metrics of raters")
	require.NotContains(t, page, "1074.0")
	require.Contains(t, page, "Raters: kappa_with_others")
	require.Contains(t, page, "Pairs of raters: cohen_kappa")
	require.Less(t, strings.Index(page, ">judge"), strings.Index(page, ">ann"))
	require.Contains(t, page, "judge and ann: cohen_kappa 0.31 of 8 examples")
	require.NotContains(t, page, "none: kappa_with_others")
	r.RaterPairs = nil
	require.NotContains(t, pageOf(t, r), "Pairs of raters")
	r.Task = "multiclass"
	require.NotContains(t, pageOf(t, r), "Raters: kappa_with_others")
}
