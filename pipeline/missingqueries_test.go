package pipeline

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// A result, a list of results and a judgement of a query.
type (
	result struct {
		Query string  `parquet:"query_id"`
		Item  int64   `parquet:"doc_id"`
		Score float64 `parquet:"score"`
	}
	results struct {
		Query  string    `parquet:"query_id"`
		Items  []int64   `parquet:"doc_id,list"`
		Scores []float64 `parquet:"score,list"`
	}
	judgement struct {
		Query     string `parquet:"query_id"`
		Item      int64  `parquet:"doc_id"`
		Relevance int64  `parquet:"relevance"`
		Kind      string `parquet:"kind"`
	}
)

// TestMissingQueries: a query of the truth without predictions counts like one with an empty list
// of results, whatever the layout and the division of the rows, including in slices and intervals.
func TestMissingQueries(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	var long []result
	var some, all []results
	var truth []judgement
	for q := range 40 {
		id := fmt.Sprintf("q%d", q)
		for item := range 6 {
			truth = append(truth, judgement{id, int64(item), max(0, rng.Int64N(5)-2), []string{"short", "long"}[q%2]})
		}
		list := results{Query: id}
		if q%3 > 0 {
			for item := range 8 {
				list.Items, list.Scores = append(list.Items, int64(item)), append(list.Scores, float64(rng.IntN(4)))
				long = append(long, result{id, int64(item), list.Scores[item]})
			}
			some = append(some, list)
		}
		all = append(all, list)
	}
	judged := write(t, truth, 3, 17)
	for _, more := range []string{"", "slices: [kind]\n", "slices: [kind]\nconfidence: {groups: 10}\n", "slices: [kind]\nconfidence: {}\n"} {
		yaml := more + "worst_examples: 9\ntask: ranking\ntruth: {files: [t]}\nranking: {preset: trec_eval, missing_queries: zero}\noutput: {per_query: true}\n"
		explicit := evaluate(t, parse(t, yaml, write(t, all, 1, 100), judged))
		want := contents(t, explicit)
		require.Equal(t, int64(40), readReport(t, explicit).Rows.Evaluated)
		for _, layout := range []string{write(t, some, 4, 3), write(t, long, 4, 13)} {
			dir := evaluate(t, parse(t, yaml, layout, judged))
			got := contents(t, dir)
			for _, file := range []string{"metrics.csv", report.PerQueryParquet, "worst_examples.csv"} {
				require.True(t, want[file] == got[file], "%s of %q", file, more)
			}
			rows := readReport(t, dir).Rows
			require.Equal(t, []int64{40, 40}, []int64{rows.Read, rows.Evaluated})
			require.Equal(t, &report.TruthCounts{Examples: 40, Unmatched: 14}, rows.Truth)
		}
	}
}

func TestMissingQueriesRefused(t *testing.T) {
	t.Parallel()
	type weighed struct {
		result
		Weight float64 `parquet:"weight"`
	}
	type sliced struct {
		result
		Device string `parquet:"device"`
	}
	type graded struct {
		Query  string    `parquet:"query_id"`
		Grades []float64 `parquet:"relevance,list"`
	}
	judged := write(t, []judgement{{"a", 1, 1, "long"}}, 1, 1)
	const zero = "task: ranking\ntruth: {files: [t]}\nranking: {missing_queries: zero}\n"
	requireRefused(t, parse(t, zero, write(t, []weighed{{result{"a", 1, 1}, 1}}, 1, 1), judged),
		`test.yaml:3:28: ranking.missing_queries: zero: queries without predictions have no weight, but column "weight" has weights: leave that column or ranking.missing_queries out`)
	requireRefused(t, parse(t, zero+"slices: [device]\n", write(t, []sliced{{result{"a", 1, 1}, "tv"}}, 1, 1), judged),
		`test.yaml:4:10: slices[0]: queries without predictions are evaluated, and the truth does not have their values: `)
	requireRefused(t, parse(t, zero, write(t, []results{{"a", []int64{1}, []float64{1}}}, 1, 1), write(t, []graded{{"a", []float64{1}}}, 1, 1)),
		`test.yaml:3:28: ranking.missing_queries: zero needs a truth with a row for each item: column "relevance" has lists, in the order of the scores`)
}

// TestMissingQueriesOfBadTruth: a bad row of a query without predictions is a row of the truth.
func TestMissingQueriesOfBadTruth(t *testing.T) {
	t.Parallel()
	run := write(t, []result{{"a", 1, 1}}, 1, 1)
	yaml := "task: ranking\ntruth: {files: [t]}\nranking: {missing_queries: zero}\nbad_rows: skip\nslices: [kind]\nmetrics: [mrr]\n"
	dir := evaluate(t, parse(t, yaml, run, write(t, []judgement{{"a", 1, 1, "long"}, {"b", 1, -1, "long"}, {"c", 1, 1, "long"}, {"c", 2, 1, "short"}}, 1, 4)))
	require.Equal(t, map[string]int64{"negative relevance": 1, "several slices": 1}, readReport(t, dir).Rows.Skipped)
	details, err := os.ReadFile(filepath.Join(dir, report.RunJSON))
	require.NoError(t, err)
	require.Regexp(t, `"column": ?"query_id",\s*"value": ?"\\"c\\"",\s*"reason": ?"several slices"`, string(details))
}

// TestOtherTools: the example of docs/metrics/ranking.md, with the values of trec_eval and ir_measures.
func TestOtherTools(t *testing.T) {
	t.Parallel()
	type item struct {
		Query string  `parquet:"query_id"`
		Item  string  `parquet:"doc_id"`
		Score float64 `parquet:"score"`
	}
	type grade struct {
		Query     string `parquet:"query_id"`
		Item      string `parquet:"doc_id"`
		Relevance int64  `parquet:"relevance"`
	}
	run := write(t, []item{{"q1", "a", 0.9}, {"q1", "b", 0.5}, {"q1", "c", 0.5}, {"q2", "d", 0.7}}, 1, 4)
	qrels := write(t, []grade{{"q1", "a", 0}, {"q1", "b", 1}, {"q1", "c", 2}, {"q2", "d", 0}, {"q3", "e", 1}}, 1, 5)
	for ranking, want := range map[string]float64{
		"gain: exponential":                        0.6229422381190666,
		"gain: linear":                             0.6447890248891478,
		"gain: linear, ties: item":                 0.66967181649423,    // q1 of trec_eval
		"preset: trec_eval":                        0.33483590824711504, // trec_eval
		"preset: trec_eval, missing_queries: zero": 0.22322393883141,    // ir_measures nDCG
		"preset: trec_eval, missing_queries: zero, gain: exponential": 0.2196672682674711, // ir_measures nDCG(gains={0:0,1:1,2:3})
	} {
		yaml := "metrics: [ndcg]\nranking: {" + ranking + "}\ntruth: {files: [t]}\n"
		got := readReport(t, evaluate(t, parse(t, yaml, run, qrels)))
		require.InDelta(t, want, got.Metrics[0].Value, 1e-14, ranking)
	}
}
