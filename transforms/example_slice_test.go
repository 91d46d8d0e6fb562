package transforms_test

import (
	"context"
	"log"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/input"
)

// Slice functions are registered in an init function, so that the workers have them, too.
func init() {
	transforms.RegisterSlice("continent", func(country ...slice.Value) slice.Value {
		switch country[0].Text() {
		case "de", "fr":
			return slice.String("Europe")
		case "jp":
			return slice.String("Asia")
		}
		return slice.Null()
	})
}

// Evaluate slices that a function makes of the values of a column: of countries, their
// continents. Reports call the column by the name of the function.
func ExampleRegisterSlice() {
	spec := transforms.Spec{
		Params:  metrics.Params{Task: metrics.Regression, Metrics: []string{"mae"}},
		Columns: input.Columns{Label: "price", Prediction: "estimate"},
		Slices:  []transforms.Slice{{{Column: "country", Function: "continent"}}},
	}
	in := func(country string) map[string]string { return map[string]string{"country": country} }

	p, s := beam.NewPipelineWithRoot()
	predictions := beam.CreateList(s, []input.Prediction{
		{Target: 10, Estimate: 11, Slices: in("de")},
		{Target: 20, Estimate: 18, Slices: in("fr")},
		{Target: 30, Estimate: 30, Slices: in("jp")},
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
	// overall     mae           1.000
	// continent=Asia  mae           0.000
	// continent=Europe  mae           1.500
}
