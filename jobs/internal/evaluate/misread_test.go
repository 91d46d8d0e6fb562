package evaluate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// misreadBadRows are tables with a bad row.
var misreadBadRows = []badRow{
	{"a probability beyond the tolerance", weighted, "0 1.001 1", "", `"score": 1.001: expected a probability within [0, 1]; set input.score_type to logit or score if these are not probabilities`},
	{"no tolerance", weighted, "0 1.0000000001 1", "probability_tolerance: 0", `"score": 1.0000000001: expected a probability within [0, 1]; set input.score_type to logit or score if these are not probabilities`},
}

// misreadRefusals are rejected before any row is read.
var misreadRefusals = []refusal{
	{"a limit where no row is skipped", "", "max_skipped: 1%", `eval.yaml:1:14: max_skipped: limits how many rows are skipped, but none are: set bad_rows: skip, or leave max_skipped out`},
	{"labels of which some are integers", "label:int32 prediction:int32\n1 1\n2 1", "task: multiclass\nlabels: [unknown, 1, 2]", `eval.yaml:2:9: labels: column "label" is int32, and 2 of the 3 labels are integers, but not all: set input.label_encoding to names if 1 means the label of that name, or to indices if it means the index of the label, from 0`},
	{"a positive label that no dictionary has", "label:category score:double\nham 0.2\n---\nspam 0.9", "task: binary\npositive_label: Spam", `eval.yaml:2:17: positive_label: no row is positive: column "label" has "ham", "spam", but never the positive_label "Spam"; did you mean "spam"? If that is the right label, the data has no positive row, and no metric of it means anything`},
	{"predictions of 0 and 1 beside names", "labels:[]string prediction:[]int64\n[a] [1,0]\n[b] [0,1]", "labels: [a, b]", `input.label_encoding: preds.parquet: row group 0, row 0: column "prediction": [1,0]: all lists have only 0 and 1: column "labels" has names of labels: predictions must be lists of names, too`},
	{"indices that may be indicators", "labels:[]int64 scores:[]double\n[] [0.1,0.2]\n---\n[0,1] [0.2,0.8]\n[1,0] [0.9,0.2]", "", `input.label_encoding: preds.parquet: row group 1, row 0: column "labels": [0,1]: all lists have only 0 and 1: set it to indicator if they have a 0 or 1 for each label, or to indices if they list the labels 0 and 1`},
	{"predictions that may be indicators", "labels:[]int64 prediction:[]int64\n[0,2] [0,0,1]\n[1] [1,0,1]", "num_labels: 3", `…input.label_encoding: preds.parquet: row group 0, row 0: column "prediction": [0,0,1]: all lists have only 0 and 1: …`},
}

