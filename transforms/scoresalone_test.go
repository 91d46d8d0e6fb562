package transforms

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// TestScoresAlone: predictions with scores and no decisions are decided by threshold, whether Params
// says that there are scores or only names a metric of decisions.
func TestScoresAlone(t *testing.T) {
	list := []input.Prediction{{Labels: []string{"1"}, Scores: []float64{.7}}, {Labels: []string{"0"}, Scores: []float64{.6}}, {Labels: []string{"1"}, Scores: []float64{.2}}}
	for _, p := range []metrics.Params{
		{Task: metrics.Binary, Scores: true, Metrics: []string{"f1"}},
		{Task: metrics.Binary, Metrics: []string{"f1"}},
	} {
		rows, err := rowsOf(t, inMemory(Spec{Params: p}, list))
		require.NoError(t, err)
		require.Len(t, rows[0], 1)
		row, err := rowOf(rows[0][0])
		require.NoError(t, err)
		require.Equal(t, .5, row.Value)
	}
}

// TestScoresBesideDecisions: a prediction may have scores or decisions or both, also in tasks with
// several labels.
func TestScoresBesideDecisions(t *testing.T) {
	labels := input.Vocabulary{Names: []string{"a", "b"}}
	for _, task := range []metrics.Task{metrics.Multiclass, metrics.Multilabel} {
		spec := Spec{Params: metrics.Params{Task: task, Metrics: []string{"f1_micro"}}, Labels: labels}
		decided := []input.Prediction{{Labels: []string{"a"}, Predicted: []string{"a"}}, {Labels: []string{"b"}, Predicted: []string{"a"}}, {Labels: []string{"b"}, Predicted: []string{"b"}}}
		mixed := slices.Clone(decided)
		mixed[0].Predicted, mixed[0].Scores = nil, []float64{.9, .1}
		mixed[2].Scores = []float64{.8, .2} // Predicted counts
		rows, err := rowsOf(t, inMemory(spec, decided), inMemory(spec, mixed))
		require.NoError(t, err)
		require.Equal(t, rows[0], rows[1])

		spec.Decision = &input.Decision{Threshold: .95}
		if task == metrics.Multilabel {
			rows, err = rowsOf(t, inMemory(spec, mixed))
			require.NoError(t, err)
			row, err := rowOf(rows[0][0])
			require.NoError(t, err)
			require.Equal(t, .4, row.Value)
		}
	}
}
