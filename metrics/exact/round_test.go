package exact

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWholeNumbersAreAddedBeforeRounding draws sums near powers of two and
// halfway between float64 values, where a second rounding would show.
func TestWholeNumbersAreAddedBeforeRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20000 {
		n := int64(r.Uint64() >> (1 + r.IntN(63)))
		values := make([]float64, r.IntN(4))
		for i := range values {
			values[i] = math.Ldexp(float64(r.IntN(7)-3), r.IntN(116)-102)
		}
		if r.IntN(4) == 0 {
			values = append(values, draw(r, 2)...)
		}
		high := float64(n &^ (1<<31 - 1)) // two parts that are float64 values
		all := append([]float64{high, float64(n & (1<<31 - 1))}, values...)
		require.Equal(t, reference(all), sumOf(values...).plus(n), "%d %v", n, values)
		require.Equal(t, reference(values), sumOf(values...).Float64(), "%v", values)
	}
}

func TestAddRowsIsAddingOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 2000 {
		w := []float64{0, 1, 0.1, 5e-324, 3e-308, 1e-300, 1e300, r.Float64(), anyFinite(r)}[r.IntN(9)]
		n := r.IntN(50)
		var a, b Tally
		for _, w := range draw(r, 3) {
			a.Add(w)
			b.Add(w)
		}
		a.AddRows(w, int64(n))
		for range n {
			b.Add(w)
		}
		require.Equal(t, b.Rows(), a.Rows())
		require.Equal(t, b.Weight(), a.Weight())
		if math.Abs(w) < 1e306 { // the product does not overflow
			require.Equal(t, b.Append(nil), a.Append(nil), "%g %d", w, n)
		}
	}
}

func TestWeightAllocatesNothing(t *testing.T) {
	var a Tally
	a.AddOnes(1 << 40)
	a.Add(0.1)
	a.Add(1e300)
	require.Zero(t, testing.AllocsPerRun(5, func() { a.Weight() }))
}

func BenchmarkWeight(b *testing.B) {
	for _, c := range []struct {
		name   string
		others float64
	}{{"ones", 1}, {"ordinary", 0.3}, {"large", 1e6}} {
		b.Run(c.name, func(b *testing.B) {
			var t Tally
			t.AddOnes(1 << 40)
			t.Add(c.others)
			for b.Loop() {
				t.Weight()
			}
		})
	}
}
