package wire

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestColumnsHoldAnyValues has widths from 0 to 64.
func TestColumnsHoldAnyValues(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 0))
		values := make([]uint64, 1+r.IntN(512))
		width, shift := r.IntN(65), r.IntN(64)
		base := r.Uint64() >> r.IntN(64)
		for i := range values {
			values[i] = r.Uint64()>>(64-width) + base
			values[i] <<= shift
		}
		want := append([]uint64(nil), values...)
		data := AppendColumn(nil, values)
		require.LessOrEqual(t, len(data), 8*len(values)+14)
		d := NewDecoder(data)
		got := make([]uint64, len(values))
		DecodeColumn(d, got)
		require.NoError(t, d.Err())
		require.Zero(t, d.Len())
		require.Equal(t, want, got, "seed %d", seed)
	}
}
