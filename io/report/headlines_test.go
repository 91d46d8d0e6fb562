package report

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChooseHeadlines(t *testing.T) {
	require.Equal(t, []string{"ndcg", "ndcg@10", "map", "mrr", "precision@5", "queries"},
		chooseHeadlines(headlines["ranking"], []string{"queries", "precision@5", "mrr", "map", "ndcg@10", "ndcg@3", "ndcg"}))
	require.Equal(t, []string{"f1", "a", "b@2", "b@10"},
		chooseHeadlines(headlines["binary"], []string{"b@10", "b@2", "f1", "a"}), "others fill up")
	require.Len(t, chooseHeadlines(headlines["binary"], headlines["binary"]), maxHeadlines)
	require.Empty(t, chooseHeadlines(nil, nil))
	require.Equal(t, []string{"pass_rate", "mean", "mean_cost", "mean_ms", "pass@3", "std"},
		chooseHeadlines(headlines["grade"], []string{"mean_ms", "mean_cost", "mean_cost_ratio", "mean_cost_difference_to_reference_by_suite", "mean", "pass_rate", "pass@1", "pass@3", "pass@3_late", "std"}), "of further grades")
	require.Equal(t, []string{"pass_rate", "mean", "mean_price_difference", "pass@1", "flaky_rate", "std", "attempts"},
		chooseHeadlines(headlines["grade"], []string{"attempts", "flaky_rate", "mean", "mean_price_difference", "mean_price_difference_group_max_by_suite", "pass@1", "pass_rate", "std"}), "of a further grade that is called price_difference")
}

// TestHeadlinesThatAreAskedFor: all of them, in their order, and nothing else.
func TestHeadlinesThatAreAskedFor(t *testing.T) {
	names := []string{"a", "accuracy", "b@2", "b@10", "equalized_odds_difference", "f1", "mcc", "x1", "x2", "x3", "x4", "x5"}
	settings := func(config string) *Settings { return new((&Report{Config: []byte(config)}).Settings()) }
	for config, want := range map[string][]string{
		`{"metrics":["x5","mcc","x1","x2","f1","f1","x4","b@10","x3","gone","a"]}`: {"x5", "mcc", "x1", "x2", "f1", "x4", "b@10", "x3", "a", "equalized_odds_difference"},
		`{"metrics":["x5","mcc"],"report":{"headline":["f1","x1"]}}`:               {"f1", "x1"},
		`{"metrics":["gone"],"report":{"headline":["gone"]}}`:                      {"accuracy", "f1", "mcc", "equalized_odds_difference", "a", "b@2"},
		`{"metrics":[]}`: {"accuracy", "f1", "mcc", "equalized_odds_difference", "a", "b@2"},
	} {
		require.Equal(t, want, Headlines("binary", settings(config).Asked(), names), config)
	}
	nan := math.NaN()
	require.Equal(t, []string{"pass_rate", "pass@3", "std"}, HeadlinesByValue("grade", nil, map[string]float64{"std": 1, "pass@10": nan, "pass@3": 1, "pass@1": 1, "pass_rate": nan})[:3], "no example has ten attempts")
	require.Equal(t, []string{"pass@10"}, HeadlinesByValue("grade", []string{"pass@10"}, map[string]float64{"std": 1, "pass@10": nan}))
	require.Equal(t, []string{"mcc", "f1"}, LabelHeadlines([]string{"x", "mcc", "f1"}, []string{"f1", "mcc", "recall"}))
}
