package monitor_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/monitor"
	model "github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

func TestReportsThatDoNotBelong(t *testing.T) {
	root := writeAll(t, 20, unchanged)
	other := binary(3, 0.9)
	other.Task = "regression"
	write(t, root, 3, other)
	labels := binary(4, 0.9)
	labels.Labels = []string{"a", "b"}
	write(t, root, 4, labels)
	broken := func(night int, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(root, "dt="+date(night), report.MetricsJSON), []byte(content), 0o666))
	}
	broken(5, "{")
	broken(6, `{"schema":"beameval.report/v9"}`)
	broken(7, "")
	broken(19, "null")
	m := run(t, root, options())
	require.Len(t, m.Nights, 14)
	require.Len(t, m.Skipped, 6)
	for i, want := range []string{
		"it is of task \"regression\", not binary as the newest report", "its labels are not those of the newest report",
		"unexpected end of JSON input", `the schema is "beameval.report/v9"`, "unexpected end of JSON input", "the schema is",
	} {
		require.Contains(t, m.Skipped[i].Reason, want)
		require.Contains(t, m.Skipped[i].Reason, m.Skipped[i].Report)
	}
	require.Equal(t, "burn-in: 14 of 14 nights", m.Series[0].Reason)

	o := options()
	o.Strict = true
	_, err := monitor.Monitor(t.Context(), []string{root}, o)
	require.ErrorContains(t, err, m.Skipped[5].Report)
	require.NoError(t, os.RemoveAll(m.Skipped[5].Report))
	_, err = monitor.Monitor(t.Context(), []string{root}, o)
	require.Error(t, err)

	alone := t.TempDir()
	write(t, alone, 0, binary(0, 0.9))
	require.NoError(t, os.WriteFile(filepath.Join(alone, "dt="+date(0), report.MetricsJSON), []byte("{"), 0o666))
	_, err = monitor.Monitor(t.Context(), []string{alone}, options())
	require.ErrorContains(t, err, "none of 1 reports can be read: ")
}

// TestBrokenReportsWithoutDates: reports whose directories have no date are read, and ordered by
// report.date.
func TestBrokenReportsWithoutDates(t *testing.T) {
	root := t.TempDir()
	for night, name := range []string{"c", "a", "b", "broken"} {
		r := binary(night, 0.9)
		r.Config = fmt.Appendf(nil, `{"report":{"date":%q}}`, date(night))
		require.NoError(t, os.Rename(write(t, root, night, r), filepath.Join(root, name)))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "broken", report.MetricsJSON), []byte("{"), 0o666))
	m := run(t, root, options())
	require.Len(t, m.Skipped, 1)
	require.Equal(t, filepath.Join(root, "broken"), m.Skipped[0].Report)
	require.Len(t, m.Nights, 3)
	require.Equal(t, filepath.Join(root, "c"), m.Nights[0].Report)
}

func TestChangedConfiguration(t *testing.T) {
	root := t.TempDir()
	for night := range 40 {
		r := binary(night, unchanged(night))
		r.Config = []byte(`{"decision":{"threshold":0.5},"bad_rows":"skip"}`)
		if night >= 20 {
			r = binary(night, 0.5) // would be an alarm
			r.Config = []byte(`{"decision":{"threshold":0.4},"bad_rows":"fail"}`)
		}
		write(t, root, night, r)
	}
	m := run(t, root, options())
	require.Zero(t, m.Alarms())
	require.Equal(t, 0, m.Nights[19].Segment)
	require.Equal(t, 1, m.Nights[20].Segment)
	require.Equal(t, []string{"decision.threshold"}, m.Nights[20].Changed)
	require.Nil(t, m.Nights[21].Changed)
	values := series(t, m, "roc_auc", "overall").Values
	for night, v := range values {
		require.Equal(t, night%20 < 14, math.IsNaN(v.P), "night %d", night)
	}
}

