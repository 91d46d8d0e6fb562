package synthetic

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBroken: broken scores order no better than chance, are spread as before, and are all in one slice. Nothing else
// changes.
func TestBroken(t *testing.T) {
	type row struct {
		binaryRow
		Country string `parquet:"country"`
	}
	s := Spec{Rows: 60_000, Weights: true, Predictions: true, Slices: []Slice{{"country", 3}}}
	before := read[row](t, s)
	s.Broken = Broken{"country", "country_1", 1}
	all := read[row](t, s)
	s.Broken.Share = 0.25
	some := read[row](t, s)

	var whole, broken []binaryRow
	changed, rows, high, highBefore := 0, 0, 0, 0
	for i, was := range before {
		require.Equal(t, was.Label, all[i].Label)
		require.Equal(t, was.Country, all[i].Country)
		require.Equal(t, all[i].Score >= 0.5, all[i].Prediction == 1)
		if was.Country != "country_1" {
			require.Equal(t, was, all[i])
			require.Equal(t, was, some[i])
			continue
		}
		rows++
		whole, broken = append(whole, was.binaryRow), append(broken, all[i].binaryRow)
		high, highBefore = high+int(all[i].Prediction), highBefore+int(was.Prediction)
		if some[i] != was {
			changed++
			require.Equal(t, all[i], some[i])
		}
	}
	require.Greater(t, rows, 10_000)
	require.InDelta(t, 0.25, float64(changed)/float64(rows), 0.02)
	require.InDelta(t, float64(highBefore)/float64(rows), float64(high)/float64(rows), 0.01)
	require.Greater(t, auc(whole), 0.8)
	require.InDelta(t, 0.5, auc(broken), 0.02)
}
