package pipeline

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// TestItemsOfRealData: the values that testdata/reference_items.py prints.
func TestItemsOfRealData(t *testing.T) {
	t.Parallel()
	const asked = "task: ranking\ninput: {columns: {item: image_id}}\ntruth: {files: [../testdata/digits_retrieval/qrels.parquet]}\n" +
		"metrics: [item_coverage@10, gini@10, entropy@10, average_popularity@10, tail_share@10, novelty@10, personalization@10]\nslices: [[digit]]\n"
	of := func(more string) map[rowKey]report.Row {
		return valuesOf(readReport(t, evaluate(t, parse(t, asked+more, "../testdata/digits_retrieval/run.parquet"))))
	}
	all := of("ranking: {catalog_size: 1797}\n")
	for name, want := range map[string]float64{
		"item_coverage@10": 0.3043962159154146, "gini@10": 0.7512660916342051, "entropy@10": 8.979956608239469, "average_popularity@10": 1.9661825396825394,
		"tail_share@10": 0.066, "novelty@10": 5.0114295882319055, "personalization@10": 0.9944416195856873,
	} {
		require.InDelta(t, want, all[keyOf(nil, name, nil)].Value, 1e-12, name)
	}
	require.Equal(t, "0.066 of the items shown have no frequency", all[keyOf(nil, "novelty@10", nil)].Undefined)

	few := of("max_distinct: 1000\n")
	require.Equal(t, "more than 1000 distinct items, see max_distinct", few[keyOf(nil, "gini@10", nil)].Undefined)
	for key, row := range few {
		if key.slice != keyOf(nil, "", nil).slice && key.name == "entropy@10" {
			require.Equal(t, all[key].Value, row.Value, "%v", key) // it does not depend on the size of the catalogue
			require.Empty(t, row.Undefined)
		}
	}
	require.Contains(t, of("ranking: {catalog_size: 1000}\n")[keyOf(nil, "gini@10", nil)].Undefined, "distinct items, but ranking.catalog_size is 1000")
}

func TestItemsAreNecessary(t *testing.T) {
	t.Parallel()
	data := write(t, pairsOf(20), 1, 50)
	const ranking = "task: ranking\nmetrics: [%s]\ninput: {columns: {query: session, label: grade%s}}\n"
	for _, c := range []struct{ metric, columns, want string }{
		{"diversity@3", "", `metric "diversity@3" needs the categories of items: set input.columns.category`},
		{"diversity@3", ", category: nosuch", `no column "nosuch"`},
		{"novelty@3", ", item: doc, item_frequency: class", `the item_frequency of task ranking must be of type int or float`},
	} {
		requireRefused(t, parse(t, fmt.Sprintf(ranking, c.metric, c.columns), data), c.want)
	}
	yaml := "task: ranking\nmetrics: [novelty@3]\ninput: {columns: {query: session, label: grade, item: doc, item_frequency: device}}\n"
	row := valuesOf(readReport(t, evaluate(t, parse(t, yaml, data))))[keyOf(nil, "novelty@3", nil)]
	require.Equal(t, "it is unknown what frequencies are parts of, see ranking.frequency_total", row.Undefined)
}

// TestOrdersOfRealData: the values that docs/metrics/regression.md shows, which are SciPy's and scikit-learn's.
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
		if key.slice != keyOf(nil, "", nil).slice {
			require.Equal(t, value, few[key], "%v", key)
		}
	}
}
