package multiplecomparisons

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/internal/hash"
)

// generator is SplitMix64: its numbers are the same on every platform.
type generator struct {
	state uint64
	spare float64 // a normal number, or NaN
}

func newGenerator(seed uint64) *generator { return &generator{hash.Mix(seed), math.NaN()} }

func (g *generator) next() uint64 {
	g.state += 0x9e3779b97f4a7c15
	return hash.Mix(g.state)
}

// normal returns a standard normal number, by Marsaglia's polar method.
func (g *generator) normal() float64 {
	if z := g.spare; !math.IsNaN(z) {
		g.spare = math.NaN()
		return z
	}
	for {
		x, y := g.signed(), g.signed()
		if s := float64(x*x) + float64(y*y); s > 0 && s < 1 {
			scale := math.Sqrt(-2 * elementary.Log(s) / s)
			g.spare = x * scale
			return y * scale
		}
	}
}

// signed returns a number that is uniform between -1 and 1.
func (g *generator) signed() float64 { return float64(int64(g.next())>>10) * 0x1p-53 }