func TestSinceAcknowledges(t *testing.T) {
	root := writeAll(t, 55, func(night int) float64 { return 0.9 - 0.1*float64(night/20) + 0.02*float64(night/40) })
	m := run(t, root, options())
	require.True(t, series(t, m, "roc_auc", "overall").Alarm)
	require.Contains(t, []string{date(18), date(19), date(20)}, series(t, m, "roc_auc", "overall").Since)
	o := options()
	o.Since = time.Date(2026, 11, 5, 0, 0, 0, 0, time.UTC) // night 35
	m = run(t, root, o)
	s := series(t, m, "roc_auc", "overall")
	require.True(t, s.Alarm, "the second change is news")
	require.Contains(t, []string{date(39), date(40)}, s.Since)
	require.InDelta(t, -0.08, s.Change, 0.015)
	o.Since = o.Since.AddDate(1, 0, 0)
	require.Zero(t, run(t, root, o).Alarms())
}

func TestGaps(t *testing.T) {
	root := t.TempDir()
	for night := range 30 {
		r := binary(night, unchanged(night))
		switch {
		case night == 3: // no report
			continue
		case night == 4:
			r.Metrics[0].Value, r.Metrics[0].Undefined = math.NaN(), "only one class"
		case night == 5:
			r.Metrics[0].Value, r.Metrics[0].Undefined = 0, "only one class" // zero_division
		case night == 6:
			r.Metrics[0].Value = math.Inf(1)
		case night == 7:
			r.Metrics = r.Metrics[1:]
		}
		r.Metrics = append(r.Metrics, report.Row{Name: "mcc", Value: math.NaN(), Undefined: "zero division"})
		write(t, root, night, r)
	}
	m := run(t, root, options())
	require.Len(t, m.Nights, 29)
	s := series(t, m, "roc_auc", "overall")
	require.Len(t, s.Values, 25)
	require.Empty(t, s.Reason)
	require.Equal(t, []string{
		"1 day without a report: 2026-10-04",
		"roc_auc is undefined on up to 2 of 29 nights in 1 series, which are gaps: only one class",
		"roc_auc is undefined on up to 1 of 29 nights in 1 series, which are gaps: infinite",
		"mcc is undefined on up to 29 of 29 nights in 1 series, which are gaps: zero division",
	}, m.Warnings[:4])
	s = series(t, m, "mcc", "overall")
	require.Empty(t, s.Values)
	require.Equal(t, "undefined on every night: zero division", s.Reason)
	require.Equal(t, 365.0*float64(len(m.Series)-1), s.Threshold, "it is not judged")
}

func TestSelection(t *testing.T) {
	root := writeAll(t, 20, unchanged)
	o := options()
	o.Metrics, o.Slices = []string{"log_loss", "roc_auc"}, false
	m := run(t, root, o)
	require.Len(t, m.Series, 2)
	require.Equal(t, "log_loss", m.Series[0].Metric)
	require.Equal(t, 730.0, m.Series[0].Threshold)
	whole := run(t, root, options())
	require.Equal(t, bits(m.Series[1].Values), bits(series(t, whole, "roc_auc", "overall").Values), "p-values do not depend on what else is monitored")
	o.Metrics = []string{"f1"}
	_, err := monitor.Monitor(t.Context(), []string{root}, o)
	require.EqualError(t, err, `the newest report has no metric "f1": evaluate with it, or leave it out of monitor.metrics`)
}

// bits returns values in which NaN equals itself.
func bits(values []model.Value) (all [][3]uint64) {
	for _, v := range values {
		all = append(all, [3]uint64{math.Float64bits(v.Value), math.Float64bits(v.P), math.Float64bits(v.Evidence)})
	}
	return all
}

