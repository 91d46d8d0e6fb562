package evaluate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// refusedRefusals are rejected before any row is read.
var refusedRefusals = []refusal{
	{"unknown key", "", "input:\n  file: preds.parquet", `eval.yaml:2:3: unknown key "file" in input (did you mean "files"?)`},
	{"wrong type of a key", "", "decision:\n  threshold: yes please\n  top_k: many", `eval.yaml:3:10: decision.top_k: expected a whole number, found the string "many"`},
	{"contradiction", "", "decision: {threshold: 0.5, top_k: 2}", `eval.yaml:1:35: decision.top_k: contradicts decision.threshold; give one of them`},
	{"option of another task", "", "labels: [no, yes]", `eval.yaml:1:9: labels: in a binary task, says which of the two scores of a row is of which class, and rows do not have two: leave it out`},
	{"unknown metric", "", "metrics:\n  - recall\n  - acuracy", `eval.yaml:3:5: metrics[1]: unknown metric "acuracy" of task binary; did you mean "accuracy"? beameval metrics binary lists them all`},
	{"metric of another task", "", "metrics: [subset_accuracy]", `eval.yaml:1:11: metrics[0]: metric "subset_accuracy" is not one of task binary: it belongs to multilabel`},
	{"metric without scores", "label:int64 prediction:int64\n0 1", "task: binary\nmetrics: [log_loss]", `eval.yaml:2:11: metrics[0]: metric "log_loss" needs scores: there is no score column`},
	{"metric without probabilities", "", "input: {score_type: score}\nmetrics: [recall, ece]", `eval.yaml:2:19: metrics[1]: metric "ece" needs probabilities: score_type is score, not probability or logit`},
	{"threshold of an unknown label", tags, "decision: {threshold: {default: 0.4, '3': 0.3}}", `eval.yaml:1:43: decision.threshold.3: "3" is not one of the 3 labels`},
	{"threshold of an unknown name", names, "labels: [beach, sea, sunset]\ndecision: {threshold: {sunst: 0.3}}", `eval.yaml:2:31: decision.threshold.sunst: "sunst" is not among labels (did you mean "sunset"?)`},
	{"wrong number of labels", tags, "labels: [beach, sunset]", `eval.yaml:1:9: labels: 2 labels are named, but column "scores" has 3 values a row`},
	{"missing column", "", "input:\n  columns:\n    score: scroe", `eval.yaml:3:12: input.columns.score: preds.parquet: no column "scroe"; did you mean "score"? The file has country, label, score`},
	{"missing slice column", "", "slices: [[contry]]", `eval.yaml:1:10: slices[0]: preds.parquet: no column "contry"; did you mean "country"? The file has country, label, score`},
	{"slice column of lists", classes, "slices: [[scores]]", `eval.yaml:1:10: slices[0]: column "scores" is list<double>: a slice column must hold one value a row`},
	{"groups by an unknown column", "", "groups: {by: contry}", `eval.yaml:1:14: groups.by: preds.parquet: no column "contry"; did you mean "country"? The file has country, label, score`},
	{"groups by a metric of each label", "", "groups: {by: country, metrics: [acuracy]}", `eval.yaml:1:33: groups.metrics[0]: unknown metric "acuracy" of task binary`},
	{"groups of a task without decisions", "y_true:double prediction:double g:string\n1 2 a", "task: regression\ngroups: {by: g}", `eval.yaml:2:9: groups: selection rates and error rates are of task binary, the task is regression: set groups.metrics to the metrics to compare`},
	{"bins of strings", "", "slices: [label, {country: {bins: [1]}}]", `eval.yaml:1:17: slices[1]: column "country" is string: bins and quantiles divide numbers; list the column without them for each of its values`},
	{"quantiles of bools", "label:int64 score:double ok:bool\n1 0.5 true", "slices: [[label, {ok: {quantiles: 2}}]]", `eval.yaml:1:10: slices[0]: column "ok" is bool: bins and quantiles divide numbers; list the column without them for each of its values`},
	{"weights of strings", "", "input: {columns: {weight: country}}", `eval.yaml:1:27: input.columns.weight: preds.parquet: column "country" is string: the weight of task binary must be of type int or float; name another column or another task`},
	{"sparse scores of one label", "label:int32 ids:[]int32 scores:[]double\n1 [1,0] [0.1,0.2]", "task: binary\ninput: {columns: {label: label, score: scores, score_label: ids}}", `eval.yaml:2:61: input.columns.score_label: scores by label are for tasks multiclass and multilabel, the task is binary: leave input.columns.score_label out`},
	{"labels of scores without scores", sparse, "input: {columns: {score_label: ids}}", `eval.yaml:1:32: input.columns.score_label: says which labels the scores are of, but nothing says where the scores are: set input.columns.score`},
	{"metric that needs all scores", sparse, sparseScores + "metrics: [ndcg, log_loss]", `eval.yaml:3:17: metrics[1]: metric "log_loss" needs a score for every label: the scores are sparse`},
	{"metric by label that needs all scores", sparse, sparseScores + "metrics: [brier_macro]", `eval.yaml:3:11: metrics[0]: metric "brier_macro" needs a score for every label: the scores are sparse`},
	{"metric without propensities", sparse, sparseScores + "metrics: [psp@3]", `eval.yaml:3:11: metrics[0]: metric "psp@3" needs the labels' propensities: set propensity`},
	{"no frequencies", sparse, frequencies, `eval.yaml:3:27: propensity.frequencies: open counts.txt: no such file or directory (looked for in …)`},
	{"frequencies of another task", "", "propensity: {frequencies: truth}", `eval.yaml:1:13: propensity: only for task multilabel, the task is binary`},
	{"no file of thresholds", "", "decision: {threshold: tuned.json}", `eval.yaml:1:23: decision.threshold: open tuned.json: no such file or directory (looked for in …); expected a number, a mapping of labels to numbers or a file with one, such as a thresholds.json`},
	{"unknown criterion", "", "tune_thresholds: max_f1", `eval.yaml:1:18: tune_thresholds: "max_f1" is none of f<beta>, youden, recall_at_precision@<p> and expected_cost, such as f1 or recall_at_precision@0.9`},
	{"least cost without costs", "", "tune_thresholds: expected_cost", `eval.yaml:1:18: tune_thresholds: expected_cost needs costs by which fp costs more than tn, and fn more than tp: set costs or, in a binary task, input.columns.cost_fp and cost_fn`},
	{"thresholds of classes", classes, "tune_thresholds: f1", `eval.yaml:1:18: tune_thresholds: only for task binary or multilabel, the task is multiclass`},
	{"thresholds of numbers", "target:double prediction:double\n1 2", "tune_thresholds: f1", `eval.yaml:1:18: tune_thresholds: only for task binary or multilabel, the task is regression`},
	{"thresholds of sparse scores", sparse, sparseScores + "tune_thresholds: f1", `eval.yaml:3:18: tune_thresholds: needs a score for every label of every example`},
	{"thresholds without scores", "label:bool prediction:bool\ntrue true", "task: binary\ntune_thresholds: f1", `eval.yaml:2:18: tune_thresholds: needs a score for every label of every example`},
	{"bounded quantiles", "", "curves: {mode: bounded}\ncalibration: {strategy: quantile}", `eval.yaml:2:25: calibration.strategy: quantile needs all scores in order: set curves.mode to exact`},
	{"no labels file", tags, "labels_file: labels.txt", `labels_file: open labels.txt: no such file or directory (looked for in …)`},
	{"no rows", "label:int64 score:double", "", `no rows to evaluate: the input has none (files: 1, such as preds.parquet)`},
	{"no rows of scores", "label:int64 scores:[]double", "", `no rows to evaluate: the input has none (files: 1, such as preds.parquet)`},
	{"scores of strings", "label:int64 score:string\n1 high", "", `input.columns.score: preds.parquet: column "score" is string: the score of task binary must be of type int or float; name another column or another task`},
	{"lists of labels for one", tags, "task: binary", `input.columns.label: preds.parquet: column "labels" is list<int32>: the label of task binary must be one value a row; name another column or another task`},
	{"one label for lists", "", "task: multilabel", `column "label" of labels has one value a row, so there is a row for each label, but nothing says which: set input.columns.class, perhaps to "country"`},
	{"ambiguous schema", "label:int64 prediction:int64\n0 1", "", `the task is ambiguous: label "label" and prediction "prediction" are both whole numbers; set task to binary, multiclass or regression`},
	{"lists as text", "label:string score:string\nspam [0.3,0.7]", "", `input.columns.score: preds.parquet: column "score" has lists as text, such as "[0.3,0.7]": write a column for each label, such as score_spam, or lists in Parquet or JSON lines`},
	{"strings without a positive one", "label:string score:double\nspam 0.3", "", `column "label" has strings, such as "spam": set positive_label to the one that means positive`},
	{"names without an order", names, "", `column "labels" has label names, and column "scores" a value for each label, but nothing says in which order: set labels or labels_file, or have the file say it (df.attrs["labels"] in pandas, or the key-value metadata "labels")`},
}

