package evaluate

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

// hostileRefusals are rejected before any row is read.
var hostileRefusals = []refusal{
	{"a billion labels of lists of two", "labels:[]int32 scores:[]double\n[0] [0.1,0.2]", "num_labels: 1000000000", `eval.yaml:1:13: num_labels: there are 1000000000 labels, but column "scores" has 2 values a row`},
	{"more labels than there are numbers for", "labels:[]int32 scores:[]double\n[0] [0.1,0.2]", "num_labels: 3000000000", `eval.yaml:1:13: num_labels: must be from 1 to 2147483647, is 3000000000`},
	{"rows of a billion labels", "labels:[]int32 predictions:[]int32\n[0] [0]", "num_labels: 1000000000\nper_label: all", `eval.yaml:2:12: per_label: a report of 1000000000 labels would have … metric rows; name the labels that matter, or give a number`},
	{"a billion labels with a row for each", "id:int32 class:int32 label:int32 score:double\n1 7 1 0.9", "task: multilabel\nnum_labels: 1000000000\ninput: {columns: {example: id, class: class}}", `eval.yaml:2:13: num_labels: an example needs a row for each of 1000000000 labels, but there are 1 rows; if labels without a row have no score, set input.columns.score_label to "class"`},
	{"the only column of labels is another", "label:int64\n1", "input: {columns: {score: label}}", `no label column: set input.columns.label (column "label" has another role, or does not fit)`},
}

// hostile are runs with unexpected values and sizes.
var hostile = slices.Concat(confusions, []scenario{
	// Slices that are asked for.
	{
		name: "value of a slice that no row has", config: "metrics: [accuracy]\nslices: [{country: [de, xx]}]",
		report: `
4 rows, 4 evaluated
warning: no row is in slice country=xx, which is asked for
accuracy = 0.75
accuracy{country=de} = 1
accuracy{country=xx} = NaN (no examples)`,
		check: func(t *testing.T, dir string) {
			r := readReport(t, filepath.Join(dir, "out"))
			require.Zero(t, r.Metrics[len(r.Metrics)-1].Support)
		},
	}, {
		name: "number of a slice that no row has", preds: "label:int64 score:double n:int64\n0 0.1 1\n---\n1 0.9 2",
		config: "metrics: [accuracy]\nslices: [{n: [2, 3, null]}]",
		report: `
2 rows, 2 evaluated
warning: no row is in slice n="3", which is asked for; no row is in slice n=null, which is asked for
accuracy = 1
accuracy{n=null} = NaN (no examples)
accuracy{n=2} = 1
accuracy{n="3"} = NaN (no examples)`,
	}, {
		name: "combination of values that no row has", preds: "label:int64 score:double n:int64 c:string\n0 0.1 1 a\n---\n1 0.9 2 b",
		config: "metrics: [accuracy]\nslices: [{n: [1, 2], c: [a]}]",
		report: `
2 rows, 2 evaluated
warning: no row is in slice c=a, n="2", which is asked for
accuracy = 1
accuracy{c=a, n=1} = 1
accuracy{c=a, n="2"} = NaN (no examples)`,
	}, {
		name: "slices that no row has on direct", config: "metrics: [accuracy]\nslices: [{country: [xx]}]", args: flagsOf + " --runner direct",
		report: `
4 rows, 4 evaluated
warning: no row is in slice country=xx, which is asked for
accuracy = 0.75
accuracy{country=xx} = NaN (no examples)`,
	},

	// Names.
	{
		name: "bytes and the text that shows them", setup: bytesOf("\xff\xfe", `\xff\xfe`, "\xff\xfe", "de"), config: "metrics: [accuracy]\nslices: [country]",
		report: `
4 rows, 4 evaluated
accuracy = 0.75
accuracy{country=\x5cxff\x5cxfe} = 1
accuracy{country=de} = 1
accuracy{country=\xff\xfe} = 0.5`,
		check: func(t *testing.T, dir string) {
			for _, name := range []string{"metrics.json", "metrics.csv"} {
				data, err := os.ReadFile(filepath.Join(dir, "out", name))
				require.NoError(t, err)
				require.Contains(t, string(data), `\\xff\\xfe`)
				require.Contains(t, string(data), `\\x5cxff\\x5cxfe`)
			}
		},
	}, {
		name: "labels of bytes and of the text that shows them", setup: labelsOf("\xff", `\xff`, "=1+1"), config: "task: multiclass\nmetrics: [recall]",
		report: `
3 rows, 3 evaluated
recall[=1+1] = 1
recall[\xff] = 1
recall[…] = 1`,
		check: func(t *testing.T, dir string) {
			require.Equal(t, []string{`\xff`, "=1+1", "\xff"}, sortedLabels(readReport(t, filepath.Join(dir, "out")).Labels))
			data, err := os.ReadFile(filepath.Join(dir, "out", "metrics.csv"))
			require.NoError(t, err)
			require.Contains(t, string(data), "recall,{},'=1+1,1,,,,1,")
		},
	}, {
		name: "a value of 1 MB", setup: bytesOf(huge, huge+"y", "de", "de"), config: "input: {max_name_kib: 2000}\nmetrics: [accuracy]\nslices: [{country: [de, xx]}]",
	}, {
		name: "a bad value of 1 MB", config: "input: {max_name_kib: 2000}\ntask: multiclass\nlabels: [a, b]", setup: labelsOf("a", huge), code: 1,
		stderr: "evaluate: preds.parquet: row group 0, row 1: column \"label\": \"xxx…xxx… (1000000 bytes)\": not one of the 2 labels; see labels and labels_file" + end,
	}, {
		name: "a column name of 1 MB", config: "input: {max_row_values: 3, columns: {score: " + huge + "}}", code: 1,
		args: "--input p.jsonl --output out", setup: text("p.jsonl", `{"labels": [0], "`+huge+`": [1, 2, 3, 4]}`),
		stderr: "evaluate: p.jsonl: line 1: column \"xxx…xxx… (1000000 bytes)\": the row has 4 values or more, and at most 3 are read: …",
	}, {
		name: "a file name of 1 MB", config: "input: {files: " + huge + "}", args: "--output out", code: 2,
		stderr: "evaluate: find xxx…xxx… (1000000 bytes): file name too long",
	}, {
		name: "1 MB in the configuration", config: "task: " + huge, code: 2,
		stderr: "evaluate: eval.yaml:1:7: task: unknown value \"xxx…x…\" (valid values: binary, multiclass, multilabel, regression, ranking, preference, grade, agreement)",
	}, {
		name: "file names that control a terminal", preds: people, args: "--input no\x1b[31msuch --output out", code: 2,
		stderr: `evaluate: no\x1b[31msuch: …`,
	},

	// Sizes.
	{
		name: "a billion labels", preds: "labels:[]int32 predictions:[]int32\n[0,5] [0]\n---\n[999999999] [999999999]", config: "num_labels: 1000000000\nmetrics: [subset_accuracy, recall_micro]",
		report: `
2 rows, 2 evaluated
warning: confusion matrices are reported for the first 1000 of 1000000000 labels that occur; set per_label for others
recall_micro = 0.6667
subset_accuracy = 0.5`,
		check: func(t *testing.T, dir string) {
			require.Equal(t, []string{"0/0,0:1", "0/1,1:1", "5/0,0:1", "5/1,0:1", "999999999/0,0:1", "999999999/1,1:1"}, cellsOf(t, dir))
		},
	}, {
		name: "a billion labels of sparse scores", config: "num_labels: 1000000000\ninput: {columns: {score: scores, score_label: ids}}\nmetrics: [subset_accuracy]",
		preds:  "labels:[]int32 ids:[]int32 scores:[]double\n[7] [7,999999999] [0.9,0.1]",
		report: "1 rows, 1 evaluated\nwarning: …\nsubset_accuracy = 1",
	}, {
		name: "a billion labels of rows for each", config: "task: multilabel\nnum_labels: 1000000000\ninput: {columns: {example: id, class: class, score_label: class}}\nmetrics: [subset_accuracy]",
		preds:  "id:int32 class:int32 label:int32 score:double\n1 7 1 0.9\n1 999999999 0 0.1\n---\n2 999999999 0 0.1",
		report: "2 rows, 2 evaluated\nwarning: …\nsubset_accuracy = 1",
	}, {
		name: "too many slices", config: "slices: [country]\nmax_slices: 1", code: 1,
		stderr: `evaluate: slices: more than 1 slices: column "country" alone has 2 values or more; slice by a column of fewer values, list the values that matter, or set max_slices`,
	},
	{name: "not too many slices", config: "slices: [country]\nmax_slices: 2"},
	{
		name: "too many slices by default", config: "slices: [n]\ntask: binary\nmetrics: [accuracy]", code: 1,
		preds:  lines("label:int64 score:double n:int64", 100_001, func(i int) string { return fmt.Sprintf("1 0.5 %d", i) }),
		stderr: `evaluate: slices: more than 100000 slices: column "n" alone has 100001 values or more; slice by a column of fewer values, list the values that matter, or set max_slices`,
	}, {
		name: "too many slices that are asked for", config: "slices: [{country: [a, b, c]}]\nmax_slices: 2\nmetrics: [accuracy]", code: 1,
		stderr: `evaluate: slices: more than 2 slices: slices[0] asks for 3 or more; list fewer values, or set max_slices`,
	},
})

