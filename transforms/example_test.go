package transforms_test

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/input"
)

// Evaluate the Parquet files that a glob names, overall and for each value of a
// column.
func ExampleParquet() {
	ctx := context.Background()
	shards, err := input.FindShards(ctx, "../testdata/breast_cancer/*.parquet")
	if err != nil {
		log.Fatal(err)
	}
	spec := transforms.Spec{
		Params:        metrics.Params{Task: metrics.Binary, Metrics: []string{"f1", "log_loss", "recall"}},
		Columns:       input.Columns{Label: "label", Score: "score"},
		PositiveLabel: "malignant",
		Slices:        []transforms.Slice{{{Column: "size"}}},
	}

	p, s := beam.NewPipelineWithRoot()
	evaluation, err := transforms.Parquet(s, spec, beam.CreateList(s, shards))
	if err != nil {
		log.Fatal(err)
	}
	printRows(s, evaluation.Rows(s))
	if _, err := beam.Run(ctx, "prism", p); err != nil {
		log.Fatal(err)
	}

	// Output:
	// overall     f1            0.908
	// overall     log_loss      0.163
	// overall     recall        0.863
	// size=large  f1            0.926
	// size=large  log_loss      0.217
	// size=large  recall        0.897
	// size=small  f1            0.640
	// size=small  log_loss      0.108
	// size=small  recall        0.471
}

// Evaluate predictions that are already in a PCollection.
func ExamplePredictions() {
	spec := transforms.Spec{
		Params:   metrics.Params{Task: metrics.Multilabel, Metrics: []string{"f1_micro", "hamming_loss", "recall"}},
		Labels:   input.Vocabulary{Names: []string{"beach", "city", "sunset"}},
		PerLabel: transforms.PerLabel{All: true},
	}

	p, s := beam.NewPipelineWithRoot()
	predictions := beam.CreateList(s, []input.Prediction{
		{Labels: []string{"beach", "sunset"}, Predicted: []string{"beach"}},
		{Labels: []string{"city"}, Predicted: []string{"city", "sunset"}},
		{Labels: []string{"sunset"}, Predicted: []string{"sunset"}},
	})
	evaluation, err := transforms.Predictions(s, spec, predictions)
	if err != nil {
		log.Fatal(err)
	}
	printRows(s, evaluation.Rows(s))
	if _, err := beam.Run(context.Background(), "prism", p); err != nil {
		log.Fatal(err)
	}

	// Output:
	// overall     f1_micro      0.750
	// overall     hamming_loss  0.222
	// overall     recall        1.000  beach
	// overall     recall        1.000  city
	// overall     recall        0.500  sunset
}

// Evaluate rankings that are already in a PCollection: the items that were retrieved
// for each query, with their scores and relevances.
func ExamplePredictions_ranking() {
	spec := transforms.Spec{
		Params: metrics.Params{Task: metrics.Ranking, Metrics: []string{"mrr", "ndcg@3", "queries"}},
		Slices: []transforms.Slice{{{Column: "country"}}},
	}
	queries := []input.Prediction{
		{
			Example: "bees", Scores: []float64{2.5, 1, 1}, Relevance: []float64{0, 3, 0}, Items: []string{"a", "b", "c"},
			Slices: map[string]string{"country": "de"},
		},
		{
			Example: "honey", Scores: []float64{0.5, 7}, Relevance: []float64{0, 1}, Items: []string{"b", "d"},
			Slices: map[string]string{"country": "fr"},
		},
	}
	evaluate := func() {
		p, s := beam.NewPipelineWithRoot()
		evaluation, err := transforms.Predictions(s, spec, beam.CreateList(s, queries))
		if err != nil {
			log.Fatal(err)
		}
		printRows(s, evaluation.Rows(s))
		if _, err := beam.Run(context.Background(), "prism", p); err != nil {
			log.Fatal(err)
		}
	}
	evaluate()

	// Measures of tied items are expectations over all orders of them, unless ties are
	// broken by item.
	fmt.Println("ties by item:")
	spec.Params.Ranking.Ties, spec.Slices = metrics.ItemTies, nil
	evaluate()

	// Output:
	// overall     mrr           0.708
	// overall     ndcg@3        0.783
	// overall     queries       2.000
	// country=de  mrr           0.417
	// country=de  ndcg@3        0.565
	// country=de  queries       1.000
	// country=fr  mrr           1.000
	// country=fr  ndcg@3        1.000
	// country=fr  queries       1.000
	// ties by item:
	// overall     mrr           0.667
	// overall     ndcg@3        0.750
	// overall     queries       2.000
}

