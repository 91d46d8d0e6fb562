package evaluation_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/document/evaluation"
)

// TestSummariesOfOverviews: a summary shows the same of the part of a report that it reads.
func TestSummariesOfOverviews(t *testing.T) {
	less := 0
	for name, build := range reporttest.Reports {
		var file, want, got bytes.Buffer
		require.NoError(t, build().WriteJSON(&file))
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, report.MetricsJSON), file.Bytes(), 0o600))
		whole, err := report.Open(t.Context(), dir)
		require.NoError(t, err)
		overview, err := report.OpenOverview(t.Context(), dir, evaluation.OfSlices)
		require.NoError(t, err)
		less += len(whole.Metrics) - len(overview.Metrics)
		require.NoError(t, evaluation.Summary(whole, &want, document.Screen{}), name)
		require.NoError(t, evaluation.Summary(overview, &got, document.Screen{}), name)
		require.Equal(t, want.String(), got.String(), name)
	}
	require.Positive(t, less)
}