var huge = strings.Repeat("x", 1_000_000)

// bytesOf is a setup that writes the table of people with these countries.
func bytesOf(countries ...string) func(*testing.T, string) {
	type row struct {
		Label   int64   `parquet:"label"`
		Score   float64 `parquet:"score"`
		Country []byte  `parquet:"country"`
	}
	return func(t *testing.T, dir string) {
		rows := []row{{0, 0.1, nil}, {1, 0.9, nil}, {1, 0.4, nil}, {0, 0.2, nil}}
		for i := range rows {
			rows[i].Country = []byte(countries[i])
		}
		writeRows(t, dir, rows)
	}
}

// labelsOf is a setup that writes a table of these labels, all predicted.
func labelsOf(labels ...string) func(*testing.T, string) {
	type row struct {
		Label      []byte `parquet:"label"`
		Prediction []byte `parquet:"prediction"`
	}
	return func(t *testing.T, dir string) {
		var rows []row
		for _, label := range labels {
			rows = append(rows, row{[]byte(label), []byte(label)})
		}
		writeRows(t, dir, rows)
	}
}

func writeRows[T any](t *testing.T, dir string, rows []T) {
	var file bytes.Buffer
	require.NoError(t, parquet.Write(&file, rows))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "preds.parquet"), file.Bytes(), 0o666))
}

func sortedLabels(labels []string) []string {
	slices.SortFunc(labels, func(a, b string) int { return len(b)*256 + int(b[0]) - len(a)*256 - int(a[0]) })
	return labels
}
