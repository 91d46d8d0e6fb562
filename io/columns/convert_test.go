package columns

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRoundHalf: rounding finds the nearest of all numbers of 16 bits, and each of these is its own.
func TestRoundHalf(t *testing.T) {
	var all []float64
	for h := range uint16(0x7c00) {
		all = append(all, ConvertHalf(h))
	}
	for i, x := range all {
		require.Equal(t, x, Round(x, 16))
		require.Equal(t, -x, Round(-x, 16))
		if i+1 == len(all) {
			break
		}
		next := all[i+1]
		middle := (x + next) / 2
		even := x
		if i%2 == 1 {
			even = next
		}
		require.Equal(t, even, Round(middle, 16))
		require.Equal(t, x, Round(math.Nextafter(middle, x), 16))
		require.Equal(t, next, Round(math.Nextafter(middle, next), 16))
	}
	require.Equal(t, math.Inf(1), Round(65520, 16))
	require.Equal(t, float64(float32(0.7)), Round(0.7, 32))
	require.Equal(t, 0.7, Round(0.7, 64))
}
