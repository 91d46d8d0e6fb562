package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The cost of decisions about tumours, from the counts of scikit-learn's confusion_matrix at both
// thresholds: 8 and 29, and 103 and 1, false positives and false negatives of 569 examples.
func TestExpectedCost(t *testing.T) {
	const file = "../testdata/breast_cancer/predictions.parquet"
	for threshold, want := range map[string]float64{"0.5": (8 + 10*29) / 569., "0.09": (103 + 10*1) / 569.} {
		cfg := parse(t, "task: binary\npositive_label: malignant\ncosts: {fp: 1, fn: 10}\ndecision: {threshold: "+threshold+"}\n", file)
		r := readReport(t, evaluate(t, cfg))
		require.Equal(t, want, float64(valuesOf(r)[keyOf(nil, "expected_cost", nil)].Value))
		require.Contains(t, string(r.Config), `"costs":{"fp":1,"fn":10,"tp":0,"tn":0}`)
	}
	without := valuesOf(readReport(t, evaluate(t, parse(t, "task: binary\npositive_label: malignant", file))))
	require.NotContains(t, without, keyOf(nil, "expected_cost", nil))
	requireRefused(t, parse(t, "task: binary\npositive_label: malignant\nmetrics: [expected_cost]", file), `metric "expected_cost" needs costs: set costs`)
	requireRefused(t, parse(t, "costs: [[0, 1], [1, 0]]", "../testdata/digits/predictions.parquet"), "costs: has the costs of 2 true classes, but there are 10 labels")
}
