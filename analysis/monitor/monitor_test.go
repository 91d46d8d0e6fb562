package monitor_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/monitor"
	"github.com/beameval/beameval/internal/hash"
	model "github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// options are the defaults of a configuration.
func options() monitor.Options {
	return monitor.Options{Slices: true, NightsToFalseAlarm: 365, BurnIn: 14}
}

// noise returns a standard normal number for each seed.
func noise(seed int) float64 {
	u := func(i int) float64 {
		return (float64(hash.Mix(hash.Mix(uint64(seed))+uint64(i))>>11) + 0.5) / (1 << 53)
	}
	return math.Sqrt(-2*math.Log(u(1))) * math.Cos(2*math.Pi*u(2))
}

// countries are the slices of reports.
var countries = []string{"de", "fr"}

// binary returns the report of a night whose AUC is auc, about.
func binary(night int, auc float64) *report.Report {
	r := &report.Report{Task: "binary", Examples: 1000, Config: []byte(`{"report":{"model":"m"}}`)}
	for i, key := range append([]slice.Key{nil}, ofCountries()...) {
		row := func(name string, value float64) report.Row {
			return report.Row{Name: name, Slice: key, Value: value, Support: 1000, Confidence: &report.Confidence{
				Low: value - 0.01, High: value + 0.01, StdError: 0.005, DOF: 49, Folds: 50, Method: "jackknife",
			}}
		}
		r.Metrics = append(r.Metrics, row("roc_auc", auc+0.005*noise(10*night+i)), row("log_loss", 1-auc+0.005*noise(10*night+i+5000)), row("tp", 500))
	}
	return r
}

func ofCountries() (keys []slice.Key) {
	for _, c := range countries {
		keys = append(keys, slice.Key{{Column: "country", Value: slice.String(c)}})
	}
	return keys
}

// date returns the name of a night.
func date(night int) string {
	return time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, night).Format(time.DateOnly)
}

// write writes the report of a night and returns its directory.
func write(t testing.TB, root string, night int, r *report.Report) string {
	t.Helper()
	dir := filepath.Join(root, "dt="+date(night))
	require.NoError(t, os.MkdirAll(dir, 0o777))
	r.Sort()
	var file bytes.Buffer
	require.NoError(t, r.WriteJSON(&file))
	require.NoError(t, os.WriteFile(filepath.Join(dir, report.MetricsJSON), file.Bytes(), 0o666))
	return dir
}

// unchanged and decaying are AUCs by night.
func unchanged(int) float64 { return 0.899 }
func decaying(night int) float64 {
	return 0.899 - 0.091*float64(max(night-15, 0))/14
}

// writeAll writes reports of n nights.
func writeAll(t testing.TB, n int, auc func(night int) float64) (root string) {
	t.Helper()
	root = t.TempDir()
	for night := range n {
		write(t, root, night, binary(night, auc(night)))
	}
	return root
}

// run monitors the reports in a directory.
func run(t testing.TB, root string, o monitor.Options) *model.Monitor {
	t.Helper()
	m, err := monitor.Monitor(t.Context(), []string{root}, o)
	require.NoError(t, err)
	return m
}

// series returns a series.
func series(t testing.TB, m *model.Monitor, metric, slice string) *model.Series {
	t.Helper()
	i := slices.IndexFunc(m.Series, func(s model.Series) bool {
		return s.Metric == metric && strings.Contains(s.Slice.String(), slice)
	})
	require.GreaterOrEqual(t, i, 0)
	return &m.Series[i]
}

func TestDecay(t *testing.T) {
	m := run(t, writeAll(t, 30, decaying), options())
	require.Equal(t, "binary", m.Task)
	require.Equal(t, []string{"roc_auc", "log_loss"}, m.Metrics[:2])
	require.Len(t, m.Nights, 30)
	require.Equal(t, model.Night{Date: "2026-10-01", At: m.Nights[0].At, Report: m.Nights[0].Report, Model: "m", Examples: 1000}, m.Nights[0])
	require.Len(t, m.Series, 3*len(m.Metrics))
	for _, metric := range []string{"roc_auc", "log_loss"} {
		for _, at := range []string{"overall", "country=de", "country=fr"} {
			s := series(t, m, metric, at)
			require.Len(t, s.Values, 30)
			require.True(t, s.Alarm, "%s of %s: %v", metric, at, s.Evidence)
			require.Equal(t, float64(365*len(m.Series)), s.Threshold)
			require.GreaterOrEqual(t, s.Since, "2026-10-16")
			require.LessOrEqual(t, s.Since, "2026-10-19")
			require.InDelta(t, map[string]float64{"roc_auc": -0.05, "log_loss": 0.05}[metric], s.Change, 0.02)
			require.InDelta(t, 0.01, s.Values[0].High-s.Values[0].Value, 1e-12)
		}
	}
	m = run(t, writeAll(t, 30, unchanged), options())
	require.Zero(t, m.Alarms())
	for _, s := range m.Series {
		require.Empty(t, s.Reason)
		require.False(t, math.IsNaN(s.Evidence))
	}
}

func TestChangeInEitherDirection(t *testing.T) {
	for _, change := range []float64{0.1, -0.1} {
		root := t.TempDir()
		for night := range 30 {
			r := binary(night, 0.899)
			value := 0.3 + 0.005*noise(night)
			if night >= 20 {
				value += change
			}
			r.Metrics = append(r.Metrics, report.Row{Name: "predicted_positive_rate", Value: value, Support: 1000})
			write(t, root, night, r)
		}
		m := run(t, root, options())
		require.Equal(t, 1, m.Alarms())
		s := series(t, m, "predicted_positive_rate", "overall")
		require.True(t, s.TwoSided)
		require.True(t, s.Alarm)
		require.GreaterOrEqual(t, s.Since, "2026-10-16")
		require.LessOrEqual(t, s.Since, "2026-10-21")
		require.InDelta(t, change, s.Change, 0.05)
		require.False(t, series(t, m, "roc_auc", "overall").TwoSided)
	}
}

// TestDirectionOfReports: which change of a grade is an alarm is what its reports say is better.
func TestDirectionOfReports(t *testing.T) {
	for _, better := range []string{"lower", "higher"} {
		root := t.TempDir()
		for night := range 30 {
			r := binary(night, 0.899)
			r.Metrics = append(r.Metrics, report.Row{Name: "mean_cost", Value: 2 + 0.01*noise(night) + float64(night/20), Support: 1000})
			r.Meanings = map[string]report.Meaning{"mean_cost": {Better: better, Own: true}}
			write(t, root, night, r)
		}
		m := run(t, root, options())
		require.Equal(t, better == "lower", series(t, m, "mean_cost", "overall").Alarm, better)
	}
}

func TestFewNights(t *testing.T) {
	_, err := monitor.Monitor(t.Context(), []string{t.TempDir()}, options())
	require.ErrorContains(t, err, "there is no finished report in ")
	for n, want := range map[int]string{1: "burn-in: 1 of 14 nights", 9: "burn-in: 9 of 14 nights", 14: "burn-in: 14 of 14 nights", 15: ""} {
		m := run(t, writeAll(t, n, unchanged), options())
		for _, s := range m.Series {
			require.Equal(t, want, s.Reason)
			require.Equal(t, want != "", math.IsNaN(s.Evidence))
			require.False(t, s.Alarm)
		}
	}
	o := options()
	o.Season = 7
	m := run(t, writeAll(t, 20, unchanged), o)
	require.Equal(t, "burn-in: 13 of 14 nights", m.Series[0].Reason)
}
