package evaluate

// truthSlices are runs with slices by columns of the truth.
var truthSlices = []scenario{
	{
		name: "slices of the truth", preds: "id:int64 device:string score:double\n1 tv 0.9\n2 tv 0.2\n---\n3 pc 0.7", config: truthIn + "slices: [country, [country, device], {country: [fr], device: [tv]}]\nmetrics: [accuracy]",
		files: truth("country:string? id:int64 label:int64\nde 1 1\nfr 2 1\n---\nnull 3 1\nes 4 1"),
		notes: `
label: column "label" of the truth
score: column "score"
task: binary (one label, one score)
example: column "id"
predictions: score >= 0.5
slices: column "country" of the truth`,
		report: `
3 rows, 3 evaluated
truth of 4, 1 without prediction
accuracy = 0.6667
accuracy{country=null} = 1
accuracy{country=de} = 1
accuracy{country=fr} = 0
accuracy{country=null, device=pc} = 1
accuracy{country=de, device=tv} = 1
accuracy{country=fr, device=tv} = 0`,
	}, {
		name: "slices of both", preds: "id:int64 country:string score:double\n1 de 0.9\n2 fr 0.2", config: truthIn + "slices: [country, id]\nmetrics: [accuracy]",
		files: truth("country:string id:int64 label:int64\nfr 1 1\nfr 2 1"),
		notes: `
label: column "label" of the truth
score: column "score"
task: binary (one label, one score)
example: column "id"
predictions: score >= 0.5
slices: column "country" of the predictions, not that of the truth`,
		report: `
2 rows, 2 evaluated
truth of 2, 0 without prediction
accuracy = 0.5
accuracy{country=de} = 1
accuracy{country=fr} = 0
accuracy{id=1} = 1
accuracy{id=2} = 0`,
	}, {
		name: "slices of a ranking's judgements", preds: results, config: truthIn + "slices: [kind]\nmetrics: [mrr, queries]",
		files: truth("query_id:string doc_id:string relevance:int64 kind:string\nq1 a 0 short\nq1 b 1 short\n---\nq2 c 1 long\nq3 z 1 lost"),
		report: `
2 rows, 2 evaluated
truth of 3, 1 without prediction
mrr = 0.75
queries = 2
mrr{kind=long} = 1
queries{kind=long} = 1
mrr{kind=short} = 0.5
queries{kind=short} = 1`,
	}, {
		name: "slices of classes in the truth's folders", preds: "id:string prediction:string\na x\nb y\nc z", config: "truth: {files: [labels]}\nslices: [day]\nmetrics: [accuracy]",
		files:  map[string]string{"labels/day=1/a.parquet": "id:string label:string\na x\nb z", "labels/day=2/a.parquet": "id:string label:string\nc z"},
		report: "3 rows, 3 evaluated\ntruth of 3, 0 without prediction\naccuracy = 0.6667\naccuracy{day=\"1\"} = 0.5\naccuracy{day=\"2\"} = 1",
	}, {
		name: "slices of a regression's truth", preds: "id:string prediction:double\na 1\nb 3", config: truthIn + "slices: [n]\nmetrics: [mae]",
		files:  truth("id:string target:float n:int64\nb 2 7\na 1 8"),
		report: "2 rows, 2 evaluated\ntruth of 2, 0 without prediction\nmae = 0.5\nmae{n=7} = 1\nmae{n=8} = 0",
	}, {
		name: "slices of the truth of lists", preds: "id:string scores:[]double\na [1,0]\nb [0.5,0.5]", config: truthIn + "slices: [fold]\nmetrics: [subset_accuracy]",
		files:  truth("id:string labels:[]int32 fold:bool\nb [1] true\na [0] false"),
		report: "2 rows, 2 evaluated\ntruth of 2, 0 without prediction\nsubset_accuracy = 0.5\nsubset_accuracy{fold=false} = 1\nsubset_accuracy{fold=true} = 0",
	}, {
		name: "slices of the truth of labels", preds: "id:string scores:[]double\na [1,0]\nb [0.5,0.5]", config: "truth: {files: truth.parquet, columns: {class: tag}}\nslices: [fold]\nmetrics: [subset_accuracy]\nlabels: [x, y]",
		files:  truth("id:string tag:string label:int64 fold:string\nb y 1 k\na x 1 j\na y 0 j\nb x 1 k"),
		report: "2 rows, 2 evaluated\ntruth of 2, 0 without prediction\nsubset_accuracy = 1\nsubset_accuracy{fold=j} = 1\nsubset_accuracy{fold=k} = 1",
	}, {
		name: "slices of examples without truth", preds: "id:int64 score:double\n1 0.9\n2 0.2", config: "truth: {files: truth.parquet, missing: skip}\nslices: [country]\nmetrics: [accuracy]",
		files:  truth("country:string id:int64 label:int64\nde 1 1"),
		report: "2 rows, 1 evaluated\nskipped: no truth: 1\ntruth of 1, 0 without prediction\nwarning: 50 % of the rows (1 of 2) were skipped: no truth (1)\naccuracy = 1\naccuracy{country=de} = 1",
	}, {
		name: "several slices of a query's judgements", preds: results, config: truthIn + "slices: [kind]", code: 1,
		files:  truth("query_id:string doc_id:string relevance:int64 kind:string\nq1 a 0 short\nq1 b 1 long\n---\nq2 c 1 long"),
		stderr: `evaluate: truth.parquet: row group 0, row 0: column "query_id": "q1": expected the same values of slice columns, and of confidence.by, in all rows of an example` + end,
	}, {
		name: "slice column that neither has", preds: inspected, files: found, config: truthIn + "slices: [country]", code: 2,
		stderr: `evaluate: eval.yaml:2:10: slices[0]: preds.parquet: no column "country"; the file has example_id, score; the truth has none either: truth.parquet: no column "country"; the file has id, label`,
	}, {
		name: "slice column of lists in the truth", preds: inspected, files: truth("id:int64 label:int64 tags:[]string\n1 1 [a]"), config: truthIn + "slices: [tags]", code: 2,
		stderr: `evaluate: eval.yaml:2:10: slices[0]: preds.parquet: no column "tags"; the file has example_id, score; the truth has none either: column "tags" is list<string>: a slice column must hold one value a row`,
	},
}
