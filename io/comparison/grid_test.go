package comparison_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/slice"
)

// gridComparison has slices and labels whose metrics change in different ways.
func gridComparison() *comparison.Comparison {
	c := &comparison.Comparison{Task: "binary", Level: 0.95, Adjust: comparison.BenjaminiHochberg, Pairing: comparison.Paired, Headline: []string{"f1", "ece"}}
	add := func(name, country string, label *string, difference, p float64, v comparison.Verdict, reason string) {
		d := comparison.Change{
			Name: name, Label: label, A: 0.5, B: 0.5 + difference, Difference: difference, PAdjusted: p, PValue: p, Pairing: comparison.Paired, Verdict: v, Reason: reason,
			StdError: math.NaN(), DOF: math.NaN(), Low: math.NaN(), High: math.NaN(),
		}
		if country != "" {
			d.Slice = reporttest.Key("country", slice.String(country))
		}
		c.Changes = append(c.Changes, d)
	}
	add("f1", "calm", nil, 0.00390625, 0.75, comparison.NoSignificantChange, "")
	add("f1", "gained", nil, 0.125, 0.001, comparison.Better, "")
	add("f1", "lost", nil, -0.125, 0.03, comparison.Worse, "")
	add("f1", "lost most", nil, -0.25, 0.0004, comparison.Worse, "")
	add("recall", "calm", nil, -0.5, 1e-9, comparison.Worse, "")
	for _, country := range []string{"calm", "gained", "lost"} {
		add("ece", country, nil, 0.125, math.NaN(), comparison.Unsure, "biased")
	}
	add("f1", "", reporttest.Ptr("cat"), 0.25, 0.001, comparison.Better, "")
	add("f1", "lost", reporttest.Ptr("cat"), 0.25, 0.001, comparison.Better, "")
	return c
}

// gridOf returns the texts of the rows of the table in a section of a page.
func gridOf(t *testing.T, c *comparison.Comparison, id string) (rows []string, section *html.Node) {
	t.Helper()
	section = reporttest.ByID(reporttest.CheckPage(t, writeComparison(t, c).Bytes(comparison.HTML)), id)
	require.NotNil(t, section)
	for n := range section.Descendants() {
		if n.Data == "tr" {
			rows = append(rows, reporttest.TextOf(n))
		}
	}
	return rows, section
}

// TestGrid: the slice with the most significant change for the worse of a headline metric comes
// first; only significant changes have arrows.
func TestGrid(t *testing.T) {
	rows, section := gridOf(t, gridComparison(), "slices")
	require.Equal(t, []string{
		"slice f1 ece", "country=lost most -0.2500 ▼ –", "country=lost -0.1250 ▼ –", "country=gained +0.1250 ▲ –", "country=calm +0.0039 –",
	}, rows)
	require.Contains(t, reporttest.TextOf(section), "–: unknown (ece: biased).")
	titles := map[string]bool{}
	arrows := map[string]string{}
	for n := range section.Descendants() {
		for _, a := range n.Attr {
			switch {
			case n.Data == "td" && a.Key == "title":
				titles[a.Val] = true
			case a.Key == "aria-label" && n.Data == "span":
				arrows[a.Val] = reporttest.TextOf(n)
			}
		}
	}
	require.Equal(t, map[string]string{"better": "▲", "worse": "▼", "unknown: biased": "–", "not in the reports": "–"}, arrows)
	require.Equal(t, map[string]bool{
		"worse: 0.5000 → 0.2500, p 0.00040": true, "worse: 0.5000 → 0.3750, p 0.030": true, "better: 0.5000 → 0.6250, p 0.00100": true,
		"no significant change: 0.5000 → 0.5039, p 0.750": true, "unknown: biased": true, "not in the reports": true,
	}, titles)

	rows, _ = gridOf(t, gridComparison(), "labels")
	require.Equal(t, []string{"label f1", "cat +0.2500 ▲"}, rows)
}

// TestGridWithoutTests shows the differences, but no verdicts.
func TestGridWithoutTests(t *testing.T) {
	c := gridComparison()
	c.Pairing, c.Changes = comparison.Untested, c.Changes[:2]
	for i := range c.Changes {
		c.Changes[i].Verdict, c.Changes[i].Reason = comparison.Unsure, "no replicates"
		c.Changes[i].PValue, c.Changes[i].PAdjusted = math.NaN(), math.NaN()
	}
	c.Changes[1].Difference, c.Changes[1].Reason = math.NaN(), "only in a"
	rows, section := gridOf(t, c, "slices")
	require.Equal(t, []string{"slice f1", "country=calm +0.0039", "country=gained –"}, rows)
	require.Contains(t, reporttest.TextOf(section), "which is not tested")
}

// TestHeadlinesComeFirstInMarkdown: of the differences with a verdict, those of headline metrics
// come first, however significant others are.
func TestHeadlinesComeFirstInMarkdown(t *testing.T) {
	c := gridComparison()
	c.Changes = append(c.Changes, comparison.Change{Name: "f1", A: 0.5, B: 0.5, PAdjusted: 1, Verdict: comparison.NoSignificantChange})
	text := writeComparison(t, c).Content[comparison.Markdown].String()
	require.Regexp(t, `(?s)## Significantly worse.*lost most.*country=lost .*\| recall \|.*## Significantly better`, text)
}
