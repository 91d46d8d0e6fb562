package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
)

// TestSparseScores reads scores of some labels, in any order, by number and by
// name. They come out in the order of the labels.
func TestSparseScores(t *testing.T) {
	for name, c := range map[string]struct {
		vocab  *Vocabulary
		labels *columns.Column
		truth  *columns.Column
	}{
		"indices": {numbered(4), ints(3, 0, 2, 1), ints(3, 1, 0)},
		"names":   {named("a", "b", "c", "d"), words("d", "a", "c", "b"), words("d", "b", "a")},
		"numbers that are names": {
			&Vocabulary{Names: []string{"-5", "0", "7", "12"}, Numbers: true}, ints(12, -5, 7, 0), ints(12, 0, -5),
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := Spec{
				Params:   metrics.Params{Task: metrics.Multilabel, Scores: true, Sparse: true, Decisions: true, ScoreType: metrics.RawScore},
				Encoding: Names, Decision: Decision{Threshold: 5, PerLabel: map[string]float64{c.vocab.Name(0): 100}},
			}
			b := good(t, spec, c.vocab, Input{
				Rows: 3, Label: lists(c.truth, 2, 0, 1),
				ScoreLabel: lists(c.labels, 3, 0, 1), Score: lists(floats(6, 7, 4, 5), 3, 0, 1),
			})
			require.Equal(t, [][]int32{{0, 2, 3}, {}, {1}}, setsOf(&b.Candidates))
			require.Equal(t, []float64{7, 4, 6, 5}, b.Score)
			require.Equal(t, []bool{false, false, true, false}, b.Truth)
			require.Equal(t, [][]int32{{3}, {}, {1}}, setsOf(&b.PredictedSet), "a label without a score is not predicted")
			require.Nil(t, b.Probability)
		})
	}
}

// TestSparseTopK predicts no label without a score, and of equals the first.
func TestSparseTopK(t *testing.T) {
	spec := Spec{Params: metrics.Params{Task: metrics.Multilabel, Scores: true, Sparse: true, Decisions: true}, Decision: Decision{TopK: 2}}
	b := good(t, spec, numbered(9), Input{
		Rows: 3, Label: lists(ints(), 0, 0, 0),
		ScoreLabel: lists(ints(8, 3, 5, 6), 3, 1, 0), Score: lists(floats(.5, .5, .5, .1), 3, 1, 0),
	})
	require.Equal(t, [][]int32{{3, 5}, {6}, {}}, setsOf(&b.PredictedSet))
}

// TestSparseClasses predicts the class of the highest score.
func TestSparseClasses(t *testing.T) {
	spec := Spec{Params: metrics.Params{Task: metrics.Multiclass, Scores: true, Sparse: true, Decisions: true}}
	b := good(t, spec, numbered(9), Input{
		Rows: 2, Label: ints(1, 2),
		ScoreLabel: lists(ints(8, 3, 5, 6), 3, 1), Score: lists(floats(.2, .7, .7, .1), 3, 1),
	})
	require.Equal(t, []int32{3, 6}, b.Predicted)
}
