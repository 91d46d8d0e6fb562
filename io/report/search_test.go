package report_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/document/evaluation"
	"github.com/beameval/beameval/io/slice"
)

// withSearch is a report with a search that found two slices.
func withSearch() *report.Report {
	r, nan := reporttest.BinaryReport(), math.NaN()
	both := slice.Key{{Column: "age", Value: slice.Interval(40, math.Inf(1))}, {Column: "country", Value: slice.String("<b>")}}
	r.Search = &report.Search{
		Measure: "log_loss", Alpha: .95, Searched: 5000, Confirming: 4900, Confirmed: true, Level: .95, LeftOut: []string{`column "id" has more than 50 values`},
		Found: []report.FoundSlice{
			{Key: both, Score: 1.5, Size: 300, ErrorSum: 450, ErrorMax: 7, Value: 1.25, Rest: .5, Difference: .75, Low: .5, High: 1, PAdjusted: .001, Confirmed: true,
				Metrics: []report.FoundMetric{{Name: "accuracy", Value: .625}, {Name: "log_loss", Value: 1.25}, {Name: "recall", Value: nan}}},
			{Key: reporttest.Key("country", slice.Null()), Score: .25, Size: 120, ErrorSum: 90, ErrorMax: 4, Value: .625, Rest: .5, Difference: .125, Low: nan, High: nan, PAdjusted: nan, Reason: "few groups",
				Metrics: []report.FoundMetric{{Name: "accuracy", Value: .75}, {Name: "log_loss", Value: .625}, {Name: "recall", Value: .5}}},
		},
	}
	return r
}

func TestSearchIsWritten(t *testing.T) {
	f := reporttest.Write(t, withSearch())
	require.Equal(t, `slice,score,size,error_sum,error_max,value,rest,difference,ci_low,ci_high,p_adjusted,confirmed,reason,slice_age,slice_country
"{""age"":"">= 40"",""country"":""<b>""}",1.5,300,450,7,1.25,0.5,0.75,0.5,1,0.001,1,,>= 40,<b>
"{""country"":null}",0.25,120,90,4,0.625,0.5,0.125,,,,0,few groups,,null
`, f.Content["found_slices.csv"].String())
	require.Contains(t, f.Content, "found_slices.parquet")
	require.Contains(t, f.Content[report.SummaryText].String(), "\nWorst slices found: age >= 40, country=<b> (log_loss 1.2500, others 0.5000)\n")
	require.NotContains(t, reporttest.Write(t, reporttest.BinaryReport()).Content, "found_slices.csv")
}

// TestSearchIsRead: what is read from metrics.json is drawn like what was written.
func TestSearchIsRead(t *testing.T) {
	r := withSearch()
	f := reporttest.Write(t, r)
	again, err := report.Read(f.Bytes(report.MetricsJSON))
	require.NoError(t, err)
	for _, of := range []document.Output{document.Markdown, document.Page} {
		var want, got bytes.Buffer
		require.NoError(t, evaluation.Write(r, of, &want))
		text := want.String()
		section := func(text string) string {
			text = text[strings.Index(text, "</nav>")+1:]
			return text[strings.Index(text, "Worst slices found"):]
		}
		require.NoError(t, evaluation.Write(again, of, &got))
		require.Contains(t, section(text), "Left out: column")
		require.Contains(t, section(text), "no (few groups)")
		require.NotContains(t, section(text), "=<b>")
		require.Contains(t, section(text), "Metrics of the slices found")
		end := len("Worst slices found") + 500
		require.Equal(t, section(text)[:end], section(got.String())[:end])
	}
	page, _ := reporttest.PageOf(t, r)
	require.Contains(t, reporttest.TextOf(reporttest.ByID(page, "found-slices")), "age >= 40, country=<b>")
	var screen bytes.Buffer
	require.NoError(t, evaluation.Summary(r, &screen, document.Screen{}))
	require.Contains(t, strings.Join(strings.Fields(screen.String()), " "), ": 1 of 2 slices confirmed")
}

// TestNothingFound: pages say so.
func TestNothingFound(t *testing.T) {
	r := withSearch()
	r.Search.Found = nil
	f := reporttest.Write(t, r)
	require.Contains(t, f.Content[report.ReportMarkdown].String(), "No slice was found whose log_loss is higher.")
	require.Contains(t, string(f.Bytes(report.MetricsJSON)), `"found": []`)
	var screen bytes.Buffer
	require.NoError(t, evaluation.Summary(r, &screen, document.Screen{}))
	require.Contains(t, screen.String(), "No slice was found whose log_loss is higher.")
	require.NotContains(t, screen.String(), "warning: No slice")
}
