package metrics_test

import (
	"fmt"

	"github.com/beameval/beameval/metrics"
)

// Two queries: three items were retrieved for the first, two of them tied, and
// one for the second, which missed a relevant item.
func Example_ranking() {
	p := metrics.Params{
		Task: metrics.Ranking, Scores: true, ScoreType: metrics.RawScore,
		Ranking: metrics.RankingOptions{RelevanceThreshold: 1, MaxRelevance: 3},
		Metrics: []string{"ndcg", "mrr", "recall@1", "queries"},
	}
	part, err := p.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	batch := &metrics.Batch{
		Rows:         2,
		ItemOffset:   []int32{0, 3, 4},
		Score:        []float64{0.9, 0.5, 0.5, 12},
		Relevance:    []float64{0, 3, 0, 1},
		MissedOffset: []int32{0, 0, 1},
		Missed:       []float64{2},
	}
	part.Fold(batch, metrics.AllRows(nil, batch.Rows))
	results, err := p.Evaluate(part, metrics.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range results {
		fmt.Printf("%s %.4f\n", r.Name, r.Number)
	}

	queries, err := p.NewQueryEvaluator()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.QueryMetrics())
	for row := range int32(2) {
		fmt.Printf("%.4f\n", queries.Values(batch, row))
	}
	// Output:
	// ndcg 0.4204
	// mrr 0.7083
	// recall@1 0.2500
	// queries 2.0000
	// [ndcg mrr recall@1]
	// [0.5655 0.4167 0.0000]
	// [0.2754 1.0000 0.5000]
}
