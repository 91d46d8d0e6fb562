package comparison_test

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/comparison"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/export"
)

// finish writes a finished report.
func finish(t *testing.T, dir string, r *report.Report, run *report.Run) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o777))
	require.NoError(t, export.Write(r, run, nil, func(name string) (io.Writer, error) { return os.Create(filepath.Join(dir, name)) }))
}

func TestBaselineOfMedians(t *testing.T) {
	t.Chdir(t.TempDir())
	nan := math.NaN()
	for night, row := range [][3]float64{{0.9, 0.5, nan}, {0.1, nan, nan}, {0.7, 0.7, nan}, {0.5, nan, nan}} {
		r := report20(report.Row{Name: "accuracy", Value: row[0]}, report.Row{Name: "f1", Value: row[1]}, report.Row{Name: "mcc", Value: row[2], Undefined: "one class"})
		if night == 3 { // a slice that only one night has
			r.Metrics = append(r.Metrics, report.Row{Name: "accuracy", Slice: in("de"), Value: 0.25})
		}
		finish(t, fmt.Sprint(night), r, nil)
	}
	now := report20(report.Row{Name: "accuracy", Value: 0.5}, report.Row{Name: "f1", Value: 0.5}, report.Row{Name: "mcc", Value: 0.5},
		report.Row{Name: "accuracy", Slice: in("de"), Value: 0.5})
	gates := []report.Gate{{Metric: "accuracy", Limits: report.Limits{MaxDrop: &report.Limit{Value: 0.05}}}}
	c, found, err := comparison.WithBaseline(t.Context(), []string{"0", "1", "2", "3"}, now, gates)
	require.NoError(t, err)
	got := map[string]float64{}
	for _, d := range c.Changes {
		require.Equal(t, changes.Untested, d.Pairing)
		if got[d.Name+d.Slice.String()] = d.A; math.IsNaN(d.A) {
			require.Equal(t, "undefined in a", d.Reason)
			delete(got, d.Name+d.Slice.String())
		}
	}
	require.Equal(t, map[string]float64{"accuracyoverall": 0.6, "f1overall": 0.6, "accuracycountry=de": 0.25}, got)
	require.Equal(t, &report.Baseline{Reports: 4, Examples: float64(report20().Examples)}, now.Baseline)
	require.Empty(t, found)
	changes.Judge(now, gates, c)
	require.Equal(t, report.Fail, now.Gates[0].Verdict)
	require.InDelta(t, -0.1, now.Gates[0].Difference, 1e-15)

	// Without a gate on change, nothing is compared but the number of examples.
	now.Baseline = nil
	c, _, err = comparison.WithBaseline(t.Context(), []string{"0"}, now, []report.Gate{{Metric: "f1"}})
	require.NoError(t, err)
	require.Nil(t, c)
	require.Equal(t, &report.Baseline{Reports: 1, Examples: float64(report20().Examples)}, now.Baseline)
	now.Baseline = nil
	c, _, err = comparison.WithBaseline(t.Context(), nil, now, []report.Gate{{Metric: "f1"}})
	require.NoError(t, err)
	require.Nil(t, c)
	require.Nil(t, now.Baseline)
}
