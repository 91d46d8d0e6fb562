package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/pipeline/config"
)

// soft is an example with a distribution as its label.
type soft struct {
	Truth      []float32 `parquet:"truth,list"`
	Scores     []float64 `parquet:"scores,list"`
	Prediction string    `parquet:"prediction"`
	Counts     []int64   `parquet:"counts,list"`
}

// softRows are the worked example of weighted kappa losses.
var softRows = []soft{
	{[]float32{.1, .2, .6, .1}, []float64{0, .1, .9, 0}, "2", []int64{0, 0, 1, 0}},
	{[]float32{.1, .5, .3, .1}, []float64{.1, .5, .3, .1}, "1", []int64{0, 1, 0, 0}},
	{[]float32{.8, .05, .05, .1}, []float64{.8, .05, .05, .1}, "3", []int64{1, 0, 0, 0}},
	{[]float32{.01, .09, .1, .8}, []float64{.01, .09, .1, .8}, "3", []int64{0, 0, 0, 1}},
}

// softConfig reads rows that were written to a file.
func softConfig(t *testing.T, yaml string, rows ...soft) *config.Config {
	t.Helper()
	return parse(t, yaml, write(t, rows, 1, 2))
}

// overallValues returns the values of all examples, by metric.
func overallValues(r *report.Report) map[string]float64 {
	values := make(map[string]float64)
	for _, row := range r.Metrics {
		if row.Label == nil && len(row.Slice) == 0 {
			values[row.Name] = row.Value
		}
	}
	return values
}

func TestSoftLabels(t *testing.T) {
	t.Parallel()
	const scored = "columns: {label: truth, score: scores, prediction: prediction}"
	for name, yaml := range map[string]string{
		"configured":       "task: multiclass\nordinal: true\ninput: {label_encoding: distribution, " + scored + "}",
		"task inferred":    "ordinal: true\ninput: {label_encoding: distribution, " + scored + "}",
		"encoding by type": "task: multiclass\nordinal: true\ninput: {" + scored + "}",
		"named classes":    "labels: ['0', '1', '2', '3']\nordinal: true\ninput: {label_encoding: distribution, " + scored + "}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := overallValues(readReport(t, evaluate(t, softConfig(t, yaml, softRows...))))
			require.InDelta(t, -0.80158, got["weighted_kappa_loss_linear"], 5e-6)
			require.InDelta(t, (.01+.01+.09+.01)/4, got["brier"], 1e-7)
			require.InDelta(t, .75, got["accuracy"], 0)
			require.InDelta(t, 1, got["top_k_accuracy@1"], 0)
			require.InDelta(t, 2.570158, got["log_loss"], 1e-6) // of the first, two classes are clipped
		})
	}
}

// TestSoftLabelsWithoutScores: there are as many classes as the labels have numbers.
func TestSoftLabelsWithoutScores(t *testing.T) {
	t.Parallel()
	for _, label := range []string{"truth", "counts"} {
		cfg := softConfig(t, "input: {label_encoding: distribution, columns: {label: "+label+", prediction: prediction}}", softRows...)
		r := readReport(t, evaluate(t, cfg))
		require.InDelta(t, .75, overallValues(r)["accuracy"], 0)
		require.Contains(t, string(r.Config), `"label_encoding":"distribution"`)
		labels := 0
		for _, row := range r.Metrics {
			if row.Name == "recall" {
				labels++
			}
		}
		require.Equal(t, 4, labels)
	}
}

// TestRowsWithoutDistribution are skipped, by reason.
func TestRowsWithoutDistribution(t *testing.T) {
	t.Parallel()
	bad := []soft{
		{[]float32{.5, .5}, softRows[0].Scores, "0", nil},
		{[]float32{1.5, -.5, 0, 0}, softRows[0].Scores, "0", nil},
		{[]float32{.5, .25, 0, 0}, softRows[0].Scores, "0", nil},
	}
	const yaml = "bad_rows: skip\nmetrics: [accuracy]\ninput: {label_encoding: distribution, columns: {label: truth, score: scores, prediction: prediction}}"
	r := readReport(t, evaluate(t, softConfig(t, yaml, append(bad, softRows...)...)))
	require.Equal(t, map[string]int64{
		"wrong number of values": 1, "negative probability of a class": 1, "label does not add up to 1": 1,
	}, r.Rows.Skipped)
	require.InDelta(t, .75, overallValues(r)["accuracy"], 0)
}

func TestSoftLabelsThatAreNone(t *testing.T) {
	t.Parallel()
	for yaml, want := range map[string]string{
		"input: {label_encoding: distribution, columns: {label: prediction, score: scores}}": `column "prediction" is string: the label of task multiclass must be a list`,
		"task: multiclass\ninput: {columns: {label: counts, score: scores}}":                 `column "counts" is list<int64>: the label of task multiclass must be one value a row`,
		"task: multiclass\ninput: {label_encoding: class, columns: {label: truth}}":          `the label of task multiclass must be one value a row`,
		"labels: [a]\ninput: {label_encoding: distribution, columns: {label: truth}}":        `1 labels are named, but column "scores" has 4 values a row`,
	} {
		requireRefused(t, softConfig(t, yaml, softRows...), want)
	}
}
