package evaluate

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"
)

// Valid tables. The second row group of each has one row, which tests replace.
const (
	classes = `
label:int32? scores:[]double?
0            [0.7,0.2,0.1]
1            [0.1,0.8,0.1]
---
2            [0.3,0.3,0.4]`

	tags = `
labels:[]int32? scores:[]double?
[0,2]           [0.7,0.2,0.6]
[]              [0.1,0.8,0.1]
---
[1]             [0.3,0.9,0.4]`

	names = `
labels:[]string scores:[]double
[beach,sunset]  [0.7,0.2,0.6]
[]              [0.1,0.8,0.1]
---
[sea]           [0.3,0.9,0.4]`

	indicators = `
labels:[]int32 scores:[]double
[1,0,1]        [0.7,0.2,0.6]
[0,0,0]        [0.1,0.8,0.1]
---
[0,1,0]        [0.3,0.9,0.4]`

	sparse = `
labels:[]int32? ids:[]int32? scores:[]double?
[0,2]           [2,0,1]      [0.7,0.2,0.6]
[]              [1]          [0.8]
---
[1]             [0,1]        [0.3,0.9]`

	weighted = `
label:int64? score:double? weight:double?
0            0.1           1
1            0.9           2.5
---
1            0.4           0`
)

// sparseScores configures the table of that name.
const sparseScores = "num_labels: 3\ninput: {columns: {score: scores, score_label: ids}}\n"

// last replaces the last row of a table.
func last(table, row string) string {
	return table[:strings.LastIndexByte(table, '\n')+1] + row
}

// Where a bad row is, and what can be done about it.
const (
	row = `evaluate: preds.parquet: row group 1, row 0: column `
	end = ` (set bad_rows: skip to count and skip bad rows)`
)

// failedBadRows are tables with a bad row.
var failedBadRows = []badRow{
	{"no score", weighted, "1 null 1", "", `"score": null: the score is missing`},
	{"score not a number", weighted, "1 NaN 1", "", `"score": NaN: not a number`},
	{"no probability", weighted, "1 1.2 1", "", `"score": 1.2: expected a probability within [0, 1]; set input.score_type to logit or score if these are not probabilities`},
	{"infinite probability", weighted, "1 Inf 1", "", `"score": +Inf: expected a probability within [0, 1]; set input.score_type to logit or score if these are not probabilities`},
	{"label that is not binary", weighted, "2 0.4 1", "", `"label": 2: expected 0 or 1; set positive_label if another value means positive`},
	{"no weight", weighted, "1 0.4 null", "", `"weight": null: the weight is missing`},
	{"negative weight", weighted, "1 0.4 -0.5", "", `"weight": -0.5: expected a weight of 0 or more`},
	{"weight not a number", weighted, "1 0.4 NaN", "", `"weight": NaN: expected a finite number`},
	{"class out of range", classes, "3 [0.3,0.3,0.4]", "", `"label": 3: expected a label index from 0 to 2`},
	{"too few scores", classes, "2 [0.3,0.7]", "", `"scores": 2 scores: expected 3, one for each label`},
	{"no scores", classes, "2 null", "", `"scores": null: the score is missing`},
	{"no score in a list", classes, "2 [0.3,null,0.4]", "", `"scores": null (element 1): the score is missing`},
	{"label out of range", tags, "[1,7] [0.3,0.9,0.4]", "", `"labels": 7 (element 1): expected a label index from 0 to 2`},
	{"label twice", tags, "[1,0,1] [0.3,0.9,0.4]", "", `"labels": "1": the list names it twice; set input.label_encoding to indicator if lists have a 0 or 1 for each label`},
	{"no labels", tags, "null [0.3,0.9,0.4]", "", `"labels": null: the label is missing`},
	{"no label in a list", tags, "[null] [0.3,0.9,0.4]", "", `"labels": null (element 0): the label is missing`},
	{"unknown label name", names, "[sea,lake] [0.3,0.9,0.4]", "labels: [beach, sea, sunset]", `"labels": "lake" (element 1): not one of the 3 labels; see labels and labels_file`},
	{"indicator of the wrong length", indicators, "[0,1] [0.3,0.9,0.4]", "input: {label_encoding: indicator}", `"labels": 2 values: expected 3, one for each label`},
	{"indicator of 2", indicators, "[0,1,2] [0.3,0.9,0.4]", "input: {label_encoding: indicator}", `"labels": 2 (element 2): expected 0 or 1 for each label`},
	{"label twice among sparse scores", sparse, "[1] [0,1,0] [0.3,0.9,0.4]", sparseScores, `"ids": "0": the list names it twice`},
	{"label of a sparse score out of range", sparse, "[1] [0,3] [0.3,0.9]", sparseScores, `"ids": 3 (element 1): expected a label index from 0 to 2`},
	{"label without a score of its own", sparse, "[1] [0,1] [0.3]", sparseScores, `"scores": 2 labels and 1 scores: expected a label for each score`},
	{"no labels of sparse scores", sparse, "[1] null [0.3]", sparseScores, `"ids": null: the list is missing; where no label has a score, it must be empty`},
	{"no sparse scores", sparse, "[1] [0] null", sparseScores, `"scores": null: the list is missing; where no label has a score, it must be empty`},
	{"no label of a sparse score", sparse, "[1] [0,null] [0.3,0.9]", sparseScores, `"ids": null (element 1): the label is missing`},
	{"no sparse score of a label", sparse, "[1] [0,1] [0.3,null]", sparseScores, `"scores": null (element 1): the score is missing`},
	{"sparse score that is no probability", sparse, "[1] [0,1] [0.3,1.5]", sparseScores, `"scores": 1.5 (element 1): expected a probability within [0, 1]; …`},
}