// refused are runs that end before any row is read.
var refused = []scenario{
	// The command line.
	{
		name: "unknown flag", args: "--inptu preds.parquet --output out", code: 2,
		stderr: `evaluate: unknown flag --inptu; did you mean --input? --help and --help-runner list all`,
	}, {
		name: "flag without a value", args: "--input preds.parquet --output", code: 2,
		stderr: `evaluate: flag needs an argument: --output; --help says what flags expect`,
	}, {
		name: "flag with a wrong value", args: flagsOf + " --validate=perhaps", code: 2,
		stderr: `evaluate: --validate: "perhaps": invalid syntax; --help says what flags expect`,
	}, {
		name: "argument", args: "preds.parquet --output out", code: 2,
		stderr: `evaluate: unexpected argument "preds.parquet": give inputs with --input, separated by commas`,
	}, {
		name: "no flags", args: " ", code: 2,
		stderr: `evaluate: no input: set input.files or --input`,
	}, {
		name: "no input", args: "--output out", code: 2,
		stderr: `evaluate: no input: set input.files or --input`,
	}, {
		name: "no output", args: "--input preds.parquet", code: 2,
		stderr: `evaluate: no output: set output.dir or --output`,
	}, {
		name: "unknown runner", args: flagsOf + " --runner prsim", code: 2,
		stderr: `evaluate: --runner: unknown runner "prsim"; did you mean prism? There are direct, prism, flink, spark, dataflow, universal`,
	}, {
		name: "runner by Beam's other name", args: flagsOf + " --runner PortableRunner", code: 2,
		stderr: `evaluate: runner universal needs --endpoint: set it, for example to localhost:8099, the address of a job service`,
	}, {
		name: "unknown runner by the form of Beam's other names", args: flagsOf + " --runner SamzaRunner", code: 2,
		stderr: `evaluate: --runner: unknown runner "SamzaRunner". There are direct, prism, flink, spark, dataflow, universal`,
	}, {
		name: "runner without an endpoint", args: flagsOf + " --runner flink", code: 2,
		stderr: `evaluate: runner flink needs --endpoint: set it, for example to localhost:8099, the address of its job service`,
	}, {
		name: "unknown environment", args: flagsOf + " --runner flink --endpoint localhost:1 --environment_type loopbck", code: 2,
		stderr: `evaluate: --environment_type: unknown type "loopbck"; there are DOCKER, PROCESS, LOOPBACK, EXTERNAL`,
	}, {
		name: "environment PROCESS alone", args: flagsOf + " --runner spark --endpoint localhost:1 --environment_type process", code: 2,
		stderr: `evaluate: environment type PROCESS needs --environment_config: set it to the command that starts a worker, for example --environment_config '{"command": "/opt/beameval/beameval"}'`,
	}, {
		name: "environment PROCESS without JSON", args: flagsOf + " --runner flink --endpoint localhost:1 --environment_type PROCESS --environment_config boot", code: 2,
		stderr: `evaluate: --environment_config: expected JSON, got "boot"; set it to the command …`,
	}, {
		name: "environment PROCESS without a command", args: flagsOf + " --runner flink --endpoint localhost:1 --environment_type PROCESS --environment_config {}", code: 2,
		stderr: `evaluate: --environment_config: no "command" in "{}"; set it to the command …`,
	}, {
		name: "environment EXTERNAL alone", args: flagsOf + " --runner flink --endpoint localhost:1 --environment_type EXTERNAL", code: 2,
		stderr: `evaluate: environment type EXTERNAL needs --environment_config: set it to the address of the worker pool, for example --environment_config localhost:50000`,
	}, {
		name: "environment EXTERNAL without a port", args: flagsOf + " --runner flink --endpoint localhost:1 --environment_type EXTERNAL --environment_config localhost", code: 2,
		stderr: `evaluate: --environment_config: expected HOST:PORT, got "localhost"; set it to the address …`,
	}, {
		name: "no worker binary", args: flagsOf + " --runner flink --endpoint localhost:1 --worker_binary gone", code: 2,
		stderr: `evaluate: runner flink: --worker_binary: there is no file gone`,
	}, {
		name: "no job service", args: flagsOf + " --runner flink --endpoint localhost:1 --environment_type LOOPBACK", code: 2,
		stderr: `evaluate: no job service answers at localhost:1: … connection refused"; start Beam's Flink job server with --flink-master=HOST:PORT of the cluster, or correct --endpoint`,
	}, {
		name: "async with workers here", args: flagsOf + " --runner flink --endpoint localhost:1 --environment_type LOOPBACK --async", code: 2,
		stderr: `evaluate: --async: environment type LOOPBACK has its workers in this process, which cannot leave the job; use PROCESS, DOCKER or EXTERNAL, or leave --async out`,
	}, {
		name: "async here", args: flagsOf + " --async", code: 2,
		stderr: `evaluate: --async: runner direct runs the job in this process, which cannot leave it; leave --async out`,
	}, {
		name: "no job to cancel", args: "--cancel_job job-7", code: 2,
		stderr: `evaluate: --cancel_job: runner direct has no job service; set --runner and --endpoint to those of the job`,
	}, {
		name: "runner without staging", args: flagsOf + " --runner dataflow", code: 2,
		stderr: `evaluate: runner dataflow needs --staging_location: set it, for example to gs://bucket/staging`,
	},

	// The configuration.
	{
		name: "no configuration file", args: flagsOf + " --config evla.yaml", code: 2,
		stderr: `evaluate: --config: open evla.yaml: no such file or directory (looked for in …)`,
	}, {
		name: "two mistakes", config: "taks: binary\nk: [0]", code: 2,
		stderr: `
evaluate: eval.yaml:1:1: unknown key "taks" (did you mean "task"?)
eval.yaml:2:5: k[0]: must be at least 1, is 0`,
	},

	// The files.
	{
		name: "no such file", args: "--input pred.parquet --output out", code: 2,
		stderr: `evaluate: pred.parquet: file does not exist; looked for in …`,
	}, {
		name: "glob that matches nothing", args: "--input p*.parq --output out", code: 2,
		stderr: `evaluate: p*.parq: file does not exist: the pattern matches nothing (other files: 1, such as preds.parquet)`,
	}, {
		name: "directory without Parquet", args: "--input data --output out", setup: text("data/a.txt", "label,score"), code: 2,
		stderr: `evaluate: data: the directory holds no .parquet, .parq, .csv, …`,
	}, {
		name: "empty directory", args: "--input data --output out", setup: folder("data"), code: 2,
		stderr: `evaluate: data: the directory holds no .parquet, .parq, .csv, …`,
	}, {
		name: "unknown storage", args: "--input azfs://account/container/preds --output out", code: 2,
		stderr: `evaluate: azfs://account/container/preds: this form is not supported; write abfss://container@account.dfs.core.windows.net/preds`,
	}, {
		name: "not Parquet", setup: text("preds.parquet", "label,score\n0,0.1\n1,0.9\n"), code: 2,
		stderr: `evaluate: preds.parquet: not a Parquet file: it begins with "labe"; if it is a text, set input.format or truth.format to csv, tsv or jsonl`,
	}, {
		name: "a folder with files of several formats", args: "--input in --output out", code: 2, setup: severalFormats("in"),
		stderr: `evaluate: in: files of several formats: csv (in/a.csv), tsv (in/b.tsv); name the files of one, or set input.format`,
	}, {
		name: "a folder of truth with files of several formats", config: "truth: {files: in}", code: 2, setup: severalFormats("in"),
		stderr: `evaluate: truth: in: files of several formats: csv (in/a.csv), tsv (in/b.tsv); name the files of one, or set truth.format`,
	}, {
		name: "empty file", setup: text("preds.parquet", ""), code: 2,
		stderr: `evaluate: preds.parquet: not a Parquet file: the file is empty`,
	}, {
		name: "truncated file", setup: truncate("preds.parquet"), code: 2,
		stderr: `evaluate: preds.parquet: truncated: the file begins as Parquet but does not end in a footer`,
	},

	// Texts, which are read as a whole to plan.
	{
		name: "ragged row", setup: text("p.csv", "label,score\n0,0.5\n1,0.7,9\n"), args: "--input p.csv --output out", code: 2,
		stderr: `evaluate: p.csv: line 3: the row has 3 values, but the header 2 names: write as many, and quote values that hold a separator`,
	}, {
		name: "column twice", setup: text("p.csv", "label,score,score\n0,0.5,1\n"), args: "--input p.csv --output out", code: 2,
		stderr: `evaluate: p.csv: line 1: columns 2 and 3 have the same name, "score": rename one`,
	}, {
		name: "ragged TREC", setup: text("p.run", "301 Q0 d 1 0.5\n"), args: "--input p.run --output out", code: 2,
		stderr: `evaluate: p.run: line 1: the line has 5 fields, but must have 6: query_id, q0, doc_id, rank, score, tag`,
	}, {
		name: "a TREC run without judgements", setup: text("p.run", "301 Q0 d 1 0.5 t\n"), args: "--input p.run --output out", code: 2,
		stderr: `evaluate: p.run is a TREC run, which has no judgements: set truth.files to its qrels`,
	}, {
		name: "a TREC run of another ending without judgements", setup: text("p.txt", "301 Q0 d 1 0.5 t\n"), args: "--input p.txt --set input.format=trec_run --output out", code: 2,
		stderr: `evaluate: p.txt is a TREC run, which has no judgements: set truth.files to its qrels`,
	}, {
		name: "broken JSON", setup: text("p.jsonl", "{\"label\": 0, \"score\": 0.5}\n{\"label\": 1,\n"), args: "--input p.jsonl --output out", code: 2,
		stderr: `evaluate: p.jsonl: line 2: …`,
	},

	// The columns.
	{
		name: "no label column", preds: strings.Replace(people, "label", "lable", 1), code: 2,
		stderr: `evaluate: no label column: set input.columns.label (preds.parquet: no column "label"; did you mean "lable"? The file has country, lable, score)`,
	}, {
		name: "label column in one file only", files: map[string]string{"z.parquet": "truth:int64 score:double\n0 0.1"}, args: "--input *.parquet --output out", code: 2,
		stderr: `evaluate: no label column: set input.columns.label (z.parquet: no column "label"; the file has score, truth)`,
	}, {
		name: "labels in other files", preds: "id:int64 score:double\n1 0.5", code: 2,
		stderr: `evaluate: no label column: set input.columns.label, or truth.files if the labels are in other files (preds.parquet: no column "label"; the file has id, score)`,
	}, {
		name: "no score column", preds: strings.Replace(people, "score", "scroe", 1), code: 2,
		stderr: `evaluate: neither a score nor a prediction column: set input.columns.score or input.columns.prediction (preds.parquet: no column "score"; did you mean "scroe"? The file has country, label, scroe)`,
	}, {
		name: "score column in one file only", files: map[string]string{"z.parquet": "label:int64 p:double\n0 0.1"}, args: "--input *.parquet --output out", code: 2,
		stderr: `evaluate: neither a score nor a prediction column: set input.columns.score or input.columns.prediction (z.parquet: no column "score"; the file has label, p)`,
	}, {
		name: "slice of some folders", config: "slices: [region]", args: "--input data --output out", code: 2,
		files:  map[string]string{"data/region=eu/a.parquet": people, "data/b.parquet": people},
		stderr: `evaluate: eval.yaml:1:10: slices[0]: data/region=eu/a.parquet is in a folder region=…, but data/b.parquet is not: all files must be, or have a column "region"`,
	}, {
		name: "slice that neither the columns nor the folders have", config: "slices: [nation]", args: "--input data --output out", code: 2,
		files:  map[string]string{"data/region=eu/day=1/a.parquet": people},
		stderr: `evaluate: eval.yaml:1:10: slices[0]: data/region=eu/day=1/a.parquet: no column "nation"; the file has …; its folders have region, day`,
	}, {
		name: "files of different types", files: map[string]string{"a.parquet": "label:string score:double\n1 0.3"}, args: "--input *.parquet --output out", code: 2,
		stderr: `evaluate: column "label" is string in a.parquet but int64 in preds.parquet: files of one run must agree`,
	},

	// Sparse scores and propensities.
	{
		name: "frequencies of too few labels", config: frequencies, preds: sparse, setup: text("counts.txt", "3\n4\n"), code: 2,
		stderr: `evaluate: eval.yaml:3:27: propensity.frequencies: counts.txt: 2 lines, expected 3, one for each label`,
	}, {
		name: "frequencies of too many labels", config: frequencies, preds: sparse, setup: text("counts.txt", "3\n4\n5\n6\n"), code: 2,
		stderr: `evaluate: eval.yaml:3:27: propensity.frequencies: counts.txt: more than 3 lines, one for each label`,
	}, {
		name: "frequency that is no number", config: frequencies, preds: sparse, setup: text("counts.txt", "3\nmany\n5\n"), code: 2,
		stderr: `evaluate: eval.yaml:3:27: propensity.frequencies: counts.txt: line 2: "many" is not a count`,
	}, {
		name: "frequency of more than all", config: frequencies, preds: sparse, setup: text("counts.txt", "3\n4\n11\n"), code: 2,
		stderr: `evaluate: eval.yaml:3:27: propensity.frequencies: counts.txt: label "2" is true of 11 examples, but propensity.examples is 10`,
	}, {
		name: "frequency of an unknown label", config: pairs, preds: sparse, code: 2,
		files:  map[string]string{"counts.parquet": "label:int32 count:int64\n0 3\n---\n1 4\n3 5"},
		stderr: `evaluate: eval.yaml:3:27: propensity.frequencies: counts.parquet: row group 1, row 1: label 3, expected an index from 0 to 2`,
	}, {
		name: "frequency of an unknown name", config: "labels: [a, b]\n" + pairs[strings.Index(pairs, "input"):], preds: sparse, code: 2,
		files:  map[string]string{"counts.parquet": "label:string count:int64\nb 3\nc 3"},
		stderr: `evaluate: eval.yaml:3:27: propensity.frequencies: counts.parquet: row group 0, row 1: "c" is not one of the 2 labels`,
	}, {
		name: "two frequencies of a label", config: pairs, preds: sparse, code: 2,
		files:  map[string]string{"counts.parquet": "label:int32 count:int64\n0 3\n1 4\n0 5"},
		stderr: `evaluate: eval.yaml:3:27: propensity.frequencies: counts.parquet: row group 0, row 2: label "0" is there twice`,
	}, {
		name: "frequency that is null", config: pairs, preds: sparse, code: 2,
		files:  map[string]string{"counts.parquet": "label:int32 count:int64?\n0 null"},
		stderr: `evaluate: eval.yaml:3:27: propensity.frequencies: counts.parquet: row group 0, row 0: column "count": null: expected a count of 0 or more`,
	}, {
		name: "negative frequency", config: pairs, preds: sparse, code: 2,
		files:  map[string]string{"counts.parquet": "label:int32 count:int64\n0 -3"},
		stderr: `evaluate: eval.yaml:3:27: propensity.frequencies: counts.parquet: row group 0, row 0: column "count": -3: expected a count of 0 or more`,
	}, {
		name: "frequencies without a column of counts", config: pairs, preds: sparse, code: 2,
		files:  map[string]string{"counts.parquet": "label:int32 n:int64\n0 3"},
		stderr: `evaluate: eval.yaml:3:27: propensity.frequencies: counts.parquet: no column "count"; the file has label, n; set propensity.columns`,
	}, {
		name: "frequencies of fractions", config: pairs, preds: sparse, code: 2,
		files:  map[string]string{"counts.parquet": "label:int32 count:double\n0 0.3"},
		stderr: `evaluate: eval.yaml:3:27: propensity.frequencies: counts.parquet: column "count" is double: the count of propensity.frequencies must be of type int; set propensity.columns`,
	},

	// Thresholds.
	{
		name: "thresholds that are not JSON", config: "decision: {threshold: tuned.json}", setup: text("tuned.json", "default: 0.5"), code: 2,
		stderr: `evaluate: eval.yaml:1:23: decision.threshold: tuned.json: expected a JSON object of labels and numbers, such as {"default": 0.5}`,
	}, {
		name: "thresholds without any", config: "decision: {threshold: tuned.json}", setup: text("tuned.json", "{}"), code: 2,
		stderr: `evaluate: eval.yaml:1:23: decision.threshold: tuned.json: expected a JSON object of labels and numbers, such as {"default": 0.5}`,
	}, {
		name: "threshold that is null", config: "decision: {threshold: tuned.json}", setup: text("tuned.json", `{"default": null}`), code: 2,
		stderr: `evaluate: eval.yaml:1:23: decision.threshold: tuned.json: threshold of "default": expected a finite number, found null`,
	}, {
		name: "threshold that is a string", config: "decision: {threshold: tuned.json}", setup: text("tuned.json", `{"default": "0.5"}`), code: 2,
		stderr: `evaluate: eval.yaml:1:23: decision.threshold: tuned.json: threshold of "default": expected a finite number, found "0.5"`,
	}, {
		name: "threshold that is too large a number", config: "decision: {threshold: tuned.json}", setup: text("tuned.json", `{"default": 1e999}`), code: 2,
		stderr: `evaluate: eval.yaml:1:23: decision.threshold: tuned.json: threshold of "default": expected a finite number, found 1e999`,
	}, {
		name: "threshold that is no probability", config: "decision: {threshold: tuned.json}", setup: text("tuned.json", `{"default": 1.5}`), code: 2,
		stderr: `evaluate: eval.yaml:1:23: decision.threshold: must be within [0, 1] for input.score_type probability, is 1.5`,
	}, {
		name: "threshold of a label that is no probability", config: "decision: {threshold: tuned.json}", preds: tags, setup: text("tuned.json", `{"1": -0.5}`), code: 2,
		stderr: `evaluate: eval.yaml:1:23: decision.threshold.1: must be within [0, 1] for input.score_type probability, is -0.5`,
	}, {
		name: "threshold in a file of an unknown name", config: "labels: [beach, sea, sunset]\ndecision: {threshold: tuned.json}", preds: names, setup: text("tuned.json", `{"sunst": 0.3}`), code: 2,
		stderr: `evaluate: eval.yaml:2:23: decision.threshold.sunst: "sunst" is not among labels (did you mean "sunset"?)`,
	}, {
		name: "thresholds of labels of another task", config: "decision: {threshold: tuned.json}", setup: text("tuned.json", `{"beach": 0.3}`), code: 2,
		stderr: `evaluate: eval.yaml:1:23: decision.threshold: thresholds by label are only for task multilabel, the task is binary`,
	},

	// The output.
	{
		name: "output below a file", args: "--input preds.parquet --output preds.parquet/out", code: 2,
		stderr: `evaluate: preds.parquet/out: preds.parquet is a file, so it cannot hold an output directory; choose another: …`,
	}, {
		name: "output that is a file", args: "--input preds.parquet --output preds.parquet", code: 2,
		stderr: `evaluate: preds.parquet: this is a file, and the output must be a directory; choose another name`,
	}, {
		name: "output in a place without writing", args: "--input preds.parquet --output /proc/out", code: 2,
		stderr: `evaluate: /proc/out: cannot create a directory in /…: …; choose another output directory, or change the permissions`,
	}, {
		name: "output that exists", setup: text("out/notes.txt", "mine"), code: 2,
		stderr: `evaluate: out: output exists and is not empty (it holds notes.txt); choose another directory, or remove this one; --overwrite replaces a finished report`,
	},
}

// Frequencies of the labels of a table of sparse scores, in files of both kinds.
const (
	frequencies = sparseScores + "propensity: {frequencies: counts.txt, examples: 10}"
	pairs       = sparseScores + "propensity: {frequencies: counts.parquet, examples: 10}"
)

// truncate is a setup that cuts off the second half of a file.
func truncate(file string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		name := filepath.Join(dir, file)
		info, err := os.Stat(name)
		require.NoError(t, err)
		require.NoError(t, os.Truncate(name, info.Size()/2))
	}
}

// severalFormats is a setup that writes files of two formats to a directory.
func severalFormats(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		text(filepath.Join(name, "a.csv"), "label,score\n1,0.5\n")(t, dir)
		text(filepath.Join(name, "b.tsv"), "label\tscore\n1\t0.5\n")(t, dir)
	}
}
