package pipeline

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// spread is the same data in few files and in many.
type spread struct{ whole, parts string }

func spreadOf[T any](t *testing.T, rows []T) spread {
	whole := write(t, rows, 1, len(rows))
	shuffled := slices.Clone(rows)
	rand.New(rand.NewPCG(7, 8)).Shuffle(len(rows), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	return spread{whole, write(t, shuffled, 7, 61)}
}

// TestReportsAreIdenticalBytes evaluates the same rows in order in one row group of one file, and
// shuffled over several files with many row groups, on different runners and with different numbers
// of goroutines, with the configuration and with the one that the report repeats. Every file of the
// report except run.json must be the same. The same data in other forms must have the same metrics.
func TestReportsAreIdenticalBytes(t *testing.T) {
	t.Parallel()
	pairs := pairsOf(250)
	data := map[string]spread{
		"examples": spreadOf(t, examples(2000)), "preds": spreadOf(t, pairs), "lists": spreadOf(t, listed(pairs)),
		"run": spreadOf(t, slices.DeleteFunc(slices.Clone(pairs), func(p pair) bool { return !p.Retrieve })),
	}
	forms := make(chan string, 8) // the metrics of the same data in different forms
	t.Cleanup(func() {
		close(forms)
		first := <-forms
		for other := range forms {
			require.True(t, first == other, "different metrics of the same data")
		}
	})
	for name, c := range identities() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole, parts := []string{data[c.preds].whole}, []string{data[c.preds].parts}
			if c.truth != "" {
				whole, parts = append(whole, data[c.truth].parts), append(parts, data[c.truth].whole)
			}
			want := contents(t, evaluateOn(t, parse(t, c.yaml+bySlice+searching+worstOf(c.yaml), whole...), "direct", 1))
			require.Contains(t, want, report.MetricsParquet)
			require.Contains(t, want, "worst_examples.parquet")
			require.Contains(t, want, "worst_examples.csv")
			require.NotEmpty(t, searchOf(t, want).Found)
			require.Contains(t, want, report.ScoreHistogramsParquet)
			if strings.Contains(c.yaml, "tune_thresholds") {
				require.Contains(t, want, report.ThresholdsJSON)
				require.Contains(t, want, report.CurvesParquet)
			}
			// Everything differs at the same time, which also detects a dependency on a single
			// thing.
			got := contents(t, evaluateOn(t, parse(t, echo(t, want), parts...), "prism", 4))
			require.Equal(t, len(want), len(got))
			for file, content := range want {
				require.True(t, content == got[file], "%s differs", file)
			}
			if c.form {
				forms <- want["metrics.csv"]
			}
		})
	}
}

// echo returns the configuration that a report repeats, with files of the truth, and with per_query
// if the report has such a file: neither influences any value.
func echo(t *testing.T, files map[string]string) string {
	var content struct{ Config map[string]any }
	require.NoError(t, json.Unmarshal([]byte(files[report.MetricsJSON]), &content))
	if truth, ok := content.Config["truth"].(map[string]any); ok {
		truth["files"] = []string{"t"}
	}
	if files[report.PerQueryParquet] != "" {
		content.Config["output"] = map[string]any{"per_query": true}
	}
	yaml, err := json.Marshal(content.Config)
	require.NoError(t, err)
	return string(yaml)
}

const searching = "search: {columns: [country, device], level: 2, alpha: 1, min_support: 1, confirm: false}\n"

const bySlice = "slices: [[country], [country, device], {device: [0, 2]}]\n"

// worstOf lists the worst examples of each slice and, in tasks with labels, of each label, and pairs of labels.
func worstOf(yaml string) string {
	for _, labelled := range []string{"task: multi", "class"} {
		if strings.Contains(yaml, labelled) {
			return "worst_examples: {count: 7, per: [slice, label]}\nlabel_pairs: true\n"
		}
	}
	return "worst_examples: {count: 7, per: [slice]}\n"
}

// identity is a configuration of data: of examples, pairs (preds), pairs of items that were
// retrieved (run) or lists; and perhaps with the truth of others.
type identity struct {
	preds, truth, yaml string
	form               bool // whether it is the same data as others of which this is true
}

