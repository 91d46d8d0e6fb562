package grid

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The side of cells is the least with which there are few enough, found by trying them all, and
// each point is in its cell, whatever the points are.
func TestGrid(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		most, n := 9+r.IntN(40), r.IntN(300)
		few := []float64{1e9 + r.Float64(), 0, -1, -2, 3, 1e-300, 1e160, -1e160, math.MaxFloat64, 5e-324, math.Inf(1), math.Inf(-1)}
		numbers := []func() float64{
			r.NormFloat64,
			func() float64 { return few[r.IntN(len(few))] },
			func() float64 { return float64(r.IntN(7)) },
			func() float64 { return 1990 + 30*r.Float64() },
			func() float64 { return math.Ldexp(r.NormFloat64(), r.IntN(2000)-1000) },
		}
		number := numbers[r.IntN(len(numbers))]
		g, want := New(most), map[[2]float64]int64{}
		var points [][2]float64
		outside := int64(0)
		for range n {
			x, y := number(), number()
			g.Add(x, y, 1)
			if math.Abs(x) <= farthest && math.Abs(y) <= farthest {
				points = append(points, [2]float64{x, y})
			} else {
				outside++
			}
		}
		exponent := finest
		for ; ; exponent++ {
			clear(want)
			for _, p := range points {
				want[[2]float64{multiple(p[0], exponent), multiple(p[1], exponent)}]++
			}
			if len(want) <= most {
				break
			}
		}
		require.Equal(t, exponent, g.exponent, "seed %d", seed)
		require.Equal(t, outside, g.Outside.Rows())
		require.Equal(t, len(want), g.used)
		for _, c := range g.All() {
			x, y := c.Point()
			require.Equal(t, want[[2]float64{x, y}], c.Rows(), "seed %d: %v, %v of side 2^%d: %v", seed, x, y, exponent, want)
		}
	}
}

// multiple returns the largest multiple of 2^exponent up to x: x less the remainder.
func multiple(x float64, exponent int) float64 {
	side := math.Ldexp(1, exponent)
	rest := math.Mod(x, side) // exact, with the sign of x
	if x -= rest; rest < 0 {
		x -= side
	}
	return x + 0
}
