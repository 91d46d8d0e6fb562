package evaluate

import (
	"fmt"
	"strings"
)

// Names of labels in the configuration, and those in the files.

const (
	inFile   = "\n# labels [\"ham\",\"spam\"]"
	inOrder  = ` and column "scores" is in that order: put labels into that order, or leave it out`
	byIndex  = "label:int64 scores:[]double\n1 [0.1,0.9]\n1 [0.8,0.2]"
	listed   = "input: {columns: {score: [proba_a, proba_b, proba_c]}}"
	named2   = `labels: ["spam", "ham"], but the metadata "labels" of preds.parquet has ["ham", "spam"],`
	reorders = "labels: [spam, ham]\nmetrics: [accuracy]"
)

// contradictedRefusals are rejected before any row is read.
var contradictedRefusals = []refusal{
	{"labels in another order than in the metadata", named + inFile, "labels: [spam, ham]", `eval.yaml:1:9: ` + named2 + inOrder},
	{"labels in another order than in attrs", named + "\n# PANDAS_ATTRS {\"labels\": [\"ham\", \"spam\"]}", "labels: [spam, ham]",
		`eval.yaml:1:9: labels: ["spam", "ham"], but the metadata "PANDAS_ATTRS" of preds.parquet has ["ham", "spam"],` + inOrder},
	{"labels in another order than integers", "label:int64 prediction:int64\n1 0" + inFile, "task: multiclass\nlabels: [spam, ham]",
		`eval.yaml:2:9: ` + named2 + ` and column "label" is in that order: put labels into that order, or leave it out`},
	{"labels in another order than numbered columns", "label:string proba_0:double proba_1:double\nspam 0.1 0.9" + inFile, "labels: [spam, ham]\ninput: {columns: {score: proba_*}}",
		`eval.yaml:1:9: ` + named2 + ` and column "proba_*" is in that order: put labels into that order, or leave it out`},
	{"many labels in another order", "label:string scores:[]double\nx7 [0.1,0.9]\n# labels [" + numberedNames(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 13) + "]", "labels: [" + numberedNames(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14) + "]",
		`eval.yaml:1:9: labels: [… "x13", "x14"], but the metadata "labels" of preds.parquet has [… "x14", "x13"],` + inOrder},
	{"labels in another order than listed columns", spread, "labels: [c, a, b]\n" + listed,
		`eval.yaml:2:26: input.columns.score: columns "proba_a", "proba_b", "proba_c" are named for the labels ["a", "b", "c"], but the labels are ["c", "a", "b"]: list them in this order, or write "proba_*", which finds it`},
	{"labels in another order than columns listed by what follows", "label:string a_p:double b_p:double\na 0.9 0.1", "labels: [b, a]\ninput: {columns: {score: [a_p, b_p]}}",
		`eval.yaml:2:26: input.columns.score: columns "a_p", "b_p" are named for the labels ["a", "b"], but the labels are ["b", "a"]: list them in this order, or write "*_p", which finds it`},
}

