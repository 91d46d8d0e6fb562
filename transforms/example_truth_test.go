package transforms_test

import (
	"context"
	"log"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/input"
)

// Evaluate rankings whose judgements are in other files, one row for each query and item in both.
func ExampleJoined() {
	ctx := context.Background()
	run, err := input.FindShards(ctx, "../testdata/digits_retrieval/run.parquet")
	if err != nil {
		log.Fatal(err)
	}
	judgements, err := input.FindShards(ctx, "../testdata/digits_retrieval/qrels.parquet")
	if err != nil {
		log.Fatal(err)
	}
	spec := transforms.Spec{
		Params:  metrics.Params{Task: metrics.Ranking, Metrics: []string{"mrr", "ndcg@10", "recall@10"}},
		Columns: input.Columns{Example: "query_id", Item: "image_id", Score: "score"}, Long: true,
		Truth: &transforms.Truth{Columns: input.Columns{Example: "query_id", Item: "image_id", Label: "relevance"}},
	}

	p, s := beam.NewPipelineWithRoot()
	evaluation, err := transforms.Joined(s, spec, beam.CreateList(s, run), beam.CreateList(s, judgements))
	if err != nil {
		log.Fatal(err)
	}
	printRows(s, evaluation.Rows(s))
	if _, err := beam.Run(ctx, "prism", p); err != nil {
		log.Fatal(err)
	}

	// Output:
	// overall     mrr           0.973
	// overall     ndcg@10       0.763
	// overall     recall@10     0.263
}
