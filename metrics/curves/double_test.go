package curves

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/exact"
)

// TestDoublesAreExact adds weights that are multiples of a unit, and compares with exact sums.
func TestDoublesAreExact(t *testing.T) {
	t.Parallel()
	r := source(3)
	for range 3000 {
		var all exact.Tally
		var d double
		fine := r.IntN(34) // how much finer the least weight is
		for i := range r.IntN(300) {
			weight, n := math.Ldexp(1+r.Float64(), -r.IntN(fine+1)), int64(1+r.IntN(2)*r.IntN(9))
			all.AddRows(weight, n)
			if n == 1 {
				d = d.plus(weight)
			} else {
				d = d.plusRows(weight, n)
			}
			if i%lazyAdditions == 0 {
				d = d.normal()
			}
		}
		want, _, ok := doubleOf(&all)
		require.True(t, ok)
		require.Equal(t, want, d.normal())
		require.Equal(t, want.hi, d.rounded())
	}
	// The largest sum of units of 1, and additions that round off as much as possible each time.
	const most, off = 1 << (doubleBits - 2), 1<<(doubleBits-2-53) - 1
	d, want := double{hi: most}, exact.Tally{}
	want.Add(most)
	for range lazyAdditions {
		d = d.plus(off)
		want.Add(off)
	}
	exactly, _, ok := doubleOf(&want)
	require.True(t, ok)
	require.Equal(t, exactly, d.normal())
	var wide exact.Tally
	wide.Add(1)
	wide.Add(0x1p-300)
	wide.Add(0x1p-600)
	_, _, ok = doubleOf(&wide)
	require.False(t, ok)
	require.Equal(t, []int{0, -1, 1, -1074, -52}, []int{unitOf(1), unitOf(0.5), unitOf(-6), unitOf(5e-324), unitOf(1 + 0x1p-52)})
}
