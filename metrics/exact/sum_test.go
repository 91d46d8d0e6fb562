package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
)

// sumOf adds the values in order.
func sumOf(values ...float64) *Sum {
	s := new(Sum)
	for _, v := range values {
		s.Add(v)
	}
	return s
}

// reference sums with arbitrary precision and rounds once.
func reference(values []float64) float64 {
	total := new(big.Float).SetPrec(2300)
	for _, v := range values {
		total.Add(total, new(big.Float).SetPrec(2300).SetFloat64(v))
	}
	f, _ := total.Float64()
	return f
}

// anyFinite draws from every exponent, denormals included.
func anyFinite(r *rand.Rand) float64 {
	for {
		if v := math.Float64frombits(r.Uint64()); !math.IsNaN(v) && !math.IsInf(v, 0) {
			return v
		}
	}
}

func draw(r *rand.Rand, n int) []float64 {
	kinds := []func() float64{
		func() float64 { return anyFinite(r) },
		func() float64 { return r.Float64() },
		func() float64 { return r.NormFloat64() * 1e9 },
		func() float64 { return math.Ldexp(r.Float64()-0.5, r.IntN(200)-100) },
		func() float64 { return float64(r.IntN(5)) * math.SmallestNonzeroFloat64 },
	}
	kind := kinds[r.IntN(len(kinds))]
	values := make([]float64, n)
	for i := range values {
		values[i] = kind()
	}
	if n > 2 && r.IntN(2) == 0 { // massive cancellation
		for i := range n / 2 {
			values[n/2+i] = -values[i]
		}
	}
	return values
}

func TestSumIsRoundedOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		values := draw(r, r.IntN(40))
		require.Equal(t, reference(values), sumOf(values...).Float64(), "%v", values)
	}
}

func TestSumOfManyValuesCarries(t *testing.T) {
	for _, x := range []float64{
		math.MaxFloat64 / (1 << 20), -1.9999999999999998, 5e-324, -0x1.fffffffffffffp-1000,
		0x1.fffffffffffffp13, -0x1.fffffffffffffp13, 0x1p14, -0x1p-50, 0x1.fffffffffffffp-51, // where the integer ends
	} {
		const n = 10 * maxAdds
		s := new(Sum)
		for range n {
			s.Add(x)
		}
		want, _ := new(big.Float).Mul(big.NewFloat(x), big.NewFloat(n)).Float64()
		require.Equal(t, want, s.Float64())

		half := new(Sum)
		for range n / 2 {
			half.Add(x)
		}
		half.Merge(half)
		require.Equal(t, s.Append(nil), half.Append(nil))
		half.Subtract(s)
		require.True(t, half.Empty())
		require.False(t, s.Empty())
	}
}

// TestSumsOfAllSizesAgree mixes values that are added to the integer with ones
// that are not.
func TestSumsOfAllSizesAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		values := make([]float64, 1+r.IntN(3000))
		for i := range values {
			values[i] = math.Ldexp(r.Float64()-0.3, r.IntN(90)-60)
		}
		require.Equal(t, reference(values), sumOf(values...).Float64())
		decoded := new(Sum)
		d := wire.NewDecoder(sumOf(values...).Append(nil))
		decoded.Decode(d)
		require.NoError(t, d.Err())
		decoded.Add(-1)
		require.Equal(t, reference(append(values, -1)), decoded.Float64())
	}
}

func TestReadingChangesNothing(t *testing.T) {
	s := sumOf(1e300, -0.1, 5e-324, 12, math.MaxFloat64, math.MaxFloat64)
	before := s.Append(nil)
	require.Zero(t, testing.AllocsPerRun(5, func() { s.Float64(); s.Empty(); before = s.Append(before[:0]) }))
	s.Big()
	require.Equal(t, before, s.Append(nil))
}

func TestSumsBeyondAnyRowCountDoNotPanic(t *testing.T) {
	s := sumOf(math.MaxFloat64, -5e-324)
	for range 200 {
		s.Merge(s)
	}
	require.True(t, math.IsNaN(s.Float64()))
	s.Append(nil)
}

func TestSumRoundsHalfToEven(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{1, 0x1p-53}, 1},
		{[]float64{1, 0x1p-53, 5e-324}, 1 + 0x1p-52},
		{[]float64{1 + 0x1p-52, 0x1p-53}, 1 + 0x1p-51},
		{[]float64{-1, -0x1p-53, -5e-324}, -1 - 0x1p-52},
		{[]float64{math.MaxFloat64, 0x1p969}, math.MaxFloat64},
		{[]float64{math.MaxFloat64, 0x1p970}, math.Inf(1)},
		{[]float64{math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64}, math.MaxFloat64},
		{[]float64{1e100, 1, -1e100}, 1},
		{[]float64{5e-324, 5e-324}, 1e-323},
		{nil, 0},
		{[]float64{math.Inf(1), 1}, math.Inf(1)},
		{[]float64{math.Inf(-1), math.MaxFloat64}, math.Inf(-1)},
	} {
		require.Equal(t, c.want, sumOf(c.values...).Float64(), "%v", c.values)
	}
	for _, values := range [][]float64{{math.NaN()}, {math.Inf(1), math.Inf(-1)}, {math.Inf(-1), 3, math.Inf(1)}} {
		require.True(t, math.IsNaN(sumOf(values...).Float64()))
	}
}

