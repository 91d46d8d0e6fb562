package examples

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestField(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	p := big.NewInt(prime)
	values := []uint64{0, 1, 2, prime - 1, prime - 2}
	for range 100 {
		values = append(values, rng.Uint64N(prime))
	}
	for _, a := range values {
		for _, b := range values {
			x, y := new(big.Int).SetUint64(a), new(big.Int).SetUint64(b)
			require.Equal(t, new(big.Int).Mod(new(big.Int).Add(x, y), p).Uint64(), sum(a, b))
			require.Equal(t, new(big.Int).Mod(new(big.Int).Mul(x, y), p).Uint64(), product(a, b))
		}
	}
	require.Zero(t, element61(^uint64(0)))
}

// TestComplete damages rows that are complete.
func TestComplete(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	type row struct{ id, class uint64 }
	for range 300 {
		draw := func(n int) (list []uint64) {
			for range n {
				list = append(list, rng.Uint64())
			}
			return list
		}
		ids, classes := draw(2+rng.IntN(20)), draw(2+rng.IntN(20))
		var list []row
		for _, id := range ids {
			for _, class := range classes {
				list = append(list, row{id, class})
			}
		}
		complete := func() bool {
			var parts [3]fingerprint
			for _, i := range rng.Perm(len(list)) {
				parts[rng.IntN(3)].add(list[i].id, list[i].class)
			}
			parts[0].merge(&parts[1])
			parts[0].merge(&parts[2])
			return parts[0].complete(ids, classes)
		}
		require.True(t, complete())
		i, j := rng.IntN(len(list)), rng.IntN(len(list)-1)
		if j >= i {
			j++
		}
		was := list[i]
		list[i] = list[j] // one missing, one there twice
		require.False(t, complete())
		list[i] = was
		list = append(list, list[j])
		require.False(t, complete(), "one more")
		list[i], list = list[len(list)-2], list[:len(list)-2]
		require.False(t, complete(), "one less")
	}
}
