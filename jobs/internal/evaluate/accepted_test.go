package evaluate

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// accepted are runs that succeed.
var accepted = []scenario{
	{
		name: "inference",
		notes: `
label: column "label"
score: column "score"
task: binary (one label, one score)
predictions: score >= 0.5`,
		stdout: `
binary: 4 of 4 rows evaluated, 0 skipped, 4 examples, 2 labels

What stands out:
…

 metric …
─…
 accuracy           0.7500
 precision          1.0000
…

report: out`,
		report: `
4 rows, 4 evaluated
accuracy = 0.75
…`,
		check: func(t *testing.T, dir string) {
			require.Equal(t, []string{
				"", "/out", "/out/confusion.parquet", "/out/curves.parquet", "/out/metrics.csv", "/out/metrics.json",
				"/out/metrics.parquet", "/out/report.html", "/out/report.md", "/out/run.json", "/out/score_histograms.parquet", "/out/summary.txt", "/preds.parquet",
			}, tree(t, dir))
		},
	}, {
		name: "inference of labels found in the data", preds: "class:string predicted:string\na b\n---\nc c", config: "input: {columns: {label: class}}",
		notes: `
prediction: column "predicted"
task: multiclass (labels are strings)
labels: those that occur in columns "class" and "predicted"`,
	}, {
		name: "inference of soft labels", preds: "label:[]double scores:[]float\n[0.5,0.25,0.25] [0.5,0.25,0.25]\n---\n[0,1,0] [0.5,0.25,0.25]",
		config: "task: multiclass\nmetrics: [accuracy, brier]",
		notes: `
label: column "label"
score: column "scores"
label_encoding: distribution (column "label" is list<double>)
labels: 3, numbered from 0 (the length of the lists in column "scores")
predictions: the class with the highest score`,
		report: "2 rows, 2 evaluated\naccuracy = 0.5\nbrier = 0.4375",
	}, {
		name: "decision without scores", preds: "label:bool prediction:bool\ntrue true", config: "decision: {threshold: 0.3}",
		notes: `
label: column "label"
prediction: column "prediction"
task: binary (labels are bool)
decision is not used: there are predictions in column "prediction", and no scores`,
	},
	{name: "quiet"},
	{name: "empty output directory", setup: folder("out")},
	{name: "direct", args: flagsOf + " --runner direct", report: "4 rows, 4 evaluated\naccuracy = 0.75\n…"},
	{
		name:   "flags override the configuration",
		config: "task: binary\ninput: {files: nowhere.parquet}\noutput: {dir: /proc/out}\nmetrics: [accuracy]",
		files:  map[string]string{"more.parquet": people},
		args:   "--input preds.parquet,more.parquet --output out",
		report: "8 rows, 8 evaluated\naccuracy = 0.75",
	}, {
		name: "configuration alone", config: "input: {files: [preds.parquet]}\noutput: {dir: out, formats: [json, markdown]}", args: "--quiet",
		check: func(t *testing.T, dir string) {
			require.Equal(t, []string{"", "/metrics.json", "/report.md", "/run.json", "/summary.txt"}, tree(t, filepath.Join(dir, "out")))
		},
	}, {
		name: "validate", args: flagsOf + " --validate", stdout: "valid: files 1, row groups 2, rows 4",
		notes: `
label: column "label"
score: column "score"
task: binary (one label, one score)
predictions: score >= 0.5`,
		check: writesNothing,
	}, {
		name: "validate without an output", args: "--input preds.parquet --quiet --validate", stdout: "valid: files 1, row groups 2, rows 4", check: writesNothing,
	}, {
		name: "validate reads no rows", args: flagsOf + " --validate", preds: many, setup: damage(0, "score"),
		stdout: "valid: files 1, row groups 2, rows 1000", check: writesNothing,
	},

	// Rows.
	{
		name: "some rows skipped", config: "bad_rows: skip\nmetrics: [accuracy]",
		preds: "label:int64? score:double\nnull 0.1\n1 0.4\n---\n1 NaN\n0 1.5\n1 NaN\n0 0.2",
		report: `
6 rows, 2 evaluated
skipped: NaN score: 2
skipped: null label: 1
skipped: probability outside [0, 1]: 1
warning: 66.7 % of the rows (4 of 6) were skipped: NaN score (2), null label (1), probability outside [0, 1] (1)
accuracy = 0.5`,
		stdout: `
binary: 2 of 6 rows evaluated, 4 skipped (NaN score: 2, null label: 1,
probability outside [0, 1]: 1), 2 examples, 2 labels
…
report: out`,
		check: func(t *testing.T, dir string) {
			require.Equal(t, []report.SkippedRow{
				{File: "preds.parquet", RowGroup: 0, Row: 0, Column: "label", Value: "null", Reason: "null label"},
				{File: "preds.parquet", RowGroup: 1, Row: 0, Column: "score", Value: "NaN", Reason: "NaN score"},
				{File: "preds.parquet", RowGroup: 1, Row: 1, Column: "score", Value: "1.5", Reason: "probability outside [0, 1]"},
				{File: "preds.parquet", RowGroup: 1, Row: 2, Column: "score", Value: "NaN", Reason: "NaN score"},
			}, skippedSample(t, dir))
		},
	}, {
		name: "weight of zero", preds: weighted, config: "metrics: [accuracy]",
		report: "3 rows, 3 evaluated\naccuracy = 1",
	}, {
		name: "files of other types and orders", config: "metrics: [accuracy, brier]", args: "--input *.parquet --output out",
		files:  map[string]string{"a.parquet": "extra:bool score:float label:int32\ntrue 0.25 0\n---\nfalse 0.75 1"},
		report: "6 rows, 6 evaluated\naccuracy = 0.8333\nbrier = 0.09083",
	}, {
		name: "rows in some row groups only", preds: "label:int64 score:double\n1 0.5", config: "metrics: [accuracy]", args: "--input *.parquet --output out",
		files:  map[string]string{"none.parquet": "label:int64 score:double"},
		report: "1 rows, 1 evaluated\naccuracy = 1",
	},

	// Metrics.
	{
		name: "metrics by their aliases", config: "metrics: [tpr, sensitivity, accuracy, ppv]",
		report: "4 rows, 4 evaluated\naccuracy = 0.75\nprecision = 1\nrecall = 0.5",
	}, {
		name: "metrics with parameters", config: "metrics: [f3, f<beta>]\nbeta: [0.25]",
		report: "4 rows, 4 evaluated\nf0.25 = 0.9444\nf3 = 0.5263",
	}, {
		name: "no rows of single labels", preds: classes, config: "per_label: none\nmetrics: [recall, recall_macro]",
		report: "3 rows, 3 evaluated\nrecall_macro = 1",
	}, {
		name: "rows of named labels", preds: classes, config: "per_label: ['2', '7']\nmetrics: [recall]",
		report: `
3 rows, 3 evaluated
warning: per_label names "7", which is not one of the labels
recall[2] = 1`,
	}, {
		name: "rows of the first labels", preds: classes, config: "per_label: 2\nmetrics: [recall]",
		report: `
3 rows, 3 evaluated
warning: metrics of single labels are reported for the first 2 of 3 labels that occur; set per_label for others
recall[0] = 1
recall[1] = 1`,
	}, {
		name: "zero division", preds: "label:int64 score:double\n0 0.1\n0 0.2", config: "zero_division: nan\nmetrics: [recall]",
		report: "2 rows, 2 evaluated\nrecall = NaN (no positive examples)",
		check: func(t *testing.T, dir string) {
			data, err := os.ReadFile(filepath.Join(dir, "out", report.MetricsJSON))
			require.NoError(t, err)
			require.Contains(t, string(data), `"value":null,"undefined":"no positive examples"`)
		},
	}, {
		name: "zero division of one", preds: "label:int64 score:double\n0 0.1\n0 0.2", config: "zero_division: 1\nmetrics: [recall]",
		report: "2 rows, 2 evaluated\nrecall = 1 (no positive examples)",
	},

	// Sparse scores.
	{
		name: "sparse scores", preds: sparse, config: sparseScores + "metrics: [f1_micro, coverage_error, ndcg@9]",
		notes: `
label: column "labels"
task: multilabel (labels are lists)
label_encoding: indices (column "labels" is list<int32>)
predictions: score >= 0.5`,
		report: "3 rows, 3 evaluated\ncoverage_error = 1.333\nf1_micro = 0.5714\nndcg@9 = 0.6399",
	}, {
		name: "sparse scores of labels found in the data", preds: sparse, config: "input: {columns: {score: scores, score_label: ids}}\nmetrics: [lrap]\npropensity: {frequencies: truth}",
		notes: `
label: column "labels"
task: multilabel (labels are lists)
label_encoding: indices (column "labels" is list<int32>)
labels: those that occur in columns "labels" and "ids"
predictions: score >= 0.5`,
	}, {
		name: "bad sparse scores skipped", config: sparseScores + "bad_rows: skip\nmetrics: [precision@1]",
		preds: "labels:[]int32 ids:[]int32? scores:[]double?\n[1] [1,1] [0.1,0.2]\n[1] [1] []\n[1] [5] [0.5]\n---\n[1] null [0.1]\n[1] [null] [0.1]\n[1] [1] [NaN]\n[1] [1] [0.5]",
		report: `
7 rows, 1 evaluated
skipped: NaN score: 1
skipped: duplicate label: 1
skipped: label out of range: 1
skipped: lists of unequal length: 1
skipped: null label: 1
skipped: null score: 1
warning: 85.7 % of the rows (6 of 7) were skipped: NaN score (1), duplicate label (1), label out of range (1), lists of unequal length (1), null label (1), null score (1)
precision@1 = 1`,
	}, {
		name: "sparse scores without decisions of classes", config: strings.Replace(sparseScores, "score:", "prediction: prediction, score:", 1) + "metrics: [top_k_accuracy@1, accuracy]",
		preds:  "label:int32 prediction:int32 ids:[]int32 scores:[]double\n1 1 [1,0] [0.1,0.2]\n2 1 [] []",
		report: "2 rows, 2 evaluated\naccuracy = 0.5\ntop_k_accuracy@1 = 0.5",
	}, {
		name: "more labels than a report lists", preds: sparse, config: "num_labels: 3000000\nper_label: 2\ninput: {columns: {score: scores, score_label: ids}}\nmetrics: [recall, recall_macro, ndcg@5]",
		report: `
3 rows, 3 evaluated
warning: metrics of single labels are reported for the first 2 of 3000000 labels that occur; set per_label for others; confusion matrices are reported for the first 1000 of 3000000 labels that occur; set per_label for others
ndcg@5 = 0.6399
recall[0] = 0
recall[1] = 1
recall_macro = 6.667e-07 (2999997 of 3000000 labels undefined)`,
	},

	// Curves and thresholds.
	{
		name: "tuned thresholds", config: "tune_thresholds: f1\nmetrics: [f1, max_f1]",
		report: `
4 rows, 4 evaluated
warning: the thresholds in thresholds.json were tuned on this data, for f1: evaluate them on other data
f1 = 0.6667
max_f1 = 1`,
		check: holds("out/thresholds.json", "{\n  \"default\": 0.4\n}\n"),
	}, {
		name: "thresholds of a file", config: "decision: {threshold: tuned.json}\nmetrics: [f1]", setup: text("tuned.json", `{"default": 0.4}`),
		notes: `
label: column "label"
score: column "score"
task: binary (one label, one score)
decision.threshold: from tuned.json
predictions: score >= 0.4`,
		report: "4 rows, 4 evaluated\nf1 = 1",
	}, {
		name: "tuned thresholds of labels", preds: tags, config: "tune_thresholds: f1\nmetrics: [f1]",
		check: holds("out/thresholds.json", "{\n  \"default\": 0.5,\n  \"0\": 0.7,\n  \"1\": 0.9,\n  \"2\": 0.6\n}\n"),
	}, {
		name: "thresholds of labels of a file", preds: tags, config: "decision: {threshold: tuned.json}\nmetrics: [f1]", setup: text("tuned.json", `{"0": 0.7, "1": 0.9}`),
		notes: `
label: column "labels"
score: column "scores"
task: multilabel (labels are lists)
label_encoding: indices (column "labels" is list<int32>)
labels: 3, numbered from 0 (the length of the lists in column "scores")
decision.threshold: from tuned.json, for 2 labels; for others 0.5`,
		report: "3 rows, 3 evaluated\nf1[0] = 1\nf1[1] = 1\nf1[2] = 1",
	}, {
		name: "validate curves and thresholds", args: flagsOf + " --validate",
		config: "tune_thresholds: youden\ncurves: {mode: exact, points: 0, bins: 9}\ncalibration: {strategy: quantile}\ndecision: {threshold: tuned.json}",
		setup:  text("tuned.json", `{"default": 0.4}`), stdout: "valid: files 1, row groups 2, rows 4",
		check: func(t *testing.T, dir string) {
			require.Equal(t, []string{"", "/eval.yaml", "/preds.parquet", "/tuned.json"}, tree(t, dir))
		},
	}, {
		name: "label column that the task can use", config: "task: binary\nmetrics: [accuracy]",
		preds:  "labels:[]int64 y_true:int64 score:double\n[1] 1 0.9\n[] 1 0.2",
		report: "2 rows, 2 evaluated\naccuracy = 0.5",
	},

	// Slices.
	{
		name: "slices", config: "slices: [country, {country: [fr, es]}]\nmetrics: [accuracy]",
		report: `
4 rows, 4 evaluated
warning: no row is in slice country=es, which is asked for
accuracy = 0.75
accuracy{country=de} = 1
accuracy{country=es} = NaN (no examples)
accuracy{country=fr} = 0.5`,
	}, {
		name: "slices of numbers", config: "slices: [{size: {bins: [1, 2.5]}}, {n: {quantiles: 2}, country: [de]}, {n: {bins: [3]}}]\nmetrics: [accuracy]\ngates: [{metric: accuracy, slice: {size: '>= 2.5'}, min: 0}]",
		preds: "label:int64 score:double country:string size:double? n:int64\n1 0.9 de 1 1\n0 0.2 fr null 2\n1 0.1 de 2.5 3\n1 0.8 de 2.4 4\n0 0.7 de 100 5",
		report: `
5 rows, 5 evaluated
accuracy = 0.6
accuracy{n < 3} = 1
accuracy{n >= 3} = 0.3333
accuracy{size=null} = 1
accuracy{size in [1, 2.5)} = 1
accuracy{size >= 2.5} = 0
accuracy{country=de, n < 3} = 1
accuracy{country=de, n >= 3} = 0.3333`,
	}, {
		name: "groups", config: "metrics: [f1]\ngroups: {by: country, reference: de}\ngates: [{metric: equalized_odds_difference, max: 0.1}]", code: 3,
		stderr: "evaluate: a gate failed: 1 of 1, see the report",
	}, {
		name: "slices by folder", config: "slices: [[region, country]]\nmetrics: [accuracy]", args: "--input data --output out",
		files: map[string]string{
			"data/region=eu/a.parquet":                         people,
			"data/region=__HIVE_DEFAULT_PARTITION__/b.parquet": people,
			"data/region=a%2Fb/c.parquet":                      "label:int64 score:double country:string\n0 0.7 de",
		},
		report: `
9 rows, 9 evaluated
accuracy = 0.6667
accuracy{country=de, region=null} = 1
accuracy{country=de, region=a/b} = 0
accuracy{country=de, region=eu} = 1
accuracy{country=fr, region=null} = 0.5
accuracy{country=fr, region=eu} = 0.5`,
	},

	// Sizes.
	{
		name: "10,000 classes", config: "task: multiclass\nmetrics: [accuracy, recall, recall_macro]\nper_label: 1",
		preds: lines("label:int64 prediction:int64", 20_000, func(i int) string {
			return fmt.Sprint(i%10_000, " ", i/2%10_000)
		}),
		report: `
20000 rows, 20000 evaluated
warning: metrics of single labels are reported for the first 1 of 10000 labels that occur; set per_label for others
accuracy = 0.0001
recall[0] = 0.5
recall_macro = 0.0001`,
	}, {
		name: "10,000 scores", config: "metrics: [accuracy, log_loss, recall_macro]",
		preds: lines("label:int64 scores:[]double", 4, func(i int) string {
			scores := strings.Repeat("0,", 9_999)
			return fmt.Sprintf("%d [%s1]", []int{9_999, 9_999, 0, 9_999}[i], scores)
		}),
		report: `
4 rows, 4 evaluated
accuracy = 0.75
log_loss = 9.011
recall_macro = 0.0001 (9998 of 10000 labels undefined)`,
	}, {
		name: "10,000 slices", config: "slices: [n]\nmetrics: [accuracy]",
		preds: lines("label:int64 score:double n:int64", 20_000, func(i int) string {
			return fmt.Sprint(i%2, " 0.5 ", i/2)
		}),
		check: func(t *testing.T, dir string) {
			r := readReport(t, filepath.Join(dir, "out"))
			require.Len(t, r.Metrics, 10_001)
			for i, m := range r.Metrics[1:] {
				require.Equal(t, slice.Int(int64(i)), m.Slice[0].Value)
				require.InDelta(t, 0.5, m.Value, 0)
			}
		},
	},
}

func writesNothing(t *testing.T, dir string) {
	require.Equal(t, []string{"", "/preds.parquet"}, tree(t, dir))
}

// holds returns a check that a file contains a text.
func holds(name, content string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		require.Equal(t, content, contentOf(t, dir, name))
	}
}

func contentOf(t *testing.T, dir, name string) string {
	data, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(data)
}

// skippedSample returns the skipped rows listed in run.json. Remote workers use absolute file
// names.
func skippedSample(t *testing.T, dir string) []report.SkippedRow {
	data, err := os.ReadFile(filepath.Join(dir, "out", "run.json"))
	require.NoError(t, err)
	var run struct {
		Sample []report.SkippedRow `json:"skipped_sample"`
	}
	require.NoError(t, json.Unmarshal(data, &run))
	for i, row := range run.Sample {
		run.Sample[i].File = strings.TrimPrefix(row.File, dir+"/")
	}
	return run.Sample
}
