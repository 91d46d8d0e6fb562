package evaluation_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/checks"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/document/evaluation"
	"github.com/beameval/beameval/io/slice"
)

func TestSummaryFits(t *testing.T) {
	r := reporttest.MultilabelReport()
	r.Checks = checks.Of(checks.Warning, strings.Repeat("many words ", 50), "", "a", "b", "c", "d", "e")
	r.Labels = append(r.Labels, strings.Repeat("日本", 50))
	for i := range r.Metrics {
		r.Metrics[i].Support = math.MaxInt64
		r.Metrics[i].Undefined = strings.Repeat("x", 500)
	}
	r.Metrics = append(r.Metrics,
		report.Row{Name: strings.Repeat("long_", 30), Value: -1e300},
		report.Row{Name: "f1", Label: reporttest.Ptr(r.Labels[len(r.Labels)-1])},
		report.Row{Name: "f1_macro", Slice: reporttest.Key(strings.Repeat("column", 20), slice.String("日本"))},
	)
	var b bytes.Buffer
	require.NoError(t, evaluation.Summary(r, &b, document.Screen{}))
	reporttest.RequireWidth(t, 80, b.String())
	require.Contains(t, b.String(), "and 2 more warnings")
	b.Reset()
	require.NoError(t, evaluation.Summary(r, &b, document.Screen{Width: 60}))
	reporttest.RequireWidth(t, 60, b.String())
}

func TestSummaryShowsNoTerminalEscapes(t *testing.T) {
	evil := "\x1b[2J\r\n|"
	r := &report.Report{
		Task:   evil,
		Rows:   report.RowCounts{Skipped: map[string]int64{evil: 1}},
		Checks: checks.Of(checks.Warning, evil),
		Metrics: []report.Row{
			{Name: evil, Undefined: evil},
			{Name: evil, Slice: reporttest.Key(evil, slice.String(evil))},
			{Name: evil, Label: &evil},
		},
	}
	var b bytes.Buffer
	require.NoError(t, evaluation.Summary(r, &b, document.Screen{}))
	require.NotContains(t, b.String(), "\x1b")
	require.NotContains(t, b.String(), "\r")
	require.NotContains(t, reporttest.Write(t, r).Content[report.ReportMarkdown].String(), "\x1b")
}

func TestSummaryFails(t *testing.T) {
	broken := errors.New("broken pipe")
	require.ErrorIs(t, evaluation.Summary(reporttest.RankingReport(), reporttest.Failing{Err: broken}, document.Screen{}), broken)
}
