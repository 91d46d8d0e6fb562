package monitor_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/monitor"
	model "github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report"
)

// models writes reports of three models: one decays, one does not, and one has a single report.
func models(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, auc := range map[string]func(int) float64{"a": decaying, "b": unchanged} {
		for night := range 30 {
			write(t, filepath.Join(root, "model="+name), night, binary(night, auc(night)))
		}
	}
	write(t, filepath.Join(root, "model=new%20one"), 29, binary(29, 0.9))
	return root
}

func TestEach(t *testing.T) {
	root := models(t)
	e, err := monitor.Each(t.Context(), []string{root}, "model", options())
	require.NoError(t, err)
	require.Empty(t, e.Skipped)
	require.Len(t, e.Parts, 3)
	alone := run(t, filepath.Join(root, "model=a"), options())
	a, b, single := e.Parts[0], e.Parts[1], e.Parts[2]
	require.Equal(t, "a", a.Value)
	require.Equal(t, alone.Alarms(), a.Alarms)
	require.Equal(t, a.Alarms, e.Alarms())
	require.Equal(t, alone.Alarmed()[:3], a.Alarmed)
	require.Equal(t, "roc_auc", a.Metric)
	s := series(t, alone, "roc_auc", "overall")
	require.Equal(t, s.Values[29].Value, a.Last)
	require.Equal(t, s.Change, a.Change)
	require.Len(t, a.Trend, 16)
	require.Equal(t, model.Reading{Date: date(29), Value: s.Values[29].Value}, a.Trend[15])
	require.Equal(t, 30, a.Nights)
	require.Equal(t, date(29), a.Date)
	require.Equal(t, "b", b.Value)
	require.Zero(t, b.Alarms)
	require.Empty(t, b.Reason)
	require.Equal(t, "new one", single.Value, "a value in the name of a folder may be escaped")
	require.Equal(t, "burn-in: 1 of 14 nights", single.Reason)
	require.NotEmpty(t, single.Folder)
}

// TestEachLeavesOut: what is wrong with a report or with all reports of a model does not stop the others, unless
// Strict is set.
func TestEachLeavesOut(t *testing.T) {
	root := models(t)
	write(t, root, 5, binary(5, 0.9))                                                    // of no model
	write(t, filepath.Join(root, "model=__HIVE_DEFAULT_PARTITION__"), 5, binary(5, 0.9)) // of null
	write(t, filepath.Join(root, "model="), 5, binary(5, 0.9))                           // of an empty text
	broken := write(t, filepath.Join(root, "model=broken"), 5, binary(5, 0.9))
	require.NoError(t, os.WriteFile(filepath.Join(broken, report.MetricsJSON), []byte("{"), 0o666))
	link := filepath.Join(root, "model=b", "dt="+date(30))
	require.NoError(t, os.Symlink("nothing", link))
	e, err := monitor.Each(t.Context(), []string{root}, "model", options())
	require.NoError(t, err)
	require.Len(t, e.Parts, 4)
	require.Equal(t, "broken", e.Parts[2].Value)
	require.Empty(t, e.Parts[2].Folder)
	require.Contains(t, e.Parts[2].Reason, broken)
	require.Equal(t, 30, e.Parts[1].Nights)
	require.Len(t, e.Skipped, 3)
	require.Equal(t, filepath.Join(root, "dt="+date(5)), e.Skipped[0].Report)
	for _, s := range e.Skipped {
		require.Equal(t, s.Report+": its path has no value of model, such as model=a", s.Reason)
	}

	strict := options()
	strict.Strict = true
	_, err = monitor.Each(t.Context(), []string{root}, "model", strict)
	require.ErrorContains(t, err, "a symbolic link to nothing")
	require.NoError(t, os.Remove(link))
	for _, c := range []struct{ dir, want string }{
		{"", "its path has no value of model"},
		{"model=broken", "unexpected end of JSON input"},
	} {
		_, err = monitor.Each(t.Context(), []string{filepath.Join(root, c.dir)}, "model", strict)
		require.ErrorContains(t, err, c.want)
	}
}

func TestEachOfNothing(t *testing.T) {
	root := models(t)
	_, err := monitor.Each(t.Context(), []string{root}, "country", options())
	require.ErrorContains(t, err, `no report has a value of country in its path, such as country=a: the first is `+filepath.Join(root, "model=a", "dt="+date(0))+`, which has values of "model", "dt"`)
	_, err = monitor.Each(t.Context(), []string{t.TempDir()}, "model", options())
	require.ErrorContains(t, err, "there is no finished report in ")
	broken := options()
	broken.Metrics = []string{"f1"}
	_, err = monitor.Each(t.Context(), []string{root}, "model", broken)
	require.ErrorContains(t, err, `the newest report has no metric "f1"`)
}
