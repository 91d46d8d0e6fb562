package evaluate

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// ranked is a table of two queries, the second with rows in both row groups and a tie. Tests
// replace its last row.
const ranked = `
query_id:string? doc_id:string? score:double? relevance:double? weight:double? country:string
q1               a              0.9           0                 1              de
q1               b              0.5           2                 1              de
q2               c              0.7           1                 3              fr
---
q2               d              0.7           0                 3              fr`

// results and judgements are a ranking with its truth in another file. Query q2 has no relevant
// item, and q3 none that was retrieved; z was judged but not retrieved.
const (
	results = `
query_id:string doc_id:string score:double
q1              a             0.9
q1              b             0.5
---
q2              c             0.7
q1              x             0.1`

	judgements = `
query_id:string? doc_id:string? relevance:double?
q1               b              2
q1               z              1
q3               y              1
---
q2               c              0`
)

var judged = truth(judgements)

// rankingsBadRows are tables with a bad row.
var rankingsBadRows = []badRow{
	{"no query", ranked, "null d 0.7 0 3 fr", "", `"query_id": null: the row does not say which example or query it belongs to`},
	{"no item", ranked, "q2 null 0.7 0 3 fr", "", `"doc_id": null: the id of the item is missing`},
	{"no relevance", ranked, "q2 d 0.7 null 3 fr", "", `"relevance": null: the label is missing`},
	{"negative relevance", ranked, "q2 d 0.7 -1 3 fr", "", `"relevance": -1: expected a relevance of 0 or more; set ranking.negative_relevance: zero to count it as 0`},
	{"relevance not a number", ranked, "q2 d 0.7 NaN 3 fr", "", `"relevance": NaN: expected a finite number`},
	{"infinite relevance", ranked, "q2 d 0.7 Inf 3 fr", "", `"relevance": +Inf: expected a finite number`},
	{"score of an item not a number", ranked, "q2 d NaN 0 3 fr", "", `"score": NaN: not a number`},
	{"no score of an item", ranked, "q2 d null 0 3 fr", "", `"score": null: the score is missing`},
	{"several weights of a query", ranked, "q3 a 0.7 0 3 fr\nq3 b 0.7 0 2 fr", "", `"query_id": "q3": expected the same weight in all rows of an example`},
	{"several slices of a query", ranked, "q3 a 0.7 0 3 fr\nq3 b 0.7 0 3 de", "slices: [country]", `"query_id": "q3": expected the same values of slice columns, and of confidence.by, in all rows of an example`},
}

// rankingsRefusals are rejected before any row is read.
var rankingsRefusals = []refusal{
	{"ties by an item that is not there", "query_id:int64 relevance:int64 score:double\n1 1 0.5", "ranking: {ties: item}", `eval.yaml:1:17: ranking.ties: item needs the column of the items: set input.columns.item (preds.parquet: no column "doc_id"; the file has query_id, relevance, score)`},
	{"single queries of another task", "", "output: {per_query: true}", `eval.yaml:1:21: output.per_query: only for task ranking, the task is binary`},
	{"lists of queries", "query_id:[]int64 relevance:int64 score:double\n[1] 1 0.5", "", `preds.parquet: column "query_id" is list<int64>: ids must be one value a row`},
	{"ranking without queries", "", "task: ranking", `no query column, which says which rows belong together: set input.columns.query (preds.parquet: no column "query_id"; the file has country, label, score)`},
	{"ranking without scores", "query_id:int64 relevance:int64 prediction:double\n1 1 0.5", "task: ranking", `no score column: set input.columns.score (preds.parquet: no column "score"; the file has prediction, query_id, relevance)`},
	{"relevance in strings", "query_id:int64 relevance:string score:double\n1 high 0.5", "task: ranking", `input.columns.label: preds.parquet: column "relevance" is string: the label of task ranking must be of type int or float; name another column or another task`},
	{"lists of items in rows", "query_id:int64 doc_id:[]int64 relevance:int64 score:double\n1 [1] 1 0.5", "", `input.columns.item: preds.parquet: column "doc_id" is list<int64>: the item of task ranking must be one value a row; name another column or another task`},
}

