package monitor_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/slice"
)

// start is the first night of examples.
var start = time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC)

// nightsOf returns nights one day apart, without the one with index lost.
func nightsOf(n, lost int) (nights []monitor.Night) {
	for i := range n {
		if i == lost {
			continue
		}
		at := start.AddDate(0, 0, i)
		date := at.Format(time.DateOnly)
		nights = append(nights, monitor.Night{Date: date, At: at, Report: "reports/dt=" + date, Model: "ranker", Examples: int64(10_000 + 100*i)})
	}
	return nights
}

// wave varies like chance does, but is the same every time.
func wave(i, seed int) float64 {
	return float64((i*7919+seed*104729+i*i*31)%2001-1000) / 1000
}

// series returns a series over all nights with a pattern of weekdays, which falls from a night on.
// Its evidence grows and shrinks with the values.
func series(nights []monitor.Night, metric string, key slice.Key, label *string, seed, from int, drop float64) monitor.Series {
	nan := math.NaN()
	s := monitor.Series{Metric: metric, Slice: key, Label: label, Threshold: 365, Change: nan, Evidence: nan}
	evidence, since, sum := 1.0, -1, 0.0
	for i, night := range nights {
		v := monitor.Value{Night: i, Value: 0.9 + float64(wave(i, seed)/200), P: nan, Evidence: nan}
		if night.At.Weekday() == time.Sunday {
			v.Value -= 0.02
		}
		if i >= from {
			v.Value -= drop
		}
		sum += v.Value
		v.Low, v.High = v.Value-0.01, v.Value+0.01
		if i >= 14 {
			v.P = 0.5 + float64(wave(i, seed)/2)
			factor := elementary.Exp(wave(i, seed) / 4)
			if i >= from {
				factor, v.P = 2.5, 0.01
				if since < 0 {
					since = i
				}
			}
			evidence = max(1, float64(evidence*factor))
			v.Evidence = evidence
		}
		s.Values = append(s.Values, v)
	}
	s.Evidence = evidence
	if s.Alarm = evidence >= s.Threshold; s.Alarm {
		s.Since, s.Change = nights[since].Date, -drop
	}
	return s
}

// decay has an alarm of a metric and of a slice, a lost night, and a change of the configuration.
func decay() *monitor.Monitor {
	nights := nightsOf(30, 9)
	for i := range nights[4:] {
		nights[i+4].Segment = 1
	}
	nights[4].Changed = []string{"decision.threshold"}
	nan := math.NaN()
	m := &monitor.Monitor{
		Task: "binary", Level: 0.95, Metrics: []string{"roc_auc", "f1", "recall", "predicted_positive_rate"}, NightsToFalseAlarm: 365, BurnIn: 14, Season: 7, Nights: nights,
		Bounds: []monitor.Bound{
			{Metric: "roc_auc", Min: reporttest.Ptr(0.9), Mean: 0.8875, Low: 0.88, High: 0.8925, Alarm: true, Since: nights[25].Date},
			{Metric: "f1", Max: reporttest.Ptr(0.99), Mean: nan, Low: nan, High: nan, Reason: "few nights"},
		},
		LabelShift: []monitor.LabelShift{{Label: "0", Weight: 0.875}, {Label: "1", Weight: 1.375}},
		Drift: []monitor.Drift{
			{Score: "score", PSI: report.Estimate{Value: 0.25, Low: 0.2, High: 0.3}, JensenShannon: report.Estimate{Value: 0.125, Low: 0.1, High: 0.15}, Wasserstein: report.Estimate{Value: 0.0625, Low: 0.05, High: 0.075}, KSBound: report.UnknownEstimate()},
			{Score: "prediction", Slice: reporttest.Key("country", slice.String("de")), PSI: report.UnknownEstimate(), JensenShannon: report.UnknownEstimate(), Wasserstein: report.UnknownEstimate(), KSBound: report.Estimate{Value: 0.5, Low: nan, High: nan}},
		},
		Skipped:  []monitor.Skipped{{Report: "reports/dt=2026-11-03", Reason: "task ranking, not binary"}},
		Warnings: []string{"2026-11-03 has no report"},
	}
	m.Series = append(m.Series, series(nights, "roc_auc", nil, nil, 1, 20, 0.03), series(nights, "f1", nil, nil, 2, 99, 0), series(nights, "recall", nil, nil, 3, 99, 0))
	for i, country := range []string{"de", "fr", "it"} {
		key := reporttest.Key("country", slice.String(country))
		m.Series = append(m.Series, series(nights, "roc_auc", key, nil, 4+i, 20+40*i, 0.05), series(nights, "f1", key, nil, 8+i, 99, 0))
	}
	short := monitor.Series{Metric: "f1", Label: reporttest.Ptr("1"), Threshold: nan, Evidence: nan, Change: nan, Reason: "3 nights; 14 are the burn-in"}
	for _, i := range []int{3, 5, 6} {
		short.Values = append(short.Values, monitor.Value{Night: i, Value: 0.5, Low: nan, High: nan, P: nan, Evidence: nan})
	}
	rise := series(nights, "predicted_positive_rate", nil, nil, 12, 20, -0.04)
	rise.TwoSided = true
	m.Series = append(m.Series, short, rise)
	return m
}

var hostileNames = []string{"=1+1", "caf\xe9\u202e", "<b>\n|`\"", `\xff`, strings.Repeat("long ", 100)}

