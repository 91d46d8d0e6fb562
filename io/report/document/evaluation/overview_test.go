package evaluation

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/checks"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/slice"
)

// TestOverviewsLeaveOutLabelsOfSlices: whatever the names contain.
func TestOverviewsLeaveOutLabelsOfSlices(t *testing.T) {
	tricky := `,"slice":{},"label":null,`
	for _, c := range []struct{ slices, labels []string }{
		{nil, nil}, {nil, []string{"a", tricky}}, {[]string{"x", tricky}, nil}, {[]string{tricky, "x\n", "y"}, []string{"a", tricky, "\"", "z"}},
	} {
		r := &report.Report{Task: "multilabel", Labels: c.labels, Checks: checks.Of(checks.Warning, `    {"name":`, "w")}
		var details int
		for _, name := range append([]string{""}, c.slices...) {
			var key slice.Key
			if name != "" {
				key = slice.Key{{Column: "column", Value: slice.String(name)}}
			}
			r.Metrics = append(r.Metrics, report.Row{Name: "f1_micro", Slice: key, Value: .5, Support: 9})
			for i := range c.labels {
				r.Metrics = append(r.Metrics, report.Row{Name: "f1", Slice: key, Label: &c.labels[i], Value: .25, Support: 3})
				if name != "" {
					details++
				}
			}
		}
		r.Sort()
		var file, want, got bytes.Buffer
		require.NoError(t, r.WriteJSON(&file))
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, report.MetricsJSON), file.Bytes(), 0o600))
		whole, err := report.Open(t.Context(), dir)
		require.NoError(t, err)
		overview, err := report.OpenOverview(t.Context(), dir, OfSlices)
		require.NoError(t, err)
		require.Len(t, overview.Metrics, len(whole.Metrics)-details)
		require.NoError(t, Summary(whole, &want, document.Screen{}))
		require.NoError(t, Summary(overview, &got, document.Screen{}))
		require.Equal(t, want.String(), got.String())
		whole.Metrics = slices.DeleteFunc(whole.Metrics, func(row report.Row) bool { return row.Label != nil && len(row.Slice) > 0 })
		require.Equal(t, whole, overview)
	}
}