// failed are runs that fail because of rows.
var failed = []scenario{
	{
		name: "no label", preds: last(weighted, "null 0.4 1"), code: 1,
		stderr: row + `"label": null: the label is missing` + end,
		notes: `
label: column "label"
score: column "score"
weight: column "weight"
task: binary (one label, one score)
predictions: score >= 0.5`,
	}, {
		name:   "unknown name of a sparse score",
		preds:  "labels:[]string ids:[]string scores:[]double\n[sea] [sea,beach] [0.1,0.2]\n---\n[] [lake] [0.5]",
		config: "labels: [beach, sea]\ninput: {columns: {score: scores, score_label: ids}}", code: 1,
		stderr: row + `"ids": "lake" (element 0): not one of the 2 labels; see labels and labels_file` + end,
	}, {
		name:   "no class with a score",
		preds:  "label:int32 ids:[]int32 scores:[]double\n1 [1,0] [0.1,0.2]\n---\n1 [] []",
		config: sparseScores + "task: multiclass", code: 1,
		stderr: row + `"scores": an empty list: expected a score for at least one class, to predict a class from` + end,
	}, {
		name: "target not a number", preds: "target:double prediction:double\n1 2\n---\nNaN 3", code: 1,
		stderr: row + `"target": NaN: expected a finite number` + end,
	}, {
		name: "target that float64 does not hold", preds: "target:int64 prediction:double\n1 2\n---\n9007199254740993 3", config: "task: regression", code: 1,
		stderr: row + `"target": 9007199254740993: expected a number that float64 holds exactly, …` + end,
	}, {
		name: "bad row on prism", preds: last(weighted, "1 1.2 1"), args: flagsOf + " --runner prism", code: 1,
		stderr: warningOfPrism + "\n" + row + `"score": 1.2: expected a probability within [0, 1]; …` + end,
	}, {
		name: "all rows skipped", config: "bad_rows: skip", code: 1,
		preds:  "label:int64? score:double\nnull 0.1\n---\n1 NaN\n0 1.5\n1 NaN",
		stderr: `evaluate: no rows to evaluate: all rows were skipped: NaN score (2), null label (1), probability outside [0, 1] (1); the first is preds.parquet: row group 0, row 0: column "label": null`,
	}, {
		name: "damaged page", preds: many, setup: damage(1, "score"), code: 1,
		stderr: `evaluate: preds.parquet: row group 1: column "score": …`,
	}, {
		name: "damaged page with rows to skip", preds: many, config: "bad_rows: skip", setup: damage(1, "label"), code: 1,
		stderr: `evaluate: preds.parquet: row group 1: column "label": …`,
	}, {
		name: "damaged page of a slice column", preds: many, config: "slices: [country]", setup: damage(0, "country"), code: 1,
		stderr: `evaluate: preds.parquet: row group 0: column "country": …`,
	}, {
		// It is found when the labels are counted, before the run begins.
		name: "damaged page of lists", preds: manyLists, setup: damage(0, "scores"), code: 1,
		stderr: `evaluate: preds.parquet: row group 0: column "scores": …`,
	}, {
		name: "no temporary directory", temp: "nowhere", code: 1,
		stderr: `evaluate: no temporary directory: … no such file or directory; set TMPDIR to one`,
	},
}

// many has enough rows for pages that can be damaged.
var many = lines("label:int64 score:double country:string", 1000, func(i int) string {
	group := ""
	if i == 500 {
		group = "---\n"
	}
	return group + strconv.Itoa(i%2) + " " + strconv.FormatFloat(float64(i*i%997)/997, 'g', -1, 64) + " c" + strconv.Itoa(i*i%91)
})

var manyLists = lines("label:int64 scores:[]double", 100, func(i int) string {
	p := strconv.FormatFloat(float64(i*i%997)/997, 'g', -1, 64)
	return strconv.Itoa(i%2) + " [" + p + "," + p + "]"
})

// damage returns a setup that flips bits in the middle of a column chunk of preds.parquet.
func damage(group int, column string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		name := filepath.Join(dir, "preds.parquet")
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
		require.NoError(t, err)
		chunks := f.Metadata().RowGroups[group].Columns
		i := slices.IndexFunc(chunks, func(c format.ColumnChunk) bool { return c.MetaData.PathInSchema[0] == column })
		start, size := chunks[i].MetaData.DataPageOffset, chunks[i].MetaData.TotalCompressedSize
		require.Greater(t, size, int64(200))
		for at := start + size/3; at < start+size/2; at++ {
			data[at] = ^data[at]
		}
		require.NoError(t, os.WriteFile(name, data, 0o666))
	}
}
