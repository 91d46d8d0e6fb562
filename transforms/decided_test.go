package transforms

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// TestDecisionsAloneUnderBoundedCurves: histograms of groups are of scores, which such predictions do
// not have, and which metrics of decisions do not need.
func TestDecisionsAloneUnderBoundedCurves(t *testing.T) {
	decided := make([]input.Prediction, 200)
	for i := range decided {
		decided[i] = input.Prediction{
			Example: strconv.Itoa(i), Labels: []string{strconv.Itoa(i % 2)}, Predicted: []string{strconv.Itoa(i / 2 % 2)},
			Slices: map[string]string{"age": strconv.Itoa(i % 50)},
		}
	}
	for task, metric := range map[metrics.Task]string{metrics.Binary: "accuracy", metrics.Multiclass: "accuracy", metrics.Multilabel: "f1_micro"} {
		t.Run(task.String(), func(t *testing.T) {
			bounded := Spec{
				Params:     metrics.Params{Task: task, Decisions: true, Metrics: []string{metric}, Curves: metrics.BoundedCurves},
				Slices:     []Slice{{{Column: "age", Quantiles: 4}}},
				Confidence: &Confidence{},
			}
			exact := bounded
			exact.Params.Curves = metrics.ExactCurves
			rows, err := rowsOf(t, inMemory(exact, decided), inMemory(bounded, decided))
			require.NoError(t, err)
			require.Len(t, rows[0], 5)
			require.Equal(t, rows[0], rows[1])
		})
	}
}
