package transforms

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/runs"
)

// back encodes and decodes a value.
func back[T any](t *testing.T, x T, encode func(T) []byte, decode func([]byte) (T, error)) {
	t.Helper()
	data := encode(x)
	got, err := decode(data)
	require.NoError(t, err)
	require.Equal(t, x, got)
	for i := range data {
		_, err := decode(data[:i])
		require.Error(t, err, "%d of %d bytes", i, len(data))
	}
}

func TestCodersRoundTrip(t *testing.T) {
	zero := 0.0
	back(t, Shard{File: "a\xff.parquet", Version: "1 byte", First: 3, Groups: 2, Keys: []files.Key{{Name: "dt", Value: "x"}, {Name: "n", Null: true}}, Options: columns.Options{MaxPage: 1 << 40, RoundDecimals: true}}, encodeShard, decodeShard)
	back(t, Shard{}, encodeShard, decodeShard)
	for _, v := range []Vocabulary{
		{},
		{Names: []string{"", "\xff", "a"}, Numbers: true},
		{Count: 3_000_000, File: "gs://bucket/names.txt", FileVersion: "1795279376034899"},
		{Count: 9, Frequencies: metrics.LabelFrequencies{Examples: 1 << 40, Count: map[int32]int64{0: 3, 8: 1 << 40}}},
	} {
		v.Prepare()
		back(t, v, encodeVocabulary, decodeVocabulary)
	}
	back(t, labelSet{Ints: []int64{-1, 0, 1 << 62}, Strings: []string{"a"}}, encodeLabelSet, decodeLabelSet)
	back(t, outcomePart{Slice: []byte{1}, State: []byte{}}, encodeOutcome, decodeOutcome)
	back(t, outcomePart{Slice: []byte{}, State: []byte{}, Labels: spilled{Bytes: []byte{7}}}, encodeOutcome, decodeOutcome)
	back(t, spilled{File: "f", Offset: 3, Size: 4}, encodeSpilled, decodeSpilled)
	back(t, Prediction{}, encodePrediction, decodePrediction)
	back(t, Prediction{
		Example: "e", Labels: []string{"a", "b"}, Distribution: []float64{0.25, 0.75}, Target: math.Inf(1), Scores: []float64{0.5, -1}, Predicted: []string{"c"},
		Estimate: 3, Weight: &zero, Slices: map[string]string{"x": "y", "a": ""}, Items: []string{"", "\xff"}, Relevance: []float64{0, 3},
	}, encodePrediction, decodePrediction)
	p, err := decodePrediction(encodePrediction(Prediction{Scores: []float64{math.NaN()}}))
	require.NoError(t, err)
	require.True(t, math.IsNaN(p.Scores[0]))
}

// hostileRun is a run with values that no folder would make.
func hostileRun() scoreRun {
	return scoreRun{
		Label: metrics.PooledLabel, Labels: math.MaxInt, Classes: math.MinInt, Positive: -7,
		Knots: []runs.Knot{{Image: math.MaxUint64, Entries: math.MinInt}, {}},
		Cells: spilled{File: "\xff\x00", Offset: math.MaxInt64, Size: math.MinInt64},
		Data:  spilled{Offset: -1, Size: -1, Bytes: []byte{0, 255}},
	}
}

// somePieces are pieces with and without everything that a piece may have.
func somePieces() []piece {
	var totals runs.Totals
	totals.Positive.AddRows(0.25, 3)
	totals.Negative.AddOnes(1 << 50)
	return []piece{
		{},
		{Run: hostileRun()},
		{Totals: []sliceTotals{{Slice: "\xff", Above: totals}, {All: totals}, {}}},
	}
}

func TestCurveCodersRoundTrip(t *testing.T) {
	back(t, scoreRun{}, encodeRun, decodeRun)
	back(t, hostileRun(), encodeRun, decodeRun)
	for _, p := range somePieces() {
		back(t, p, encodePiece, decodePiece)
	}
	back(t, labelCuts{}, encodeCuts, decodeCuts)
	back(t, labelCuts{Bounds: []uint64{math.MaxUint64, 0, 1}}, encodeCuts, decodeCuts)
	back(t, labelRange{}, encodeRange, decodeRange)
	back(t, labelRange{metrics.PooledLabel, math.MaxInt}, encodeRange, decodeRange)
	back(t, &cellTable{}, encodeCells, decodeCells)
	back(t, newCellTable([][]string{{"b", "a"}, nil, {"", "\xff", "b"}}), encodeCells, decodeCells)
}

// TestCellsOfNoSlice: places beyond the keys are an error, not a panic later.
func TestCellsOfNoSlice(t *testing.T) {
	for _, place := range []int32{-1, 1, math.MaxInt32} {
		_, err := decodeCells(encodeCells(&cellTable{Keys: []string{"a"}, Cells: [][]int32{{0, place}}}))
		require.Error(t, err)
	}
}
