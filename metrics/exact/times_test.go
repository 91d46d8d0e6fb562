package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
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
		n := r.Int64N(40)
		for range n {
			slow.Merge(&base)
		}
		before := base.Append(nil)
		fast.MergeTimes(&base, n)
		require.Equal(t, slow.Append(nil), fast.Append(nil), "%d times", n)
		require.Equal(t, before, base.Append(nil))
		fast.MergeTimes(&base, -n)
		require.Equal(t, 0.7, fast.Weight())
		require.Equal(t, int64(1), fast.Rows())
	}
}

// TestSumsOfManyRows are of as many values of ordinary size as there can be rows, with and
// without one that is not of ordinary size.
func TestSumsOfManyRows(t *testing.T) {
	for _, sign := range []float64{1, -1} {
		var one, sum, decoded, withOther Sum
		one.Add(sign * math.Nextafter(1<<14, 0))
		one.Add(sign * 0x1p-50)
		sum.MergeTimes(&one, math.MaxInt)
		v, ok := one.Big()
		require.True(t, ok)
		want := new(big.Float).SetPrec(500).Mul(v, new(big.Float).SetInt64(math.MaxInt))
		got, ok := sum.Big()
		require.True(t, ok)
		require.Zero(t, want.Cmp(got))
		rounded, _ := want.Float64()
		require.Equal(t, rounded, sum.Float64())

		d := wire.NewDecoder(sum.Append(nil))
		decoded.Decode(d)
		require.NoError(t, d.Err())
		require.Equal(t, sum, decoded)
		withOther.Add(0x1p-1000)
		withOther.Merge(&sum)
		require.Equal(t, rounded, withOther.Float64())
		withOther.Subtract(&decoded)
		require.Equal(t, 0x1p-1000, withOther.Float64())
	}
}

// TestAddTotal compares with adding rows one by one, on top of others.
func TestAddTotal(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		var each, at Tally
		if r.IntN(2) == 0 {
			each.Add(0.3)
			at.Add(0.3)
		}
		var parts []float64
		var ones, others int64
		for range r.IntN(6) {
			w := []float64{1, 1, 0.1, 0, 0x1p-40}[r.IntN(5)]
			each.Add(w)
			parts = append(parts, w+2, -2)
			if parts = append(parts, w-(w+2-2)); w == 1 {
				ones++
			} else {
				others++
			}
		}
		at.AddTotal(ones, others, parts...)
		require.Equal(t, each.Append(nil), at.Append(nil))
	}
}
