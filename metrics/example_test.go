package metrics_test

import (
	"fmt"
	"log"

	"github.com/beameval/beameval/metrics"
)

// Four examples; one is predicted wrongly.
func Example() {
	p := metrics.Params{Task: metrics.Binary, Metrics: []string{"accuracy", "recall"}}
	partial, err := p.New()
	if err != nil {
		log.Fatal(err)
	}
	batch := &metrics.Batch{Rows: 4, Labels: 1, Class: []int32{1, 0, 1, 1}, Predicted: []int32{1, 0, 0, 1}}
	partial.Fold(batch, metrics.AllRows(nil, batch.Rows))
	results, err := p.Evaluate(partial, metrics.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range results {
		fmt.Printf("%s %.4f\n", r.Name, r.Number)
	}
	// Output:
	// accuracy 0.7500
	// recall 0.6667
}

// No metric is named, so every metric of a regression is computed that needs only folding. Examples
// may be folded in parts, which are merged in any order.
func ExamplePartial_Merge() {
	p := metrics.Params{Task: metrics.Regression}
	whole := new(metrics.Partial)
	for _, batch := range []*metrics.Batch{
		{Rows: 2, Target: []float64{1, 2}, Estimate: []float64{1.5, 2}},
		{Rows: 1, Target: []float64{4}, Estimate: []float64{3}},
	} {
		partial, err := p.New()
		if err != nil {
			log.Fatal(err)
		}
		partial.Fold(batch, metrics.AllRows(nil, batch.Rows))
		whole.Merge(partial)
	}
	results, err := p.Evaluate(whole, metrics.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range results[:3] {
		fmt.Printf("%s %.4f\n", r.Name, r.Number)
	}
	// Output:
	// mae 0.5000
	// mse 0.4167
	// rmse 0.6455
}

// Two queries: three items were retrieved for the first, two of them tied, and
// one for the second, which missed a relevant item.
func Example_ranking() {
	p := metrics.Params{
		Task: metrics.Ranking, Metrics: []string{"ndcg", "mrr", "recall@1", "queries"},
	}
	partial, err := p.New()
	if err != nil {
		log.Fatal(err)
	}
	batch := &metrics.Batch{
		Rows:         2,
		ItemOffset:   []int32{0, 3, 4},
		Score:        []float64{0.9, 0.5, 0.5, 12},
		Relevance:    []float64{0, 3, 0, 1},
		MissedOffset: []int32{0, 0, 1},
		Missed:       []float64{2},
	}
	partial.Fold(batch, metrics.AllRows(nil, batch.Rows))
	results, err := p.Evaluate(partial, metrics.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range results {
		fmt.Printf("%s %.4f\n", r.Name, r.Number)
	}

	queries, err := p.NewQueryEvaluator()
	if err != nil {
		log.Fatal(err)
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

// A program registers metrics of its own in an init function.
func init() {
	metrics.Register(
		metrics.Metric{
			Name: "cost", Tasks: metrics.Binary | metrics.Multilabel, Better: metrics.Lower,
			Definition: "mean cost of an example: 10 if a positive is missed, 1 for a false alarm",
			Formula: metrics.OfCounts(func(c metrics.Counts) metrics.Value {
				return metrics.Ratio(10*c.FN+c.FP, c.TP+c.FP+c.FN+c.TN, "no examples")
			}),
		},
		metrics.Metric{
			Name: "doubt", Tasks: metrics.Binary, Better: metrics.Lower, Needs: metrics.NeedProbabilities,
			Definition: "mean of 1 - the probability of what is predicted",
			Formula: metrics.MeanOf(func(b *metrics.Batch, row int32) float64 {
				p := b.Probability[row]
				return min(p, 1-p)
			}),
		},
	)
}

// Metrics of your own: a function of the 2×2 table, and a mean over examples. They are
// computed if they are named.
func ExampleRegister() {
	p := metrics.Params{Task: metrics.Binary, Metrics: []string{"cost", "doubt", "recall"}}
	partial, err := p.New()
	if err != nil {
		log.Fatal(err)
	}
	batch := &metrics.Batch{
		Rows: 4, Labels: 1, Class: []int32{1, 0, 1, 1}, Predicted: []int32{1, 0, 0, 1},
		Probability: []float64{0.75, 0.25, 0.25, 1},
	}
	partial.Fold(batch, metrics.AllRows(nil, batch.Rows))
	results, err := p.Evaluate(partial, metrics.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range results {
		fmt.Printf("%s %.4f\n", r.Name, r.Number)
	}
	// Output:
	// cost 2.5000
	// doubt 0.1875
	// recall 0.6667
}
