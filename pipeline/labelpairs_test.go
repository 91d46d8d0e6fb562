package pipeline

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// readLabelPairs returns the label pairs of a report.
func readLabelPairs(t *testing.T, dir string) []report.LabelPair {
	r := readReport(t, dir)
	require.NoError(t, r.ReadTables(t.Context(), dir))
	return r.LabelPairs
}

// TestLabelPairsOfRealData compares with testdata/make_label_pairs.py, on direct and on prism. The
// pairs do not depend on how an example is laid out, nor on groups and slices.
func TestLabelPairsOfRealData(t *testing.T) {
	const root = "../testdata/"
	for _, c := range []struct{ data, file, yaml string }{
		{"digits", "predictions", "task: multiclass"},
		{"digits", "predictions", "task: multiclass\nslices: [[ink]]\nconfidence: {groups: 10}"},
		{"digits_attributes", "predictions", "task: multilabel\ninput: {label_encoding: names}"},
		{"digits_attributes", "predictions", "task: multilabel\ninput: {label_encoding: names}\nslices: [[ink], [lean]]\nconfidence: {groups: 10}"},
		{"digits_attributes", "long", "task: multilabel\ninput: {layout: label, columns: {class: attribute}}\nlabels: [even, square, multiple_of_three, less_than_five, has_loop, has_vertical_stroke]"},
	} {
		t.Run(c.data+" "+c.file, func(t *testing.T) {
			data, err := os.ReadFile(root + c.data + "/label_pairs.json")
			require.NoError(t, err)
			var want struct{ Pairs [][]any }
			require.NoError(t, json.Unmarshal(data, &want))
			got := readLabelPairs(t, evaluate(t, parse(t, c.yaml+"\nlabel_pairs: true\n", root+c.data+"/"+c.file+".parquet")))
			require.Len(t, got, len(want.Pairs))
			for i, w := range want.Pairs {
				p := got[i]
				require.Equal(t, w[:3], []any{p.Label, p.Predicted, float64(p.Count)})
				require.Equal(t, float64(p.Count), p.Weight)
				require.InEpsilon(t, w[3], p.Share, 1e-12)
				require.InEpsilon(t, w[4], p.Lift, 1e-12)
				if w[5] == nil {
					require.True(t, math.IsNaN(p.Gain))
				} else {
					require.InEpsilon(t, w[5], p.Gain, 1e-12)
				}
			}
		})
	}
}

// tagged is an example of a multilabel task with a weight.
type tagged struct {
	Labels    []int32   `parquet:"labels,list"`
	Scores    []float64 `parquet:"scores,list"`
	Predicted []int32   `parquet:"predicted,list"`
	Weight    float64   `parquet:"weight"`
}

// TestLabelPairsWithWeights works a small example out by hand: two of four units of weight miss label 0;
// label 1 is wrongly predicted in all of these, and in half a unit that misses nothing.
func TestLabelPairsWithWeights(t *testing.T) {
	scores := []float64{0, 0, 0}
	rows := []tagged{
		{[]int32{0}, scores, []int32{1}, 0.5}, {[]int32{0}, scores, []int32{1, 2}, 1.5},
		{[]int32{}, scores, []int32{1}, 0.5}, {[]int32{2}, scores, []int32{2}, 1.5},
	}
	yaml := "task: multilabel\nlabel_pairs: true\ninput: {label_encoding: indices, columns: {label: labels, score: scores, prediction: predicted, weight: weight}}\n"
	dir := evaluate(t, parse(t, yaml, write(t, rows, 1, 10)))
	got := readLabelPairs(t, dir)
	require.Len(t, got, 2)
	for i, want := range []report.LabelPair{
		{Label: "0", Predicted: "1", Count: 2, Weight: 2, Share: 1, Lift: 1 / (2.5 / 4)},
		{Label: "0", Predicted: "2", Count: 1, Weight: 1.5, Share: 0.75, Lift: 0.75 / (1.5 / 4)},
	} {
		require.True(t, math.IsNaN(got[i].Gain))
		got[i].Gain = 0
		require.Equal(t, want, got[i])
	}
	page, err := os.ReadFile(filepath.Join(dir, report.ReportHTML))
	require.NoError(t, err)
	require.Contains(t, string(page), "Labels in place of others")
	requireSame(t, contents(t, dir), contents(t, evaluateOn(t, parse(t, yaml, write(t, rows, 4, 1)), "prism", 3)))
}

// TestManyLabelPairs: what is left out is said.
func TestManyLabelPairs(t *testing.T) {
	rows := make([]tagged, 2)
	for i := range int32(240) {
		rows[i%2].Labels, rows[1-i%2].Predicted = append(rows[i%2].Labels, i), append(rows[1-i%2].Predicted, i)
	}
	rows[0].Labels, rows[1].Labels = append(rows[0].Labels, 1000), append(rows[1].Labels, 1001)
	for i := range rows {
		rows[i].Scores, rows[i].Weight = nil, 1
	}
	type lists struct {
		Labels    []int32 `parquet:"labels,list"`
		Predicted []int32 `parquet:"predicted,list"`
	}
	var bare []lists
	for _, r := range rows {
		bare = append(bare, lists{r.Labels, r.Predicted})
	}
	dir := evaluate(t, parse(t, "task: multilabel\nnum_labels: 1002\nlabel_pairs: true\ninput: {label_encoding: indices, columns: {label: labels, prediction: predicted}}\n", write(t, bare, 1, 10)))
	require.Len(t, readLabelPairs(t, dir), 10_000)
	warnings := strings.Join(readReport(t, dir).Warnings(), "\n")
	require.Contains(t, warnings, "label pairs are counted among the first 1000 of 1002 labels")
	require.Contains(t, warnings, fmt.Sprintf("label pairs: the 10000 heaviest of %d are reported", 2*120*120))
}

// TestLabelPairsOnRequest: other reports lack them; a report without errors has an empty file.
func TestLabelPairsOnRequest(t *testing.T) {
	const data = "../testdata/digits/predictions.parquet"
	require.NotContains(t, contents(t, evaluateOn(t, parse(t, "task: multiclass\n", data), "direct", 0)), "label_pairs.parquet")
	perfect := readLabelPairs(t, evaluateOn(t, parse(t, "task: multiclass\nlabel_pairs: true\ninput: {columns: {label: prediction}}\n", data), "direct", 0))
	require.NotNil(t, perfect)
	require.Empty(t, perfect)
}
