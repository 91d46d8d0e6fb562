package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/recalibration"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/pipeline/config"
)

type recalibrated struct {
	Y    *int32  `parquet:"y,optional"`
	P    float64 `parquet:"p"`
	X    float64 `parquet:"x"`
	Side string  `parquet:"side"`
}

// overconfident returns rows whose logits x are twice as large as they should be.
func overconfident(n int) (rows []recalibrated) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range n {
		x := math.Round(r.NormFloat64()*40) / 10
		y := int32(0)
		if r.Float64() < 1/(1+math.Exp(-x/2)) {
			y = 1
		}
		rows = append(rows, recalibrated{&y, 1 / (1 + math.Exp(-x)), x, []string{"a", "b"}[i%2]})
	}
	return rows
}

// TestRecalibration: with the map of a report, the same data are calibrated, as well ordered as
// before, and have the same bytes however they are divided and run. The map does not depend on the type of
// the scores.
func TestRecalibration(t *testing.T) {
	t.Parallel()
	rows := overconfident(3000)
	const metrics = "task: binary\nslices: [side]\nmetrics: [brier, miscalibration, discrimination, uncertainty, log_loss_miscalibration, calibration_slope, spiegelhalter_z, fpr]\n"
	var values []float64
	for _, columns := range []string{"{columns: {label: y, score: p}}", "{columns: {label: y, score: x}, score_type: logit}", "{columns: {label: y, score: x}, score_type: score}"} {
		yaml := metrics + "input: " + columns + "\n"
		if strings.HasSuffix(columns, "score}") {
			yaml = strings.Replace(yaml, metrics, "task: binary\nslices: [side]\nmetrics: [pr_auc]\n", 1)
		}
		first := evaluate(t, parse(t, yaml, write(t, rows, 3, 250)))
		file := filepath.Join(first, report.RecalibrationJSON)
		if strings.HasSuffix(columns, "score}") { // whose scores have no fit of their own
			require.NoFileExists(t, file)
			file = filepath.Join(t.TempDir(), "map.json")
			require.NoError(t, os.WriteFile(file, []byte(`{"schema": "beameval.recalibration/v1", "score_type": "score", "scores": [0, 1], "probabilities": [0.25, 1]}`), 0o666))
			yaml = metrics + "input: " + columns + "\n"
		}
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		m, err := recalibration.Read(data)
		require.NoError(t, err)

		yaml += "recalibrate: " + file + "\n"
		again := evaluate(t, parse(t, yaml, write(t, rows, 2, 700)))
		require.NoFileExists(t, filepath.Join(again, report.RecalibrationJSON))
		requireSame(t, contents(t, again), contents(t, evaluateOn(t, parse(t, yaml, write(t, rows, 5, 100)), "prism", 3)))
		got := readReport(t, again)
		require.Contains(t, strings.Join(got.Warnings(), "\n"), fmt.Sprintf("scores are recalibrated: each becomes one of %d probabilities", len(m.Scores)))
		if m.ScoreType == "score" {
			continue
		}
		if values != nil {
			require.Equal(t, values, m.Probabilities)
		}
		values = m.Probabilities
		before, after := valuesOf(readReport(t, first)), valuesOf(got)
		of := func(rows map[rowKey]report.Row, name string) float64 { return rows[keyOf(nil, name, nil)].Value }
		require.Greater(t, of(before, "miscalibration"), 0.01)
		require.InDelta(t, 0, of(after, "miscalibration"), 1e-15)
		require.InDelta(t, 0, of(after, "log_loss_miscalibration"), 1e-12)
		require.Equal(t, of(before, "discrimination"), of(after, "discrimination"))
		require.Equal(t, of(before, "uncertainty"), of(after, "uncertainty"))
		require.InDelta(t, 0.5, of(before, "calibration_slope"), 0.05)
		require.Less(t, of(after, "brier"), of(before, "brier"))
	}
}

