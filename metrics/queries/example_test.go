package queries_test

import (
	"fmt"

	"github.com/beameval/beameval/metrics/queries"
)

// Three items were retrieved, the last two with the same score. The measures are expectations over both orders.
func ExampleRanking() {
	q := queries.New(queries.Options{Gain: queries.ExponentialGain, Threshold: 1, MaxRelevance: 4})
	q.Read([]float64{0.9, 0.5, 0.5}, []float64{0, 3, 0}, nil, nil)
	fmt.Printf("ndcg %.4f, reciprocal rank %.4f\n", q.NDCG(queries.NoCut), q.ReciprocalRank(queries.NoCut))
	// Output: ndcg 0.5655, reciprocal rank 0.4167
}
