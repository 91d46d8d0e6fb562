package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
)

// TestLabelLists reads the same label sets in every encoding. Sets come out
// sorted, whatever the order of the lists.
func TestLabelLists(t *testing.T) {
	vocab := named("a", "b", "c")
	want := [][]int32{{0, 2}, {}, {1}, {0, 1, 2}}
	for name, c := range map[string]struct {
		encoding Encoding
		column   *columns.Column
	}{
		"indices":            {Indices, lists(ints(2, 0, 1, 1, 2, 0), 2, 0, 1, 3)},
		"float indices":      {Indices, lists(floats(0, 2, 1, 2, 1, 0), 2, 0, 1, 3)},
		"names":              {Names, lists(words("c", "a", "b", "c", "a", "b"), 2, 0, 1, 3)},
		"indicators":         {Indicator, lists(ints(1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1), 3, 3, 3, 3)},
		"bool indicators":    {Indicator, lists(bools(true, false, true, false, false, false, false, true, false, true, true, true), 3, 3, 3, 3)},
		"float indicators":   {Indicator, lists(floats(1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1), 3, 3, 3, 3)},
		"nulls of no effect": {Names, lists(null(words("c", "a", "b", "c", "a", "b")), 2, 0, 1, 3)},
	} {
		t.Run(name, func(t *testing.T) {
			spec := Spec{Params: metrics.Params{Task: metrics.Multilabel, Decisions: true}, Encoding: c.encoding}
			b := good(t, spec, vocab, Input{Rows: 4, Label: c.column, Prediction: c.column})
			require.Equal(t, want, setsOf(&b.True))
			require.Equal(t, want, setsOf(&b.PredictedSet))
		})
	}
}

// TestTruthOfScores checks the matrix of truths that goes with the scores.
func TestTruthOfScores(t *testing.T) {
	spec := Spec{Params: metrics.Params{Task: metrics.Multilabel, Scores: true}}
	b := good(t, spec, numbered(3), Input{
		Rows: 2, Label: lists(ints(2, 0, 1), 2, 1),
		Score: lists(floats(.1, .2, .3, .4, .5, .6), 3, 3),
	})
	require.Equal(t, []bool{true, false, true, false, true, false}, b.Truth)
	require.Equal(t, []float64{.1, .2, .3, .4, .5, .6}, b.Probability)
}

// TestNamesOfNumbers reads numbers as names where the labels were found in the
// data, and as indices otherwise.
func TestNamesOfNumbers(t *testing.T) {
	in := Input{Rows: 1, Label: lists(ints(7, 1), 2), Prediction: lists(ints(), 0)}
	spec := Spec{Params: metrics.Params{Task: metrics.Multilabel, Decisions: true}}
	b := good(t, spec, &Vocabulary{Names: []string{"1", "5", "7"}, Numbers: true}, in)
	require.Equal(t, [][]int32{{0, 2}}, setsOf(&b.True))
	b = good(t, spec, numbered(8), in)
	require.Equal(t, [][]int32{{1, 7}}, setsOf(&b.True))
}
