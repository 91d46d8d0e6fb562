package metrics

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// labelsWithRows returns the labels that have results of their own.
func labelsWithRows(t *testing.T, p *Params, partial *Partial, which PerLabel) []int {
	list, err := p.Evaluate(partial, Options{PerLabel: which})
	require.NoError(t, err)
	labels := []int{}
	for _, r := range list {
		if r.Label >= 0 {
			labels = append(labels, r.Label)
		}
	}
	return labels
}

func TestLabelsWithRows(t *testing.T) {
	// Labels 3 and 5000 are true somewhere, 4 and 6000 predicted.
	multilabel := &Params{Task: Multilabel, Labels: 7000, Decisions: true, Metrics: []string{"recall"}}
	sets := folded(t, multilabel, &Batch{Rows: 2, Labels: 7000,
		True: setsOf([][]int32{{3}, {5000}}), PredictedSet: setsOf([][]int32{{3, 4}, {6000}})})
	multiclass := &Params{Task: Multiclass, Labels: 7000, Decisions: true, Metrics: []string{"recall"}}
	classes := folded(t, multiclass, &Batch{Rows: 2, Labels: 7000, Class: []int32{3, 5000}, Predicted: []int32{4, 6000}})
	for name, c := range map[string]struct {
		which PerLabel
		want  []int
	}{
		"none":                       {PerLabel{}, []int{}},
		"the first that occur":       {PerLabel{Limit: 3}, []int{3, 4, 5000}},
		"fewer than the limit occur": {PerLabel{Limit: 6999}, []int{3, 4, 5000, 6000}},
		"named":                      {PerLabel{Labels: []int{2, 3}, Limit: 1}, []int{2, 3}},
		"none of the names":          {PerLabel{Labels: []int{}, Limit: 7000}, []int{}},
		"no more than the limit":     {PerLabel{Limit: 7000}, firstLabels(7000)},
		"all":                        {PerLabel{All: true, Limit: 1}, firstLabels(7000)},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, labelsWithRows(t, multilabel, sets, c.which))
			require.Equal(t, c.want, labelsWithRows(t, multiclass, classes, c.which))
		})
	}
}

// TestLabelsWithRowsUnknown: statistics of scores don't say which labels occur.
func TestLabelsWithRowsUnknown(t *testing.T) {
	p := &Params{Task: Multilabel, Labels: 5, Scores: true, LogLossEps: machineEpsilon, Metrics: []string{"log_loss"}}
	partial := folded(t, p, finish(&Batch{Rows: 1, Labels: 5, True: setsOf([][]int32{{4}}), Probability: make([]float64, 5)}, Multilabel))
	require.Equal(t, []int{0, 1}, labelsWithRows(t, p, partial, PerLabel{Limit: 2}))
}