// rankings are runs that evaluate rankings.
var rankings = []scenario{
	{
		name: "ranking", preds: ranked, config: "metrics: [ndcg, mrr, precision@1]\nslices: [country]",
		notes: `
label: column "relevance"
score: column "score"
weight: column "weight"
task: ranking (column "query_id" has queries)
layout: label (a row for each item)
query: column "query_id"
item: column "doc_id"`,
		stdout: `
ranking: 2 of 2 queries evaluated, 0 skipped
…`,
		// q1 and q2 have ndcg 1/log2(3) and (1 + 1/log2(3))/2, mrr 1/2 and 3/4, precision 0 and
		// 1/2.
		report: `
2 rows, 2 evaluated
mrr = 0.6875
ndcg = 0.7693
precision@1 = 0.375
mrr{country=de} = 0.5
ndcg{country=de} = 0.6309
precision@1{country=de} = 0
mrr{country=fr} = 0.75
ndcg{country=fr} = 0.8155
precision@1{country=fr} = 0.5`,
	}, {
		name: "ranking, ties by item", preds: ranked, config: "metrics: [ndcg, mrr, precision@1]\nranking: {ties: item, gain: linear}",
		report: "2 rows, 2 evaluated\nmrr = 0.5\nndcg = 0.6309\nprecision@1 = 0",
	}, {
		name:   "ties by a number, of which the text counts, as in trec_eval",
		preds:  "query_id:int64 doc_id:int64 relevance:int64 score:double\n1 9 1 0.5\n1 10 0 0.5\n2 -1 1 0.5\n2 1 0 0.5\n2 11 0 0.5",
		config: "metrics: [mrr]\nranking: {preset: trec_eval}",
		report: "2 rows, 2 evaluated\nmrr = 0.6667",
	}, {
		name:   "ties by a fraction",
		preds:  "query_id:int64 doc_id:double relevance:int64 score:double\n1 9.5 1 0.5\n1 10.5 0 0.5",
		config: "metrics: [mrr]\nranking: {preset: trec_eval}",
		report: "1 rows, 1 evaluated\nmrr = 1",
	}, {
		name:   "ranking in lists",
		preds:  "qid:int64 item_id:[]int32 scores:[]float relevance:[]int32\n1 [1,2] [0.9,0.5] [0,2]\n---\n2 [3,4] [0.7,0.7] [1,0]\n3 [] [] []",
		config: "metrics: [mrr, queries, queries_without_relevant]",
		notes: `
label: column "relevance"
score: column "scores"
task: ranking (column "qid" has queries)
layout: example (a row for each query, with lists)`,
		report: "3 rows, 3 evaluated\nmrr = 0.625 (1 of 3 queries undefined)\nqueries = 3\nqueries_without_relevant = 1",
	}, {
		name: "ranking that is configured", preds: "session:int64 y:int64 p:double prediction:int64\n1 1 0.5 7\n2 0 0.5 7",
		config: "input: {columns: {query: session, label: y, score: p, prediction: prediction}}\nmetrics: [mrr]",
		notes: `
task: ranking (column "session" has queries)
layout: label (a row for each item)
column "prediction" is not used: a ranking has no predictions`,
		report: "2 rows, 2 evaluated\nmrr = 1 (1 of 2 queries undefined)",
	}, {
		name: "ids of queries in other predictions", preds: "query_id:int64 label:int64 score:double\n1 1 0.9\n1 0 0.2\n2 1 0.1", config: "metrics: [accuracy]",
		notes: `
label: column "label"
score: column "score"
task: binary (one label, one score)
column "query_id" is not used: set task to ranking if rows are the results of queries
predictions: score >= 0.5`,
		report: "3 rows, 3 evaluated\naccuracy = 0.6667",
	}, {
		name: "ids of queries and items beside bools", preds: "query_id:int64 item_id:int64 label:bool score:double\n1 1 true 0.9\n1 2 false 0.2", config: "metrics: [accuracy]",
		report: "2 rows, 2 evaluated\naccuracy = 1",
	}, {
		name: "ids of queries beside lists", preds: "query_id:int64 labels:[]int32 scores:[]double\n1 [1,0] [0.9,0.2]\n2 [0] [0.1,0.7]", config: "metrics: [label_cardinality]",
		report: "2 rows, 2 evaluated\nlabel_cardinality = 1.5",
	}, {
		name: "relevance and scores of any size", preds: last(ranked, "q2 d -1e300 0.25 3 fr"), config: "metrics: [mrr, ndcg]",
		report: "2 rows, 2 evaluated\nmrr = 0.875\nndcg = 0.9…",
	},

	// Single queries.
	{
		name: "single queries", preds: ranked, config: "metrics: [ndcg, mrr, dcg@1, queries, kendall_tau]\noutput: {per_query: true}",
		check: singleQueries(`
q1 dcg@1 = 0
q1 kendall_tau = -1
q1 mrr = 0.5
q1 ndcg = 0.6309297535714575
q2 dcg@1 = 0.5
q2 kendall_tau = null
q2 mrr = 0.75
q2 ndcg = 0.8154648767857288`),
	}, {
		name: "single queries with numbers", preds: "query_id:int64 label:int64 score:double\n10 1 0.5\n9 0 0.5\n-1 0 2\n---\n10 0 0.7",
		config: "task: ranking\nmetrics: [mrr]\nranking: {empty_queries: zero}\noutput: {per_query: true}",
		check:  singleQueries("-1 mrr = 0\n9 mrr = 0\n10 mrr = 0.5"),
	}, {
		name: "single queries of the truth", preds: results, files: judged, config: truthIn + "metrics: [recall@2]\noutput: {per_query: true}",
		check: singleQueries("q1 recall@2 = 0.5\nq2 recall@2 = null"),
	}, {
		name: "gain without bounds", preds: last(ranked, "q2 d 0.9 2000 3 fr"), config: "metrics: [ndcg, dcg@1, err, mrr]\noutput: {per_query: true}",
		report: `
2 rows, 2 evaluated
dcg@1 = NaN (weights or values are too large)
err = NaN (…)
mrr = 0.875
ndcg = NaN (weights or values are too large)`,
		check: singleQueries(`
q1 dcg@1 = 0
q1 err = 0.09375
q1 mrr = 0.5
q1 ndcg = 0.6309297535714575
q2 dcg@1 = null
q2 err = null
q2 mrr = 1
q2 ndcg = null`),
	},

	// Queries without relevant items.
	{
		name: "empty queries left out", preds: results, files: judged, config: truthIn + emptyMetrics + "ranking: {empty_queries: skip}",
		report: `
2 rows, 2 evaluated
truth of 3, 1 without prediction
dcg@1 = 0 (1 of 2 queries undefined)
mrr = 0.5 (1 of 2 queries undefined)
ndcg@1 = 0 (1 of 2 queries undefined)
queries = 2
queries_without_relevant = 1
recall@2 = 0.5 (1 of 2 queries undefined)`,
		stdout: `
ranking: 2 of 2 queries evaluated, 0 skipped, 1 of 3 queries in the truth
without prediction
…`,
		check: func(t *testing.T, dir string) {
			require.Equal(t, &report.TruthCounts{Examples: 3, Unmatched: 1}, readReport(t, filepath.Join(dir, "out")).Rows.Truth)
			require.Contains(t, contentOf(t, dir, "out/metrics.json"), `"truth":{"examples":3,"without_prediction":1}`)
		},
	}, {
		name: "empty queries of 0", preds: results, files: judged, config: truthIn + emptyMetrics + "ranking: {empty_queries: zero}",
		report: "2 rows, 2 evaluated\ntruth of 3, 1 without prediction\ndcg@1 = 0\nmrr = 0.25\nndcg@1 = 0\nqueries = 2\nqueries_without_relevant = 1\nrecall@2 = 0.25",
	}, {
		name: "lists, and truth of items", preds: "query_id:string doc_id:[]string scores:[]double\nq2 [c] [0.7]\n---\nq1 [b,x,a] [0.5,0.1,0.9]",
		files: judged, config: truthIn + emptyMetrics + "ranking: {empty_queries: zero, ties: item}",
		report: "2 rows, 2 evaluated\ntruth of 3, 1 without prediction\ndcg@1 = 0\nmrr = 0.25\nndcg@1 = 0\nqueries = 2\nqueries_without_relevant = 1\nrecall@2 = 0.25",
	}, {
		name: "empty queries of 1", preds: results, files: judged, config: truthIn + emptyMetrics + "ranking: {empty_queries: one}",
		report: "2 rows, 2 evaluated\ntruth of 3, 1 without prediction\ndcg@1 = 0\nmrr = 0.75\nndcg@1 = 0.5\nqueries = 2\nqueries_without_relevant = 1\nrecall@2 = 0.75",
	},

	// Bad rows.
	{
		name: "item twice", preds: ranked + "\nq2 d 0.7 0 3 fr", code: 1,
		stderr: `evaluate: preds.parquet: row group 1, row 1: column "doc_id": "d": the query has the item twice` + end,
	}, {
		name: "bad queries skipped", config: "bad_rows: skip\nmetrics: [mrr]",
		preds: ranked + "\nnull e 0.1 1 1 de\nq3 a 0.1 -1 1 de\nq3 b 0.1 1 1 de\nq4 a 0.1 1 1 de\nq4 a 0.2 1 1 de\nq5 a 0.1 0 1 de\nq5 b 0.1 0 2 de",
		report: `
6 rows, 2 evaluated
skipped: duplicate item: 1
skipped: negative relevance: 1
skipped: null example id: 1
skipped: several weights: 1
warning: 66.7 % of the rows (4 of 6) were skipped: duplicate item (1), negative relevance (1), null example id (1), several weights (1)
mrr = 0.6875`,
		check: func(t *testing.T, dir string) {
			require.Equal(t, []report.SkippedRow{
				{File: "preds.parquet", RowGroup: 1, Row: 1, Column: "query_id", Value: "null", Reason: "null example id"},
				{File: "preds.parquet", RowGroup: 1, Row: 2, Column: "relevance", Value: "-1", Reason: "negative relevance"},
				{File: "preds.parquet", RowGroup: 1, Row: 5, Column: "doc_id", Value: `"a"`, Reason: "duplicate item"},
				{File: "preds.parquet", RowGroup: 1, Row: 6, Column: "query_id", Value: `"q5"`, Reason: "several weights"},
			}, skippedSample(t, dir))
		},
	}, {
		name: "lists of unequal length", preds: "query_id:int64 scores:[]float relevance:[]int32\n1 [0.9] [0]\n---\n2 [3,4] [1]", code: 1,
		stderr: row + `"relevance": 1 values and 2 scores: expected one value for each score` + end,
	},

	// Configuration.
	{
		name: "queries of two types", preds: ranked, files: map[string]string{"a.parquet": "query_id:int64 doc_id:string score:double relevance:int32\n1 a 0.5 1"},
		args: "--input *.parquet --output out", code: 2,
		stderr: `evaluate: column "query_id" is int64 in a.parquet but string in preds.parquet: ids must be of one type, as 1 and "1" are not the same`,
	},
}

const emptyMetrics = "metrics: [recall@2, mrr, dcg@1, ndcg@1, queries, queries_without_relevant]\n"

// singleQueries is a check of per_query.parquet.
func singleQueries(want string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		rows, err := parquet.ReadFile[struct {
			Query string   `parquet:"query"`
			Name  string   `parquet:"name"`
			Value *float64 `parquet:"value,optional"`
		}](filepath.Join(dir, "out", report.PerQueryParquet))
		require.NoError(t, err)
		var got strings.Builder
		for _, r := range rows {
			value := "null"
			if r.Value != nil {
				value = fmt.Sprint(*r.Value)
			}
			fmt.Fprintf(&got, "\n%s %s = %s", r.Query, r.Name, value)
		}
		require.Equal(t, strings.TrimSpace(want), strings.TrimSpace(got.String()))
	}
}
