package evaluate

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

// confusions are runs of tasks with classes. They all have a confusion matrix.
var confusions = []scenario{
	{
		name: "confusion without a metric that needs it", config: "metrics: [roc_auc]\ncurves: {points: 0}",
		check: confusion("/0,0:2", "/1,0:1", "/1,1:1"),
	}, {
		name: "confusion of slices", config: "metrics: [log_loss]\nslices: [country]",
		check: confusion("/0,0:2", "/1,0:1", "/1,1:1", `{"country":"de"}/0,0:1`, `{"country":"de"}/1,1:1`, `{"country":"fr"}/0,0:1`, `{"country":"fr"}/1,0:1`),
	}, {
		name: "confusion of classes", preds: "label:int32 scores:[]double\n1 [0.1,0.2,0.7]\n---\n2 [0,0,1]", config: "metrics: [log_loss]",
		check: confusion("/1,2:1", "/2,2:1"),
	}, {
		name: "confusion of classes with sparse scores", preds: "label:int32 ids:[]int32 scores:[]double\n1 [0,1] [0.2,0.7]",
		config: "task: multiclass\nnum_labels: 3\ninput: {columns: {score: scores, score_label: ids}}\nmetrics: [top_k_accuracy@2]",
		check:  confusion("/1,1:1"),
	}, {
		name: "confusion of soft labels", preds: "label:[]double scores:[]float\n[0.5,0.25,0.25] [0.5,0.25,0.25]\n---\n[0,1,0] [0.5,0.25,0.25]",
		config: "task: multiclass\nmetrics: [brier]",
		check:  confusion("/0,0:1", "/1,0:1"),
	}, {
		name: "confusion of labels", preds: tags, config: "metrics: [lrap]",
		check: confusion("0/0,0:2", "0/1,1:1", "1/0,0:1", "1/0,1:1", "1/1,1:1", "2/0,0:2", "2/1,1:1"),
	}, {
		name: "confusion of labels without rows of their own", preds: tags, config: "per_label: none",
		check: confusion("0/0,0:2", "0/1,1:1", "1/0,0:1", "1/0,1:1", "1/1,1:1", "2/0,0:2", "2/1,1:1"),
	}, {
		name: "confusion of one label named", preds: tags, config: "per_label: ['2']",
		check: confusion("0/0,0:2", "0/1,1:1", "1/0,0:1", "1/0,1:1", "1/1,1:1", "2/0,0:2", "2/1,1:1"),
	}, {
		name: "confusion of the first of many labels", config: "num_labels: 3000\nmetrics: [subset_accuracy]",
		preds: lines("labels:[]int32 predictions:[]int32", 2000, func(i int) string { return fmt.Sprintf("[%d] [%d]", i+500, i+500) }),
		report: `
2000 rows, 2000 evaluated
warning: confusion matrices are reported for the first 1000 of 3000 labels that occur; set per_label for others
subset_accuracy = 1`,
		check: func(t *testing.T, dir string) {
			cells := cellsOf(t, dir)
			require.Len(t, cells, 2000)
			require.Equal(t, []string{"1000/0,0:1999", "1000/1,1:1"}, cells[:2])
		},
	}, {
		name: "regression has no confusion", preds: "target:double prediction:double\n1 2", config: "task: regression",
		check: func(t *testing.T, dir string) {
			require.NoFileExists(t, filepath.Join(dir, "out", "confusion.parquet"))
		},
	},
}

// confusion checks the cells in confusion.parquet.
func confusion(want ...string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { require.Equal(t, want, cellsOf(t, dir)) }
}

// cellsOf returns the cells of a report as slice, label, true, predicted and count.
func cellsOf(t *testing.T, dir string) (cells []string) {
	type cell struct {
		Slice     string  `parquet:"slice"`
		Label     *string `parquet:"label,optional"`
		True      string  `parquet:"true"`
		Predicted string  `parquet:"predicted"`
		Count     int64   `parquet:"count"`
	}
	rows, err := parquet.ReadFile[cell](filepath.Join(dir, "out", "confusion.parquet"))
	require.NoError(t, err)
	for _, c := range rows {
		label := ""
		if c.Label != nil {
			label = *c.Label
		}
		cells = append(cells, fmt.Sprintf("%s%s/%s,%s:%d", strings.TrimPrefix(c.Slice, "{}"), label, c.True, c.Predicted, c.Count))
	}
	return cells
}
