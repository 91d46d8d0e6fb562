package ingest

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

func TestBinaryThreshold(t *testing.T) {
	below, above := math.Nextafter(.5, 0), math.Nextafter(.5, 1)
	for _, c := range []struct {
		threshold float64
		kind      metrics.ScoreType
		scores    []float64
		want      []int32
	}{
		{.5, metrics.Probability, []float64{below, .5, above}, []int32{0, 1, 1}},
		{0, metrics.Probability, []float64{0, 1, .5}, []int32{1, 1, 1}},
		{1, metrics.Probability, []float64{0, 1, .5}, []int32{0, 1, 0}},
		{0, metrics.Logit, []float64{math.Copysign(0, -1), -5e-324, inf}, []int32{1, 0, 1}},
		{-3, metrics.RawScore, []float64{-inf, -3, -3.5}, []int32{0, 1, 0}},
	} {
		spec := input.Spec{Params: metrics.Params{Task: metrics.Binary, Scores: true, ScoreType: c.kind, Decisions: true}, Decision: &input.Decision{Threshold: c.threshold}}
		b := good(t, spec, numbered(2), Input{Rows: 3, Of: Columns{roles.Label: ints(0, 1, 0), roles.Score: floats(c.scores...)}})
		require.Equal(t, c.want, b.Predicted, "scores %v, threshold %v", c.scores, c.threshold)
	}
}

// TestNarrowScores compares scores of 32 bits with thresholds as they are: the
// float32 nearest to 0.7 is below 0.7, and that nearest to 0.1 above 0.1.
func TestNarrowScores(t *testing.T) {
	for threshold, want := range map[float64]int32{.7: 0, .1: 1, .5: 1} {
		spec := input.Spec{Params: metrics.Params{Task: metrics.Binary, Scores: true, Decisions: true}, Decision: &input.Decision{Threshold: threshold}}
		b := good(t, spec, numbered(2), Input{Rows: 1, Of: Columns{roles.Label: ints(1), roles.Score: floats(float64(float32(threshold)))}})
		require.Equal(t, want, b.Predicted[0], "threshold %v", threshold)
	}
}

// TestPredictionColumn is used instead of scores where there is one.
func TestPredictionColumn(t *testing.T) {
	spec := input.Spec{Params: metrics.Params{Task: metrics.Binary, Scores: true, Decisions: true}, Decision: &input.Decision{Threshold: .5}}
	b := good(t, spec, numbered(2), Input{Rows: 2, Of: Columns{roles.Label: ints(0, 1), roles.Score: floats(.1, .9), roles.Prediction: ints(1, 0)}})
	require.Equal(t, []int32{1, 0}, b.Predicted)
	require.Equal(t, []float64{.1, .9}, b.Probability)
}

func TestTopClass(t *testing.T) {
	spec := input.Spec{Params: metrics.Params{Task: metrics.Multiclass, Scores: true, ScoreType: metrics.RawScore, Decisions: true}}
	b := good(t, spec, numbered(3), Input{
		Rows: 5, Of: Columns{roles.Label: ints(0, 0, 0, 0, 0),
			roles.Score: listsOf(floats(1, 3, 2, 5, 5, 5, 0, 7, 7, -inf, -inf, -1, inf, 0, inf), 3, 3, 3, 3, 3)},
	})
	require.Equal(t, []int32{1, 0, 1, 2, 0}, b.Predicted, "of equal scores, the first class")
}

func TestThresholdsOfLabels(t *testing.T) {
	spec := input.Spec{
		Params:   metrics.Params{Task: metrics.Multilabel, Scores: true, Decisions: true},
		Decision: &input.Decision{Threshold: .5, PerLabel: map[string]float64{"c": .3, "a": .9}},
	}
	b := good(t, spec, named("a", "b", "c"), Input{
		Rows: 3, Of: Columns{roles.Label: listsOf(ints(), 0, 0, 0),
			roles.Score: listsOf(floats(.9, .5, .3, .89, .49, .29, 1, 1, 1), 3, 3, 3)},
	})
	require.Equal(t, [][]int32{{0, 1, 2}, {}, {0, 1, 2}}, setsOf(&b.PredictedSet))
}

func TestTopK(t *testing.T) {
	scores := listsOf(floats(
		1, 2, 3, 4,
		4, 4, 4, 4,
		0, 1, 1, 0,
		-inf, inf, -inf, 0,
	), 4, 4, 4, 4)
	for k, want := range map[int][][]int32{
		1: {{3}, {0}, {1}, {1}},
		2: {{2, 3}, {0, 1}, {1, 2}, {1, 3}},
		3: {{1, 2, 3}, {0, 1, 2}, {0, 1, 2}, {0, 1, 3}},
		4: {{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}},
		9: {{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}},
	} {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			spec := input.Spec{
				Params:   metrics.Params{Task: metrics.Multilabel, Scores: true, ScoreType: metrics.RawScore, Decisions: true},
				Decision: &input.Decision{TopK: k},
			}
			b := good(t, spec, numbered(4), Input{Rows: 4, Of: Columns{roles.Label: listsOf(ints(), 0, 0, 0, 0), roles.Score: scores}})
			require.Equal(t, want, setsOf(&b.PredictedSet))
		})
	}
}

// TestTopKOfManyTies: of many equal scores too, the first labels win.
func TestTopKOfManyTies(t *testing.T) {
	const labels, k = 200, 60
	scores := make([]float64, labels)
	var want []int32
	for label := range scores {
		if scores[label] = float64(label % 3); label%3 == 2 && len(want) < k {
			want = append(want, int32(label))
		}
	}
	spec := input.Spec{
		Params:   metrics.Params{Task: metrics.Multilabel, Scores: true, ScoreType: metrics.RawScore, Decisions: true},
		Decision: &input.Decision{TopK: k},
	}
	b := good(t, spec, numbered(labels), Input{Rows: 1, Of: Columns{roles.Label: listsOf(ints(), 0), roles.Score: listsOf(floats(scores...), labels)}})
	require.Equal(t, [][]int32{want}, setsOf(&b.PredictedSet))
}
