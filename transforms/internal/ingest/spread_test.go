package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSpread: up to ten distinct scores are known, in any order and division.
func TestSpread(t *testing.T) {
	of := func(lists ...[]float64) (sum Spread) {
		for _, list := range lists {
			var one Spread
			one.meetAll(list)
			sum.merge(&one)
		}
		return sum
	}
	ten := []float64{9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 9}
	got := of(ten)
	require.Len(t, got.Distinct, mostDistinct)
	require.False(t, got.Many)
	require.Equal(t, got, of(ten[6:], ten[:6], ten[3:9]))
	require.Equal(t, Spread{Many: true}, of(ten, []float64{10}))
	require.Equal(t, Spread{Many: true}, of([]float64{10}, ten))
	require.Equal(t, Spread{Many: true}, of(append([]float64{10, 11}, ten...)))
	constant := of([]float64{0.25, 0.25}, []float64{0.25})
	require.Len(t, constant.Distinct, 1)
	require.Equal(t, 0.25, constant.Value(0))
	negative := 0.0
	require.Len(t, of([]float64{0, -negative}).Distinct, 1)
}

// TestSums: probabilities that differ from 1 by rounding add up to 1.
func TestSums(t *testing.T) {
	var s Sums
	s.meet([]float64{0.5, 0.5009})
	s.meet([]float64{0.25, 0.7491})
	require.Equal(t, Sums{Rows: 2}, s)
	s.meet([]float64{0.5, 0.502})
	s.meet([]float64{0.25, 0.5})
	require.Equal(t, Sums{Rows: 4, Off: 2, Most: 0.25}, s)
	var sum Sums
	sum.merge(&s)
	sum.merge(&Sums{Rows: 1, Off: 1, Most: 0.125})
	require.Equal(t, Sums{Rows: 5, Off: 3, Most: 0.25}, sum)
}