// identities cover every task and layout.
func identities() map[string]identity {
	const (
		abcd    = "labels: [a, b, c, d]\n"
		labels  = "labels: [a, b, c, d, e]\n"
		ranking = "task: ranking\noutput: {per_query: true}\ninput: {columns: {query: session, label: grade}}\n"
		byTruth = "task: ranking\noutput: {per_query: true}\ninput: {columns: {query: session, item: doc}}\ntruth: {files: [t], columns: {label: grade}}\n"
	)
	return map[string]identity{
		"binary":            {"examples", "", "task: binary\ntune_thresholds: youden\ncalibration: {strategy: quantile}\ninput: {columns: {label: label, score: score}}\n", false},
		"binary, bounded":   {"examples", "", "task: binary\ntune_thresholds: f1\ncurves: {mode: bounded, bins: 50}\ninput: {columns: {label: label, score: score}}\n", false},
		"multiclass":        {"examples", "", "task: multiclass\ninput: {columns: {label: class, score: scores}}\n" + abcd, false},
		"multiclass, found": {"examples", "", "task: multiclass\ninput: {columns: {label: class, prediction: guess}}\n", false},
		"soft labels":       {"examples", "", "task: multiclass\ninput: {columns: {label: scores, score: logits}, score_type: logit}\n" + abcd, false},
		"multilabel":        {"examples", "", "task: multilabel\ntune_thresholds: f1\ninput: {columns: {label: labels, score: scores}}\n" + abcd, false},
		"multilabel logits": {"examples", "", "task: multilabel\ntune_thresholds: recall_at_precision@0.4\ncurves: {mode: bounded, bins: 50}\ninput: {columns: {label: labels, score: logits}, score_type: logit}\n" + abcd, false},
		"sparse":            {"examples", "", "task: multilabel\npropensity: {frequencies: truth}\ninput: {columns: {label: labels, score: ranked, weight: weight}}\n" + abcd, false},
		"sparse, found":     {"examples", "", "task: multilabel\ndecision: {top_k: 2}\ninput: {columns: {label: labels, score: ranked}}\n", false},
		"regression":        {"examples", "", "task: regression\ninput: {columns: {label: target, prediction: predicted_value}}\n", false},
		"forecasts": {"examples", "", "task: regression\ncurves: {mode: bounded}\nmetrics: [wis, crps, crps_quantile, quantile_loss, interval_score, interval_coverage, mase, rmsse, huber_loss, tweedie@0]\n" +
			"input: {columns: {label: target, quantiles: {0.9: high, 0.1: low, 0.5: predicted_value}, ensemble: scores, scale: score}}\n", false},
		"orders":                 {"examples", "", "task: regression\nmetrics: [spearman, kendall, concordance_index, d2_absolute_error, d2_pinball, theil_u1, theil_u2]\ninput: {columns: {label: target, prediction: predicted_value, weight: weight}}\n", false},
		"forecasts, truth":       {"lists", "lists", "task: regression\ninput: {columns: {prediction: first, quantiles: {0.5: weight}, ensemble: scores, scale: weight, example: session}}\ntruth: {files: [t], columns: {label: positive}}\n", false},
		"ranking":                {"run", "", ranking, false},
		"ranking by item":        {"run", "", ranking + "ranking: {ties: item, gain: linear, empty_queries: zero}\n", false},
		"ranking, truth":         {"run", "preds", byTruth, false},
		"ranking by item, truth": {"run", "preds", byTruth + "ranking: {ties: item, relevance_threshold: 2, empty_queries: one}\n", false},
		"baseline":               {"examples", "", "task: binary\ninput: {columns: {label: label, score: score, baseline_score: low, weight: weight}, score_type: score}\ndecision: {threshold: 0.4}\nconfidence: {groups: 10, by: device}\n", false},
		"baseline of classes":    {"examples", "", "task: multiclass\ninput: {columns: {label: class, score: scores, baseline_prediction: guess}}\n" + abcd, false},
		"costs":                  {"examples", "", "task: binary\ntune_thresholds: expected_cost\ninput: {columns: {label: label, score: score, baseline_score: low, weight: weight, cost_fp: weight, cost_fn: score}, score_type: score}\nconfidence: {groups: 10, by: device}\n", false},
		"costs, truth":           {"lists", "lists", "task: binary\ntune_thresholds: expected_cost\ninput: {columns: {score: first, cost_fp: weight, cost_fn: first, example: session}}\ntruth: {files: [t], columns: {label: positive}}\n", false},
		"baseline, truth":        {"lists", "lists", "task: binary\ninput: {columns: {score: first, baseline_score: first, baseline_prediction: positive, example: session}}\ntruth: {files: [t], columns: {label: positive}}\n", false},
		"judged":                 {"examples", "", "task: regression\ninput: {columns: {label: few, judged: predicted_value, weight: weight}}\nconfidence: {groups: 10, by: device}\n", false},
		"items shown":            {"run", "", "task: ranking\nmetrics: [ndcg, item_coverage@k, gini@k, entropy@k, novelty@k, average_popularity@k, tail_share@k, personalization@k, diversity@k]\nranking: {ties: item, catalog_size: 200, frequency_total: 99}\ninput: {columns: {query: session, label: grade, item: doc, category: number, item_frequency: device, weight: weight}}\n", false},
		"items shown, truth":     {"run", "preds", byTruth + "metrics: [item_coverage@k, gini@k, entropy@k, novelty@k, average_popularity@k, tail_share@k, personalization@k]\nmax_distinct: 148\nk: [3]\n", false},
		"label":                  {"preds", "", labels + "tune_thresholds: f1\ninput: {columns: {class: class}}\n", true},
		"label, found":           {"preds", "", "decision: {top_k: 2}\ninput: {columns: {class: number, prediction: guess}}\n", false},
		"label, sparse":          {"run", "", labels + "input: {columns: {class: class, score_label: class}}\npropensity: {frequencies: truth}\n", false},
		"label, truth":           {"preds", "preds", labels + "input: {columns: {class: class}}\ntruth: {files: [t]}\n", true},
		"label, truth of lists":  {"preds", "lists", labels + "input: {columns: {class: class}}\ntruth: {files: [t], columns: {label: labels}}\n", true},
		"label, truth, found":    {"run", "lists", "input: {columns: {class: class, score_label: class}}\ntruth: {files: [t], columns: {label: labels}}\n", false},
		"lists, truth by label":  {"lists", "preds", labels + "input: {columns: {score: scores}}\ntruth: {files: [t], columns: {class: class}}\n", true},
		"lists, truth of lists":  {"lists", "lists", labels + "input: {columns: {score: scores}}\ntruth: {files: [t], columns: {label: labels}}\n", true},
		"binary, truth":          {"lists", "lists", "task: binary\ninput: {columns: {score: first, example: session}}\ntruth: {files: [t], columns: {label: positive}}\n", false},
	}
}