// hostile has texts that are hard to write, and numbers that are unknown or extreme.
func hostile() *monitor.Monitor {
	nights := nightsOf(3, -1)
	nan, inf := math.NaN(), math.Inf(1)
	for i, name := range hostileNames[:3] {
		nights[i].Report, nights[i].Model, nights[i].Changed = name, name, []string{name}
	}
	m := &monitor.Monitor{Task: "binary", Level: 0.95, NightsToFalseAlarm: 365, Nights: nights, Warnings: hostileNames}
	for i, name := range hostileNames {
		metric := quote.Valid(name)
		s := monitor.Series{Metric: metric, Slice: reporttest.Key(name, slice.String(name)), Label: &name, Evidence: inf, Threshold: 365, Alarm: true, Since: nights[1].Date, Change: -1e300, Reason: name}
		for j, x := range []float64{-1e308, nan, 1e308} {
			s.Values = append(s.Values, monitor.Value{Night: j, Value: x, Low: -inf, High: inf, P: 0, Evidence: inf})
		}
		m.Series, m.Metrics = append(m.Series, s), append(m.Metrics, metric)
		m.Skipped = append(m.Skipped, monitor.Skipped{Report: name, Reason: name})
		m.Drift = append(m.Drift, monitor.Drift{Score: metric, Label: &name, PSI: report.Estimate{Value: inf, Low: nan, High: inf}, JensenShannon: report.UnknownEstimate(), Wasserstein: report.UnknownEstimate(), KSBound: report.UnknownEstimate()})
		m.Bounds = append(m.Bounds, monitor.Bound{Metric: metric, Label: &name, Min: reporttest.Ptr(float64(i)), Mean: nan, Low: -inf, High: inf, Alarm: i == 0, Since: nights[1].Date})
	}
	return m
}

// monitors are the contents of the golden files by name of directory.
var monitors = map[string]func() *monitor.Monitor{
	"decay":   decay,
	"hostile": hostile,
	"calm": func() *monitor.Monitor {
		nights := nightsOf(15, -1)
		return &monitor.Monitor{Task: "ranking", Metrics: []string{"ndcg"}, NightsToFalseAlarm: 365, BurnIn: 14, Season: 7, Nights: nights, Series: []monitor.Series{series(nights, "ndcg", nil, nil, 1, 99, 0)}}
	},
	"nothing": func() *monitor.Monitor { return &monitor.Monitor{Task: "regression"} },
}

func write(t testing.TB, m *monitor.Monitor) *reporttest.Files {
	t.Helper()
	f := &reporttest.Files{}
	require.NoError(t, monitor.Write(m, f.Create))
	return f
}

func TestGoldenMonitor(t *testing.T) {
	for name, build := range monitors {
		t.Run(name, func(t *testing.T) {
			f := write(t, build())
			require.ElementsMatch(t, f.Created, []string{"trend.csv", "trend.parquet", "monitor.prom", "summary.txt", "monitor.html", "monitor.json"})
			require.Equal(t, monitor.JSON, f.Created[len(f.Created)-1])
			reporttest.CheckPage(t, f.Bytes(monitor.HTML))
			for _, file := range []string{monitor.JSON, monitor.CSV, monitor.Prometheus, monitor.Summary, monitor.HTML} {
				reporttest.Golden(t, filepath.Join(name, file), f.Bytes(file))
			}
			require.True(t, json.Valid(f.Bytes(monitor.JSON)))
			_, err := csv.NewReader(bytes.NewReader(f.Bytes(monitor.CSV))).ReadAll()
			require.NoError(t, err)
			reporttest.RequireWidth(t, 80, string(f.Bytes(monitor.Summary)))

			read, err := monitor.Read(f.Bytes(monitor.JSON))
			require.NoError(t, err)
			again := write(t, read)
			require.Equal(t, string(f.Bytes(monitor.HTML)), string(again.Bytes(monitor.HTML)), "the page of the file that was read")
			require.Equal(t, string(f.Bytes(monitor.JSON)), string(again.Bytes(monitor.JSON)))
		})
	}
}

// The summary says first what alarmed, and fits on a screen.
func TestSummary(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, decay().Print(&b, document.Screen{}))
	lines := strings.Split(b.String(), "\n")
	require.LessOrEqual(t, len(lines), 20, b.String())
	require.Contains(t, lines[0], "binary: 4 alarms in 11 series and 2 bounds; 29 nights, 2026-10-25 to 2026-11-23")
}

// TestPageStaysSmall: the page of many nights and slices is at most 2 MB, and says what it leaves out.
func TestPageStaysSmall(t *testing.T) {
	page := write(t, large(400, 100)).Bytes(monitor.HTML)
	require.Less(t, len(page), 2_000_000)
	require.Contains(t, string(page), "The 24 of 800 series that alarmed or have the most evidence; trend.csv has all.")
	t.Log(len(page), "bytes")
}

// large has eight metrics in many slices over many nights.
func large(n, slices int) *monitor.Monitor {
	nights := nightsOf(n, 50)
	m := &monitor.Monitor{Task: "binary", Level: 0.95, NightsToFalseAlarm: 365, BurnIn: 14, Season: 7, Nights: nights}
	for i := range 8 {
		name := fmt.Sprintf("metric_%d", i)
		m.Metrics = append(m.Metrics, name)
		for j := range slices + 1 {
			var key slice.Key
			if j > 0 {
				key = reporttest.Key("shop", slice.Int(int64(j)))
			}
			m.Series = append(m.Series, series(nights, name, key, nil, i*1000+j, n-3-j%2*100, 0.05))
		}
	}
	return m
}

func BenchmarkWrite(b *testing.B) {
	m := large(400, 100)
	for b.Loop() {
		require.NoError(b, monitor.Write(m, func(string) (io.Writer, error) { return io.Discard, nil }))
	}
}