func TestSumBytesDoNotDependOnOrderOrGrouping(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		values := draw(r, 1+r.IntN(60))
		want := sumOf(values...).Append(nil)
		r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		cut := r.IntN(len(values))
		left, right := sumOf(values[:cut]...), sumOf(values[cut:]...)
		rightBefore := sumOf(values[cut:]...).Append(nil)
		left.Merge(right)
		require.Equal(t, want, left.Append(nil))
		require.Equal(t, rightBefore, right.Append(nil), "merge changed its argument")

		var back Sum
		d := wire.NewDecoder(want)
		back.Decode(d)
		require.NoError(t, d.Err())
		require.Zero(t, d.Len())
		require.Equal(t, want, back.Append(nil))

		left.Subtract(right)
		require.Equal(t, sumOf(values[:cut]...).Append(nil), left.Append(nil))
	}
}

func TestAddAllAddsEach(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		values := draw(r, r.IntN(60))
		all := sumOf(values...)
		all.AddAll(values)
		require.Equal(t, sumOf(append(values, values...)...).Append(nil), all.Append(nil))
	}
	for range 500 {
		var each, all Tally
		weights := make([]float64, r.IntN(6))
		for i := range weights {
			weights[i] = []float64{1, 0, 0.1, 3, 1e300, 5e-324}[r.IntN(6)]
			each.Add(weights[i])
		}
		all.AddAll(weights)
		require.Equal(t, each.Append(nil), all.Append(nil), "%v", weights)
	}
}

func TestSumDoesNotGrowByMerging(t *testing.T) {
	s := sumOf(1.5, 1e-3)
	for range 1000 {
		next := sumOf(1.5, 1e-3)
		next.Merge(s)
		s = next
	}
	require.LessOrEqual(t, len(s.rest().limb), 6)
}

func TestSumBigIsExact(t *testing.T) {
	v, ok := sumOf(1e100, 1, 0x1p-1074).Big()
	require.True(t, ok)
	want := new(big.Float).SetPrec(2300).SetFloat64(1e100)
	want.Add(want, big.NewFloat(1)).Add(want, big.NewFloat(0x1p-1074))
	require.Zero(t, want.Cmp(v))
	v, ok = sumOf(-3, 0.25).Big()
	require.True(t, ok)
	require.Zero(t, v.Cmp(big.NewFloat(-2.75)))
	_, ok = sumOf(math.Inf(1)).Big()
	require.False(t, ok)
}

func TestAddProductKeepsTheRoundingError(t *testing.T) {
	s := new(Sum)
	x := 1 + 0x1p-52
	s.AddProduct(x, x)
	s.Add(-1)
	s.Add(-0x1p-51)
	require.Equal(t, 0x1p-104, s.Float64())
	s.Reset()
	s.AddProduct(math.MaxFloat64, 2)
	require.Equal(t, math.Inf(1), s.Float64())
}

func TestTallyWeights(t *testing.T) {
	var a, b Tally
	for _, w := range []float64{1, 0.1, 1, 0.2} {
		a.Add(w)
	}
	require.Equal(t, int64(4), a.Rows())
	require.Equal(t, reference([]float64{1, 0.1, 1, 0.2}), a.Weight())
	b.Add(1)
	b.Add(0.7)
	var ab Tally
	ab.Merge(&a)
	ab.Merge(&b)
	require.Equal(t, int64(6), ab.Rows())
	require.Equal(t, reference([]float64{1, 0.1, 1, 0.2, 1, 0.7}), ab.Weight())
	weight, _ := ab.Big().Float64()
	require.Equal(t, ab.Weight(), weight)
	require.Zero(t, new(Tally).Big().Sign())
	ab.Subtract(&b)
	require.Equal(t, a.Weight(), ab.Weight())

	var back Tally
	d := wire.NewDecoder(a.Append(nil))
	back.Decode(d)
	require.NoError(t, d.Err())
	require.Equal(t, a.Append(nil), back.Append(nil))
	a.Reset()
	require.Zero(t, a.Weight())
}

func FuzzDecode(f *testing.F) {
	f.Add(sumOf(1, 1e300, -2).Append(nil))
	f.Add(sumOf(math.NaN(), -7).Append(nil))
	var t Tally
	t.Add(0.3)
	f.Add(t.Append(nil))
	f.Fuzz(func(_ *testing.T, data []byte) {
		var s Sum
		s.Decode(wire.NewDecoder(data))
		s.Add(1e-300)
		s.Merge(sumOf(1e300))
		s.Float64()
		for range 100 {
			s.Merge(&s)
		}
		s.Append(nil)
		var tally Tally
		tally.Decode(wire.NewDecoder(data))
		tally.Weight()
		tally.Big()
	})
}

func BenchmarkSumAdd(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	values := make([]float64, 4096)
	for i := range values {
		values[i] = r.Float64()
	}
	s := new(Sum)
	b.ReportAllocs()
	for b.Loop() {
		for _, v := range values {
			s.Add(v)
		}
	}
	b.ReportMetric(float64(b.N)*float64(len(values))/b.Elapsed().Seconds(), "values/s")
}

func BenchmarkSumAddAll(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	values := make([]float64, 64)
	for i := range values {
		values[i] = r.Float64()
	}
	s := new(Sum)
	b.ReportAllocs()
	for b.Loop() {
		s.AddAll(values)
	}
	b.ReportMetric(float64(b.N)*float64(len(values))/b.Elapsed().Seconds(), "values/s")
}

// Sums that are integers are encoded and decoded in ways of their own.
func TestSumsWithLimbsHaveTheBytesOfIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		var integer, limbs Sum
		limbs.rest()
		for range r.IntN(4) {
			x := math.Ldexp(r.Float64()-0.5, r.IntN(63)-48)
			integer.Add(x)
			limbs.Add(x)
		}
		data := integer.Append(nil)
		require.Equal(t, limbs.Append(nil), data)
		var back Sum
		d := wire.NewDecoder(data)
		back.Decode(d)
		require.NoError(t, d.Err())
		require.Equal(t, data, back.Append(nil))
		require.Equal(t, integer.Float64(), back.Float64())
	}
}
