package exact

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMergeTimes compares with merging again and again.
func TestMergeTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var base, slow, fast Tally
		for range r.IntN(4) {
			base.Add([]float64{1, 0.1, 1e300, 5e-324, 0, 3}[r.IntN(6)])
		}
		slow.Add(0.7)
		fast.Add(0.7)
		n := r.IntN(40)
		for range n {
			slow.Merge(&base)
		}
		before := base.Append(nil)
		fast.MergeTimes(&base, n)
		require.Equal(t, slow.Append(nil), fast.Append(nil), "%d times", n)
		require.Equal(t, before, base.Append(nil))
	}
}
