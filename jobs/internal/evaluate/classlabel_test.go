package evaluate

import "strings"

// Names of labels in the description of a Hugging Face data set.

// features is the metadata of a file with ClassLabel columns; each word is the name of a column and
// the names of its labels.
func features(columns ...string) string {
	var described []string
	for _, c := range columns {
		column, names, _ := strings.Cut(c, " ")
		described = append(described, `"`+column+`": {"names": [`+names+`], "_type": "ClassLabel"}`)
	}
	return "\n# huggingface {\"info\": {\"features\": {" + strings.Join(described, ", ") + "}}}"
}

const ofSpam = `label "ham", "spam"`

// classLabelRefusals are rejected before any row is read.
var classLabelRefusals = []refusal{
	{"labels in another order than a ClassLabel", byIndex + features(ofSpam), "labels: [spam, ham]",
		`eval.yaml:1:9: labels: ["spam", "ham"], but the metadata "huggingface" of preds.parquet has ["ham", "spam"], and column "label" is in that order: put labels into that order, or leave it out`},
	{"predictions in another order than labels", "label:int64 prediction:int64\n1 0" + features(ofSpam, `prediction "spam", "ham"`), "task: multiclass",
		`the labels are ["ham", "spam"], but the metadata "huggingface" of preds.parquet has ["spam", "ham"], and column "prediction" is in that order: write files again, so that all have one order`},
	{"metadata in another order than a ClassLabel", byIndex + features(ofSpam) + "\n# labels [\"spam\", \"ham\"]", "",
		`the labels are ["spam", "ham"], but the metadata "huggingface" of preds.parquet has ["ham", "spam"], and column "label" is in that order: write files again, so that all have one order`},
	{"features that are not JSON", byIndex + "\n# huggingface info", "", `preds.parquet: the metadata "huggingface": expected a JSON object with the features of a data set: …; mend it or set labels`},
	{"names of a ClassLabel that are no strings", byIndex + features("label 1, 2"), "", `preds.parquet: the metadata "huggingface": name 0 of a ClassLabel is 1: expected a string; mend it or set labels`},
}

// classLabels are runs on files of data sets.
var classLabels = []scenario{
	{
		name: "names of a ClassLabel", preds: byIndex + features(ofSpam), config: "metrics: [accuracy, recall]",
		notes: `
label: column "label"
score: column "scores"
task: multiclass (one label, a list of scores; for two classes, positive_label makes it binary)
labels: 2 (from the metadata "huggingface")
predictions: the class with the highest score`,
		report: "2 rows, 2 evaluated\naccuracy = 0.5\nrecall[ham] = 0 (no positive examples)\nrecall[spam] = 0.5",
	}, {
		name: "names of a ClassLabel that are integers", preds: byIndex + features(`label "7", "-1"`), config: "metrics: [accuracy, recall]",
		notes: `
label: column "label"
score: column "scores"
task: multiclass (one label, a list of scores; for two classes, positive_label makes it binary)
labels: 2 (from the metadata "huggingface")
label_encoding: indices (column "label" is a ClassLabel)
predictions: the class with the highest score`,
		report: "2 rows, 2 evaluated\naccuracy = 0.5\nrecall[7] = 0 (no positive examples)\nrecall[-1] = 0.5",
	}, {
		name: "labels that are integers, and a ClassLabel", preds: byIndex + features(`label "1", "0"`), config: "labels: [1, 0]\nmetrics: [accuracy, recall]",
		report: "2 rows, 2 evaluated\naccuracy = 0.5\nrecall[1] = 0 (no positive examples)\nrecall[0] = 0.5",
	}, {
		name: "other labels than those of a ClassLabel", preds: byIndex + features(ofSpam), config: "labels: [Ham, Spam]\nmetrics: [accuracy]",
		report: `
2 rows, 2 evaluated
warning: the labels are ["Ham", "Spam"], but the metadata of files has ["ham", "spam"]: check which of them are right
accuracy = 0.5`,
	}, {
		name: "a column of text that was a ClassLabel", preds: "label:string prediction:string\nspam ham\nham ham" + features(`label "spam", "ham"`), config: "metrics: [accuracy]",
		report: "2 rows, 2 evaluated\naccuracy = 0.5",
	}, {
		name: "names of a ClassLabel in the truth", preds: "id:int64 scores:[]double\n1 [0.1,0.9]", config: "truth: {files: truth.parquet}\nmetrics: [accuracy, recall]",
		files:  truth("id:int64 label:int64\n1 1" + features(ofSpam)),
		report: "1 rows, 1 evaluated\ntruth of 1, 0 without prediction\naccuracy = 1\nrecall[ham] = 0 (no positive examples)\nrecall[spam] = 1",
	}, {
		name: "one row per label, whose names are those of a ClassLabel", preds: "id:int64 tag:int64 label:int64 score:double\n1 0 1 0.9\n1 1 0 0.2" + features(`tag "sea", "sky"`, `label "no", "yes"`),
		config: "task: multilabel\ninput: {columns: {class: tag}}\nmetrics: [recall]", report: "1 rows, 1 evaluated\nrecall[sea] = 1\nrecall[sky] = 0 (no positive examples)",
	}, {
		name: "ClassLabels of two files in another order", preds: byIndex + features(ofSpam), code: 2, args: "--input *.parquet --output out",
		files:  map[string]string{"z.parquet": byIndex + features(`label "spam", "ham"`)},
		stderr: `evaluate: the labels in the metadata of preds.parquet are ["ham", "spam"], but in z.parquet they are ["spam", "ham"]: set labels; if values are in the order of these, write one of the files again`,
	}, {
		name: "other labels than two files, which have other orders", preds: byIndex + inFile, config: "labels: [Ham, Spam]", code: 2, args: "--input *.parquet --output out",
		files:  map[string]string{"z.parquet": byIndex + "\n# labels [\"spam\",\"ham\"]"},
		stderr: `evaluate: the labels in the metadata "labels" of preds.parquet are ["ham", "spam"], but in the metadata "labels" of z.parquet they are ["spam", "ham"], and column "scores" is in that order: write files again, so that all have one order`,
	},
}
