package evaluate

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/parquet-go/parquet-go"
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
	{
		name: "empty lines without end", code: 2, args: "--input p.csv.gz --output out", config: "input: {max_page_mib: 1}",
		setup: func(t *testing.T, dir string) {
			var data bytes.Buffer
			z := gzip.NewWriter(&data)
			_, err := z.Write([]byte("label,score\n1,0.5\n" + strings.Repeat("\n", 5<<20)))
			require.NoError(t, errors.Join(err, z.Close()))
			text("p.csv.gz", data.String())(t, dir)
		},
		stderr: "evaluate: p.csv.gz: line 1048579: more than 1 MiB of empty lines end here: remove them, or set input.max_page_mib if that is no mistake",
	},
	{
		name: "many rows of a query", code: 1, args: "--input p.csv --output out", config: "task: ranking\ninput: {max_row_values: 3}",
		setup:  text("p.csv", "query,label,score\na,1,1\na,0,2\na,0,3\nb,1,1\nb,0,2\nb,0,3\nb,0,4\n"),
		stderr: `evaluate: p.csv: line 5: column "query": the example or query "b" has more than 3 rows, and is held whole: set input.max_row_values to a larger number if that is no mistake`,
	},
	{
		name: "many rows of an example in two row groups", code: 1, config: "task: multilabel\ninput: {layout: label, max_row_values: 3, columns: {class: name}}\nbad_rows: skip",
		preds:  "example_id:int64 name:string label:int64 score:double\n7 a 1 0.5\n7 b 1 0.5\n---\n7 c 1 0.5\n7 d 1 0.5",
		stderr: `evaluate: preds.parquet: row group 0, row 0: column "example_id": the example or query 7 has more than 3 rows, …`,
	},
	{
		name: "many judgements of a query", code: 1, args: "--input p.csv --output out", config: "task: ranking\ninput: {max_row_values: 3, columns: {item: doc}}\ntruth: {files: [t.csv], columns: {item: doc}}",
		setup: func(t *testing.T, dir string) {
			text("p.csv", "query,doc,score\na,x,1\n")(t, dir)
			text("t.csv", "query,doc,label\na,x,1\na,y,2\na,z,0\na,v,1\n")(t, dir)
		},
		stderr: `evaluate: t.csv: line 2: column "query": the example or query "a" has more than 3 rows, …`,
	},
	{
		name: "as many rows of a query as may be", args: "--input p.csv --output out", config: "task: ranking\nmetrics: [mrr]\ninput: {max_row_values: 3}",
		setup:  text("p.csv", "query,label,score\na,1,1\na,0,2\na,0,3\n"),
		report: "1 rows, 1 evaluated\nmrr = 0.3333",
	},
	{
		name: "a value of a slice of 5 MB", code: 1, setup: copied("long_name.parquet"), args: "--input long_name.parquet --output out", config: "slices: [[name]]",
		// 702 bytes, which PyArrow 26.0.1 has written with compression="zstd", write_statistics=False
		stderr: `evaluate: long_name.parquet: row group 0: column "name": row 1: a text of 5000000 bytes, and names of at most 65536 are read: write shorter names, or set input.max_name_kib to a larger number`,
	},
	{
		name: "a label of 70 kB", code: 1, args: "--input p.jsonl --output out", setup: text("p.jsonl", "{\"label\": \"a\", \"prediction\": \"a\"}\n{\"label\": \""+strings.Repeat("b", 70_000)+"\", \"prediction\": \"a\"}\n"),
		stderr: `evaluate: p.jsonl: line 2: column "label": a text of 70000 bytes, and names of at most 65536 are read: …`,
	},
	{
		name: "an id of 70 kB", code: 1, args: "--input p.csv --output out", config: "task: ranking", setup: text("p.csv", "query,label,score\na,1,1\n"+strings.Repeat("q", 70_000)+",0,1\n"),
		stderr: `evaluate: p.csv: line 3: column "query": a text of 70000 bytes, and names of at most 65536 are read: …`,
	},
	{
		name: "a label of 70 kB in labels_file", code: 2, config: "labels_file: names.txt", preds: "label:string prediction:string\na a", setup: text("names.txt", "a\n"+strings.Repeat("b", 70_000)+"\n"),
		stderr: `evaluate: labels_file: names.txt: line 2: label 1 is a text of 70000 bytes, and names of at most 65536 are read: …`,
	},
	{
		name: "a label of 70 kB in the metadata", code: 2, preds: "label:string prediction:string\na a\n# labels [\"a\",\"" + strings.Repeat("b", 70_000) + "\"]",
		stderr: `…label 1 is a text of 70000 bytes, and names of at most 65536 are read: …`,
	},
	{
		name: "a label of 70 kB in the name of a column", code: 2, preds: "label:string proba_a:double proba_" + strings.Repeat("b", 70_000) + ":double\na 0.5 0.5",
		stderr: `…label 1 is a text of 70000 bytes, and names of at most 65536 are read: …`,
	},
	{
		name: "a label of 70 kB in Arrow", code: 1, setup: longArrow(false), args: "--input p.arrows --output out",
		stderr: `evaluate: p.arrows: row group 0: column "label": row 1: a text of 70000 bytes, and names of at most 65536 are read: …`,
	},
	{
		name: "a label of 70 kB in a dictionary of Arrow", code: 1, setup: longArrow(true), args: "--input p.arrows --output out",
		stderr: `evaluate: p.arrows: row group 0: column "label": row 0: the dictionary: a text of 70000 bytes, and names of at most 65536 are read: …`,
	},
	{
		name: "labels that fill the memory", code: 1, args: "--input p.jsonl --output out", config: "task: multiclass\noutput: {max_names_mib: 1}",
		setup: text("p.jsonl", linesOf(20, func(i int) string {
			return fmt.Sprintf(`{"label": "%d%s", "prediction": "a"}`, i, strings.Repeat("x", 60_000))
		})),
		stderr: `…different texts take more than 1048576 bytes, and a worker holds them: write shorter texts, or set output.max_names_mib to a larger number; most are of column "label"`,
	},
	{
		name: "a long name that is meant", setup: longNames(70_000, 2), args: "--input p.parquet --output out", config: "input: {max_name_kib: 69}\nslices: [[name]]\nmetrics: [accuracy]",
		report: "2 rows, 2 evaluated\n…",
	},
	{
		name: "names of slices that fill the report", code: 1, setup: longNames(60_000, 12), args: "--input p.parquet --output out", config: "slices: [[name]]\noutput: {max_names_mib: 1}",
		stderr: `evaluate: names take … bytes of the report or more (the size of each, times the rows that repeat it), and may take 1048576; most are values of column "name": write shorter names, evaluate fewer slices, labels or metrics, or set output.max_names_mib to a larger number`,
	},
	{
		name: "names of slices that fill the memory", code: 1, setup: longNames(60_000, 20), args: "--input p.parquet --output out", config: "slices: [[name]]\nmetrics: [accuracy]\noutput: {max_names_mib: 1}",
		stderr: `evaluate: names take 1080077 bytes of the report or more …`,
	},
}

