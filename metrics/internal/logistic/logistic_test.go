package logistic

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/internal/fields"
)

func encoded(t testing.TB, of *Table) []byte {
	data, err := wire.Encode(of, func(c *wire.Coder, of *Table) { of.Fields(fields.Coding(c), of) })
	require.NoError(t, err)
	return data
}

func decode(data []byte) (of *Table, err error) {
	of = new(Table)
	return of, wire.Decode(data, of, func(c *wire.Coder, of *Table) { of.Fields(fields.Coding(c), of) })
}

// TestGolden has the fits of statsmodels.
func TestGolden(t *testing.T) {
	data, err := os.ReadFile("testdata/golden.json")
	require.NoError(t, err)
	var golden struct {
		Cases []struct {
			Name             string
			X, Y, W          []float64
			Intercept, Slope float64
		}
	}
	require.NoError(t, json.Unmarshal(data, &golden))
	worst := 0.0
	for _, c := range golden.Cases {
		var all Table
		parts := make([]Table, 3)
		for i, x := range c.X {
			all.Add(x, c.Y[i] == 1, c.W[i])
			parts[i%3].Add(x, c.Y[i] == 1, c.W[i])
		}
		fit, undefined := all.Fit()
		require.Empty(t, undefined, c.Name)
		worst = max(worst, math.Abs(fit.Slope/c.Slope-1), math.Abs(fit.Intercept-c.Intercept)/max(1, math.Abs(c.Intercept)))
		require.InEpsilon(t, c.Slope, fit.Slope, 1e-9, c.Name)
		require.InDelta(t, c.Intercept, fit.Intercept, 1e-9, c.Name)

		var merged Table
		for i := range parts {
			fields.Merge(&merged, &parts[2-i])
		}
		require.Equal(t, encoded(t, &all), encoded(t, &merged), c.Name)
		back, err := decode(encoded(t, &merged))
		require.NoError(t, err)
		again, _ := back.Fit()
		require.Equal(t, fit, again)
	}
	t.Logf("largest error %.2g", worst)
}

func TestUndefined(t *testing.T) {
	for _, c := range []struct {
		negatives, positives []float64
		reason               string
	}{
		{[]float64{0, 1}, nil, OneClass},
		{nil, []float64{0, 1}, OneClass},
		{[]float64{0, 1}, []float64{math.Inf(1)}, Infinite},
		{[]float64{2, 2}, []float64{2}, Same},
		{[]float64{0, math.Copysign(0, -1)}, []float64{0}, Same},
		{[]float64{0, 1}, []float64{1, 2}, Separated},
		{[]float64{1, 2}, []float64{0, 1}, Separated},
		{[]float64{10, 10.001, 10.002}, []float64{10.001, 10.002, 10.003}, Steep},
	} {
		var of Table
		require.True(t, of.Empty())
		for i, list := range [][]float64{c.negatives, c.positives} {
			for _, x := range list {
				of.Add(x, i == 1, 2)
				of.Add(x+5, i == 0, 0)
			}
		}
		require.False(t, of.Empty())
		_, reason := of.Fit()
		require.Equal(t, c.reason, reason, "%v", c)
	}
}

func TestHugeNumbers(t *testing.T) {
	var of Table
	for _, x := range []float64{-1e300, 1e300, 5e307, -5e307, 1e-300} {
		of.Add(x, true, 1)
		of.Add(x, false, 1e100)
	}
	fit, reason := of.Fit()
	require.True(t, math.IsNaN(fit.Slope) || reason != "" || fit.Slope == 0, "%v %s", fit, reason)
}

// TestBins: a number is no farther from the middle of its bin than half the width, on its side of 0.
func TestBins(t *testing.T) {
	for _, x := range []float64{0x1p-6, math.Nextafter(0x1p-6, 0), 0, 5e-324, 1.1, math.MaxFloat64} {
		for _, x := range []float64{x, -x} {
			require.Less(t, keyOf(x), mostKeys)
			middle, half := place(keyOf(x))
			require.LessOrEqual(t, math.Abs(x-middle), half, "%v", x)
			require.Equal(t, math.Signbit(x), math.Signbit(middle), "%v", x)
		}
	}
}

func FuzzDecode(f *testing.F) {
	var of Table
	for i := range 20 {
		of.Add(float64(i*7%5)-2, i%3 == 0, float64(i))
	}
	f.Add(encoded(f, &of))
	f.Add(encoded(f, new(Table)))
	f.Fuzz(func(t *testing.T, data []byte) {
		of, err := decode(data)
		if err != nil {
			return
		}
		again, err := decode(encoded(t, of))
		require.NoError(t, err)
		require.Equal(t, encoded(t, of), encoded(t, again))
		of.Fit()
		fields.Merge(of, of)
	})
}

func BenchmarkAdd(b *testing.B) {
	var of Table
	for i := 0; b.Loop(); i++ {
		of.Add(float64(i%4096)/512-4, i%3 == 0, 1)
	}
}

func BenchmarkFit(b *testing.B) {
	var of Table
	r := rand.New(rand.NewPCG(1, 2))
	for range 1_000_000 {
		x := r.NormFloat64() * 2
		of.Add(x, r.Float64() < 1/(1+math.Exp(-x)), 1)
	}
	b.Logf("%d bins, %d bytes", of.bins.Size(), len(encoded(b, &of)))
	for b.Loop() {
		of.Fit()
	}
}
