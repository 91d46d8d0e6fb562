package transforms_test

import (
	"context"
	"encoding/binary"
	"log"
	"math"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/input"
)

// Metrics are registered in an init function, so that the workers have them, too.
func init() {
	metrics.Register(metrics.Metric{
		Name:       "cost",
		Tasks:      metrics.Binary | metrics.Multilabel,
		Definition: "mean cost of an example: 10 if a positive is missed, 1 for a false alarm",
		Better:     metrics.Lower,
		Formula: metrics.OfCounts(func(c metrics.Counts) metrics.Value {
			return metrics.Ratio(10*c.FN+c.FP, c.TP+c.FP+c.FN+c.TN, "no examples")
		}),
	})
}

// Evaluate a metric of your own, which is a function of the 2×2 table, beside others. It has
// averages, slices and intervals like them.
func Example_customMetric() {
	ctx := context.Background()
	shards, err := input.FindShards(ctx, "../testdata/breast_cancer/*.parquet")
	if err != nil {
		log.Fatal(err)
	}
	spec := transforms.Spec{
		Params:        metrics.Params{Task: metrics.Binary, Metrics: []string{"recall", "cost"}},
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
	// overall     cost          0.524
	// overall     recall        0.863
	// size=large  cost          0.732
	// size=large  recall        0.897
	// size=small  cost          0.316
	// size=small  recall        0.471
}

// span is a statistic: the lowest and the highest error of an estimate.
type span struct{ low, high float64 }

func newSpan(*metrics.Params) *span { return &span{math.Inf(1), math.Inf(-1)} }

func (s *span) Fold(b *metrics.Batch, rows []int32) {
	for _, r := range rows {
		e := b.Estimate[r] - b.Target[r]
		s.low, s.high = min(s.low, e), max(s.high, e)
	}
}

func (s *span) Merge(from metrics.Statistic) {
	f := from.(*span)
	s.low, s.high = min(s.low, f.low), max(s.high, f.high)
}

func (s *span) Append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(s.low))
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(s.high))
}

func (s *span) Decode(d *metrics.Decoder) { s.low, s.high = d.Float(), d.Float() }
func (s *span) Reset()                    { *s = *newSpan(nil) }

func init() {
	metrics.Register(metrics.Metric{
		Name:       "error_span",
		Tasks:      metrics.Regression,
		Definition: "highest minus lowest error",
		Better:     metrics.Lower,
		Scale:      confidence.NotSmooth,
		Formula: metrics.OfStatistic("span", newSpan, func(s *span) metrics.Value {
			if s.low > s.high {
				return metrics.Undefined("no examples")
			}
			return metrics.Value{Number: s.high - s.low}
		}),
	})
}

// Evaluate a metric that is computed from a statistic of your own. A test should call
// metricstest.Laws with it.
func Example_customStatistic() {
	spec := transforms.Spec{
		Params:  metrics.Params{Task: metrics.Regression, Metrics: []string{"error_span", "mae"}},
		Columns: input.Columns{Label: "price", Prediction: "estimate"},
	}

	p, s := beam.NewPipelineWithRoot()
	predictions := beam.CreateList(s, []input.Prediction{
		{Target: 10, Estimate: 11},
		{Target: 20, Estimate: 18},
		{Target: 30, Estimate: 30},
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
	// overall     error_span    3.000
	// overall     mae           1.000
}
