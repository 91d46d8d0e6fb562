package groupby

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/hash"
)

// Keys that were chosen by the high bits of their hashes, as in a bucket.
func TestKeysAreNumberedAsByAMap(t *testing.T) {
	var keys Keys
	for seed := range uint64(20) {
		rng := random(seed)
		keys.Reset()
		want := make(map[uint64]int32)
		for range 5000 {
			key := rng.Uint64N(4000)
			if hash.Mix(key)>>62 != 0 && key != 0 {
				continue
			}
			if _, met := want[key]; !met {
				want[key] = int32(len(want))
			}
			require.Equal(t, want[key], keys.Number(key))
			require.Equal(t, len(want), keys.Len())
		}
	}
}
