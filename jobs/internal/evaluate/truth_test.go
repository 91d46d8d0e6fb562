package evaluate

// inspected are binary predictions whose labels are in another file.
const (
	inspected = `
example_id:int64? score:double
1                 0.9
2                 0.2
---
3                 0.7`

	outcomes = `
id:int32? label:int64?
3         0
7         1
1         1
---
2         0`
)

var found = truth(outcomes)

// truth are the files of a table of true labels.
func truth(table string) map[string]string { return map[string]string{"truth.parquet": table} }

const (
	truthIn  = "truth: {files: truth.parquet}\n"
	truthRow = `evaluate: truth.parquet: row group 1, row 0: column `
)

// truths are runs whose truth is in separate files.
var truths = []scenario{
	{
		name: "truth", preds: inspected, files: found, config: truthIn + "metrics: [accuracy]",
		notes: `
label: column "label" of the truth
score: column "score"
task: binary (one label, one score)
example: column "example_id"
example: column "id" of the truth
predictions: score >= 0.5`,
		stdout: `
binary: 3 of 3 rows evaluated, 0 skipped, 3 examples, 1 of 4 examples in the
truth without prediction, 2 labels
…`,
		report: "3 rows, 3 evaluated\ntruth of 4, 1 without prediction\naccuracy = 0.6667",
	}, {
		name: "truth beside labels of another kind", preds: "id:int64 label:string score:double\n1 a 0.9\n2 b 0.2", config: truthIn + "metrics: [accuracy]",
		files:  truth("id:int64 y_true:bool\n2 false\n1 true"),
		report: "2 rows, 2 evaluated\ntruth of 2, 0 without prediction\naccuracy = 1",
	}, {
		name: "truth in folders", preds: inspected, config: "truth: {files: [labels]}\nmetrics: [accuracy]",
		files: map[string]string{
			"labels/dt=1/a.parquet": "id:int64 label:int64\n1 1",
			"labels/dt=2/a.parquet": "label:int32 id:int32\n0 3\n---\n0 2",
		},
		report: "3 rows, 3 evaluated\ntruth of 3, 0 without prediction\naccuracy = 0.6667",
	}, {
		name: "truth of classes", preds: "id:string prediction:string\na x\nb y", config: truthIn + "metrics: [accuracy]",
		files: truth("id:string label:string\nb z\na x"),
		notes: `
label: column "label" of the truth
prediction: column "prediction"
task: multiclass (labels are strings)
example: column "id"
labels: those that occur in columns "label" and "prediction"`,
		report: "2 rows, 2 evaluated\ntruth of 2, 0 without prediction\naccuracy = 0.5",
	}, {
		name: "truth of a regression", preds: "id:string prediction:double\na 1\nb 3", config: truthIn + "metrics: [mae]",
		files:  truth("id:string target:float\nb 2\na 1"),
		report: "2 rows, 2 evaluated\ntruth of 2, 0 without prediction\nmae = 0.5",
	}, {
		name: "truth of soft labels", preds: "id:string scores:[]double\na [1,0]\nb [0.5,0.5]", config: truthIn + "task: multiclass\nmetrics: [brier]",
		files:  truth("id:string label:[]double\nb [0.5,0.5]\na [0,1]"),
		report: "2 rows, 2 evaluated\ntruth of 2, 0 without prediction\nbrier = 1",
	}, {
		name: "truth of lists", preds: "id:string scores:[]double\na [1,0]\nb [0.5,0.5]", config: truthIn + "metrics: [subset_accuracy]",
		files:  truth("id:string labels:[]int32\nb [1]\na [0]"),
		report: "2 rows, 2 evaluated\ntruth of 2, 0 without prediction\nsubset_accuracy = 0.5",
	}, {
		name: "relevance in lists", preds: "query_id:string doc_id:[]string scores:[]double\na [x,y] [1,0]\nb [x,y] [0.5,0.5]", config: truthIn + "metrics: [mrr]\nranking: {ties: item}",
		files:  truth("query_id:string relevance:[]int32\nb [1,0]\na [0,1]"),
		report: "2 rows, 2 evaluated\ntruth of 2, 0 without prediction\nmrr = 0.5",
	}, {
		name: "truth by other names", preds: results, config: "truth: {files: truth.parquet, columns: {query: topic, item: document, label: grade}}\nmetrics: [mrr]",
		files:  truth("topic:string document:string grade:int32\nq1 a 1\nq2 c 1"),
		report: "2 rows, 2 evaluated\ntruth of 2, 0 without prediction\nmrr = 1",
	}, {
		name: "validate truth", preds: results, files: judged, config: truthIn, args: flagsOf + " --validate",
		stdout: "valid: files 2, row groups 4, rows 8",
		notes: `
label: column "relevance" of the truth
score: column "score"
task: ranking (column "query_id" has queries)
layout: label (a row for each item)
query: column "query_id"
item: column "doc_id"`,
	},

	// Truth that is missing.
	{
		name: "no truth", preds: inspected, files: truth(last(outcomes, "null 1")), config: truthIn, code: 1,
		stderr: truthRow + `"id": null: the row does not say which example or query it belongs to` + end,
	}, {
		name: "example without truth", preds: last(inspected, "4 0.7"), files: found, config: truthIn, code: 1,
		stderr: row + `"example_id": 4: the truth has no row for it; set truth.missing: skip to count and skip such examples`,
	}, {
		name: "examples without truth skipped", preds: last(inspected, "4 0.7"), files: found,
		config: "truth: {files: truth.parquet, missing: skip}\nmetrics: [accuracy]",
		report: "3 rows, 2 evaluated\nskipped: no truth: 1\ntruth of 4, 2 without prediction\nwarning: 33.3 % of the rows (1 of 3) were skipped: no truth (1)\naccuracy = 1",
	}, {
		name: "all examples without truth", preds: "id:int64 score:double\n8 0.5", files: found,
		config: "truth: {files: truth.parquet, missing: skip}", code: 1,
		stderr: `evaluate: no rows to evaluate: all rows were skipped: no truth (1); the first is preds.parquet: row group 0, row 0: column "id": 8`,
	}, {
		name: "truth without rows", preds: inspected, files: truth("id:int64 label:int64"), config: truthIn, code: 1,
		stderr: `evaluate: preds.parquet: row group …, row …: column "example_id": …: the truth has no row for it; …`,
	}, {
		name: "unused truth is not looked at", preds: inspected, files: truth(outcomes + "\n8 null\n9 5\n9 5"), config: truthIn + "metrics: [accuracy]",
		report: "3 rows, 3 evaluated\ntruth of 6, 3 without prediction\naccuracy = 0.6667",
	}, {
		name: "query without truth", preds: last(results, "q4 x 0.1"), files: judged, config: truthIn, code: 1,
		stderr: row[:len(row)-len("0: column ")] + `1: column "query_id": "q4": the truth has no row for it; set truth.missing: skip to count and skip such examples`,
	},

	// Bad truth.
	{
		name: "label of the truth that is null", preds: inspected, files: truth(last(outcomes, "2 null")), config: truthIn, code: 1,
		stderr: truthRow + `"label": null: the label is missing` + end,
	}, {
		name: "example twice in the truth", preds: inspected, files: truth(outcomes + "\n2 0"), config: truthIn, code: 1,
		stderr: truthRow + `"id": 2: there are several rows of the example; expected one` + end,
	}, {
		name: "example twice in the predictions", preds: inspected + "\n3 0.7", files: found, config: truthIn, code: 1,
		stderr: row + `"example_id": 3: there are several rows of the example; expected one` + end,
	}, {
		name: "item twice in the truth", preds: results, files: truth(judgements + "\nq2 c 1"), config: truthIn, code: 1,
		stderr: `evaluate: truth.parquet: row group 1, row 1: column "doc_id": "c": the query has the item twice` + end,
	}, {
		name: "no item in the truth", preds: results, files: truth(last(judgements, "q2 null 0")), config: truthIn, code: 1,
		stderr: truthRow + `"doc_id": null: the id of the item is missing` + end,
	}, {
		name: "negative relevance in the truth", preds: results, files: truth(last(judgements, "q2 c -0.5")), config: truthIn, code: 1,
		stderr: truthRow + `"relevance": -0.5: expected a relevance of 0 or more; set ranking.negative_relevance: zero to count it as 0` + end,
	}, {
		name: "no relevance in the truth", preds: results, files: truth(last(judgements, "q2 c null")), config: truthIn, code: 1,
		stderr: truthRow + `"relevance": null: the label is missing` + end,
	}, {
		name: "truncated truth", preds: results, files: judged, setup: truncate("truth.parquet"), config: truthIn, code: 2,
		stderr: `evaluate: truth: truth.parquet: truncated: the file begins as Parquet but does not end in a footer`,
	}, {
		name: "truth that is no file", preds: results, config: "truth: {files: 'labels/*.parquet'}", code: 2,
		stderr: `evaluate: truth: labels/*.parquet: file does not exist: the pattern matches nothing (looked for in …)`,
	},

	// Columns.
	{
		name: "labels in both places", files: found, config: truthIn + "input: {columns: {label: label}}", code: 2,
		stderr: `evaluate: eval.yaml:2:26: input.columns.label: the labels are in truth.files: set truth.columns.label`,
	}, {
		name: "no labels in the truth", preds: inspected, files: truth("id:int64 lable:int64\n1 1"), config: truthIn, code: 2,
		stderr: `evaluate: no label column in the truth: set truth.columns.label (truth.parquet: no column "label"; did you mean "lable"? The file has id, lable)`,
	}, {
		name: "label column that the truth has not", preds: inspected, files: found, config: "truth: {files: truth.parquet, columns: {label: lable}}", code: 2,
		stderr: `evaluate: eval.yaml:1:48: truth.columns.label: truth.parquet: no column "lable"; did you mean "label"? The file has id, label`,
	}, {
		name: "label of the truth of another type", preds: results, files: truth("query_id:string doc_id:string relevance:string\nq1 a high"), config: "task: ranking\n" + truthIn, code: 2,
		stderr: `evaluate: eval.yaml:2:8: truth.columns.label: truth.parquet: column "relevance" is string: the label of task ranking must be of type int or float; name another column or another task`,
	}, {
		name: "no ids in the truth", preds: inspected, files: truth("key:int64 label:int64\n1 1"), config: truthIn, code: 2,
		stderr: `evaluate: no example column in the truth, which says which prediction a row belongs to: set truth.columns.example (truth.parquet: no column "example_id"; the file has key, label)`,
	}, {
		name: "no ids in the predictions", files: found, config: truthIn, code: 2,
		stderr: `evaluate: no example column, which says which rows belong together: set input.columns.example (preds.parquet: no column "example_id"; the file has country, label, score)`,
	}, {
		name: "ids of the truth that it has not", preds: inspected, files: found, config: "truth: {files: truth.parquet, columns: {example: key}}", code: 2,
		stderr: `evaluate: truth: truth.parquet: no column "key"; the file has id, label`,
	}, {
		name: "ids of another type in the truth", preds: inspected, files: truth("id:string label:int64\n1 1"), config: truthIn, code: 2,
		stderr: `evaluate: column "example_id" is int64 in preds.parquet, but column "id" of the truth is string in truth.parquet: ids must be of one type, as 1 and "1" are not the same: write both as text, or both as integers`,
	}, {
		name: "ids of two types in the truth", preds: inspected, config: "truth: {files: 'truth*.parquet'}", code: 2,
		files:  map[string]string{"truth.parquet": outcomes, "truth2.parquet": "id:double label:int64\n1 1"},
		stderr: `evaluate: truth: column "id" is int32 in truth.parquet but double in truth2.parquet: ids must be of one type, as 1 and "1" are not the same`,
	}, {
		name: "items of another type in the truth", preds: results, files: truth("query_id:string doc_id:int64 relevance:int64\nq1 1 1"), config: truthIn, code: 2,
		stderr: `evaluate: column "doc_id" is string in preds.parquet, but column "doc_id" of the truth is int64 in truth.parquet: ids must be of one type, as 1 and "1" are not the same: write both as text, or both as integers`,
	}, {
		name: "no items in the truth", preds: results, files: truth("query_id:string relevance:int64\nq1 1"), config: truthIn, code: 2,
		stderr: `evaluate: the truth has a row for each item, but nothing says which: set truth.columns.item and input.columns.item`,
	}, {
		name: "lists of items in the truth", preds: results, files: truth("query_id:string doc_id:[]string relevance:[]int64\nq1 [a] [1]"), config: truthIn, code: 2,
		stderr: `evaluate: column "relevance" of the truth is list<int64>: beside the items in column "doc_id", there must be a row for each item, with one value`,
	}, {
		name: "lists in the truth of rows", preds: results, files: truth("query_id:string relevance:[]int64\nq1 [1]"), config: truthIn, code: 2,
		stderr: `evaluate: column "relevance" of the truth is list<int64>, but the predictions have a row for each item: the truth must have the same`,
	}, {
		name: "truth without files", config: "truth: {missing: skip}", code: 2,
		stderr: `evaluate: eval.yaml:1:8: truth.files: must say where the truth is; leave truth out if it is in the predictions`,
	}, {
		name: "queries of another task", preds: inspected, files: found, config: "truth: {files: truth.parquet, columns: {query: id}}", code: 2,
		stderr: `evaluate: eval.yaml:1:48: truth.columns.query: only for task ranking, the task is binary`,
	},
}