// contradicted are runs whose labels differ from those in the files.
var contradicted = []scenario{
	{
		name: "a labels_file in another order than the metadata", preds: byIndex + inFile, config: "labels_file: names.txt", code: 2, setup: text("names.txt", "spam\nham\n"),
		stderr: `evaluate: eval.yaml:1:14: labels_file: ["spam", "ham"], but the metadata "labels" of preds.parquet has ["ham", "spam"], and column "scores" is in that order: put labels_file into that order, or leave it out`,
	}, {
		name: "a long labels_file in another order than the metadata", preds: byIndex + "\n# labels [" + orderedNames(20_001, true) + "]", config: "labels_file: names.txt", code: 2,
		setup:  text("names.txt", strings.ReplaceAll(strings.ReplaceAll(orderedNames(20_001, false), `"`, ""), ",", "\n")),
		stderr: `evaluate: eval.yaml:1:14: labels_file: ["x0", "x1", "x2", …], but the metadata "labels" of preds.parquet has ["x20000", "x19999", …], and column …`,
	}, {
		name: "labels in the order of one file only", preds: named + inFile, config: "labels: [ham, spam]", code: 2, args: "--input *.parquet --output out",
		files:  map[string]string{"z.parquet": named + "\n# labels [\"spam\",\"ham\"]"},
		stderr: `evaluate: eval.yaml:1:9: labels: ["ham", "spam"], but the metadata "labels" of z.parquet has ["spam", "ham"],` + inOrder,
	}, {
		name: "labels of the metadata in another order than those of the truth", code: 2, preds: "id:int64 scores:[]double\n1 [0.1,0.9]" + inFile, config: "truth: {files: truth.parquet}",
		files:  truth("id:int64 label:int64\n1 0\n# labels [\"spam\",\"ham\"]"),
		stderr: `evaluate: the labels are ["ham", "spam"], but the metadata "labels" of truth.parquet has ["spam", "ham"], and column "label" is in that order: write files again, so that all have one order`,
	}, {
		name: "labels in another order than the truth, which has names", preds: "id:int64 scores:[]double\n1 [0.1,0.9]", config: "truth: {files: truth.parquet}\n" + reorders,
		files: truth("id:int64 label:string\n1 ham" + inFile), report: "1 rows, 1 evaluated\ntruth of 1, 0 without prediction\naccuracy = 1",
	}, {
		name: "labels in another order where nothing depends on it", preds: "label:string prediction:string\nspam ham\nham ham" + inFile, config: reorders,
		report: "2 rows, 2 evaluated\naccuracy = 0.5",
	}, {
		name: "labels in another order than columns that are named", preds: "label:string proba_ham:double proba_spam:double\nspam 0.1 0.9\nspam 0.8 0.2" + inFile, config: reorders,
		report: "2 rows, 2 evaluated\naccuracy = 0.5",
	}, {
		name: "labels in the order of listed columns, whatever the metadata", preds: "label:string ham:double spam:double\nspam 0.1 0.9\nspam 0.8 0.2" + inFile,
		config: "input: {columns: {score: [spam, ham]}}\n" + reorders, report: "2 rows, 2 evaluated\naccuracy = 0.5",
	}, {
		name: "other labels than in the metadata", preds: byIndex + inFile, config: "labels: [Ham, Spam]\nmetrics: [accuracy]",
		report: `
2 rows, 2 evaluated
warning: the labels are ["Ham", "Spam"], but the metadata of files has ["ham", "spam"]: check which of them are right
accuracy = 0.5`,
	}, {
		name: "other labels than in the metadata of two files", preds: byIndex + inFile, config: "labels: [Ham, Spam]\nmetrics: [accuracy]", args: "--input *.parquet --output out",
		files: map[string]string{"z.parquet": byIndex + "\n# labels [\"a\",\"b\",\"c\"]"},
		report: `
4 rows, 4 evaluated
warning: the labels are ["Ham", "Spam"], but the metadata of files has ["a", "b", "c"]: check which of them are right
accuracy = 0.5`,
	}, {
		name: "other labels than listed columns", preds: spread, config: "labels: [a, c, d]\nbad_rows: skip\nmetrics: [accuracy]\n" + listed,
		report: `
4 rows, 2 evaluated
skipped: unknown label name: 2
warning: 50 % of the rows (2 of 4) were skipped: unknown label name (2)
warning: the labels are ["a", "c", "d"], but columns "proba_a", "proba_b", "proba_c" are named for ["a", "b", "c"]: check which of them are right
accuracy = 0.5`,
	}, {
		name: "listed columns whose names are no labels", preds: "label:int64 p1:double p2:double\n1 0.1 0.9", config: "labels: [ham, spam]\ninput: {columns: {score: [p1, p2]}}\nmetrics: [accuracy]",
		report: "1 rows, 1 evaluated\naccuracy = 1",
	}, {
		name: "wide labels and sparse scores by name", preds: "is_a:int64 is_b:int64 ids:[]string scores:[]double\n1 0 [b,a] [0.1,0.9]",
		config: "input: {columns: {label: is_*, score: scores, score_label: ids}}\nmetrics: [precision@1]\nk: [1]", report: "1 rows, 1 evaluated\nprecision@1 = 1",
	},
}

// numberedNames are names in JSON.
func numberedNames(numbers ...int) string {
	names := make([]string, len(numbers))
	for i, n := range numbers {
		names[i] = fmt.Sprintf(`"x%d"`, n)
	}
	return strings.Join(names, ",")
}

// orderedNames are n names, or the same names in reverse order.
func orderedNames(n int, backwards bool) string {
	numbers := make([]int, n)
	for i := range numbers {
		if numbers[i] = i; backwards {
			numbers[i] = n - 1 - i
		}
	}
	return numberedNames(numbers...)
}
