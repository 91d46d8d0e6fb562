package pipeline

import (
	"cmp"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/checks"
)

// curvePoint is a row of curves.parquet.
type curvePoint struct {
	Slice     string   `parquet:"slice"`
	Label     *string  `parquet:"label,optional"`
	Curve     string   `parquet:"curve"`
	X         *float64 `parquet:"x,optional"`
	Y         *float64 `parquet:"y,optional"`
	Threshold *float64 `parquet:"threshold,optional"`
	Weight    *float64 `parquet:"weight,optional"`
}

// readCurves reads curves.parquet: the points of each curve.
func readCurves(t *testing.T, dir string) map[rowKey][]curvePoint {
	t.Helper()
	points, err := parquet.ReadFile[curvePoint](filepath.Join(dir, report.CurvesParquet))
	require.NoError(t, err)
	curves := make(map[rowKey][]curvePoint)
	for _, p := range points {
		key := rowKey{slice: p.Slice, name: p.Curve}
		if p.Label != nil {
			key.label = "label " + *p.Label
		}
		curves[key] = append(curves[key], p)
	}
	return curves
}

// TestCurvesFile: drawn curves have the requested number of points and agree with the metrics.
func TestCurvesFile(t *testing.T) {
	t.Parallel()
	rows := examples(900)
	preds := write(t, rows, 2, 70)
	weights := map[string]float64{}
	for _, e := range rows {
		weights["{}"] += e.Weight
		if e.Country == nil {
			weights[`{"country":null}`] += e.Weight
			continue
		}
		country, err := json.Marshal(map[string]string{"country": *e.Country})
		require.NoError(t, err)
		weights[string(country)] += e.Weight
	}
	const options = "slices: [country]\ncurves: {points: 100}\nmetrics: ["
	for task, of := range map[string]struct{ auc, pooled, others string }{
		binaryTask:     {"roc_auc", "roc_auc", "ece"},
		multilabelTask: {"roc_auc", "roc_auc_micro", "ece"},
		multiclassTask: {"roc_auc_ovr", "roc_auc_ovr_micro", "ece, classwise_ece"},
	} {
		dir := evaluate(t, parse(t, task+options+of.auc+", "+of.pooled+", "+of.others+"]", preds))
		drawn, values, met := readCurves(t, dir), valuesOf(readReport(t, dir)), 0
		for key, points := range drawn {
			switch key.name {
			case report.CurveROC:
				name := of.auc
				if key.label == "" {
					name = of.pooled
				}
				require.InDelta(t, values[rowKey{key.slice, name, key.label}].Value, requireROC(t, points), 2.0/100, key)
				met++
			case report.CurvePR:
				requirePR(t, points)
			case report.CurveCalibration:
				want := weights[key.slice]
				if task == multilabelTask && key.label == "" {
					want *= 4
				}
				requireReliability(t, want, points)
			}
		}
		labels := map[string]int{binaryTask: 1, multilabelTask: 5, multiclassTask: 5}[task]
		require.Equal(t, 6*labels, met) // of the 6 slices
		require.Equal(t, 3*6*labels, len(drawn))
	}
}

// multiclassTask is a task over examples.
const multiclassTask = "task: multiclass\nlabels: [a, b, c, d]\ninput: {columns: {label: class, score: scores}}\n"

// requireROC checks the points of a ROC curve of about 100 points and returns the area under it.
func requireROC(t *testing.T, points []curvePoint) (area float64) {
	t.Helper()
	require.LessOrEqual(t, len(points), 102)
	first, last := points[0], points[len(points)-1]
	require.Equal(t, []float64{0, 0, 1, 1}, []float64{*first.X, *first.Y, *last.X, *last.Y})
	require.Nil(t, first.Threshold)
	for i, p := range points[1:] {
		before := points[i]
		require.True(t, *p.X >= *before.X && *p.Y >= *before.Y)
		require.True(t, i == 0 || *p.Threshold < *before.Threshold)
		require.Nil(t, p.Weight)
		area += (*p.X - *before.X) * (*p.Y + *before.Y) / 2
	}
	return area
}

// requirePR checks the points of a precision-recall curve of about 100 points.
func requirePR(t *testing.T, points []curvePoint) {
	t.Helper()
	require.LessOrEqual(t, len(points), 102)
	first, last := points[0], points[len(points)-1]
	require.Equal(t, []float64{0, 1, 1}, []float64{*first.X, *first.Y, *last.X})
	for i, p := range points[1:] {
		require.True(t, *p.X >= *points[i].X && *p.Y >= 0 && *p.Y <= 1)
	}
}

// requireReliability checks the bins of a reliability diagram and their weight.
func requireReliability(t *testing.T, weight float64, bins []curvePoint) {
	t.Helper()
	require.Len(t, bins, 10)
	for i, b := range bins {
		require.Equal(t, float64(i)/10, *b.Threshold)
		if weight -= *b.Weight; *b.Weight == 0 {
			require.Nil(t, b.X)
			continue
		}
		require.True(t, *b.X >= *b.Threshold && *b.X <= *b.Threshold+0.1)
		require.True(t, *b.Y >= 0 && *b.Y <= 1)
	}
	require.InDelta(t, 0, weight, 1e-9)
}

