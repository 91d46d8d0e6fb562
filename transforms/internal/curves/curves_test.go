package curves

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/runs"
	"github.com/beameval/beameval/transforms/internal/element"
)

// TestSliceTable: tables come back as they were; places beyond the keys are an error, not
// a panic later.
func TestSliceTable(t *testing.T) {
	for _, table := range []*sliceTable{{}, newSliceTable([][]string{{"b", "a"}, nil, {"", "\xff", "b"}})} {
		data, err := wire.Encode(table, sliceTableFields)
		require.NoError(t, err)
		var back sliceTable
		require.NoError(t, wire.Decode(data, &back, sliceTableFields))
		require.Equal(t, table, &back)
	}
	for _, k := range []int32{-1, 1, math.MaxInt32} {
		_, err := wire.Encode(&sliceTable{Keys: []string{"a"}, Tuples: [][]int32{{0, k}}}, sliceTableFields)
		require.ErrorContains(t, err, "there is no slice")
	}
}

// TestPieceTotals: the totals of pieces come back as they were.
func TestPieceTotals(t *testing.T) {
	var totals runs.Totals
	totals.Positive.AddRows(0.25, 3)
	totals.Negative.AddOnes(1 << 50)
	p := Piece{Totals: []sliceTotals{{Slice: "\xff", Above: totals}, {All: totals}, {}}}
	data, err := wire.Encode(&p, pieceFields)
	require.NoError(t, err)
	var back Piece
	require.NoError(t, wire.Decode(data, &back, pieceFields))
	require.Equal(t, p, back)
}

// FuzzSweep: a run of arbitrary data and tuples is swept, or an error.
func FuzzSweep(f *testing.F) {
	params := metrics.Params{Task: metrics.Binary, Labels: 2, Scores: true, Curves: metrics.ExactCurves, Metrics: []string{"roc_auc", "average_precision"}}
	require.NoError(f, params.Complete())
	j := element.Job{Params: params, WorkerScores: 100}
	scores := NewScores(&j, func(int32) []string { return []string{"", "a"} })
	b := &metrics.Batch{Rows: 4, Labels: 1, Score: []float64{.5, .25, .5, 1}, Truth: []bool{true, false, false, true}}
	require.NoError(f, scores.Add(b, []int32{0, 1, 2, 3}, []int32{0, 1, 0, 1}))
	require.NoError(f, scores.Sort())
	require.NoError(f, scores.Emit(func(_ int, run Run) {
		for _, classes := range []int{2, 1, -1} {
			f.Add(run.Tuples.Bytes, run.Data.Bytes, classes)
		}
	}))
	f.Fuzz(func(t *testing.T, tuples, data []byte, classes int) {
		run := Run{Labels: 2, Classes: min(classes, 1000), Positive: 1, Tuples: element.Spilled{Bytes: tuples}, Data: element.Spilled{Bytes: data}}
		w := &sweeper{make(map[string]*metrics.Partial)}
		_ = w.sweep(&rangeInput{params: params, runs: []Run{run, run}})
	})
}
