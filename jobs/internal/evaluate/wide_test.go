package evaluate

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// spread are predictions of classes with names and one column of scores for each; gathered are the
// same with lists.
const (
	spread = `
label:string country:string proba_a:double proba_b:float proba_c:int32
a            de             0.75           0.25          0
---
b            de             0.5            0.5           0
c            fr             0              0             1
b            fr             0.125          0.625         0`

	gathered = `
label:string country:string scores:[]double
a            de             [0.75,0.25,0]
---
b            de             [0.5,0.5,0]
c            fr             [0,0,1]
b            fr             [0.125,0.625,0]`

	spreadOptions = "\nslices: [country]\nlog_loss_eps: 1e-9"
	spreadNotes   = `score: columns "proba_a", "proba_b", "proba_c" (3 labels)
predictions: the class with the highest score`
	spreadReport = "4 rows, 4 evaluated\naccuracy = 0.75"
)

// wideRefusals are rejected before any row is read.
var wideRefusals = []refusal{
	{"wide scores of one label", spread, "task: binary\ninput: {columns: {score: proba_*}}", `eval.yaml:2:26: input.columns.score: a column for each label is for tasks multiclass and multilabel, the task is binary: name one column`},
	{"wide scores of a ranking", "query_id:int64 relevance:int64 s_a:double s_b:double\n1 1 0.2 0.3", "task: ranking\ninput: {columns: {score: s_*}}", `eval.yaml:2:26: input.columns.score: a column for each label is for tasks multiclass and multilabel, the task is ranking: name one column`},
	{"wide scores in layout label", "id:int64 tag:string label:int64 s_a:double s_b:double\n1 a 1 0.2 0.3", "input: {columns: {class: tag, score: s_*}}", `eval.yaml:1:38: input.columns.score: a column for each label is for layout example, the layout is label: name one column`},
	{"struct of wide scores", "label:string out.x:double out.y:double\nx 0.2 0.8", "input: {columns: {score: out}}", `eval.yaml:1:26: input.columns.score: column "out" has the columns out.x, out.y: if each has the scores of a label, set input.columns.score to "out.*"`},
	{"pattern that no column fits", spread, "input: {columns: {score: prob_*}}", `eval.yaml:1:26: input.columns.score: no column has a name like "prob_*" (preds.parquet: no column "prob_*"; …)`},
	{"wide scores of strings", spread, "input: {columns: {score: [proba_a, country]}}", `eval.yaml:1:26: input.columns.score: column "country" is string: each of the columns must have one number a row`},
	{"too few wide scores", spread, "labels: [a, b, c]\ninput: {columns: {score: [proba_a, proba_b]}}", `eval.yaml:2:26: input.columns.score: 3 labels, but a column for each of 2: columns "proba_a", "proba_b"`},
	{"wide scores of an unknown label", spread, "labels: [a, b, d]\ninput: {columns: {score: proba_*}}", `eval.yaml:2:26: input.columns.score: column "proba_c" is of the label "c", which is not one of the labels: these are ["a", "b", "d"], but columns have ["a", "b", "c"]`},
	{"wide scores of names for classes with numbers", "y:int64 p_a:double p_b:double\n1 0.3 0.7", "input: {columns: {score: p_*}}", `eval.yaml:1:26: input.columns.score: columns "p_a", "p_b" name the labels, but nothing says which of them is which in column "y": set labels`},
	{"column twice among wide scores", spread, "input: {columns: {score: [proba_a, proba_b, proba_a]}}", `eval.yaml:1:45: input.columns.score[2]: "proba_a" repeats input.columns.score[0]`},
	{"no wide scores", spread, "input: {columns: {score: []}}", `eval.yaml:1:26: input.columns.score: needs at least one column`},
	{"scores in two ways", "label:string score_a:double score_b:double prob_a:double prob_b:double\na 1 0 0.2 0.4", "", `neither a score nor a prediction column: set input.columns.score, perhaps to "score_*" or "prob_*", or input.columns.prediction (preds.parquet: no column "score"; …)`},
	{"wide labels alone", "label_a:int64 label_b:int64 scores:[]double\n1 0 [0.2,0.4]", "", `no label column: set input.columns.label, perhaps to "label_*", (preds.parquet: no column "label"; …)`},
	{"wide scores in no order", spread, "input: {columns: {score: [proba_a, proba_b, proba_c]}}", `column "label" has label names, and column "proba_a … proba_c" a value for each label, but nothing says in which order: set labels …`},
}

