package transforms_test

import (
	"context"
	"log"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/input"
)

// Rate systems that were compared in pairs: journals of statistics, where a citation is a win of
// the cited journal (Stigler 1994). Ratings are relative to the reference system.
func ExamplePredictions_preferences() {
	spec := transforms.Spec{
		Params:    metrics.Params{Task: metrics.Preference, Metrics: []string{"bradley_terry", "elo", "tie_rate"}},
		Labels:    input.Vocabulary{Names: []string{"Biometrika", "Comm Statist", "JASA", "JRSS-B"}},
		PerLabel:  transforms.PerLabel{All: true},
		Reference: "Biometrika",
	}
	cited := func(a, b string, outcome string, times float64) input.Prediction {
		return input.Prediction{First: a, Second: b, Labels: []string{outcome}, Weight: &times}
	}

	p, s := beam.NewPipelineWithRoot()
	predictions := beam.CreateList(s, []input.Prediction{
		cited("Biometrika", "Comm Statist", "a", 730), cited("Biometrika", "Comm Statist", "b", 33),
		cited("Biometrika", "JASA", "a", 498), cited("Biometrika", "JASA", "b", 320),
		cited("Biometrika", "JRSS-B", "a", 221), cited("Biometrika", "JRSS-B", "b", 284),
		cited("Comm Statist", "JASA", "a", 68), cited("Comm Statist", "JASA", "b", 813),
		cited("Comm Statist", "JRSS-B", "a", 17), cited("Comm Statist", "JRSS-B", "b", 276),
		cited("JASA", "JRSS-B", "a", 142), cited("JASA", "JRSS-B", "b", 325),
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
	// overall     bradley_terry  0.000  Biometrika
	// overall     bradley_terry  -2.949  Comm Statist
	// overall     bradley_terry  -0.480  JASA
	// overall     bradley_terry  0.269  JRSS-B
	// overall     elo           1000.000  Biometrika
	// overall     elo           487.694  Comm Statist
	// overall     elo           916.690  JASA
	// overall     elo           1046.722  JRSS-B
	// overall     tie_rate      0.000
}
