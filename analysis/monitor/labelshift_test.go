package monitor_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/monitor"
	model "github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics/drift"
)

// writeConfusion writes the report of a night with a confusion matrix: of[i][j] examples of true
// class j are predicted as i.
func writeConfusion(t *testing.T, root string, night int, of [][]float64) {
	t.Helper()
	r := binary(night, 0.9)
	for i, row := range of {
		for j, n := range row {
			if n > 0 {
				r.Confusion = append(r.Confusion, report.ConfusionCell{
					True: string(rune('0' + j)), Predicted: string(rune('0' + i)), TrueIndex: j, PredictedIndex: i, Count: int64(n), Weight: n,
				})
			}
		}
	}
	dir := write(t, root, night, r)
	file, err := os.Create(filepath.Join(dir, report.ConfusionParquet))
	require.NoError(t, err)
	require.NoError(t, r.WriteConfusion(file))
	require.NoError(t, file.Close())
}

// TestLabelShift: all nights of the reference count together, the true classes of the last night do
// not count.
func TestLabelShift(t *testing.T) {
	root := t.TempDir()
	for night := range 15 {
		writeConfusion(t, root, night, [][]float64{{60 + float64(night), 10}, {5, 25}})
	}
	writeConfusion(t, root, 15, [][]float64{{40, 0}, {60, 0}})
	m := run(t, root, options())
	n := float64(m.BurnIn)
	want, err := drift.LabelShift([][]float64{{60*n + n*(n-1)/2, 10 * n}, {5 * n, 25 * n}}, []float64{40, 60})
	require.NoError(t, err)
	require.Equal(t, []model.LabelShift{{Label: "0", Weight: want[0]}, {Label: "1", Weight: want[1]}}, m.LabelShift)
	require.Less(t, want[0], 1.0)
	require.Greater(t, want[1], 1.0)
}

func TestLabelShiftIsRefused(t *testing.T) {
	root := t.TempDir()
	for night := range 16 {
		writeConfusion(t, root, night, [][]float64{{60, 20}, {30, 10}})
	}
	m := run(t, root, options())
	require.Empty(t, m.LabelShift)
	require.Contains(t, m.Warnings[0], "label shift is not estimated: the predictions do not tell the classes apart: the smallest singular value")
	require.NoError(t, os.WriteFile(filepath.Join(root, "dt="+date(15), report.ConfusionParquet), []byte("x"), 0o666))
	m = run(t, root, options())
	require.Len(t, m.Skipped, 1)
	require.Contains(t, m.Skipped[0].Reason, "label shift is not estimated: ")
	o := options()
	o.Strict = true
	_, err := monitor.Monitor(t.Context(), []string{root}, o)
	require.ErrorContains(t, err, "dt="+date(15))
}
