package metrics

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Worked examples from papers and textbooks, as printed there: four digits,
// or fractions.

// labelSets turns an indicator matrix into label sets.
func labelSets(rows ...[]int) Sets {
	lists := make([][]int32, len(rows))
	for i, row := range rows {
		for label, y := range row {
			if y == 1 {
				lists[i] = append(lists[i], int32(label))
			}
		}
	}
	return setsOf(lists)
}

// multilabelBatch has the labels and predictions of two indicator matrices.
func multilabelBatch(truth, predicted [][]int) *Batch {
	return &Batch{Rows: len(truth), Labels: len(truth[0]), True: labelSets(truth...), PredictedSet: labelSets(predicted...)}
}

// requireValues compares aggregated values with those printed, to four digits.
func requireValues(t *testing.T, got map[key]Result, want map[string]float64) {
	t.Helper()
	for name, value := range want {
		r, found := got[key{name, -1}]
		require.True(t, found, name)
		require.InDelta(t, value, r.Number, 0.000051, name)
	}
}

func TestMultilabelExamples(t *testing.T) {
	for _, c := range []struct {
		truth, predicted [][]int
		want             map[string]float64
	}{
		{
			[][]int{{0, 1, 0, 1}, {0, 1, 1, 0}, {1, 0, 1, 1}},
			[][]int{{0, 1, 1, 0}, {0, 1, 1, 0}, {0, 1, 0, 1}},
			map[string]float64{
				"subset_accuracy": 0.3333, "zero_one_loss": 0.6667, "jaccard_samples": 0.5278, "precision_samples": 0.6667,
				"recall_samples": 0.6111, "f1_samples": 0.6333, "hamming_loss": 0.4167,
			},
		}, {
			[][]int{{1, 0, 1, 1}, {1, 1, 0, 0}, {1, 0, 1, 0}},
			[][]int{{1, 0, 0, 0}, {0, 1, 0, 1}, {1, 1, 1, 0}},
			map[string]float64{"jaccard_samples": 0.4444, "precision_samples": 0.7222, "recall_samples": 0.6111, "f1_samples": 0.6},
		}, {
			[][]int{{1, 0, 1, 0, 0}, {1, 0, 1, 0, 1}},
			[][]int{{0, 1, 1, 0, 0}, {1, 1, 0, 0, 0}},
			map[string]float64{
				"hamming_loss": 1.0 / 2, "label_overlap": 1.0 / 5, "precision_samples": 1.0 / 2, "recall_samples": 5.0 / 12,
				"f1_of_means": 5.0 / 11,
			},
		}, {
			[][]int{{1, 0, 1}, {0, 1, 1}, {0, 1, 0}},
			[][]int{{0, 0, 1}, {1, 1, 1}, {1, 1, 1}},
			map[string]float64{"f1_macro": 0.6, "f1_micro": 0.6667},
		},
	} {
		b := multilabelBatch(c.truth, c.predicted)
		requireValues(t, evaluated(t, params(t, Multilabel, b.Labels, RawScore), b, Options{}), c.want)
	}
}

// confusionBatch has as many rows as the matrix counts, true classes being rows.
func confusionBatch(matrix ...[]int) *Batch {
	b := &Batch{Labels: len(matrix)}
	for truth, row := range matrix {
		for predicted, n := range row {
			for range n {
				b.Class, b.Predicted = append(b.Class, int32(truth)), append(b.Predicted, int32(predicted))
				b.Rows++
			}
		}
	}
	return b
}

func TestMulticlassExample(t *testing.T) {
	b := confusionBatch([]int{40, 20, 10}, []int{35, 85, 40}, []int{0, 10, 20})
	requireValues(t, evaluated(t, params(t, Multiclass, 3, RawScore), b, Options{}), map[string]float64{
		"precision_macro": 0.5194, "recall_macro": 0.5898, "f1_macro": 0.5233,
		"precision_weighted": 0.6314, "recall_weighted": 0.5577, "f1_weighted": 0.5751,
		"precision_micro": 0.5577, "recall_micro": 0.5577, "f1_micro": 0.5577,
	})
}

func TestKappaExample(t *testing.T) {
	b := confusionBatch([]int{20, 5}, []int{10, 15})
	b.Labels = 1
	require.InDelta(t, 0.4, evaluated(t, params(t, Binary, 0, RawScore), b, Options{})[key{"cohen_kappa", -1}].Number, 1e-15)
}

func TestCrossEntropyExamples(t *testing.T) {
	truth := [][]int{{1, 1, 0, 0}, {0, 1, 0, 1}}
	of := func(logits ...float64) map[key]Result {
		b := multilabelBatch(truth, truth)
		b.Logit = logits
		return evaluated(t, params(t, Multilabel, 4, Logit), finish(b, Multilabel), Options{})
	}
	requireValues(t, of(.2, .5, 0, 0, .1, .5, 0, .8), map[string]float64{"sigmoid_cross_entropy": 0.59265})
	requireValues(t, of(.2, .5, .1, 0, .1, .5, 0, .8), map[string]float64{"softmax_cross_entropy": 2.3928})
}
