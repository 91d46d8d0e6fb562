package metrics

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/crossfit"
)

// TestDecided compares the outcomes of the decisions of each fold, and of each threshold, with counts of examples.
func TestDecided(t *testing.T) {
	const m = 12
	r := rand.New(rand.NewPCG(4, 60))
	b := calibrated(r, 700, 0.5, 1)
	for _, p := range b.Score {
		b.Predicted = append(b.Predicted, int32(map[bool]int{true: 1}[p >= 0.5]))
	}
	p := &Params{Task: Binary, Metrics: []string{"accuracy", "roc_auc"}}
	require.NoError(t, p.Complete())
	of := foldsOf(r, b.Rows, m-1) // the last is empty
	partials, all := binsOf(t, p, b, of, m)
	rows := make([][]int32, m)
	for i, fold := range of {
		rows[fold] = append(rows[fold], int32(i))
	}
	for fold := range m - 1 {
		stats, err := p.New()
		require.NoError(t, err)
		stats.Fold(b, rows[fold])
		partials[fold].Merge(stats)
	}
	folds, lowest := p.Decided(all, partials)
	require.Len(t, folds, m-1)
	require.Greater(t, len(lowest), 100)
	for i := range folds {
		var decided crossfit.Counts
		for _, at := range rows[i] {
			decided[crossfit.Outcome(b.Class[at] == 1, b.Predicted[at] == 1)]++
		}
		require.Equal(t, decided, folds[i].Decided)
		positives, negatives := 0.0, 0.0
		for bin, threshold := range lowest {
			positives, negatives = positives+folds[i].Positives[bin], negatives+folds[i].Negatives[bin]
			var above [2]float64
			for _, at := range rows[i] {
				if b.Score[at] >= threshold {
					above[b.Class[at]]++
				}
			}
			require.Equal(t, above, [2]float64{negatives, positives})
		}
	}
	none, _ := (&Params{Task: Binary, Metrics: []string{"roc_auc"}}).Decided(all, partials)
	require.Nil(t, none, "without decisions")
}