// TestOrderOfRowsDoesNotMatter writes the rows and slices of each report in another order.
func TestOrderOfRowsDoesNotMatter(t *testing.T) {
	root := writeAll(t, 30, decaying)
	want := run(t, root, options())
	defer slices.Reverse(countries)
	slices.Reverse(countries)
	for night := range 30 {
		r := binary(night, decaying(night))
		for i := range countries { // the values stay with their slices
			for j := range 3 {
				r.Metrics[3+3*i+j].Slice = ofCountries()[1-i]
			}
		}
		slices.Reverse(r.Metrics)
		write(t, root, night, r)
	}
	got := run(t, root, options())
	require.Len(t, got.Series, len(want.Series))
	for i := range want.Series {
		require.Equal(t, want.Series[i].Slice, got.Series[i].Slice)
		require.Equal(t, want.Series[i].Since, got.Series[i].Since)
		require.Equal(t, bits(want.Series[i].Values), bits(got.Series[i].Values))
	}
}

func TestSeveralReportsOfADay(t *testing.T) {
	root := t.TempDir()
	for hour := range 3 {
		for _, day := range []string{"2026-11-19", "2026-11-20"}[:1+hour/2] {
			from := write(t, root, 0, binary(hour, 0.9))
			to := filepath.Join(root, "dt="+day, fmt.Sprintf("hour=%02d", hour))
			require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o777))
			require.NoError(t, os.Rename(from, to))
		}
	}
	var dates []string
	for _, n := range run(t, root, options()).Nights {
		dates = append(dates, n.Date)
	}
	require.Equal(t, []string{"2026-11-19 hour=00", "2026-11-19 hour=01", "2026-11-19 hour=02", "2026-11-20"}, dates)
}

func TestBounds(t *testing.T) {
	root := writeAll(t, 30, decaying)
	bound := func(metric string, each bool, limits report.Limits) report.Gate {
		return report.Gate{Metric: metric, Each: each, Limits: limits}
	}
	o := options()
	o.Metrics, o.Slices = []string{"roc_auc"}, false
	o.Bounds = []report.Gate{
		bound("roc_auc", false, report.Limits{Min: new(0.9)}), bound("roc_auc", false, report.Limits{Min: new(0.8)}),
		bound("log_loss", true, report.Limits{Max: new(0.1)}), bound("log_loss", true, report.Limits{Max: new(0.2)}),
	}
	m := run(t, root, o)
	require.Len(t, m.Series, 1)
	require.Len(t, m.Bounds, 6)
	for i, alarm := range []bool{true, false, true, true, false, false} {
		b := m.Bounds[i]
		require.Equal(t, alarm, b.Alarm, "%+v", b)
		require.Equal(t, alarm, b.Since > date(14))
		require.True(t, b.Low < b.Mean && b.Mean < b.High)
		require.Empty(t, b.Reason)
	}
	require.Equal(t, slice.Key{{Column: "country", Value: slice.String("fr")}}, m.Bounds[3].Slice)

	o.Since = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	m = run(t, root, o)
	require.Zero(t, m.Alarms())
	require.Equal(t, "no value since the alarms that are acknowledged", m.Bounds[0].Reason)

	few := run(t, writeAll(t, 13, decaying), o)
	require.Equal(t, "burn-in: 13 of 14 nights", few.Bounds[0].Reason)
	require.True(t, math.IsNaN(few.Bounds[0].Mean))

	o.Bounds = []report.Gate{{Metric: "roc_auc", Slice: slice.Key{{Column: "country", Value: slice.String("it")}}, Limits: report.Limits{Min: new(0.5)}}}
	_, err := monitor.Monitor(t.Context(), []string{root}, o)
	require.EqualError(t, err, "monitor.bounds[0]: no report has roc_auc of country=it")
}

// BenchmarkMonitor reads a year of nights with 100 slices.
func BenchmarkMonitor(b *testing.B) {
	for len(countries) < 100 {
		countries = append(countries, fmt.Sprint("country", len(countries)))
	}
	root := b.TempDir()
	for night := range 400 {
		r := binary(night, 0.9)
		for i := range 40 {
			for _, key := range ofCountries() {
				r.Metrics = append(r.Metrics, report.Row{Name: fmt.Sprint("other", i), Slice: key, Value: noise(i), Support: 1})
			}
		}
		write(b, root, night, r)
	}
	o := options()
	o.Season = 7
	for b.Loop() {
		require.Len(b, run(b, root, o).Nights, 400)
	}
}
