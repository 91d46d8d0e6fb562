package evaluation

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/slice"
)

// TestDifferencesAreShown: headlines first, then what is significantly worse and better in slices and
// of labels, the surest first, of well-known metrics.
func TestDifferencesAreShown(t *testing.T) {
	r := &report.Report{Task: "binary", Confidence: &report.Folding{Level: 0.95, Folds: 20}, Metrics: []report.Row{{Name: "f1", Value: 0.75}, {Name: "prevalence", Value: 0.5}}}
	add := func(name, country string, difference, p float64, verdict differences.Verdict) {
		var key slice.Key
		if country != "" {
			key = slice.Key{{Column: "country", Value: slice.String(country)}}
		}
		r.Differences = append(r.Differences, differences.Change{Name: name, Slice: key, A: 0.75 - difference, B: 0.75, Difference: difference, Low: difference - 0.125,
			High: difference + 0.125, PAdjusted: p, Pairing: differences.Paired, Verdict: verdict})
	}
	add("f1", "", 0.25, 0.01, differences.Better)
	add("f1", "de", -0.25, 0.02, differences.Worse)
	add("f1", "fr", -0.25, 0.01, differences.Worse)
	add("f1", "it", 0, 1, differences.NoSignificantChange)
	add("rarely_known", "de", 0.5, 0, differences.Better)
	r.Differences[3].Verdict, r.Differences[3].Reason = differences.Unsure, "undefined in a"
	var b strings.Builder
	require.NoError(t, Write(r, document.Markdown, &b))
	text := b.String()
	require.Contains(t, text, "| f1 | 0.5000 | 0.7500 | +0.25 ± 0.13 | 0.010 | better |")
	_, worse, found := strings.Cut(text, "### Significantly worse")
	require.True(t, found)
	require.Regexp(t, `(?s)country=fr.*country=de`, worse)
	require.NotContains(t, text, "Significantly better")
	require.NotContains(t, text, "rarely_known | ")
	require.NotContains(t, text, "country=it")
	b.Reset()
	require.NoError(t, Write(r, document.Page, &b))
	require.Contains(t, b.String(), "0.2500 from the baseline")
	require.Contains(t, b.String(), "0.2500 <small>±\u00a00.1250</small>")
	_, grid, found := strings.Cut(b.String(), `id="differences-in-slices"`)
	require.True(t, found)
	require.Regexp(t, `(?s)▼: significantly worse.*–: unknown \(f1: undefined in baseline\).*country=fr.*▼.*country=de.*▼.*country=it.*–.*</section>`, grid)
	require.NotContains(t, b.String(), "Significantly worse")
	r.Confidence = nil // a file that was edited
	require.NoError(t, Write(r, document.Page, &b))
}
