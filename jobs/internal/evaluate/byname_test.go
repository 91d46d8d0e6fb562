package evaluate

import (
	"fmt"
	"strings"
)

// byNameRefusals are rejected before any row is read.
var byNameRefusals = []refusal{
	{"names of scikit-learn", "y_true:string y_pred:string y_prob:double\ngood bad 0.4\nbad bad 0.9", "", `column "y_true" has strings, such as "bad", "good": set positive_label to the one that means positive`},
	{"labels that differ within the metadata", named + "\n# labels [\"ham\",\"spam\"]\n# PANDAS_ATTRS {\"labels\": [\"spam\", \"ham\"]}", "", `preds.parquet: the metadata "labels" and the "labels" of "PANDAS_ATTRS" differ; mend it or set labels`},
	{"labels that are no list in the metadata", named + "\n# PANDAS_ATTRS {\"labels\": {\"x\": 1}}", "", `preds.parquet: the metadata "PANDAS_ATTRS.labels" must be a JSON array of labels, such as ["ham", "spam"]; mend it or set labels`},
	{"label that is null in the metadata", named + "\n# labels [\"ham\", null]", "", `preds.parquet: element 1 of the metadata "labels" is null: expected a label; mend it or set labels`},
	{"attrs that are not JSON", named + "\n# PANDAS_ATTRS labels", "", `preds.parquet: the metadata "PANDAS_ATTRS" must be a JSON object; mend it or set labels`},
}

