package monitor_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/monitor"
	model "github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics/drift"
)

// groups is the number of groups of examples.
const groups = 20

// histogram returns a histogram whose groups have equal weights, about.
func histogram(name string, edges []float64, counts ...int64) report.ScoreHistogram {
	h := report.ScoreHistogram{Name: name}
	for i, n := range counts {
		if n == 0 {
			continue
		}
		h.Bins = append(h.Bins, report.ScoreBin{From: edges[i], To: edges[i+1], Count: n, Weight: float64(n)})
		folds := make([]float64, groups)
		for j := range n {
			folds[(j*7+int64(i))%groups]++
		}
		h.Folds = append(h.Folds, folds...)
	}
	return h
}

// writeHistograms writes the report of a night with histograms.
func writeHistograms(t *testing.T, root string, night int, histograms ...report.ScoreHistogram) string {
	t.Helper()
	r := binary(night, 0.9)
	r.Confidence = &report.Folding{Level: 0.9, Folds: groups, By: "id"}
	r.ScoreHistograms = histograms
	dir := write(t, root, night, r)
	file, err := os.Create(filepath.Join(dir, report.ScoreHistogramsParquet))
	require.NoError(t, err)
	require.NoError(t, r.WriteScoreHistograms(file))
	require.NoError(t, file.Close())
	return dir
}

// quarters are the edges of scores from 0 to 1.
var quarters = []float64{0, 0.25, 0.5, 0.75, 1}

func TestDrift(t *testing.T) {
	root := t.TempDir()
	ofSlice := histogram("score", quarters, 100, 0, 0, 100)
	ofSlice.Slice = ofCountries()[0]
	for night := range 16 {
		writeHistograms(t, root, night, histogram("score", quarters, 100, int64(100+night), 100, 0), ofSlice)
	}
	first := histogram("score", quarters, 10, 20, 30, 1000)
	writeHistograms(t, root, 16, first, ofSlice, histogram("target", quarters, 5, 0, 0, 5))

	m := run(t, root, options())
	require.Len(t, m.Drift, 2, "there is no target in the reference")
	p, q := []float64{1400, 1400 + 13*14/2, 1400, 0}, []float64{10, 20, 30, 1000}
	d := m.Drift[0]
	require.Equal(t, "score", d.Score)
	require.Equal(t, drift.PSI(p, q), d.PSI.Value)
	require.Equal(t, drift.JensenShannon(p, q), d.JensenShannon.Value)
	require.Equal(t, drift.KSBound(p, q), d.KSBound.Value)
	require.Equal(t, drift.Wasserstein(p, q, []float64{0.125, 0.375, 0.625, 0.875}), d.Wasserstein.Value)
	for _, distance := range []report.Estimate{d.PSI, d.JensenShannon, d.KSBound, d.Wasserstein} {
		require.True(t, 0 < distance.Low && distance.Low < distance.Value && distance.Value < distance.High, "%v", distance)
	}
	require.Equal(t, ofCountries()[0], m.Drift[1].Slice)
	require.Zero(t, m.Drift[1].JensenShannon.Value)

	o := options()
	o.Slices = false
	require.Len(t, run(t, root, o).Drift, 1)

	o.Reference = writeHistograms(t, t.TempDir(), 3, first)
	m = run(t, root, o)
	require.Zero(t, m.Drift[0].Wasserstein.Value)
	require.Empty(t, m.Warnings)

	o.Reference = filepath.Join(root, "nowhere")
	_, err := monitor.Monitor(t.Context(), []string{root}, o)
	require.ErrorContains(t, err, "the reference: ")
	require.ErrorContains(t, err, o.Reference)
	require.NoError(t, os.WriteFile(filepath.Join(root, "dt="+date(2), report.ScoreHistogramsParquet), []byte("x"), 0o666))
	m = run(t, root, options())
	require.Len(t, m.Skipped, 1)
	require.Equal(t, drift.PSI([]float64{1300, 1300 + 91 - 2, 1300, 0}, q), m.Drift[0].PSI.Value, "the other 13 nights")
	o = options()
	o.Strict = true
	_, err = monitor.Monitor(t.Context(), []string{root}, o)
	require.ErrorContains(t, err, "dt="+date(2))
}

func TestDriftWithoutHistograms(t *testing.T) {
	root := writeAll(t, 2, unchanged)
	m := run(t, root, options())
	require.Empty(t, m.Drift)
	require.Equal(t, []string{"there is no score_histograms.parquet of the newest report or of the reference, so drift is not measured: evaluate with parquet in output.formats"}, m.Warnings)
	require.Empty(t, run(t, writeAll(t, 1, unchanged), options()).Warnings, "one night has no reference")
}

// driftOf returns the drift between two nights.
func driftOf(t *testing.T, before, now report.ScoreHistogram) model.Drift {
	t.Helper()
	root := t.TempDir()
	writeHistograms(t, root, 0, before)
	writeHistograms(t, root, 1, now)
	m := run(t, root, options())
	require.Len(t, m.Drift, 1)
	return m.Drift[0]
}

// TestDriftOfWiderBins: bins of a regression may be narrower on one night than on another.
func TestDriftOfWiderBins(t *testing.T) {
	narrow := histogram("prediction", []float64{0, 1, 2, 3, 4, 5, 6, 7, 8}, 10, 20, 30, 40, 0, 0, 7, 8)
	wide := histogram("prediction", []float64{0, 4, 8}, 100, 15)
	for _, d := range []model.Drift{driftOf(t, narrow, wide), driftOf(t, wide, narrow)} {
		require.Zero(t, d.JensenShannon.Value)
		require.Zero(t, d.Wasserstein.Value)
		require.Zero(t, d.KSBound.Value)
	}
	points := histogram("prediction", []float64{0, 0}, 5)
	other := histogram("prediction", []float64{2, 2}, 5)
	require.Equal(t, 2.0, driftOf(t, points, other).Wasserstein.Value)
	require.InDelta(t, 15.0/115, driftOf(t, points, wide).KSBound.Value, 1e-15)
}

func TestDriftOfInfiniteScores(t *testing.T) {
	inf := math.Inf(1)
	finite := histogram("score", []float64{-inf, -768, 768, inf}, 10, 10, 10)
	d := driftOf(t, finite, finite)
	require.Zero(t, d.Wasserstein.Value)
	ends := finite
	ends.Bins = append([]report.ScoreBin{{From: -inf, To: -inf, Count: 10, Weight: 10}}, append(ends.Bins[1:2:2], report.ScoreBin{From: inf, To: inf, Count: 10, Weight: 10})...)
	ends.Folds = nil
	d = driftOf(t, finite, ends)
	require.True(t, math.IsNaN(d.Wasserstein.Value))
	require.Equal(t, 1.0/3, d.KSBound.Value)
	require.True(t, math.IsNaN(d.JensenShannon.Low), "one histogram has no groups")
	tooLarge := report.ScoreBin{From: math.NaN(), To: math.NaN(), Count: 1, Weight: 1}
	ends.Bins = append(ends.Bins, tooLarge)
	d = driftOf(t, finite, ends)
	require.True(t, math.IsNaN(d.KSBound.Value))
	require.False(t, math.IsNaN(d.PSI.Value))
}
