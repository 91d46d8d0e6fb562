package metrics

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/curves"
)

// TestConstantErrorCosts: costs that are the same for all examples have the same mean, to the bit, and the
// same threshold of least cost as a matrix of them.
func TestConstantErrorCosts(t *testing.T) {
	matrix := Params{Task: Binary, Scores: true, Decisions: true, Curves: ExactCurves, Costs: [][]float64{{0, 1}, {10, 0}}, Tuning: &curves.Criterion{Objective: curves.NetBenefit, At: 10}}
	columns := matrix
	columns.Costs, columns.Has, columns.Tuning = nil, HasErrorCosts, &curves.Criterion{Objective: curves.NetBenefit, At: 1}
	for seed := range uint64(40) {
		r := source(seed)
		b := drawBatch(r, &matrix, 1+r.IntN(60))
		for i := range b.Weight { // with few bits, so that no sum is rounded
			b.Weight[i] = float64(r.IntN(64)) / 8
		}
		b.CostFP, b.CostFN = slices.Repeat([]float64{1}, b.Rows), slices.Repeat([]float64{10}, b.Rows)
		var costs [2]Value
		var thresholds [2][]float64
		for i, p := range []*Params{&matrix, &columns} {
			partial := reassembled(t, p, b, parts(r, b.Rows, 1+r.IntN(5)))
			for _, curve := range collectedRanges(t, p, b, parts(r, b.Rows, 1+r.IntN(4)), 1+r.IntN(4)) {
				partial.Merge(curve)
			}
			costs[i] = results(t, p, partial, Options{})[key{"expected_cost", -1}].Value
			thresholds[i] = p.Thresholds(partial)
		}
		require.Equal(t, fmt.Sprint(costs[0]), fmt.Sprint(costs[1]), "seed %d", seed)
		require.Equal(t, fmt.Sprint(thresholds[0]), fmt.Sprint(thresholds[1]), "seed %d", seed)
	}
}

// TestErrorCostsTooLarge: weights multiplied by costs never make a wrong threshold.
func TestErrorCostsTooLarge(t *testing.T) {
	p := Params{Task: Binary, Scores: true, Decisions: true, Curves: ExactCurves, Has: HasErrorCosts, Tuning: &curves.Criterion{Objective: curves.NetBenefit, At: 1}, Metrics: []string{"expected_cost"}}
	b := &Batch{Rows: 2, Labels: 1, Class: []int32{0, 1}, Truth: []bool{false, true}, Predicted: []int32{1, 0}, Score: []float64{0.2, 0.7},
		Weight: []float64{0x1p479, 0x1p479}, CostFP: []float64{HighestCost, 1}, CostFN: []float64{1, HighestCost}}
	b.Probability = b.Score
	partial := folded(t, &p, b)
	for _, curve := range collectedRanges(t, &p, b, [][]int32{{0, 1}}, 1) {
		partial.Merge(curve)
	}
	require.Equal(t, HighestCost, results(t, &p, partial, Options{})[key{"expected_cost", -1}].Value.Number)
	require.True(t, math.IsNaN(p.Thresholds(partial)[0]))

	p.Curves = BoundedCurves
	_, err := p.New()
	require.EqualError(t, err, "tuning thresholds for the costs of each example needs exact curves: set Params.Curves to ExactCurves")
}
