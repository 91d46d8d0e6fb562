package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOrdersOfRealData: the values that docs/metrics.md shows, which are SciPy's and scikit-learn's.
func TestOrdersOfRealData(t *testing.T) {
	t.Parallel()
	const asked = "task: regression\nmetrics: [spearman, kendall, d2_absolute_error, d2_pinball@0.9]\nslices: [[age, sex]]\n"
	cfg := func(more string) map[rowKey]float64 {
		values := make(map[rowKey]float64)
		for key, row := range valuesOf(readReport(t, evaluate(t, parse(t, asked+more, "../testdata/diabetes/predictions.parquet")))) {
			if values[key] = row.Value; row.Undefined != "" {
				require.Equal(t, "more than 400 distinct pairs of label and prediction, see max_distinct", row.Undefined)
			}
		}
		return values
	}
	all, few := cfg(""), cfg("max_distinct: 400\n")
	for name, want := range map[string]float64{"spearman": 0.6883705861271142, "kendall": 0.49352701646601527, "d2_absolute_error": 0.31386726877494864, "d2_pinball@0.9": -0.6018233446283585} {
		require.InDelta(t, want, all[keyOf(nil, name, nil)], 1e-12)
		require.NotEqual(t, want, few[keyOf(nil, name, nil)])
	}
	for key, value := range all { // slices have fewer pairs
		if len(key.slice) > len(keyOf(nil, "", nil).slice) {
			require.Equal(t, value, few[key], "%v", key)
		}
	}
}
