package metrics

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConfusionOfClasses(t *testing.T) {
	p := params(t, Multiclass, 3, RawScore)
	b := &Batch{Rows: 4, Labels: 3, Class: []int32{0, 2, 2, 2}, Predicted: []int32{0, 1, 2, 1}, Weight: []float64{1, 0.5, 2, 0.25}}
	partial := folded(t, p, b)
	require.Equal(t, []Cell{{-1, 0, 0, 1, 1}, {-1, 2, 1, 2, 0.75}, {-1, 2, 2, 1, 2}}, p.Confusion(partial, Options{}))
	require.Empty(t, p.Confusion(new(Partial), Options{}))
}

func TestConfusionOfLabels(t *testing.T) {
	p := params(t, Multilabel, 3, RawScore)
	b := multilabelBatch([][]int{{1, 0, 1}, {1, 0, 0}, {0, 0, 1}}, [][]int{{1, 0, 0}, {0, 0, 1}, {1, 0, 1}})
	b.Weight = []float64{0.5, 2, 1}
	partial := folded(t, p, b)
	// Whichever labels have results of their own.
	for _, which := range []PerLabel{{}, {Labels: []int{0, 1}}, {Limit: 1}, {All: true}} {
		require.Equal(t, []Cell{
			{0, 0, 1, 1, 1}, {0, 1, 0, 1, 2}, {0, 1, 1, 1, 0.5},
			{1, 0, 0, 3, 3.5}, // a label that is never true nor predicted
			{2, 0, 1, 1, 2}, {2, 1, 0, 1, 0.5}, {2, 1, 1, 1, 1},
		}, p.Confusion(partial, Options{PerLabel: which}))
	}
}

// Whatever the metrics, the confusion is there if there are decisions.
func TestConfusionNeedsNoMetric(t *testing.T) {
	p := params(t, Multilabel, 3, RawScore)
	p.Metrics = []string{"hamming_loss"}
	partial := folded(t, p, multilabelBatch([][]int{{1, 0, 1}}, [][]int{{1, 0, 0}}))
	require.Len(t, p.Confusion(partial, Options{}), 3)
}