// longArrow writes p.arrows: two rows; the second has a label of 70 kB.
func longArrow(coded bool) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		var label arrow.DataType = arrow.BinaryTypes.String
		if coded {
			label = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: label}
		}
		schema := arrow.NewSchema([]arrow.Field{{Name: "label", Type: label}, {Name: "prediction", Type: arrow.BinaryTypes.String}}, nil)
		rows := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer rows.Release()
		for _, name := range []string{"a", strings.Repeat("b", 70_000)} {
			require.NoError(t, rows.Field(0).AppendValueFromString(name))
			require.NoError(t, rows.Field(1).AppendValueFromString("a"))
		}
		batch := rows.NewRecordBatch()
		defer batch.Release()
		var data bytes.Buffer
		w := ipc.NewWriter(&data, ipc.WithSchema(schema))
		require.NoError(t, errors.Join(w.Write(batch), w.Close()))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "p.arrows"), data.Bytes(), 0o666))
	}
}

// longNames writes p.parquet: n rows with names in a compressed dictionary. The first name is 0;
// every other name has the given size.
func longNames(size, n int) func(*testing.T, string) {
	type row struct {
		Label int64   `parquet:"label"`
		Score float64 `parquet:"score"`
		Name  string  `parquet:"name,dict,zstd"`
	}
	return func(t *testing.T, dir string) {
		var data bytes.Buffer
		w := parquet.NewGenericWriter[row](&data)
		for i := range n {
			name := fmt.Sprint(i)
			if i > 0 {
				name += strings.Repeat("x", size-len(name))
			}
			_, err := w.Write([]row{{Name: name}})
			require.NoError(t, err)
		}
		require.NoError(t, w.Close())
		require.NoError(t, os.WriteFile(filepath.Join(dir, "p.parquet"), data.Bytes(), 0o666))
	}
}