// byName are runs whose columns are found by their names.
var byName = []scenario{
	{
		name: "names of scikit-learn with a positive label", preds: "y_true:string y_pred:string y_prob:double\ngood bad 0.4\nbad bad 0.9",
		config: "positive_label: bad\nmetrics: [accuracy, roc_auc]", report: "2 rows, 2 evaluated\naccuracy = 0.5\nroc_auc = 1",
	}, {
		name: "many labels and no positive one", preds: lines("id:int64 label:string score:double", 2000, func(i int) string {
			return fmt.Sprintf("%d v%d 0.5", i, i)
		}), code: 2,
		stderr: `evaluate: column "label" has strings, such as "v0", "v1", "v10", "v100", "v101": set positive_label to the one that means positive`,
	}, {
		name: "predictions without a positive label", preds: "label:int64 score:double predicted:string\n1 0.5 " + strings.Repeat("x", 99), code: 2,
		stderr: `evaluate: column "predicted" has strings, such as "` + strings.Repeat("x", 40) + `": set positive_label to the one that means positive`,
	}, {
		name: "short names", preds: "y:int64 proba:double\n0 0.4\n1 0.9", config: "metrics: [accuracy]",
		notes: `
label: column "y"
score: column "proba"
task: binary (one label, one score)
predictions: score >= 0.5`,
		report: "2 rows, 2 evaluated\naccuracy = 1",
	}, {
		name: "short names of a regression", preds: "Y:double Pred:float\n0 0.5\n1 1", config: "metrics: [mae]",
		notes: `
label: column "Y"
prediction: column "Pred"
task: regression (labels and predictions are numbers)`,
		report: "2 rows, 2 evaluated\nmae = 0.25",
	}, {
		name: "first of the names", preds: "y:int64 y_true:int64 prob:double y_proba:double y_prob:double y_score:double\n0 1 0.9 0.1 0.1 0.1",
		config: "metrics: [accuracy]", report: "1 rows, 1 evaluated\naccuracy = 1",
	}, {
		name: "unused columns that look like scores or labels", config: "slices: [label_source]\nmetrics: [accuracy]",
		preds: "label:int64 labels_old:string label_source:string score:double y_prob2:double score_text:string prob.a:[]double probe:double target:bool\n0 a b 0.1 0.2 x [0.3] 1 true",
		notes: `
label: column "label"
score: column "score"
task: binary (one label, one score)
predictions: score >= 0.5
not used, but named like scores or labels: "labels_old" (string), "prob.a" (list<double>), "target" (bool), "y_prob2" (double); set input.columns to use them`,
	}, {
		name: "one unused column that looks like scores", preds: "label:int64 score:double Score2:int32\n0 0.1 1",
		notes: `
label: column "label"
score: column "score"
task: binary (one label, one score)
predictions: score >= 0.5
not used, but named like scores or labels: "Score2" (int32); set input.columns to use them`,
	}, {
		name: "many unused columns that look like scores", preds: "label:int64 score:double score1:double score2:double score3:double score4:double score5:double score6:double score7:double\n0 0.1 1 1 1 1 1 1 1",
		notes: `
label: column "label"
score: column "score"
task: binary (one label, one score)
predictions: score >= 0.5
not used, but named like scores or labels: "score1" (double), "score2" (double), "score3" (double), "score4" (double), "score5" (double), 2 more; set input.columns to use them`,
	}, {
		name: "an unused column that was spoken of", preds: "label:double prediction:double score:double\n0 0.1 1", config: "task: regression",
		notes: `
label: column "label"
score: column "score"
prediction: column "prediction"
column "score" is not used: a regression has no scores`,
	},

	// Names of labels in the metadata of files.
	{
		name: "labels in the metadata", preds: named + "\n# labels [\"ham\",\"spam\"]", config: "metrics: [accuracy]", notes: namedNotes + `
labels: 2 (from the metadata "labels")
predictions: the class with the highest score`,
		report: "2 rows, 2 evaluated\naccuracy = 0.5",
	}, {
		name: "labels in the attrs of a DataFrame", preds: named + "\n# PANDAS_ATTRS {\"labels\": [\"ham\", \"spam\"], \"model\": 3}", config: "metrics: [accuracy]", notes: namedNotes + `
labels: 2 (from the metadata "PANDAS_ATTRS")
predictions: the class with the highest score`,
		report: "2 rows, 2 evaluated\naccuracy = 0.5",
	}, {
		name: "labels twice in the metadata", preds: named + "\n# labels [\"ham\",\"spam\"]\n# PANDAS_ATTRS {\"labels\": [\"ham\", \"spam\"]}",
		config: "metrics: [accuracy]", report: "2 rows, 2 evaluated\naccuracy = 0.5",
	}, {
		name: "attrs of a DataFrame without labels", preds: "label:int64 score:double\n1 0.7\n# PANDAS_ATTRS {\"unit\": 3}",
		config: "metrics: [accuracy]", report: "1 rows, 1 evaluated\naccuracy = 1",
	}, {
		name: "labels of numbers in the metadata", preds: "label:string scores:[]double\n7 [0.1,0.9]\n# PANDAS_ATTRS {\"labels\": [true, 7]}",
		config: "metrics: [accuracy]", report: "1 rows, 1 evaluated\naccuracy = 1",
	}, {
		name: "labels that differ in the metadata of two files", preds: named + "\n# labels [\"ham\",\"spam\"]", code: 2, args: "--input *.parquet --output out",
		files:  map[string]string{"z.parquet": named + "\n# PANDAS_ATTRS {\"labels\": [\"spam\", \"ham\"]}"},
		stderr: `evaluate: the labels in the metadata of preds.parquet are ["ham", "spam"], but in z.parquet they are ["spam", "ham"]: set labels; if values are in the order of these, write one of the files again`,
	}, {
		name: "labels set, whatever the metadata", preds: named + "\n# PANDAS_ATTRS labels", config: "labels: [spam, ham]\nmetrics: [accuracy]",
		report: "2 rows, 2 evaluated\naccuracy = 0.5",
	},
}

// named are predictions of classes with names whose order the columns do not define.
const (
	named      = "label:string scores:[]double\nspam [0.1,0.9]\nspam [0.8,0.2]"
	namedNotes = `
label: column "label"
score: column "scores"
task: multiclass (one label, a list of scores; for two classes, positive_label makes it binary)`
)
