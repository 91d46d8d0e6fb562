package transforms

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// FuzzDecodePartial: arbitrary bytes are an error or a partial that encodes.
func FuzzDecodePartial(f *testing.F) {
	rows := examples(5)
	for _, s := range scenarios(f) {
		for _, p := range partials(f, s, rows[:1], rows) {
			f.Add([]byte(encoded(f, p)))
		}
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

// someRows are rows with and without everything that a row may have.
func someRows() []report.Row {
	empty, label := "", "dog"
	slice := report.Slice{{Column: "country", Value: report.String("de")}, {Column: "age", Value: report.Null()}}
	return []report.Row{
		{},
		{Name: "f1", Value: 0.5, Support: 12},
		{Name: "recall", Slice: slice, Label: &label, Value: -1, Support: -1},
		{Name: "recall", Slice: slice[:1], Label: &empty, Undefined: "no positives"},
	}
}
