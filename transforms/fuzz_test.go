package transforms

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
)

// FuzzDecodePartial: arbitrary bytes are an error or a partial that encodes.
func FuzzDecodePartial(f *testing.F) {
	rows := examples(5)
	for _, s := range scenarios(f) {
		for _, p := range partials(f, s, rows[:1], rows) {
			f.Add([]byte(encoded(f, p)))
		}
	}
	for _, p := range withQueries(f) {
		f.Add([]byte(encoded(f, p)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := decodePartial(data)
		if err != nil {
			return
		}
		again, err := decodePartial([]byte(encoded(t, p)))
		require.NoError(t, err)
		require.Equal(t, encoded(t, p), encoded(t, again))
		mergeFn{}.AddInput(mergeFn{}.AddInput(mergeFn{}.CreateAccumulator(), p), again)
	})
}

// FuzzDecodeRow: arbitrary bytes are an error or a row that encodes.
func FuzzDecodeRow(f *testing.F) {
	for _, row := range someRows() {
		f.Add(encodeRow(row))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		row, err := decodeRow(data)
		if err != nil {
			return
		}
		again, err := decodeRow(encodeRow(row))
		require.NoError(t, err)
		require.Equal(t, encodeRow(row), encodeRow(again))
	})
}

// canonical checks that arbitrary bytes are an error, or a value that encodes to
// bytes of the same value.
func canonical[T any](t *testing.T, data []byte, encode func(T) []byte, decode func([]byte) (T, error)) {
	x, err := decode(data)
	if err != nil {
		return
	}
	again, err := decode(encode(x))
	require.NoError(t, err)
	require.Equal(t, encode(x), encode(again))
}

// FuzzDecodeCurves: arbitrary bytes are no panic of any decoder on the way of
// scores.
func FuzzDecodeCurves(f *testing.F) {
	for _, p := range somePieces() {
		f.Add(encodePiece(p))
		f.Add(encodeRun(p.Run))
	}
	f.Add(encodeCuts(labelCuts{Bounds: []uint64{3, 2}}))
	f.Add(encodeRange(labelRange{1, -1}))
	f.Add(encodeCells(newCellTable([][]string{{"a", "b"}, {"a"}})))
	f.Fuzz(func(t *testing.T, data []byte) {
		canonical(t, data, encodePiece, decodePiece)
		canonical(t, data, encodeRun, decodeRun)
		canonical(t, data, encodeCuts, decodeCuts)
		canonical(t, data, encodeRange, decodeRange)
		canonical(t, data, encodeCells, decodeCells)
	})
}

// FuzzSweepPiece: a piece of arbitrary data and cells is swept, or an error.
func FuzzSweepPiece(f *testing.F) {
	spec := binarySpec(f)
	_, scoreRuns := foldedScores(f, scenario{spec: spec, prediction: binaryPrediction}, [][]example{examples(9)})
	for _, run := range scoreRuns[0] {
		f.Add(run.Cells.Bytes, run.Data.Bytes, 2)
		f.Add(run.Cells.Bytes, run.Data.Bytes, 1)
		f.Add(run.Cells.Bytes, run.Data.Bytes, -1)
	}
	f.Fuzz(func(t *testing.T, cells, data []byte, classes int) {
		classes = min(classes, 1000)
		run := scoreRun{Labels: 2, Classes: classes, Positive: 1, Cells: spilled{Bytes: cells}, Data: spilled{Bytes: data}}
		fn := &sweepFn{Params: spec.Params, found: make(map[string]*metrics.Partial)}
		fn.Params.Labels = 2
		_ = fn.sweep(&fn.Params, labelRange{}, []scoreRun{run, run}, nil)
	})
}

// someRows are rows with and without everything that a row may have.
func someRows() []report.Row {
	empty, label := "", "dog"
	key := slice.Key{{Column: "country", Value: slice.String("de")}, {Column: "age", Value: slice.Null()}}
	return []report.Row{
		{},
		{Name: "f1", Value: 0.5, Support: 12},
		{Name: "recall", Slice: key, Label: &label, Value: -1, Support: -1},
		{Name: "recall", Slice: key[:1], Label: &empty, Undefined: "no positives"},
	}
}
