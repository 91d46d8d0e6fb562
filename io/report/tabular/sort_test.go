package tabular

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSortingMovesEveryRow: many rows, in an order with long cycles.
func TestSortingMovesEveryRow(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 13))
	for n := range 200 {
		order, items := r.Perm(n), make([]int, n)
		for i := range items {
			items[i] = 10 * i
		}
		want := make([]int, n)
		for to, from := range order {
			want[to] = items[from]
		}
		rearrange(items, order)
		require.Equal(t, want, items)
	}
}
