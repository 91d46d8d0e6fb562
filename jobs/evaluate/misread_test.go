package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// misread are runs over data that may be understood wrongly.
var misread = []scenario{
	// Probabilities that are nearly within [0, 1].
	{
		name: "probabilities are clipped", preds: "label:int64 score:double\n0 -0.00005\n---\n1 1.00001\n0 1.0000000001\n1 0.5",
		config: "metrics: [accuracy, brier]",
		report: `
4 rows, 4 evaluated
warning: 3 probabilities were up to 5e-05 outside [0, 1] and were clipped
accuracy = 0.75
brier = 0.3125`,
		check: func(t *testing.T, dir string) {
			require.Equal(t, &report.ClippedCounts{Probabilities: 3, Excess: 5e-5}, readReport(t, filepath.Join(dir, "out")).Rows.Clipped)
			data, err := os.ReadFile(filepath.Join(dir, "out", "report.md"))
			require.NoError(t, err)
			require.Contains(t, string(data), "3 probabilities were up to 5e-05 outside")
		},
	},
	{
		name: "probabilities in lists are clipped", preds: "label:int64 scores:[]float\n0 [1.00001,0]\n1 [-0.000001,1]", config: "metrics: [accuracy, log_loss]",
		report: `
2 rows, 2 evaluated
warning: 2 probabilities were up to 1e-05 outside [0, 1] and were clipped
accuracy = 1
log_loss = 1.192e-07`,
	},
	{
		name: "sparse probabilities are clipped", preds: "labels:[]int32 ids:[]int32 scores:[]double\n[1] [1,0] [1.00001,0.2]\n[0] [0] [0.5]", config: sparseScores + "metrics: [precision@1]",
		report: "2 rows, 2 evaluated\nwarning: 1 probabilities were up to 1e-05 outside [0, 1] and were clipped\nprecision@1 = 1",
	},
	{
		name: "a probability beyond the tolerance", preds: last(weighted, "0 1.001 1"), code: 1,
		stderr: row + `"score": 1.001: expected a probability within [0, 1]; set input.score_type to logit or score if these are not probabilities` + end,
	},
	{
		name: "no tolerance", preds: last(weighted, "0 1.0000000001 1"), config: "probability_tolerance: 0", code: 1,
		stderr: row + `"score": 1.0000000001: expected a probability within [0, 1]; set input.score_type to logit or score if these are not probabilities` + end,
	},
	{
		name: "a larger tolerance", preds: last(people, "0 1.001 de"), config: "probability_tolerance: 0.01\nmetrics: [accuracy]",
		report: "4 rows, 4 evaluated\nwarning: 1 probabilities were up to 0.001 outside [0, 1] and were clipped\naccuracy = 0.5",
	},
	{
		name: "logits are not clipped", preds: "label:int64 score:double\n0 -0.00005\n1 1.00001", config: "input: {score_type: logit}\nmetrics: [accuracy]",
		report: "2 rows, 2 evaluated\naccuracy = 1",
	},

	// Skipped rows.
	{
		name: "more skipped rows than the share allowed", preds: last(halfBad, "0 1.5"), config: "bad_rows: skip\nmax_skipped: 50%", code: 1,
		stderr: `evaluate: 3 of 5 rows were skipped, more than max_skipped allows: null label (2), probability outside [0, 1] (1); the first is preds.parquet, row group 0, row 1, column "label": null`,
	},
	{
		name: "more skipped rows than the number allowed", preds: halfBad, config: "bad_rows: skip\nmax_skipped: 1", code: 1,
		stderr: `evaluate: 2 of 5 rows were skipped, more than max_skipped allows: null label (2); the first is preds.parquet, row group 0, row 1, column "label": null`,
	},
	{
		name: "no skipped row allowed", preds: halfBad, config: "bad_rows: skip\nmax_skipped: 0%", code: 1,
		stderr: `evaluate: 2 of 5 rows were skipped, more than max_skipped allows: …`,
	},
	{
		name: "as many skipped rows as allowed", preds: halfBad, config: "bad_rows: skip\nmax_skipped: 40%\nmetrics: [accuracy]",
		stdout: `
binary: 3 of 5 rows evaluated, 2 skipped (null label: 2), 3 examples, 2 labels

warning: 40 % of the rows (2 of 5) were skipped: null label (2)
…
report: out`,
		report: `
5 rows, 3 evaluated
skipped: null label: 2
warning: 40 % of the rows (2 of 5) were skipped: null label (2)
accuracy = 1`,
	},
	{
		name: "more predictions without truth than allowed", preds: "example_id:int64 score:double\n1 0.5\n2 0.6", files: map[string]string{"truth.parquet": "example_id:int64 label:int64\n2 1"},
		config: "truth: {files: truth.parquet, missing: skip}\nmax_skipped: 10%", code: 1,
		stderr: `evaluate: 1 of 2 rows were skipped, more than max_skipped allows: no truth (1); the first is preds.parquet, row group 0, row 0, column "example_id": 1`,
	},
	{
		name: "a limit where no row is skipped", config: "max_skipped: 1%", code: 2,
		stderr: `evaluate: eval.yaml:1:14: max_skipped: limits how many rows are skipped, but none are: set bad_rows: skip, or leave max_skipped out`,
	},
}

// halfBad is a table of which two rows of five have no label.
const halfBad = "label:int64? score:double\n1 0.5\nnull 0.5\n---\n0 0.1\nnull 0.5\n1 0.9"
