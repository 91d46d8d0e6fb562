package ingest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// TestScoreTypes puts scores where their type belongs, computing probabilities
// of logits.
func TestScoreTypes(t *testing.T) {
	spec := scored(metrics.Binary)
	in := Input{Rows: 2, Of: Columns{roles.Label: ints(0, 1), roles.Score: floats(0, 1)}}
	b := good(t, spec, numbered(2), in)
	require.Equal(t, []float64{0, 1}, b.Probability)
	require.Nil(t, b.Logit)

	spec.Params.ScoreType = metrics.Logit
	b = good(t, spec, numbered(2), in)
	require.Equal(t, []float64{0, 1}, b.Logit)
	require.Equal(t, []float64{.5, 1 / (1 + math.Exp(-1))}, b.Probability)

	spec.Params.ScoreType = metrics.RawScore
	b = good(t, spec, numbered(2), in)
	require.Nil(t, b.Logit)
	require.Nil(t, b.Probability)
}

// TestWholeNumbersAsScores: integers are scores too.
func TestWholeNumbersAsScores(t *testing.T) {
	spec := input.Spec{Params: metrics.Params{Task: metrics.Multiclass, Scores: true, Decisions: true}}
	b := good(t, spec, numbered(2), Input{Rows: 2, Of: Columns{roles.Label: ints(0, 1), roles.Score: listsOf(ints(0, 1, 1, 0), 2, 2)}})
	require.Equal(t, []float64{0, 1, 1, 0}, b.Probability)
	require.Equal(t, []int32{1, 0}, b.Predicted)
}

func TestInfiniteScoresAreLegal(t *testing.T) {
	for _, kind := range []metrics.ScoreType{metrics.Logit, metrics.RawScore} {
		for _, task := range []metrics.Task{metrics.Binary, metrics.Multilabel} {
			labels, scores := ints(0, 1), floats(-inf, inf)
			if task == metrics.Multilabel {
				labels, scores = listsOf(ints(), 0, 0), listsOf(scores, 1, 1)
			}
			spec := input.Spec{Params: metrics.Params{Task: task, Scores: true, ScoreType: kind}}
			vocab := map[metrics.Task]*input.Vocabulary{metrics.Binary: numbered(2), metrics.Multilabel: numbered(1)}[task]
			b := good(t, spec, vocab, Input{Rows: 2, Of: Columns{roles.Label: labels, roles.Score: scores}})
			if kind == metrics.Logit {
				require.Equal(t, []float64{-inf, inf}, b.Logit)
				require.Equal(t, []float64{0, 1}, b.Probability)
			}
		}
	}
}

func TestWeights(t *testing.T) {
	spec := input.Spec{Params: metrics.Params{Task: metrics.Regression}}
	in := Input{Rows: 3, Of: Columns{roles.Label: ints(1, 2, 3), roles.Prediction: floats(1, 2, 3)}}
	require.Nil(t, good(t, spec, numbered(1), in).Weight)
	for _, weights := range []*columns.Column{floats(0, 2, 5), ints(0, 2, 5), null(floats(0, 2, 5))} {
		in.Of[roles.Weight] = weights
		b := good(t, spec, numbered(1), in)
		require.Equal(t, []float64{0, 2, 5}, b.Weight)
		require.Equal(t, []float64{1, 2, 3}, b.Target)
		require.Equal(t, []float64{1, 2, 3}, b.Estimate)
	}
	in.Of[roles.Weight] = floats(math.MaxFloat64, 5e-324, math.Copysign(0, -1))
	good(t, spec, numbered(1), in)
}

// TestListsOfOneScore: the score of a binary task may be in a list.
func TestListsOfOneScore(t *testing.T) {
	spec := input.Spec{Params: metrics.Params{Task: metrics.Binary, Scores: true, Decisions: true}, Decision: &input.Decision{Threshold: .5}}
	got := convert(t, spec, numbered(2), Input{Rows: 4, Of: Columns{roles.Label: ints(0, 1, 1, 1), roles.Score: listsOf(floats(.2, .7, .8, .9), 1, 1, 2, 0)}})
	require.Equal(t, []int32{0, 1}, got.rows)
	require.Equal(t, []float64{.2, .7}, got.batch.Probability[:2])
	require.Equal(t, "2 scores", got.bad[0].Value)
	require.Equal(t, "0 scores", got.bad[1].Value)
	require.Equal(t, "wrong number of values", got.bad[1].Reason.String())
}

// TestSparseScores reads scores of some labels, in any order, by number and by
// name. They come out in the order of the labels.
func TestSparseScores(t *testing.T) {
	for name, c := range map[string]struct {
		vocab  *input.Vocabulary
		labels *columns.Column
		truth  *columns.Column
	}{
		"indices": {numbered(4), ints(3, 0, 2, 1), ints(3, 1, 0)},
		"names":   {named("a", "b", "c", "d"), words("d", "a", "c", "b"), words("d", "b", "a")},
		"numbers that are names": {
			&input.Vocabulary{Names: []string{"-5", "0", "7", "12"}, Numbers: true}, ints(12, -5, 7, 0), ints(12, 0, -5),
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := input.Spec{
				Params:   metrics.Params{Task: metrics.Multilabel, Scores: true, Sparse: true, Decisions: true, ScoreType: metrics.RawScore},
				Encoding: input.Names, Decision: &input.Decision{Threshold: 5, PerLabel: map[string]float64{c.vocab.Name(0): 100}},
			}
			b := good(t, spec, c.vocab, Input{
				Rows: 3, Of: Columns{roles.Label: listsOf(c.truth, 2, 0, 1), roles.ScoreLabel: listsOf(c.labels, 3, 0, 1), roles.Score: listsOf(floats(6, 7, 4, 5), 3, 0, 1)},
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
	spec := input.Spec{Params: metrics.Params{Task: metrics.Multilabel, Scores: true, Sparse: true, Decisions: true}, Decision: &input.Decision{TopK: 2}}
	b := good(t, spec, numbered(9), Input{
		Rows: 3, Of: Columns{roles.Label: listsOf(ints(), 0, 0, 0), roles.ScoreLabel: listsOf(ints(8, 3, 5, 6), 3, 1, 0), roles.Score: listsOf(floats(.5, .5, .5, .1), 3, 1, 0)},
	})
	require.Equal(t, [][]int32{{3, 5}, {6}, {}}, setsOf(&b.PredictedSet))
}

// TestSparseClasses predicts the class of the highest score.
func TestSparseClasses(t *testing.T) {
	spec := input.Spec{Params: metrics.Params{Task: metrics.Multiclass, Scores: true, Sparse: true, Decisions: true}}
	b := good(t, spec, numbered(9), Input{
		Rows: 2, Of: Columns{roles.Label: ints(1, 2), roles.ScoreLabel: listsOf(ints(8, 3, 5, 6), 3, 1), roles.Score: listsOf(floats(.2, .7, .7, .1), 3, 1)},
	})
	require.Equal(t, []int32{3, 6}, b.Predicted)
}
