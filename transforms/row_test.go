package transforms

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

func TestRowRoundTrip(t *testing.T) {
	for _, row := range someRows() {
		back, err := decodeRow(encodeRow(row))
		require.NoError(t, err)
		require.Equal(t, row, back)
	}
	back, err := decodeRow(encodeRow(report.Row{Name: "r2", Value: math.NaN(), Undefined: "no rows"}))
	require.NoError(t, err)
	require.True(t, math.IsNaN(back.Value))
}

func TestTruncatedRows(t *testing.T) {
	for _, row := range someRows() {
		data := encodeRow(row)
		for n := range data {
			_, err := decodeRow(data[:n])
			require.Error(t, err)
		}
		_, err := decodeRow(append(data, 0))
		require.Error(t, err)
	}
}
