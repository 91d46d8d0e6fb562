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
}
