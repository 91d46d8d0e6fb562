package evaluate

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// negativeJudgements are judgements as NIST publishes them, for the same results as judgements: -1
// and -2 mark items that nobody assessed, or that are unwanted.
const negativeJudgements = `
query_id:string doc_id:string relevance:int64
q1              a             -1
q1              b             2
q1              z             1
q1              c             0
---
q1              y             -1
q2              c             -1
q4              m             1
q4              n             -2`

const negativeResults = `
query_id:string doc_id:string score:double
q1              a             0.9
q1              b             0.5
q1              c             0.4
---
q1              d             0.3
q2              c             0.7
q2              x             0.1
q4              m             0.6
q4              n             0.5`

// negatives are rankings with negative relevances.
var negatives = []scenario{
	{
		// The values are from trec_eval 9 (pytrec-eval-terrier 0.5.10), which gives the same for 0
		// in place of a negative relevance, except for bpref: 0.25 for q1.
		name: "negative relevance is not relevant", preds: negativeResults, files: truth(negativeJudgements),
		config: truthIn + "metrics: [ndcg, map, mrr, bpref, precision@2, recall@2, r_precision]\n" +
			"ranking: {negative_relevance: zero, gain: linear, ties: item, empty_queries: zero}\noutput: {per_query: true}",
		report: `
3 rows, 3 evaluated
truth of 3, 0 without prediction
warning: 4 judgements with negative relevance count as 0
bpref = 0.5
map = 0.4167
mrr = 0.5
ndcg = 0.4932
precision@2 = 0.3333
r_precision = 0.5
recall@2 = 0.5`,
		check: func(t *testing.T, dir string) {
			require.EqualValues(t, 4, readReport(t, dir+"/out").Rows.NegativeAsZero)
			singleQueries(`
q1 bpref = 0.5
q1 map = 0.25
q1 mrr = 0.5
q1 ndcg = 0.4796249331362629
q1 precision@2 = 0.5
q1 r_precision = 0.5
q1 recall@2 = 0.5
q2 bpref = 0
q2 map = 0
q2 mrr = 0
q2 ndcg = 0
q2 precision@2 = 0
q2 r_precision = 0
q2 recall@2 = 0
q4 bpref = 1
q4 map = 1
q4 mrr = 1
q4 ndcg = 1
q4 precision@2 = 0.5
q4 r_precision = 1
q4 recall@2 = 1`)(t, dir)
		},
	}, {
		name:  "negative relevance beside scores",
		preds: "query_id:int64 scores:[]double relevance:[]int64\n1 [0.9,0.5,0.1] [-1,1,0]\n2 [0.3,0.2] [0,3]", config: "metrics: [mrr, bpref]\nranking: {negative_relevance: zero}",
		report: "2 rows, 2 evaluated\nwarning: 1 judgements with negative relevance count as 0\nbpref = 0.5\nmrr = 0.5",
	}, {
		name: "negative relevance is bad unless it is said to be 0", preds: results, files: truth(judgements + "\nq2 x -1"), config: truthIn + "metrics: [mrr]", code: 1,
		stderr: `evaluate: truth.parquet: row group 1, row 1: column "relevance": -1: expected a relevance of 0 or more; set ranking.negative_relevance: zero to count it as 0` + end,
	}, {
		name: "negative relevance of another word", config: "ranking: {negative_relevance: skip}", preds: negativeResults, code: 2,
		stderr: `evaluate: eval.yaml:1:31: ranking.negative_relevance: unknown value "skip" (valid values: bad_row, zero)`,
	},
}