// TestNoPoints: the metrics of curves do not depend on drawing.
func TestNoPoints(t *testing.T) {
	t.Parallel()
	preds := write(t, examples(50), 2, 70)
	dir := evaluate(t, parse(t, binaryTask+"curves: {points: 0}", preds))
	require.NoFileExists(t, filepath.Join(dir, report.CurvesParquet))
	require.Contains(t, overallValues(readReport(t, dir)), "roc_auc")
}

// TestBoundedCurves: with bins for all scores, only what needs the order of all scores differs;
// with fewer bins, the exact values are inside the intervals, and values without an interval are
// exact. Thresholds are the best of the scores that are kept.
func TestBoundedCurves(t *testing.T) {
	t.Parallel()
	preds := write(t, examples(600), 2, 70)
	for _, task := range []string{binaryTask, multilabelTask, multiclassTask} {
		run := func(curves string) (map[rowKey]report.Row, []byte) {
			dir := evaluate(t, parse(t, task+"slices: [country]\ncurves: "+curves, preds))
			data, err := os.ReadFile(filepath.Join(dir, report.CurvesParquet))
			require.NoError(t, err)
			return valuesOf(readReport(t, dir)), data
		}
		exact, drawn := run("{mode: exact}")
		all, drawnOfAll := run("{mode: bounded}")
		some, _ := run("{mode: bounded, bins: 40}")
		require.True(t, slices.Equal(drawn, drawnOfAll), "curves differ")
		intervals := 0
		for key, row := range all {
			require.Equal(t, exact[key], row)
			bounded := some[key]
			if i := bounded.Bounds; i != nil {
				intervals++
				require.True(t, i.Low <= row.Value && row.Value <= i.High && i.Low <= bounded.Value && bounded.Value <= i.High, key)
				require.NotEqual(t, i.Low, i.High, key)
				continue
			}
			if !strings.HasSuffix(key.name, "_threshold") {
				require.Equal(t, row, bounded)
			}
		}
		require.Greater(t, intervals, 10)
	}
}

// TestAutomaticCurves: curves are exact up to a number of scores, and a note says if they are not.
func TestAutomaticCurves(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		task metrics.Task
		rows int64
		mode metrics.CurveMode
	}{
		{metrics.Binary, exactScores, metrics.ExactCurves},
		{metrics.Binary, exactScores + 1, metrics.BoundedCurves},
		{metrics.Regression, exactScores + 1, metrics.BoundedCurves},
		{metrics.Multilabel, exactScores / 4, metrics.ExactCurves},
		{metrics.Multilabel, exactScores/4 + 1, metrics.BoundedCurves},
	} {
		in := &tables{notes: new(notes), task: c.task, predictions: &table{dataset: &dataset{files: []file{{groups: []int64{c.rows}}}}}}
		require.Equal(t, c.mode, curveMode(in, 4), c)
		if c.mode == metrics.ExactCurves {
			require.Empty(t, in.lines)
			require.Empty(t, in.found)
			continue
		}
		require.Equal(t, []checks.Said{{Name: "bounded_curves", Message: in.lines[0]}}, in.found)
		require.Contains(t, in.lines[0], "metrics of curves are bounded, within low and high")
	}
}

// TestQuantileBins: calibration bins of equal weight.
func TestQuantileBins(t *testing.T) {
	t.Parallel()
	rows := informedExamples(403)
	preds := write(t, rows, 2, 70)
	dir := evaluate(t, parse(t, binaryTask+"calibration: {strategy: quantile, bins: 7}\nmetrics: [ece, mce, ace]", preds))

	slices.SortFunc(rows, func(a, b example) int { return cmp.Compare(b.Score, a.Score) })
	type bin struct{ weight, probability, positives float64 }
	bins := make([]bin, 7)
	above := 0
	for i, e := range rows {
		if i > 0 && e.Score < rows[i-1].Score { // ties stay together
			above = i
		}
		b := &bins[above*7/len(rows)]
		b.weight++
		b.probability += e.Score
		b.positives += float64(e.Label)
	}
	ece, mce := 0.0, 0.0
	for _, b := range bins {
		if b.weight > 0 {
			ece += math.Abs(b.probability-b.positives) / float64(len(rows))
			mce = max(mce, math.Abs(b.probability-b.positives)/b.weight)
		}
	}
	values := overallValues(readReport(t, dir))
	require.InDelta(t, ece, values["ece"], 1e-14)
	require.InDelta(t, mce, values["mce"], 1e-14)
	require.Equal(t, values["ece"], values["ace"])
	points := readCurves(t, dir)[rowKey{"{}", report.CurveCalibration, ""}]
	require.Len(t, points, len(bins))
	for i, p := range points {
		require.Equal(t, bins[len(bins)-1-i].weight, *p.Weight)
		require.Nil(t, p.Threshold)
	}

	requireRefused(t, parse(t, binaryTask+"calibration: {strategy: quantile}\ncurves: {mode: bounded}", preds),
		"test.yaml:3:25: calibration.strategy: quantile needs all scores in order: set curves.mode to exact")
}

// TestRangeSize: the limit of a range of scores reaches the workers.
func TestRangeSize(t *testing.T) {
	preds := write(t, examples(10), 1, 10)
	for text, want := range map[string]int{"{}": 32 << 20, "curves: {range_mib: 3}": 3 << 20} {
		cfg := parse(t, text, preds)
		cfg.Output.Dir = t.TempDir()
		plan, err := Make(t.Context(), cfg)
		require.NoError(t, err)
		require.Equal(t, want, plan.spec.RangeBytes)
	}
}