// wide are runs with a column for each label.
var wide = []scenario{
	{
		name: "wide scores", preds: spread, config: "metrics: [accuracy]",
		notes: `
label: column "label"
task: multiclass (one label, a list of scores)
labels: 3, named by columns "proba_a", "proba_b", "proba_c"
` + spreadNotes,
		report: spreadReport, check: echoes(`"score":{"a":"proba_a","b":"proba_b","c":"proba_c"}`, `"labels":["a","b","c"]`),
	}, {
		name: "wide scores in a list", preds: spread, config: "labels: [c, a, b]\ninput: {columns: {score: [proba_c, proba_a, proba_b]}}\nmetrics: [accuracy]",
		notes: `
label: column "label"
task: multiclass (one label, a list of scores)
score: columns "proba_c", "proba_a", "proba_b" (3 labels)
predictions: the class with the highest score`,
		report: spreadReport, check: echoes(`"score":{"c":"proba_c","a":"proba_a","b":"proba_b"}`),
	}, {
		name: "wide scores by label", preds: spread, config: "input: {columns: {score: {c: proba_c, b: proba_b, a: proba_a}}}\nmetrics: [accuracy]",
		report: "4 rows, 4 evaluated\naccuracy = 1", check: echoes(`"score":{"c":"proba_c","b":"proba_b","a":"proba_a"}`, `"labels":["c","b","a"]`),
	}, {
		name: "wide scores by a pattern", preds: spread, config: "labels: [b, a, c]\ninput: {columns: {score: PROBA_*}}\nmetrics: [accuracy]",
		report: "4 rows, 4 evaluated\naccuracy = 1", check: echoes(`"score":{"b":"proba_b","a":"proba_a","c":"proba_c"}`, `"labels":["b","a","c"]`),
	}, {
		name: "wide scores are as lists", preds: spread, config: "labels: [a, b, c]" + spreadOptions, check: asLists(gathered, "labels: [a, b, c]"+spreadOptions),
	}, {
		name: "wide scores in files of other orders", preds: spread, config: "metrics: [accuracy]", args: "--input *.parquet --output out",
		files:  map[string]string{"z.parquet": "proba_c:double proba_b:double country:string label:string proba_a:double\n0.2 0.7 es b 0.1"},
		report: "5 rows, 5 evaluated\naccuracy = 0.8",
	}, {
		name: "wide scores in the order of the file", config: "metrics: [accuracy]", setup: text("preds.csv", "proba_c,y,proba_a,proba_b\n0.5,c,0.5,0\n0.25,a,0.375,0.375\n"),
		args: "--input preds.csv --output out", report: "2 rows, 2 evaluated\naccuracy = 1", check: echoes(`"labels":["c","a","b"]`, `"score":{"c":"proba_c","a":"proba_a","b":"proba_b"}`),
	}, {
		name: "wide scores by a pattern, in the order of all files", config: "input: {columns: {score: proba_*}}\nmetrics: [accuracy]", args: "--input *.csv --output out",
		setup: func(t *testing.T, dir string) {
			text("a.csv", "proba_c,y,proba_a\n0.5,c,0.5\n")(t, dir)
			text("b.csv", "y,proba_c,proba_a\na,0.25,0.75\n")(t, dir)
		}, report: "2 rows, 2 evaluated\naccuracy = 1", check: echoes(`"labels":["c","a"]`),
	}, {
		name: "wide scores in other orders in each file", config: "metrics: [accuracy]", args: "--input *.csv --output out",
		setup: func(t *testing.T, dir string) {
			text("a.csv", "proba_c,y,proba_a\n0.5,c,0.5\n")(t, dir)
			text("b.csv", "y,proba_a,proba_c\na,0.75,0.25\n")(t, dir)
		}, report: "2 rows, 2 evaluated\naccuracy = 0.5", check: echoes(`"labels":["a","c"]`),
	}, {
		name: "wide scores of numbered classes", config: "metrics: [accuracy]",
		preds: "y:int64 proba_10:double proba_0:double proba_1:double proba_2:double proba_3:double proba_4:double proba_5:double proba_6:double proba_7:double proba_8:double proba_9:double\n10 0.9 0 0 0 0 0 0 0 0 0 0.1\n2 0 0 0 1 0 0 0 0 0 0 0",
		notes: `
label: column "y"
task: multiclass (one label, a list of scores)
score: columns "proba_0", "proba_1", "proba_2", … (11 labels)
labels: 11, numbered from 0 (the length of the lists in column "proba_0 … proba_10")
predictions: the class with the highest score`,
		report: "2 rows, 2 evaluated\naccuracy = 1",
	}, {
		name: "wide scores of classes that are numbers", preds: "y:int64 prob_2:double prob_1:double\n1 0.2 0.8\n2 0.4 0.6", config: "metrics: [accuracy, recall]",
		report: "2 rows, 2 evaluated\naccuracy = 0.5\nrecall[1] = 1\nrecall[2] = 0",
	}, {
		name: "wide scores in a struct", preds: "label:string scores.x:double scores.y:double\nx 0.2 0.8", config: "metrics: [accuracy]",
		report: "1 rows, 1 evaluated\naccuracy = 0", check: echoes(`"score":{"x":"scores.x","y":"scores.y"}`),
	}, {
		name: "wide scores and truth in other files", preds: "id:int64 proba_a:double proba_b:double\n1 0.2 0.8\n2 0.4 0.6", config: truthIn + "metrics: [accuracy]",
		files: truth("id:int64 label:string\n2 a\n1 b"), report: "2 rows, 2 evaluated\ntruth of 2, 0 without prediction\naccuracy = 0.5",
	}, {
		name: "wide scores and labels", config: "metrics: [f1_micro, subset_accuracy]",
		preds: "y_b:bool y_a:bool score_a:double score_b:double\nfalse true 0.9 0.2\ntrue true 0.9 0.2",
		notes: `
task: multilabel (labels are lists)
label_encoding: indicator (a column for each label)
labels: 2, named by columns "score_a", "score_b"
score: columns "score_a", "score_b" (2 labels)
label: columns "y_a", "y_b" (2 labels)
predictions: score >= 0.5`,
		report: "2 rows, 2 evaluated\nf1_micro = 0.8\nsubset_accuracy = 0.5",
	}, {
		name: "wide labels, predictions and lists of scores", config: "labels: [a, b]\ninput: {columns: {label: [is_a, is_b], prediction: said_*, score: scores}}\nmetrics: [hamming_loss, one_error]",
		preds:  "is_a:int32 is_b:bool said_b:int64 said_a:double scores:[]double\n1 false 0 1 [0.9,0.2]\n0 true 1 1 [0.9,0.2]",
		report: "2 rows, 2 evaluated\nhamming_loss = 0.25\none_error = 0.5",
	}, {
		name: "wide labels in other files", preds: "id:int64 scores:[]double\n1 [0.9,0.2]\n2 [0.9,0.7]", files: truth("id:int64 is_0:int32 is_1:bool\n2 1 true\n1 0 false"),
		config: "truth: {files: truth.parquet, columns: {label: is_*}}\nmetrics: [hamming_loss]",
		notes: `
score: column "scores"
task: multilabel (labels are lists)
example: column "id"
label_encoding: indicator (a column for each label)
label: columns "is_0", "is_1" of the truth (2 labels)
labels: 2, numbered from 0 (the length of the lists in column "scores")
predictions: score >= 0.5`,
		report: "2 rows, 2 evaluated\ntruth of 2, 0 without prediction\nhamming_loss = 0.25",
	}, {
		name: "wide soft labels", preds: "p_a:double p_b:double score_a:double score_b:double\n0.5 0.5 0.25 0.75",
		config: "task: multiclass\ninput: {columns: {label: p_*, score: score_*}}\nmetrics: [brier]", report: "1 rows, 1 evaluated\nbrier = 0.125",
	}, {
		name: "column with a star in its name", preds: "label:int64 score*:double\n1 0.7", config: "input: {columns: {score: score*}}\nmetrics: [accuracy]",
		report: "1 rows, 1 evaluated\naccuracy = 1",
	}, {
		name: "bad wide scores skipped", preds: "label:int64 proba_0:double? proba_1:double\n0 null 0.1\n0 0.1 NaN\n1 0.1 7\n1 0.1 0.9", config: "bad_rows: skip\nmetrics: [accuracy]",
		report: "4 rows, 1 evaluated\nskipped: NaN score: 1\nskipped: null score: 1\nskipped: probability outside [0, 1]: 1\nwarning: 75 % of the rows (3 of 4) were skipped: NaN score (1), null score (1), probability outside [0, 1] (1)\naccuracy = 1",
		check: func(t *testing.T, dir string) {
			var found []string
			for _, r := range skippedSample(t, dir) {
				found = append(found, r.Column+" "+r.Value)
			}
			require.Equal(t, []string{"proba_0 null", "proba_1 NaN", "proba_1 7"}, found)
		},
	},

	// What only looks like scores.
	{
		name: "columns that are no scores of the labels", preds: "label:string prediction:string score_mean:double score_std:double\na a 1 2", config: "metrics: [accuracy]",
		notes: `
label: column "label"
prediction: column "prediction"
task: multiclass (labels are strings)
labels: those that occur in columns "label" and "prediction"
not used, but named like scores or labels: "score_mean" (double), "score_std" (double); set input.columns to use them`,
		report: "1 rows, 1 evaluated\naccuracy = 1",
	},

	// Refused.
	{
		name: "wide scores that one file has not", preds: spread, code: 2, args: "--input *.parquet --output out", config: "input: {columns: {score: proba_*}}",
		files:  map[string]string{"z.parquet": "label:string proba_a:double proba_b:double\na 1 0"},
		stderr: `evaluate: eval.yaml:1:26: input.columns.score: z.parquet: no column "proba_c"; did you mean …`,
	}, {
		name: "bad wide score", preds: "label:int64 proba_0:double? proba_1:double\n0 0.2 0.1\n---\n0 null 0.1", code: 1,
		stderr: `evaluate: preds.parquet: row group 1, row 0: column "proba_0": null: the score is missing` + end,
	}, {
		name: "bad wide label", preds: "is_0:int64 is_1:int64 scores:[]double\n0 2 [0.1,0.2]", code: 1, config: "input: {columns: {label: is_*}}",
		stderr: `evaluate: preds.parquet: row group 0, row 0: column "is_1": 2: expected 0 or 1 for each label` + end,
	}, {
		name: "bad wide label in other files", preds: "id:int64 scores:[]double\n1 [0.9,0.2]", files: truth("id:int64 is_0:int32? is_1:int32?\n1 null 0"), code: 1,
		config: "truth: {files: truth.parquet, columns: {label: is_*}}",
		stderr: `evaluate: truth.parquet: row group 0, row 0: column "is_0": null: expected 0 or 1 for each label` + end,
	},
}

// echoes returns a check that the configuration in the report contains these parts.
func echoes(parts ...string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		config, _ := metricsOf(t, dir)
		for _, part := range parts {
			require.Contains(t, config, part)
		}
	}
}

// asLists returns a check that the report equals the report of another table, except for its
// configuration.
func asLists(preds, config string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		_, got := metricsOf(t, dir)
		other := scenario{preds: preds, config: config, check: func(t *testing.T, dir string) {
			_, want := metricsOf(t, dir)
			require.Equal(t, want, got)
		}}
		other.run(t)
	}
}

// metricsOf returns the configuration in metrics.json, and the rest.
func metricsOf(t *testing.T, dir string) (config, rest string) {
	data, err := os.ReadFile(filepath.Join(dir, "out", "metrics.json"))
	require.NoError(t, err)
	var parts map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(data, &parts))
	var compact bytes.Buffer
	require.NoError(t, json.Compact(&compact, parts["config"]))
	delete(parts, "config")
	others, err := json.Marshal(parts)
	require.NoError(t, err)
	return compact.String(), string(others)
}
