package grid

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

// The length of cells is the least with which there are few enough, and each number is in its cell,
// however the numbers are divided.
func TestLine(t *testing.T) {
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 1))
		few := []float64{1e9 + r.Float64(), 0, math.Copysign(0, -1), -1, -2, 3, 1e-300, 1e160, -1e160, math.MaxFloat64, 5e-324, math.Inf(1), math.NaN()}
		numbers := []func() float64{
			r.NormFloat64,
			func() float64 { return few[r.IntN(len(few))] },
			func() float64 { return float64(r.IntN(70)) },
			func() float64 { return 1990 + 30*r.Float64() },
			func() float64 { return math.Ldexp(r.NormFloat64(), r.IntN(2000)-1000) },
		}
		number, weighted := numbers[r.IntN(len(numbers))], r.IntN(2) == 0
		lines, inside, outside := make([]Line, 3), map[float64]*exact.Tally{}, exact.Tally{}
		for range r.IntN(600) {
			x, w := number(), 1.0
			if weighted {
				w = []float64{0, 0.1, 1, 1e20}[r.IntN(4)]
			}
			if lines[r.IntN(3)].Add(x, w); !(math.Abs(x) <= farthest) {
				outside.Add(w)
				continue
			}
			if inside[x+0] == nil {
				inside[x+0] = new(exact.Tally)
			}
			inside[x+0].Add(w)
		}
		var all Line
		for _, i := range r.Perm(3) {
			part := &lines[i]
			before := part.Append(nil)
			all.Merge(part)
			require.Equal(t, before, part.Append(nil))
			if r.IntN(2) == 0 { // through an encoding
				all = decoded(t, all.Append(nil))
			}
		}
		want := map[float64]*exact.Tally{}
		cells := func(exponent int) int {
			clear(want)
			for x, of := range inside {
				from := multiple(x, exponent)
				if want[from] == nil {
					want[from] = new(exact.Tally)
				}
				want[from].Merge(of)
			}
			return len(want)
		}
		if len(inside) > 0 {
			require.True(t, all.exponent == finest || cells(all.exponent-1) > mostOnLine, "seed %d", seed)
			require.LessOrEqual(t, cells(all.exponent), mostOnLine)
		}
		require.Equal(t, outside.Rows(), all.Outside.Rows())
		require.Equal(t, outside.Weight(), all.Outside.Weight())
		from, tallies := all.Cells()
		require.Len(t, from, len(want))
		require.True(t, slices.IsSorted(from))
		sum := map[float64]float64{}
		for i, x := range from {
			require.Equal(t, want[x].Rows(), tallies.Rows(i), "seed %d: %v of length 2^%d", seed, x, all.exponent)
			require.Equal(t, want[x].Weight(), tallies.Weight(i))
			sum[x] += float64(tallies.Rows(i))
		}
		for i := range lines {
			from, tallies := lines[i].Like(&all).Cells()
			for j, x := range from {
				sum[x] -= float64(tallies.Rows(j))
			}
		}
		for x, rest := range sum {
			require.Zero(t, rest, "the parts have other cells at %v", x)
		}
		all.Reset()
		require.True(t, all.Empty())
		all.Add(5, 1)
		var one Line
		one.Add(5, 1)
		require.Equal(t, one.Append(nil), all.Append(nil))
	}
}

func decoded(t *testing.T, data []byte) (l Line) {
	d := wire.NewDecoder(data)
	l.Decode(d)
	require.NoError(t, d.Err())
	require.Equal(t, data, l.Append(nil))
	return l
}

// FuzzDecodeLine: whatever the bytes, a line is decoded that encodes to the same, or nothing is.
func FuzzDecodeLine(f *testing.F) {
	var l Line
	l.Add(3, 1)
	l.Add(math.Inf(1), 2)
	f.Add(l.Append(nil))
	for i := range 100 {
		l.Add(float64(i), 0.5)
	}
	f.Add(l.Append(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		var l Line
		d := wire.NewDecoder(data)
		if l.Decode(d); d.Err() != nil {
			require.Zero(t, len(l.from))
			return
		}
		again := decoded(t, l.Append(nil))
		again.Merge(&l)
		again.Add(0.5, 1)
		require.LessOrEqual(t, len(again.from), mostOnLine)
	})
}
