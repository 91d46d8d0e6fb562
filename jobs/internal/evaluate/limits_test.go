package evaluate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// limitRefusals are rejected before any row is read: a few bytes would take much time or memory.
var limitRefusals = []refusal{
	{"a configuration of brackets", "", strings.Repeat("[", 100_000), "eval.yaml:1:65: values nest deeper than 64"},
	{"a configuration of braces", "", strings.Repeat("{a: ", 100_000), "eval.yaml:1:257: values nest deeper than 64"},
	{"a configuration of dashes", "", strings.Repeat("- ", 100_000), "eval.yaml:1:129: values nest deeper than 64"},
	{"a configuration of question marks", "", strings.Repeat("? ", 100_000), "eval.yaml:1:129: values nest deeper than 64"},
	{"aliases of aliases", "", aliasBomb(), "…\n…\neval.yaml:7:43: aliases repeat more than 100000 values\n…"},
	{"a message of the YAML library", "", "*" + strings.Repeat("a", 100_000), `eval.yaml:1:1: unknown anchor 'aaa…aaa… (… bytes)`},
	{
		"10,000 unknown keys", "", lines("task: binary", 10_000, func(i int) string { return fmt.Sprintf("key%d: 1", i) }),
		strings.TrimPrefix(lines("", 20, func(i int) string { return fmt.Sprintf(`eval.yaml:%d:1: unknown key "key%d" …`, i+2, i) }), "\n") + "\neval.yaml:22:1: more problems from here on: 9980",
	},
}

// longFooter writes a sparse file with a footer of 100 MB.
func longFooter(name, magic string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		const length = 100_000_000
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(magic), 0o666))
		require.NoError(t, os.Truncate(path, length+1000))
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.Write(append(binary.LittleEndian.AppendUint32(nil, length), magic...))
		require.NoError(t, errors.Join(err, f.Close()))
	}
}

// manyNames are names of a header.
func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ",c%d", i)
	}
	return b.String()
}

// jsonOf is an object with keys for these numbers.
func jsonOf(from, to int) string {
	keys := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		keys = append(keys, fmt.Sprintf(`"c%d": 0`, i))
	}
	return "{" + strings.Join(keys, ", ") + "}\n"
}

// aliasBomb is a configuration whose slices would be a hundred million columns.
func aliasBomb() string {
	var b strings.Builder
	b.WriteString("labels:\n- &a0 a\n")
	for i := range 7 {
		fmt.Fprintf(&b, "- &a%d [%s]\n", i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9)+fmt.Sprintf("*a%d", i))
	}
	return b.String() + "slices: *a7\n"
}

// limits are runs on input that must take limited time and memory.
var limits = []scenario{
	{
		name: "folders that link to each other", args: "--input data --output out", config: "metrics: [accuracy]",
		setup: func(t *testing.T, dir string) {
			for i := range 20 {
				folder := filepath.Join(dir, fmt.Sprintf("data/f%d", i))
				writeTable(t, filepath.Join(folder, "preds.parquet"), people)
				for j := range 20 {
					require.NoError(t, os.Symlink(fmt.Sprintf("../f%d", j), fmt.Sprintf("%s/to%d", folder, j)))
				}
			}
		},
		report: "80 rows, 80 evaluated\naccuracy = 0.75",
	},
	{
		name: "a footer of 100 MB of Parquet", args: "--input p.parquet --output out", code: 2, setup: longFooter("p.parquet", "PAR1"),
		stderr: "evaluate: p.parquet: a footer of 100000000 bytes, and at most 67108864 are read: write larger row groups, fewer columns or less metadata",
	},
	{
		name: "a footer of 100 MB of Arrow", args: "--input p.arrow --output out", code: 2, setup: longFooter("p.arrow", "ARROW1"),
		stderr: "evaluate: p.arrow: a footer of 100000000 bytes, and at most 67108864 are read: write larger row groups, fewer columns or less metadata",
	},
	{
		name: "10,001 columns", args: "--input p.csv --output out", code: 2,
		setup:  text("p.csv", "label,score"+manyNames(9_999)+"\n0,0.5\n"),
		stderr: "evaluate: p.csv: line 1: the header has 10001 names, and at most 10000 columns are read: write scores of many labels as one column of lists, in Parquet or JSON lines",
	},
	{
		name: "10,001 columns in two files", args: "--input data --output out", code: 2,
		setup: func(t *testing.T, dir string) {
			text("data/a.jsonl", jsonOf(0, 9_000))(t, dir)
			text("data/b.jsonl", jsonOf(8_000, 10_001))(t, dir)
		},
		stderr: "evaluate: data/b.jsonl: with the files before it, this one has more than 10000 columns: give the same things the same names in all files, or evaluate fewer files at once",
	},
	{
		name: "a long list in the first row", code: 1, config: "input: {max_row_values: 3}",
		preds:  "labels:[]int32 scores:[]double\n[0] [0.1,0.2,0.3,0.4]",
		stderr: `evaluate: preds.parquet: row group 0: column "scores": row 0: the row has 4 values or more, and at most 3 are read: set input.max_row_values to a larger number if that is no mistake`,
	},
	{
		name: "a long list that is read after all others", code: 1, config: "input: {max_row_values: 3}\nbad_rows: skip",
		preds:  "labels:[]int32 scores:[]double\n[0] [0.1,0.2,0.3]\n---\n[0] [0.1,0.2,0.3]\n[0,1,2,0] [0.1,0.2,0.3]",
		stderr: `evaluate: preds.parquet: row group 1: column "labels": row 1: the row has 4 values or more, …`,
	},
	{
		name: "300,000 scores", code: 1, args: "--input p.jsonl --output out", config: "task: multilabel",
		setup:  text("p.jsonl", `{"labels": [0], "scores": [0.5`+strings.Repeat(",0.5", 299_999)+"]}\n"),
		stderr: `evaluate: p.jsonl: line 1: column "scores": the row has 100001 values or more, and at most 100000 are read: set input.max_row_values to a larger number if that is no mistake`,
	},
	{
		name: "lists of as many values as may be", config: "input: {max_row_values: 3}\nmetrics: [subset_accuracy]",
		preds:  "labels:[]int32 scores:[]double\n[0] [0.9,0.2,0.3]",
		report: "1 rows, 1 evaluated\nsubset_accuracy = 1",
	},
	{
		name: "many wide columns", code: 2, preds: spread, config: "input: {max_row_values: 2, columns: {score: proba_*}}",
		stderr: `evaluate: eval.yaml:1:45: input.columns.score: "proba_*" stands for 3 columns, and at most 2 values of a row are read: set input.max_row_values to a larger number if that is no mistake`,
	},
}
