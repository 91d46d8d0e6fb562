package evaluation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
)

// rated returns a report of systems with Elo ratings and neither intervals nor ranks. The ratings
// order the systems by name.
func rated(n int) *report.Report {
	r := &report.Report{Task: "preference", Rows: report.RowCounts{Read: 100, Evaluated: 100}, Examples: 100}
	for i := range n {
		r.Labels = append(r.Labels, fmt.Sprintf("system%03d", i))
		r.Metrics = append(r.Metrics, report.Row{Name: "elo", Label: &r.Labels[i], Value: 1500 - float64(i), Support: 9})
	}
	for i := range max(n-1, 0) {
		r.Matches = append(r.Matches, report.Match{A: r.Labels[i], B: r.Labels[i+1], WinsA: 3, WinsB: 1, Comparisons: 4})
	}
	return r
}

func pageOf(t *testing.T, r *report.Report) string {
	_, page := reporttest.PageOf(t, r)
	return string(page)
}

// TestChartOfSystems: the strongest system is on top, with its rank; a system without a rating is not
// drawn, nor is a single system.
func TestChartOfSystems(t *testing.T) {
	t.Parallel()
	page := pageOf(t, reporttest.PreferenceReport())
	require.Contains(t, page, "Systems: elo")
	require.Contains(t, page, "JASA: rank 1–2, elo 1016 ± 40, comparisons ")
	require.Less(t, strings.Index(page, ">1–2. &lt;b&gt;"), strings.Index(page, ">1–2. JASA"))
	require.Contains(t, page, "The numbers before the names are ranks, as intervals.")
	require.NotContains(t, page, "always: elo")

	page = pageOf(t, rated(40))
	require.Contains(t, page, "The first 30 of 40.")
	require.NotContains(t, page, "are ranks, as intervals")
	require.Contains(t, page, "<title>system029: elo 1471.0, comparisons ")
	require.NotContains(t, page, "<title>system030: elo")

	require.NotContains(t, pageOf(t, rated(1)), "Systems: elo")
	r := rated(3)
	for i := range r.Metrics {
		r.Metrics[i].Name = "bradley_terry"
	}
	require.Contains(t, pageOf(t, r), "Systems: bradley_terry")
}

// TestSystemsForPeople: the matrix of wins is left out if there are many systems, and the ranks of
// slices are not on a screen.
func TestSystemsForPeople(t *testing.T) {
	t.Parallel()
	f := reporttest.Write(t, rated(30))
	markdown := f.Content[report.ReportMarkdown].String()
	require.Contains(t, markdown, "## Systems\n")
	require.Contains(t, markdown, "## Wins\n")
	require.Contains(t, markdown, "| system001 | 25.0% |  | 75.0% |")
	require.NotContains(t, markdown, "## Ranks")
	require.NotContains(t, reporttest.Write(t, rated(31)).Content[report.ReportMarkdown].String(), "## Wins")

	r := rated(2)
	for i := range 600 {
		r.Ranks = append(r.Ranks, report.Rank{System: fmt.Sprintf("s%03d", i), Elo: 1000, Low: 1, High: 600, TiedForFirst: true})
	}
	markdown = reporttest.Write(t, r).Content[report.ReportMarkdown].String()
	require.Contains(t, markdown, "The first 500 of 600.")
	require.Contains(t, markdown, "| s499 | 1–600 | 1000.0 |")
	require.NotContains(t, markdown, "| s500 |")
}
