package evaluate

// tagged has a row for each label of two examples, the second with rows in both row groups. Tests
// replace its last row.
const tagged = `
example_id:string? label:string? y_true:int32? score:double? weight:double? country:string
a                  beach         1             0.7           1              de
a                  sea           0             0.2           1              de
b                  sea           1             0.9           3              fr
---
b                  beach         0             0.8           3              fr`

// numbered has such rows without truth and with numbered labels.
const numbered = `
id:int64 class:int32 score:double
1        0           0.7
1        1           0.2
2        1           0.9
---
2        0           0.8`

const (
	taggedBy   = "input: {columns: {class: label}}\n"
	numberedBy = "input: {columns: {class: class}}\ntruth: {files: truth.parquet}\nmetrics: [subset_accuracy, recall]\n"
)

// numberedRight is the report of numbered labels if 0 is true of example 1, and 1 of example 2.
const numberedRight = `
2 rows, 2 evaluated
truth of 2, 0 without prediction
recall[0] = 1
recall[1] = 1
subset_accuracy = 0.5`

// byLabelBadRows are tables with a bad row.
var byLabelBadRows = []badRow{
	{"no class", tagged, "b null 0 0.8 3 fr", taggedBy, `"label": null: the row does not say which label it is about`},
	{"no truth of a label", tagged, "b beach null 0.8 3 fr", taggedBy, `"y_true": null: the label is missing`},
	{"truth of 2", tagged, "b beach 2 0.8 3 fr", taggedBy, `"y_true": 2: expected 0 or 1 for each label`},
	{"score of a label not a number", tagged, "b beach 0 NaN 3 fr", taggedBy, `"score": NaN: not a number`},
	{"score of a label that is no probability", tagged, "b beach 0 8 3 fr", taggedBy, `"score": 8: expected a probability within [0, 1]; …`},
	{"unknown class", tagged, "b lake 0 0.8 3 fr", taggedBy + "labels: [beach, sea]", `"label": "lake": not one of the 2 labels; see labels and labels_file`},
}

// byLabelRefusals are rejected before any row is read.
var byLabelRefusals = []refusal{
	{"layout of another task", "", "task: binary\ninput: {layout: label}", `eval.yaml:2:17: input.layout: only for task multilabel or ranking, the task is binary`},
	{"labels of scores in another column", tagged, "input: {columns: {class: label, score_label: country}}", `eval.yaml:1:46: input.columns.score_label: in layout label it can only be the column of input.columns.class: labels without a row then have no score`},
	{"encoding of rows", tagged, "input: {columns: {class: label}, label_encoding: indicator}", `eval.yaml:1:50: input.label_encoding: only for input.layout example, the layout is label`},
	{"lists of classes", "id:int64 class:[]int64 label:int64 score:double\n1 [1] 1 0.5", "input: {columns: {class: class}}", `eval.yaml:1:26: input.columns.class: preds.parquet: column "class" is list<int64>: the class of task multilabel must be one value a row; name another column or another task`},
	{"class of another task", "class:int64 label:int64 score:double\n1 1 0.5", "task: binary\ninput: {columns: {class: class}}", `eval.yaml:2:26: input.columns.class: only for task multilabel, the task is binary`},
	{"layout label without a class", "example_id:string label:string score:double\na beach 0.7", "task: multilabel\ninput: {layout: label}", `layout label needs the column that says which label a row is about: set input.columns.class`},
	{"rows of labels named like labels", tagged, "task: multilabel\ninput: {layout: label}", `column "label" has the name of one label a row: if a row is about that label, set input.columns.class to "label" and input.columns.label to "y_true"`},
	{"rows of labels without examples", "class:int64 label:int64 score:double\n1 1 0.5", "input: {columns: {class: class}}", `no example column, which says which rows belong together: set input.columns.example (preds.parquet: no column "example_id"; the file has class, label, score)`},
}

