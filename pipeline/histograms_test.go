package pipeline

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
)

// TestHistogramsOfQueries: the histograms have the values of per_query.parquet.
func TestHistogramsOfQueries(t *testing.T) {
	t.Parallel()
	dir := evaluate(t, bundled(t, "digits_retrieval/config.yaml"))
	r := readReport(t, dir)
	for name, read := range map[string]func(columns.Source) error{report.PerQueryParquet: r.ReadQueries, report.HistogramsParquet: r.ReadHistograms} {
		f, err := files.Open(t.Context(), filepath.Join(dir, name))
		require.NoError(t, err)
		require.NoError(t, read(f))
		require.NoError(t, f.Close())
	}
	require.Greater(t, len(r.Histograms), 4)
	for _, h := range r.Histograms {
		for i, name := range r.Queries.Names {
			if name != h.Name {
				continue
			}
			for _, q := range r.Queries.List {
				for j := range h.Bins {
					v, b := q.Values[i], &h.Bins[j]
					if v >= b.From && (v < b.To || b.To == 1 && v == 1) || math.IsNaN(v) && math.IsNaN(b.From) {
						b.Count--
					}
				}
			}
		}
		for _, b := range h.Bins {
			require.Zero(t, b.Count, "%s from %v", h.Name, b.From)
		}
	}
}

// TestHistogramsAreForPages: only report.html has pictures of them.
func TestHistogramsAreForPages(t *testing.T) {
	t.Parallel()
	cfg := bundled(t, "diabetes/config.yaml")
	require.Contains(t, contents(t, evaluate(t, cfg)), report.HistogramsParquet)
	cfg = bundled(t, "diabetes/config.yaml")
	cfg.Output.Formats = []string{"json", "parquet"}
	require.NotContains(t, contents(t, evaluate(t, cfg)), report.HistogramsParquet)
}
