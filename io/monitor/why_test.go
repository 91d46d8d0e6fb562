package monitor_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/slice"
)

// explained is a monitor in which accuracy fell, because of de and a little because of fr; it rose.
func explained() *monitor.Monitor {
	m := &monitor.Monitor{Task: "binary", Level: 0.95, Metrics: []string{"accuracy"}, NightsToFalseAlarm: 365, BurnIn: 14, Nights: nightsOf(40, 40)}
	add := func(country string, raised, since int) {
		s := series(m.Nights, "accuracy", nil, nil, 3, raised, 0.1)
		if country != "" {
			s.Slice = reporttest.Key("country", slice.String(country))
		}
		if s.Since = m.Nights[since].Date; !s.Alarm {
			panic(country)
		}
		m.Series = append(m.Series, s)
	}
	add("", 20, 20)
	add("de", 23, 22) // after it, and has a part in it
	add("fr", 23, 22) // changed in the other direction
	add("it", 30, 30) // after the nights that are compared
	part := func(x float64) report.Estimate {
		return report.Estimate{Value: x, Low: x - 0.01, High: x + 0.01}
	}
	divided := comparison.Why{Metric: "accuracy", By: []string{"country"}, A: 0.9, B: 0.8, Difference: -0.1, Mix: part(-0.02), Performance: part(-0.08), Slices: []comparison.WhySlice{
		{Slice: reporttest.Key("country", slice.String("de")), ShareA: 0.5, ShareB: 0.6, A: 0.9, B: 0.75, Mix: part(-0.02), Performance: part(-0.09)},
		{Slice: reporttest.Key("country", slice.String("fr")), ShareA: 0.3, ShareB: 0.2, A: 0.9, B: 0.91, Mix: part(0), Performance: part(0.012)},
		{Slice: reporttest.Key("country", slice.String("it")), ShareA: 0.2, ShareB: 0.2, A: 0.9, B: 0.89, Mix: part(0), Performance: part(-0.002)},
	}}
	unknown := comparison.Why{Metric: "accuracy", By: []string{"age"}, A: reporttest.NaN, B: reporttest.NaN, Difference: reporttest.NaN, Mix: report.UnknownEstimate(), Performance: report.UnknownEstimate(), Reason: "slices overlap: 2026-11-12"}
	for _, w := range []comparison.Why{divided, unknown} {
		m.Why = append(m.Why, monitor.Why{Why: w, From: m.Nights[12].Date, Since: m.Nights[20].Date, To: m.Nights[27].Date, NightsBefore: 8, Nights: 8})
	}
	return m
}

// TestWhy: the alarm of all examples says why in the summary and on the page, where those slices join it that have a part
// in it, and monitor.json has all of it.
func TestWhy(t *testing.T) {
	m := explained()
	var summary, page, file, again bytes.Buffer
	require.NoError(t, m.Print(&summary, document.Screen{}))
	require.Contains(t, strings.Join(strings.Fields(summary.String()), " "), "accuracy since 2026-11-14: By country, mix makes -0.020 ± 0.010 (above all because country=de has 60% of the examples, not 50%), "+
		"and performance within the slices -0.080 ± 0.010 (above all in country=de).")
	require.NoError(t, m.WritePage(&page))
	alarms, _, _ := strings.Cut(page.String()[strings.Index(page.String(), `<section id="alarms">`):], "</section>")
	require.Equal(t, 4, strings.Count(alarms, "<tr>"), "a heading, all examples with de, fr, and it: %s", alarms)
	require.Contains(t, alarms, "most clearly in country=de (-0.1000). By country, mix makes")
	require.Contains(t, page.String(), "Mix or performance")
	require.Contains(t, page.String(), "slices overlap: 2026-11-12")
	require.Equal(t, 4, m.Alarms())

	require.NoError(t, m.WriteJSON(&file))
	require.Contains(t, file.String(), `"performance":-0.08,`)
	read, err := monitor.Read(file.Bytes())
	require.NoError(t, err)
	require.Len(t, read.Why, 2)
	require.Equal(t, m.Why[0], read.Why[0])
	require.NoError(t, read.WritePage(&again))
	require.Equal(t, page.String(), again.String())

	alarmed := m.Why[0]
	m.Why[0].Performance = report.Estimate{Value: -0.001, Low: -0.004, High: 0.002}
	page.Reset()
	require.NoError(t, m.WritePage(&page))
	alarms, _, _ = strings.Cut(page.String()[strings.Index(page.String(), `<section id="alarms">`):], "</section>")
	require.Equal(t, 5, strings.Count(alarms, "<tr>"), "only the mix of all examples changed, and de is another event")
	m.Why[0] = alarmed

	m.Why = m.Why[1:] // no part is known: what counts is how the slices themselves changed
	page.Reset()
	require.NoError(t, m.WritePage(&page))
	require.NotContains(t, page.String(), "mix makes")
	require.Contains(t, page.String(), "slices overlap: 2026-11-12")
	alarms, _, _ = strings.Cut(page.String()[strings.Index(page.String(), `<section id="alarms">`):], "</section>")
	require.Equal(t, 3, strings.Count(alarms, "<tr>"), "fr joins, too")
	require.Contains(t, alarms, "also in 1 other slice")
}
