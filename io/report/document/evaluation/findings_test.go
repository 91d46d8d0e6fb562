package evaluation_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/checks"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/document/evaluation"
	"github.com/beameval/beameval/io/report/findings"
)

// TestFindingsEverywhere: what stands out comes first on the page, in report.md and on the screen, with links, and two
// findings are in the message.
func TestFindingsEverywhere(t *testing.T) {
	files := reporttest.Write(t, reporttest.ConfidenceReport()).Content
	page, markdown, message := files[report.ReportHTML].String(), files[report.ReportMarkdown].String(), files[report.SummaryText].String()
	require.Contains(t, page, `<section id="findings"><h2>What stands out</h2>`)
	require.Contains(t, page, `<li>country=de: f1_macro 0.900, all examples 0.935 (difference −0.035 ± 0.011); 60 % of examples <a href="#slices">Slices</a></li>`)
	require.Contains(t, page, "&lt;b&gt;café&lt;/b&gt; is never predicted <a href=\"#labels\">Labels</a>")
	require.Contains(t, page, `than in the baseline <a href="#charts">Charts</a>`)
	require.Less(t, strings.Index(page, `id="findings"`), strings.Index(page, `id="headlines"`))
	require.Contains(t, markdown, "## What stands out\n\n- country=de: f1_macro 0.900, all examples 0.935 (difference −0.035 ± 0.011); 60 % of examples ([Slices](#slices))\n")
	require.Contains(t, markdown, "\n## Slices\n")
	require.Contains(t, message, "country=de: f1_macro 0.900")
	require.Contains(t, message, "never predicted")
	require.NotContains(t, message, "fewer than in the baseline")

	var screen bytes.Buffer
	require.NoError(t, evaluation.Summary(reporttest.ConfidenceReport(), &screen, document.Screen{}))
	reporttest.RequireWidth(t, 80, screen.String())
	require.Contains(t, screen.String(), "What stands out:\n - country=de: f1_macro 0.900")
}

// TestNothingStandsOut says so, unless nothing has looked for it.
func TestNothingStandsOut(t *testing.T) {
	r := reporttest.ConfidenceReport()
	r.Findings = []findings.Finding{}
	files := reporttest.Write(t, r).Content
	require.Contains(t, files[report.ReportHTML].String(), "<li>Nothing stands out: no finding is beyond what chance explains.</li>")
	require.Contains(t, files[report.MetricsJSON].String(), `"findings": [],`)
	r.Checks = checks.Of(checks.Warning, "a", "b")
	require.Contains(t, reporttest.Write(t, r).Content[report.ReportHTML].String(), `<li>Nothing stands out beyond what chance explains, besides 2 warnings about the data. <a href="#checks">Checks</a></li>`)
	r.Findings = nil
	files = reporttest.Write(t, r).Content
	require.NotContains(t, files[report.ReportHTML].String(), "stands out")
	require.NotContains(t, files[report.MetricsJSON].String(), `"findings"`)

	r.Findings = []findings.Finding{{Name: findings.NoIntervals, Message: "There are no intervals"}}
	files = reporttest.Write(t, r).Content
	require.Contains(t, files[report.ReportHTML].String(), "<li>There are no intervals")
	require.NotContains(t, files[report.SummaryText].String(), "no intervals")
}

// TestVerdictWithoutGates: what a gate would not say.
func TestVerdictWithoutGates(t *testing.T) {
	r := reporttest.RankingReport()
	for verdict, list := range map[string][]checks.Check{
		"No gates. No warnings.":     nil,
		"No gates. 2 warnings.":      checks.Of(checks.Warning, "a", "b"),
		"No gates. 1 error, 1 note.": append(checks.Of(checks.Error, "a"), checks.Of(checks.Note, "b")...),
	} {
		r.Checks = list
		files := reporttest.Write(t, r).Content
		require.Contains(t, files[report.ReportHTML].String(), `<p class="verdict">`+verdict+"</p>")
		require.Contains(t, files[report.SummaryText].String(), verdict)
	}
}

// TestMessageHasRoom: findings take the room of metrics, so that a message has at most 15 lines.
func TestMessageHasRoom(t *testing.T) {
	r := reporttest.BinaryReport()
	for range 5 {
		r.Gates = append(r.Gates, report.GateResult{Metric: "accuracy", Verdict: report.Fail})
		r.Findings = append(r.Findings, findings.Finding{Name: "changed", Message: "what changed"})
	}
	for _, name := range []string{"precision", "recall", "f1", "mcc", "log_loss"} {
		r.Metrics = append(r.Metrics, report.Row{Name: name, Value: 0.5}, report.Row{Name: name, Value: 0.4, Slice: reporttest.ConfidenceReport().Metrics[10].Slice})
	}
	message := reporttest.Write(t, r).Content[report.SummaryText].String()
	require.LessOrEqual(t, strings.Count(message, "\n"), 15)
	require.Equal(t, 2, strings.Count(message, "what changed"))
	require.Contains(t, message, "Worst slice: ")
}