// Compute metrics over keys of the pipeline's own, as any CombineFn does: here by customer.
func ExampleMetricsFn() {
	p, s := beam.NewPipelineWithRoot()
	predictions := beam.CreateList(s, []input.Prediction{
		{Example: "acme 1", Labels: []string{"churn"}, Scores: []float64{0.9}},
		{Example: "acme 2", Labels: []string{"stay"}, Scores: []float64{0.7}},
		{Example: "acme 3", Labels: []string{"churn"}, Scores: []float64{0.4}},
		{Example: "zoo 1", Labels: []string{"churn"}, Scores: []float64{0.8}},
	})
	keyed := beam.ParDo(s, customerOf, predictions) // KV<string, input.Prediction>
	metricsOf, err := transforms.MetricsFn(transforms.Spec{
		Params:        metrics.Params{Task: metrics.Binary, Metrics: []string{"f1", "recall"}},
		PositiveLabel: "churn",
	})
	if err != nil {
		log.Fatal(err)
	}
	rows := beam.CombinePerKey(s, metricsOf, keyed) // KV<string, transforms.MetricRows>
	beam.ParDo0(s, printCombined, beam.GroupByKey(s, beam.AddFixedKey(s, beam.ParDo(s, linesOf, rows))))
	if _, err := beam.Run(context.Background(), "prism", p); err != nil {
		log.Fatal(err)
	}

	// Output:
	// acme f1 0.500
	// acme recall 0.500
	// zoo f1 1.000
	// zoo recall 1.000
}

func customerOf(p input.Prediction) (string, input.Prediction) {
	customer, _, _ := strings.Cut(p.Example, " ")
	return customer, p
}

func linesOf(customer string, m transforms.MetricRows, emit func(string)) {
	for _, row := range m.Rows {
		emit(fmt.Sprintf("%s %s %.3f", customer, row.Name, row.Value))
	}
}

func printCombined(_ int, next func(*string) bool) {
	var lines []string
	var line string
	for next(&line) {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	fmt.Println(strings.Join(lines, "\n"))
}

// printRows prints metric rows, sorted.
func printRows(s beam.Scope, rows beam.PCollection) {
	beam.ParDo0(s, printSorted, beam.GroupByKey(s, beam.AddFixedKey(s, rows)))
}

func printSorted(_ int, next func(*report.Row) bool) {
	var rows []report.Row
	var row report.Row
	for next(&row) {
		rows = append(rows, row)
	}
	label := func(r report.Row) string {
		if r.Label == nil {
			return ""
		}
		return *r.Label
	}
	slices.SortFunc(rows, func(a, b report.Row) int {
		return cmp.Or(a.Slice.Compare(b.Slice), strings.Compare(a.Name, b.Name), strings.Compare(label(a), label(b)))
	})
	for _, r := range rows {
		line := fmt.Sprintf("%-10s  %-12s  %.3f  %s", r.Slice, r.Name, r.Value, label(r))
		fmt.Println(strings.TrimRight(line, " "))
	}
}

func init() {
	register.Function2x0(printSorted)
	register.Function1x2(customerOf)
	register.Function3x0(linesOf)
	register.Function2x0(printCombined)
	register.Emitter1[string]()
	register.Iter1[string]()
	register.Iter1[report.Row]()
}