// TestConsistencyBand: curves.parquet has the band of the isotonic fit of all examples, the same for probabilities
// and logits, if they weigh 1 and are independent. Overconfident forecasts leave it.
func TestConsistencyBand(t *testing.T) {
	t.Parallel()
	preds := write(t, overconfident(3000), 3, 250)
	const task = "task: binary\nslices: [side]\nmetrics: [brier, miscalibration]\n"
	of := func(yaml, end string) []curvePoint {
		return readCurves(t, evaluate(t, parse(t, task+yaml, preds)))[rowKey{slice: "{}", name: end}]
	}
	const probabilities = "input: {columns: {label: y, score: p}}\n"
	curves := readCurves(t, evaluate(t, parse(t, task+probabilities, preds)))
	lower, upper := curves[rowKey{slice: "{}", name: report.CurveIsotonicLower}], curves[rowKey{slice: "{}", name: report.CurveIsotonicUpper}]
	require.Greater(t, len(lower), 50)
	require.Len(t, upper, len(lower))
	outside := 0
	fit, block := curves[rowKey{slice: "{}", name: report.CurveIsotonic}], 0
	for i, p := range lower {
		require.Equal(t, *p.X, *upper[i].X)
		require.LessOrEqual(t, *p.Y, *upper[i].Y)
		require.Nil(t, p.Threshold)
		for block+1 < len(fit) && *fit[block+1].X <= *p.X {
			block++
		}
		if y := *fit[block].Y; y < *p.Y || y > *upper[i].Y {
			outside++
		}
	}
	require.Greater(t, outside, len(lower)/2)
	require.NotContains(t, curves, rowKey{slice: `{"side":"a"}`, name: report.CurveIsotonicLower})
	require.Contains(t, curves, rowKey{slice: `{"side":"a"}`, name: report.CurveIsotonic})

	logits := of("input: {columns: {label: y, score: x}, score_type: logit}\n", report.CurveIsotonicLower)
	require.Len(t, logits, len(lower))
	for i, p := range lower {
		require.InDelta(t, *p.X, *logits[i].X, 1e-3)
		require.InDelta(t, *p.Y, *logits[i].Y, 0.05)
	}
	require.Empty(t, of("input: {columns: {label: y, score: p, weight: p}}\n", report.CurveIsotonicLower))
	require.Empty(t, of(probabilities+"confidence: {by: x, groups: 10}\n", report.CurveIsotonicLower))
}

// TestRecalibrationBeforeEstimates: rows without a label are estimated from recalibrated probabilities.
func TestRecalibrationBeforeEstimates(t *testing.T) {
	t.Parallel()
	rows := overconfident(1000)
	for i := range rows[:400] {
		rows[i].Y = nil
	}
	file := filepath.Join(t.TempDir(), "map.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"schema": "beameval.recalibration/v1", "score_type": "logit", "scores": [0, 1], "probabilities": [0.25, 0.75]}`), 0o666))
	dir := evaluate(t, parse(t, "task: binary\nunlabelled: estimate\nmetrics: [mean_label, mean_prediction]\ninput: {columns: {label: y, score: x}, score_type: logit}\nrecalibrate: "+file, write(t, rows, 2, 100)))
	want := 0.0
	for _, r := range rows[:400] {
		want += 0.25
		if r.X >= 1 {
			want += 0.5
		}
	}
	found := 0
	for _, row := range readReport(t, dir).Metrics {
		if len(row.Slice) > 0 {
			require.InDelta(t, want/400, row.Value, 1e-15, row.Name)
			found++
		}
	}
	require.Equal(t, 2, found)
}

func TestRecalibrationErrors(t *testing.T) {
	t.Parallel()
	rows := overconfident(20)
	file := filepath.Join(t.TempDir(), "map.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"schema": "beameval.recalibration/v1", "score_type": "logit", "scores": [0, 1], "probabilities": [0.25, 0.75]}`), 0o666))
	bad := filepath.Join(t.TempDir(), "thresholds.json")
	require.NoError(t, os.WriteFile(bad, []byte(`{"default": 0.5}`), 0o666))
	for yaml, want := range map[string]string{
		"recalibrate: " + file + "\ntask: binary\ninput: {columns: {label: y, score: p}}":                                       file + ": score_type is logit, but input.score_type is probability: the file is not of these scores",
		"recalibrate: " + bad + "\ntask: binary\ninput: {columns: {label: y, score: p}}":                                        bad + ": expected a recalibration.json: json: unknown field \"default\"",
		"recalibrate: nosuch.json\ntask: binary\ninput: {columns: {label: y, score: p}}":                                        "expected the recalibration.json of a report",
		"recalibrate: " + file + "\ntask: binary\ninput: {columns: {label: y, prediction: y}}":                                  "recalibrate: needs scores: set input.columns.score",
		"recalibrate: " + file + "\ntask: binary\ninput: {columns: {label: y, score: x, baseline_score: p}, score_type: logit}": `recalibrate: is of the scores of one model, but there are those of a baseline in column "p": leave one out`,
	} {
		requireRefused(t, parse(t, yaml, write(t, rows, 1, 20)), want)
	}
	_, err := config.Parse([]byte("recalibrate: x.json\ntask: binary\ndecision: {threshold: 2}\ninput: {files: [x], columns: {label: y, score: x}, score_type: logit}\n"), "x.yaml")
	require.ErrorContains(t, err, "must be within [0, 1] for recalibrated scores, is 2")
}
