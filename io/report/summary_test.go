package report_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

func TestSummaryFits(t *testing.T) {
	r := multilabelReport()
	r.Warnings = []string{strings.Repeat("many words ", 50), "", "a", "b", "c", "d", "e"}
	r.Labels = append(r.Labels, strings.Repeat("日本", 50))
	for i := range r.Metrics {
		r.Metrics[i].Support = math.MaxInt64
		r.Metrics[i].Undefined = strings.Repeat("x", 500)
	}
	r.Metrics = append(r.Metrics,
		report.Row{Name: strings.Repeat("long_", 30), Value: -1e300},
		report.Row{Name: "f1", Label: ptr(r.Labels[len(r.Labels)-1])},
		report.Row{Name: "f1_macro", Slice: key(strings.Repeat("column", 20), slice.String("日本"))},
	)
	var b bytes.Buffer
	require.NoError(t, report.Summary(r, &b, report.Screen{}))
	requireWidth(t, 80, b.String())
	require.Contains(t, b.String(), "and 2 more warnings")
	b.Reset()
	require.NoError(t, report.Summary(r, &b, report.Screen{Width: 60}))
	requireWidth(t, 60, b.String())
}

// requireWidth requires that no line is wider than so many columns, or ends with a space.
func requireWidth(t *testing.T, columns int, summary string) {
	t.Helper()
	for line := range strings.Lines(summary) {
		line = strings.TrimSuffix(line, "\n")
		require.LessOrEqual(t, text.StringWidthWithoutEscSequences(line), columns, line)
		require.Equal(t, strings.TrimRight(line, " "), line)
	}
}

func TestSummaryShowsNoTerminalEscapes(t *testing.T) {
	evil := "\x1b[2J\r\n|"
	r := &report.Report{
		Task:     evil,
		Rows:     report.RowCounts{Skipped: map[string]int64{evil: 1}},
		Warnings: []string{evil},
		Metrics: []report.Row{
			{Name: evil, Undefined: evil},
			{Name: evil, Slice: key(evil, slice.String(evil))},
			{Name: evil, Label: &evil},
		},
	}
	var b bytes.Buffer
	require.NoError(t, report.Summary(r, &b, report.Screen{}))
	require.NotContains(t, b.String(), "\x1b")
	require.NotContains(t, b.String(), "\r")
	require.NotContains(t, write(t, r).content[report.ReportMarkdown].String(), "\x1b")
}

func TestSummaryFails(t *testing.T) {
	broken := errors.New("broken pipe")
	require.ErrorIs(t, report.Summary(rankingReport(), failing{broken}, report.Screen{}), broken)
}