// byLabel are runs with a row for each label.
var byLabel = []scenario{
	{
		name: "row for each label", preds: tagged, config: taggedBy + "metrics: [subset_accuracy, precision]\nslices: [country]",
		notes: `
label: column "y_true"
score: column "score"
weight: column "weight"
task: multilabel (a row for each label)
layout: label (a row for each label, of which a column has the name)
example: column "example_id"
labels: those that occur in column "label"
predictions: score >= 0.5`,
		stdout: `
multilabel: 2 of 2 examples evaluated, 0 skipped, 2 labels
…`,
		report: `
2 rows, 2 evaluated
precision[beach] = 0.25
precision[sea] = 1
subset_accuracy = 0.25
precision{country=de}[beach] = 1
precision{country=de}[sea] = 0 (no predicted positives)
subset_accuracy{country=de} = 1
precision{country=fr}[beach] = 0
precision{country=fr}[sea] = 1
subset_accuracy{country=fr} = 0`,
	}, {
		name: "decision for each label", preds: "id:int64 class:int64 label:bool prediction:int32\n1 5 true 1\n1 3 false 1\n---\n2 3 true 0\n2 5 true 1",
		config: "input: {columns: {class: class}}\nmetrics: [recall, subset_accuracy]",
		notes: `
label: column "label"
prediction: column "prediction"
task: multilabel (a row for each label)
layout: label (a row for each label, of which a column has the name)
example: column "id"
labels: those that occur in column "class"`,
		report: "2 rows, 2 evaluated\nrecall[3] = 0\nrecall[5] = 1\nsubset_accuracy = 0",
	}, {
		name: "scores of some labels", preds: tagged + "\nc sea 1 0.4 1 de", config: "input: {columns: {class: label, score_label: label}}\nmetrics: [precision@1, recall, label_cardinality]",
		report: "3 rows, 3 evaluated\nlabel_cardinality = 1\nprecision@1 = 1\nrecall[beach] = 1\nrecall[sea] = 0.75",
	}, {
		name: "scores of some labels, with truth of lists", preds: "id:string label:string score:double\na beach 0.7\nb sea 0.4", files: truth("id:string labels:[]string\na [beach,sea]\nb []"),
		config: truthIn + "input: {columns: {class: label, score_label: label}}\nmetrics: [precision@1, recall_micro]",
		report: "2 rows, 2 evaluated\ntruth of 2, 0 without prediction\nprecision@1 = 0.5\nrecall_micro = 0.5",
	},

	// Truth.
	{
		name: "truth by label", preds: numbered, config: numberedBy,
		files:  truth("label:bool id:int64 class:int64\nfalse 2 0\ntrue 1 0\nfalse 1 1\ntrue 2 1"),
		report: numberedRight,
	}, {
		name: "truth by label in a column called label", preds: "id:int64 label:string score:double\n1 a 0.7\n1 b 0.2", files: truth("id:int64 label:string y_true:int64\n1 b 0\n1 a 1"),
		config: truthIn + taggedBy + "metrics: [subset_accuracy]",
		report: "1 rows, 1 evaluated\ntruth of 1, 0 without prediction\nsubset_accuracy = 1",
	}, {
		name: "truth of indices", preds: numbered, config: numberedBy, files: truth("id:int64 labels:[]int64\n2 [1]\n1 [0]"),
		report: numberedRight,
	}, {
		name: "truth of indicators", preds: numbered, config: "input: {columns: {class: class}, label_encoding: indicator}\n" + truthIn + "metrics: [subset_accuracy, recall]",
		files: truth("id:int64 labels:[]int64\n2 [0,1]\n1 [1,0]"),
		notes: `
label: column "labels" of the truth
score: column "score"
task: multilabel (a row for each label)
layout: label (a row for each label, of which a column has the name)
example: column "id"
labels: 2, numbered from 0 (the length of the lists in column "labels")
predictions: score >= 0.5`,
		report: numberedRight,
	}, {
		name: "truth by label of lists", preds: "id:int64 scores:[]double\n1 [0.7,0.2]\n2 [0.8,0.9]", config: "truth: {files: truth.parquet, columns: {class: class}}\nmetrics: [subset_accuracy, recall]",
		files:  truth("label:bool id:int64 class:int64\nfalse 2 0\ntrue 1 0\nfalse 1 1\ntrue 2 1"),
		report: numberedRight,
	}, {
		name: "truth without a label of an example", preds: numbered, config: numberedBy, code: 1,
		files:  truth("label:bool id:int64 class:int64\ntrue 1 0\nfalse 1 1\n---\ntrue 2 1"),
		stderr: truthRow + `"class": 1 labels of 2: the truth has no row for it; set truth.missing: skip to count and skip such examples`,
	}, {
		name: "label of the truth twice", preds: numbered, config: numberedBy, code: 1,
		files:  truth("label:bool id:int64 class:int64\ntrue 1 0\nfalse 1 1\n---\ntrue 2 1\ntrue 2 1"),
		stderr: `evaluate: truth.parquet: row group 1, row 1: column "class": "1": the example has it twice` + end,
	},

	{
		name: "truth by name of lists without names", preds: "id:int64 scores:[]double\n1 [0.7,0.2]", config: "truth: {files: truth.parquet, columns: {class: class}}", code: 2,
		files:  truth("label:bool id:int64 class:string\nfalse 1 a"),
		stderr: `evaluate: column "class" has label names, and column "scores" a value for each label, but nothing says in which order: …`,
	},

	// Bad rows.
	{
		name: "no example", preds: tagged + "\nnull beach 0 0.8 3 fr", config: taggedBy, code: 1,
		stderr: `evaluate: preds.parquet: row group 1, row 1: column "example_id": null: the row does not say which example or query it belongs to` + end,
	}, {
		name: "label of an example twice", preds: tagged + "\nb beach 0 0.8 3 fr", config: taggedBy, code: 1,
		stderr: `evaluate: preds.parquet: row group 1, row 1: column "label": "beach": the example has it twice` + end,
	}, {
		name: "missing label of an example", preds: tagged + "\nc sea 1 0.5 1 fr", config: taggedBy, code: 1,
		stderr: `evaluate: preds.parquet: row group 1, row 1: column "label": 1 labels: expected 2, one for each label` + end,
	}, {
		name: "several weights of an example", preds: last(tagged, "b beach 0 0.8 2 fr"), config: taggedBy, code: 1,
		stderr: `evaluate: preds.parquet: row group …, row …: column "example_id": "b": expected the same weight in all rows of an example` + end,
	}, {
		name: "bad examples skipped", config: taggedBy + "bad_rows: skip\nmetrics: [subset_accuracy]",
		preds:  tagged + "\nnull sea 1 0.5 1 fr\nc sea 1 0.5 1 fr\nd sea 1 0.5 1 fr\nd sea 1 0.5 1 fr\ne sea 1 0.5 -1 fr\ne beach 1 0.5 -1 fr",
		report: "6 rows, 2 evaluated\nskipped: duplicate label: 1\nskipped: negative weight: 1\nskipped: null example id: 1\nskipped: wrong number of values: 1\nwarning: 66.7 % of the rows (4 of 6) were skipped: duplicate label (1), negative weight (1), null example id (1), wrong number of values (1)\nsubset_accuracy = 0.25",
	},

	// Configuration.
	{
		name: "encoding without lists", preds: numbered, files: truth("id:int64 class:int64 label:int64\n1 1 1"), config: "input: {columns: {class: class}, label_encoding: indicator}\n" + truthIn, code: 2,
		stderr: `evaluate: eval.yaml:1:50: input.label_encoding: says how lists of labels are written, but column "label" is int64`,
	}, {
		name: "indicators of labels without an order", preds: "id:int64 label:string score:double\n1 a 0.7", files: truth("id:int64 labels:[]int64\n1 [1]"), config: "input: {columns: {class: label}, label_encoding: indicator}\n" + truthIn, code: 2,
		stderr: `evaluate: column "label" has label names, and column "labels" a value for each label, but nothing says in which order: …`,
	}, {
		name: "names and numbers", preds: numbered, files: truth("id:int64 labels:[]string\n1 [a]"), config: numberedBy, code: 2,
		stderr: `evaluate: column "class" is int32 but column "labels" is list<string>: they must both have names or both numbers, or set labels`,
	},
}