// misread are runs on data that could be misinterpreted.
var misread = []scenario{
	{
		name: "a column that is label and score", preds: "y:int64 p:double\n1 0.9\n0 0.2", config: "input: {columns: {label: y, score: y}}\nmetrics: [accuracy]",
		report: `
2 rows, 2 evaluated
warning: label and score are both column "y", which is compared with itself: name another column for one of them
accuracy = 1`,
	}, {
		name: "labels that look alike, and those that read as missing", preds: "label:string prediction:string\ncaf\u00e9 cafe\u0301\nNone a\na a", config: "metrics: [accuracy]",
		report: `
3 rows, 3 evaluated
warning: labels "cafe\u0301" and "café" differ in spelling alone, and count as different: write labels and predictions alike, or name them in labels if that is right
warning: label "None" reads as a missing value, and counts as a label: write null, or name the text in input.null_values, or name them in labels if that is right
accuracy = 0.3333`,
	}, {
		name: "predictions of another spelling than the positive label", config: "task: binary\npositive_label: spam\nmetrics: [accuracy]",
		preds: "label:string prediction:string\nspam Spam\nham Ham\nham Ham",
		report: `
3 rows, 3 evaluated
warning: no prediction is positive: column "prediction" has "Ham", "Spam", but never the positive_label "spam"; did you mean "Spam"?
accuracy = 0.6667`,
	}, {
		name: "predictions of another encoding than the positive label", config: "task: binary\npositive_label: spam\nmetrics: [accuracy]",
		preds: "label:string prediction:bool\nspam true\nham false",
		report: `
2 rows, 2 evaluated
warning: no prediction is positive: column "prediction" has "false", "true", but never the positive_label "spam"
accuracy = 0.5`,
	}, {
		name: "a column and another with its name and a dot", config: "input: {columns: {score: a}}",
		preds: "label:int64 a:double a.b:double\n1 0.9 0.1\n0 0.2 0.1",
	},
	// Columns that only some files have.
	{
		name: "weights of one file", preds: people, files: map[string]string{"z.parquet": "label:int64 score:double weight:double\n1 0.1 7"}, args: "--input *.parquet --output out", config: "metrics: [accuracy]",
		report: `
5 rows, 5 evaluated
warning: column "weight" is not used: z.parquet has it, but preds.parquet does not; write it to all files, or set input.columns.weight to null if it is not meant
accuracy = 0.6`,
	}, {
		name: "weights of one file that are switched off", preds: people, files: map[string]string{"z.parquet": "label:int64 score:double weight:double id:int64\n1 0.1 7 1"}, args: "--input *.parquet --output out",
		config: "input: {columns: {weight: null}}\nmetrics: [accuracy]", report: "5 rows, 5 evaluated\naccuracy = 0.6",
	}, {
		name: "predictions of one file", preds: people, files: map[string]string{"a.parquet": "label:int64 score:double pred:int64\n1 0.1 1"}, args: "--input *.parquet --output out", config: "metrics: [accuracy]",
		report: `
5 rows, 5 evaluated
warning: column "pred" is not used: a.parquet has it, but preds.parquet does not; write it to all files, or set input.columns.prediction to null if it is not meant
accuracy = 0.6`,
	},
	{
		name: "weights of the truth", preds: "id:int64 score:double\n1 0.9\n2 0.9", files: truth("id:int64 label:int64 weight:double\n1 1 7\n2 0 1"), config: truthIn + "metrics: [accuracy]",
		report: `
2 rows, 2 evaluated
truth of 2, 0 without prediction
warning: column "weight" of the truth is not used: weights are read from the predictions; write it there, or set input.columns.weight to null if it is not meant
accuracy = 0.5`,
	},
	// Labels that may be others.
	{
		name: "labels that differ in spelling", preds: "label:string prediction:category\ncat Cat\ndog dog\nDog cat", config: "metrics: [accuracy]",
		report: `
3 rows, 3 evaluated
warning: labels "Cat" and "cat" differ in spelling alone, as do 1 more, and count as different: write labels and predictions alike, or name them in labels if that is right
accuracy = 0.3333`,
	}, {
		name: "labels that list others", preds: "label:string prediction:string\na|b a\nb b", config: "metrics: [accuracy]",
		report: `
2 rows, 2 evaluated
warning: label "a|b" lists other labels, and counts as one of its own: write lists as lists, such as in JSON lines or Parquet, for a multilabel task, or name them in labels if that is right
accuracy = 0.5`,
	}, {
		name: "labels in lists that differ in spelling", preds: "labels:[]string predictions:[]string\n[1.0] [1]\n[x] [x]", config: "metrics: [subset_accuracy]",
		report: `
2 rows, 2 evaluated
warning: labels "1" and "1.0" differ in spelling alone, and count as different: write labels and predictions alike, or name them in labels if that is right
subset_accuracy = 0.5`,
	}, {
		name: "labels that are named, and differ in spelling", preds: "label:string prediction:string\ncat Cat\na|b a\nb b", config: "labels: [cat, Cat, a, b, a|b]\nmetrics: [accuracy]",
		report: "3 rows, 3 evaluated\naccuracy = 0.3333",
	},
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
	}, {
		name: "probabilities in lists are clipped", preds: "label:int64 scores:[]float\n0 [1.00001,0]\n1 [-0.000001,1]", config: "metrics: [accuracy, log_loss]",
		report: `
2 rows, 2 evaluated
warning: 2 probabilities were up to 1e-05 outside [0, 1] and were clipped
accuracy = 1
log_loss = 1.192e-07`,
	}, {
		name: "sparse probabilities are clipped", preds: "labels:[]int32 ids:[]int32 scores:[]double\n[1] [1,0] [1.00001,0.2]\n[0] [0] [0.5]", config: sparseScores + "metrics: [precision@1]",
		report: "2 rows, 2 evaluated\nwarning: 1 probabilities were up to 1e-05 outside [0, 1] and were clipped\nprecision@1 = 1",
	}, {
		name: "a larger tolerance", preds: last(people, "0 1.001 de"), config: "probability_tolerance: 0.01\nmetrics: [accuracy]",
		report: "4 rows, 4 evaluated\nwarning: 1 probabilities were up to 0.001 outside [0, 1] and were clipped\naccuracy = 0.5",
	}, {
		name: "logits are not clipped", preds: "label:int64 score:double\n0 -0.00005\n1 1.00001", config: "input: {score_type: logit}\nmetrics: [accuracy]",
		report: "2 rows, 2 evaluated\naccuracy = 1",
	},

	// Skipped rows.
	{
		name: "more skipped rows than the share allowed", preds: last(halfBad, "0 1.5"), config: "bad_rows: skip\nmax_skipped: 50%\nmetrics: [accuracy]", code: 3,
		stderr: "evaluate: a gate failed: 1 of 1, see the report",
		stdout: `
binary: 2 of 5 rows evaluated, 3 skipped (null label: 2, probability outside [0,
1]: 1), 2 examples, 2 labels

 gate  metric       slice    asked    found
─…
 fail  max_skipped  overall  max 0.5  0.6000
 gates: 1 failed, 0 passed
…
report: out`,
	}, {
		name: "more skipped rows than the number allowed", preds: halfBad, config: "bad_rows: skip\nmax_skipped: 1\ngates: [{metric: accuracy, max: 1}]", code: 3,
		stderr: "evaluate: a gate failed: 1 of 2, see the report",
		stdout: `
binary: …

 gate  metric       slice    asked  found
─…
 fail  max_skipped  overall  max 1  2.0000
 pass  accuracy     overall  max 1  1.0000
 gates: 1 failed, 1 passed
…
report: out`,
	}, {
		name: "no skipped row allowed", preds: halfBad, config: "bad_rows: skip\nmax_skipped: 0%", code: 3,
		stderr: "evaluate: a gate failed: 1 of 1, see the report",
	}, {
		name: "as many skipped rows as allowed", preds: halfBad, config: "bad_rows: skip\nmax_skipped: 40%\nmetrics: [accuracy]",
		stdout: `
binary: 3 of 5 rows evaluated, 2 skipped (null label: 2), 3 examples, 2 labels

 gate  metric       slice    asked    found
─…
 pass  max_skipped  overall  max 0.4  0.4000
 gates: 0 failed, 1 passed

What stands out:
…

warning: 40 % of the rows (2 of 5) were skipped: null label (2)
…
report: out`,
		report: `
5 rows, 3 evaluated
skipped: null label: 2
warning: 40 % of the rows (2 of 5) were skipped: null label (2)
accuracy = 1`,
	}, {
		name: "more predictions without truth than allowed", preds: "example_id:int64 score:double\n1 0.5\n2 0.6", files: map[string]string{"truth.parquet": "example_id:int64 label:int64\n2 1"},
		config: "truth: {files: truth.parquet, missing: skip}\nmax_skipped: 10%\nmetrics: [accuracy]", code: 3,
		stderr: "evaluate: a gate failed: 1 of 1, see the report",
	},

	// Labels that are integers.
	{
		name: "integer labels match by value", preds: "label:int64 scores:[]double\n1 [0.8,0.1,0.1]\n3 [0.1,0.1,0.8]\n2 [0.1,0.8,0.1]", config: "labels: [1, 2, 3]\nmetrics: [accuracy, recall]",
		notes: `
label: column "label"
score: column "scores"
task: multiclass (one label, a list of scores)
label_encoding: names (column "label" is int64: integers match labels by value)
predictions: the class with the highest score`,
		report: "3 rows, 3 evaluated\naccuracy = 1\nrecall[1] = 1\nrecall[2] = 1\nrecall[3] = 1",
	}, {
		name: "negative integer labels", preds: "label:int32 prediction:double\n-1 -1\n0 1\n1 1", config: "task: multiclass\nlabels: [-1, 0, 1]\nmetrics: [accuracy]",
		report: "3 rows, 3 evaluated\naccuracy = 0.6667",
	}, {
		name: "an integer that is no label", preds: "label:int32 prediction:int32\n1 1\n---\n0 1", config: "task: multiclass\nlabels: [1, 2]", code: 1,
		stderr: row + `"label": 0: not one of the 2 labels; see labels and labels_file` + end,
	}, {
		name: "integers are indices of names", preds: "label:int32 prediction:int32\n1 1\n0 1", config: "task: multiclass\nlabels: [a, b]\nmetrics: [recall]",
		report: "2 rows, 2 evaluated\nrecall[a] = 0\nrecall[b] = 1",
	}, {
		name: "integers as indices of integers", preds: "label:int32 prediction:int32\n1 1\n0 1", config: "task: multiclass\nlabels: [1, 0]\ninput: {label_encoding: indices}\nmetrics: [recall]",
		report: "2 rows, 2 evaluated\nrecall[1] = 0\nrecall[0] = 1",
	}, {
		name: "labels of which some are integers, by value", preds: "label:int32 prediction:int32\n1 1\n2 1", config: "task: multiclass\nlabels: [unknown, 7, 2, 1]\ninput: {label_encoding: names}\nmetrics: [recall]",
		report: "2 rows, 2 evaluated\nrecall[unknown] = 0 (no positive examples)\nrecall[7] = 0 (no positive examples)\nrecall[2] = 0\nrecall[1] = 1",
	}, {
		name: "lists of integer labels", preds: "labels:[]int64 ids:[]int64 scores:[]double\n[5,3] [3,5] [0.8,0.9]\n[7] [7] [0.7]", config: "labels: [7, 5, 3]\ninput: {columns: {score: scores, score_label: ids}}\nmetrics: [subset_accuracy]",
		notes: `
label: column "labels"
task: multilabel (labels are lists)
label_encoding: names (column "labels" is list<int64>: integers match labels by value)
predictions: score >= 0.5`,
		report: "2 rows, 2 evaluated\nsubset_accuracy = 1",
	},

	// Positive labels.
	{
		name: "a positive label that no row has", preds: "label:string score:double\nham 0.2\n---\nspam 0.9", config: "task: binary\npositive_label: Spam", code: 1,
		stderr: `evaluate: no row is positive: column "label" has "ham", "spam", but never the positive_label "Spam"; did you mean "spam"? If that is the right label, the data has no positive row, and no metric of it means anything`,
	}, {
		name: "a positive number that no row has", preds: "label:double prediction:double\n1 2\n---\n3.5 3.5", config: "task: binary\npositive_label: 2", code: 1,
		stderr: `evaluate: no row is positive: column "label" has "1", "3.5", but never the positive_label "2"…`,
	}, {
		name: "many labels that are not positive", preds: "label:int64 score:double\n1 0\n2 0\n3 0\n4 0\n5 0\n---\n6 0\n7 0\n8 0\n9 0\n10 0\n11 0\n12 0", config: "task: binary\npositive_label: 13", code: 1,
		stderr: `evaluate: no row is positive: column "label" has "1", "10", "11", "12", "2", "3", "4", "5", "6", "7", at least 2 more, but never the positive_label "13"; …`,
	},

	{
		name: "a positive label that no dictionary of several files has", preds: "label:category? score:double\nnull 0.2", args: "--input *.parquet --output out", code: 2,
		files: map[string]string{
			"a.parquet": lines("label:category score:double", 12, func(i int) string { return fmt.Sprintf("%d 0", i+1) }),
			"b.parquet": "label:category score:double\n1 0.2",
		},
		config: "task: binary\npositive_label: 13",
		stderr: `evaluate: eval.yaml:2:17: positive_label: no row is positive: column "label" has "1", "10", "11", "12", "2", "3", "4", "5", "6", "7", at least 2 more, but never the positive_label "13"; …`,
	}, {
		name: "a positive label that no dictionary of the truth has", preds: "example_id:int64 score:double label:category\n1 0.5 spam", files: map[string]string{"truth.parquet": "example_id:int64 label:category\n1 ham\n2 eggs"},
		config: "task: binary\npositive_label: spam\ntruth: {files: truth.parquet}\ninput: {columns: {score: score}}", code: 2,
		stderr: `evaluate: eval.yaml:2:17: positive_label: no row is positive: column "label" has "eggs", "ham", but never the positive_label "spam"; did you mean "ham"? …`,
	}, {
		name: "a positive label in the last dictionary", preds: "label:category score:double\nham 0.2\n---\nham 0.3\n---\nspam 0.9", config: "task: binary\npositive_label: spam\nmetrics: [accuracy]",
		report: "3 rows, 3 evaluated\naccuracy = 1",
	}, {
		name: "a positive label outside the dictionaries", preds: "label:category score:double\nham 0.2", files: map[string]string{"z.parquet": "label:string score:double\nspam 0.9"},
		args: "--input *.parquet --output out", config: "task: binary\npositive_label: spam\nmetrics: [accuracy]",
		report: "2 rows, 2 evaluated\naccuracy = 1",
	}, {
		name: "a positive label that no row has, with a dictionary or without", preds: "label:category score:double\nham 0.2", files: map[string]string{"z.parquet": "label:string score:double\nspam 0.9"},
		args: "--input *.parquet --output out", config: "task: binary\npositive_label: Spam", code: 1,
		stderr: `evaluate: no row is positive: column "label" has "ham", "spam", but never the positive_label "Spam"; did you mean "spam"? …`,
	}, {
		name: "a positive label that none of many dictionaries has", preds: strings.TrimSuffix(lines("label:category score:double", 65, func(int) string { return "ham 0.2\n---" }), "\n---"), config: "task: binary\npositive_label: spam", code: 1,
		stderr: `evaluate: no row is positive: column "label" has "ham", but never the positive_label "spam"; …`,
	}, {
		name: "dictionaries without a value", preds: "label:category? score:double\nnull 0.2\n---\nnull 0.2", config: "task: binary\npositive_label: spam\nbad_rows: skip", code: 1,
		stderr: `evaluate: no rows to evaluate: all rows were skipped: null label (2); …`,
	}, {
		name: "a positive boolean that no row has", preds: "label:bool score:double\nfalse 0.2\nfalse 0.9", config: "task: binary\npositive_label: true", code: 1,
		stderr: `evaluate: no row is positive: column "label" has "false", but never the positive_label "true"…`,
	},

	// Predictions beside scores.
	{
		name: "labels in another order than scores", preds: "label:string prediction:string scores:[]double\na a [0.1,0.9]\nb b [0.9,0.1]\na a [0.2,0.8]\nb b [0.5,0.5]", config: "labels: [a, b]\nmetrics: [accuracy]",
		stdout: `
multiclass: 4 of 4 rows evaluated, 0 skipped, 4 examples, 4 of 4 predictions not
what the scores say, 2 labels

What stands out:
…

warning: the prediction of 100.0 % of the rows is not the class with the highest
score (ties and rounding explain 25.0 %): check that labels are in the order of
the scores
…
report: out`,
		report: `
4 rows, 4 evaluated
warning: the prediction of 100.0 % of the rows is not the class with the highest score (ties and rounding explain 25.0 %): check that labels are in the order of the scores
accuracy = 1`,
		check: predictionsOf(4, 4, 1, 1),
	}, {
		name: "predictions that scores explain", preds: "label:int64 prediction:int64 scores:[]double\n0 0 [0.9,0.1]\n1 1 [0.5,0.5]", config: "task: multiclass\nmetrics: [accuracy]",
		report: "2 rows, 2 evaluated\naccuracy = 1", check: predictionsOf(2, 1, 1, 0.5),
	}, {
		name: "predictions of another threshold", preds: "label:int64 prediction:int64 score:double\n0 0 0.1\n1 1 0.2\n1 1 0.3\n0 0 0.15", config: "metrics: [accuracy]",
		report: "4 rows, 4 evaluated\naccuracy = 1", check: predictionsOf(4, 2, 0, 0.5),
	}, {
		name: "predictions of no threshold", preds: "label:int64 prediction:int64 score:double\n0 0 0.9\n1 1 0.2\n1 1 0.8\n0 0 0.1", config: "metrics: [accuracy]",
		report: `
4 rows, 4 evaluated
warning: the prediction of 50.0 % of the rows is not score >= 0.5, nor is it that of any threshold (ties and rounding explain 0.0 %): check that scores and predictions are of the same labels and the same model
accuracy = 1`,
		check: predictionsOf(4, 2, 0, 0.5),
	}, {
		name: "predictions of the top labels", preds: "labels:[]int64 prediction:[]int64 scores:[]double\n[2] [2] [0.1,0.2,0.3]\n[0] [0] [0.2,0.1,0.1]\n[1] [1] [0.1,0.12,0.1]", config: "metrics: [subset_accuracy]",
		report: "3 rows, 3 evaluated\nsubset_accuracy = 1", check: predictionsOf(3, 3, 0, 1),
	}, {
		name: "predicted sets in another order than scores", preds: "labels:[]int64 prediction:[]int64 scores:[]double\n[2] [2] [0.9,0.2,0.3]\n[0] [0] [0.2,0.1,0.8]\n[1] [1] [0.1,0.8,0.1]", config: "metrics: [subset_accuracy]",
		report: `
3 rows, 3 evaluated
warning: the prediction of 66.7 % of the rows is not score >= 0.5, nor is it that of any threshold (ties and rounding explain 0.0 %): …
subset_accuracy = 1`,
		check: predictionsOf(3, 2, 0, 2.0/3),
	},

	// Lists of 0 and 1.
	{
		name: "indicators after many empty lists", code: 2,
		preds:  lines("labels:[]int64 scores:[]double", 100, func(int) string { return "[] [0.1,0.2]" }) + "\n[1,0] [0.1,0.2]",
		stderr: `evaluate: input.label_encoding: preds.parquet: row group 0, row 100: column "labels": [1,0]: all lists have only 0 and 1: …`,
	}, {
		name: "indicators that are said to be", preds: "labels:[]int64 scores:[]double\n[0,1] [0.2,0.8]\n[1,0] [0.9,0.2]", config: "input: {label_encoding: indicator}\nmetrics: [subset_accuracy]",
		report: "2 rows, 2 evaluated\nsubset_accuracy = 1",
	}, {
		name: "indices 0 and 1", preds: "labels:[]int64 scores:[]double\n[0,1] [0.2,0.8]\n[1] [0.1,0.9]", config: "metrics: [subset_accuracy]",
		report: "2 rows, 2 evaluated\nsubset_accuracy = 0.5",
	}, {
		name: "a list of 0 and 1 among indices", preds: "labels:[]int64 scores:[]double\n[2] [0.1,0.2,0.7]\n---\n[1,1] [0.2,0.8,0.1]", code: 1,
		stderr: row + `"labels": "1": the list names it twice; set input.label_encoding to indicator if lists have a 0 or 1 for each label` + end,
	},
}

// predictionsOf checks what a report says about predictions next to scores.
func predictionsOf(compared, disagree, explained int64, share float64) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		want := &report.PredictionCounts{Compared: compared, Disagree: disagree, Explained: explained, Share: share}
		require.Equal(t, want, readReport(t, filepath.Join(dir, "out")).Rows.Predictions)
	}
}

// halfBad is a table of five rows; two have no label.
const halfBad = "label:int64? score:double\n1 0.5\nnull 0.5\n---\n0 0.1\nnull 0.5\n1 0.9"
