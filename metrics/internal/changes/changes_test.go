package changes

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// TestMcNemarOfStatsmodels: statsmodels 0.15.0 gives these, as testdata/reference_changes.py prints them.
func TestMcNemarOfStatsmodels(t *testing.T) {
	for _, c := range []struct {
		a, b int64
		want float64
	}{
		{0, 1, 1.0},
		{0, 7, 0.015625},
		{2, 9, 0.0654296875},
		{6, 16, 0.052478790283203125},
		{16, 16, 1.0},
		{59, 6, 4.964650327128616e-12},
		{121, 59, 4.4344492637551645e-06},
		{400, 500, 0.0009564441369189373},
		{10300, 10000, 0.035852359736159044},
		{1000000, 1002000, 0.15771445281314467},
	} {
		require.InEpsilon(t, c.want, McNemar(c.a, c.b), 1e-11, "%d and %d", c.a, c.b)
		require.Equal(t, McNemar(c.a, c.b), McNemar(c.b, c.a))
	}
}

// TestMcNemarIsExact compares with the sum of the binomial coefficients.
func TestMcNemarIsExact(t *testing.T) {
	for n := int64(0); n <= 120; n++ {
		sum := new(big.Int)
		for k := int64(0); 2*k <= n; k++ {
			sum.Add(sum, new(big.Int).Binomial(n, k))
			want, _ := new(big.Float).SetInt(sum).Float64()
			want = min(math.Ldexp(want, 1-int(n)), 1)
			require.InEpsilon(t, want, McNemar(k, n-k), 1e-13, "%d of %d", k, n)
		}
	}
	require.Equal(t, 0.0, McNemar(0, math.MaxInt32))
	require.InDelta(t, 1, McNemar(1<<30, 1<<30+1), 1e-4)
}

// TestCounts counts random examples directly.
func TestCounts(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		classes := 2 + r.IntN(3)
		table, part := NewTable(classes), NewTable(classes)
		var all, changed, right, wrong, worse, better int64
		for i := range 100 {
			y, old, now := int32(r.IntN(classes)), int32(r.IntN(classes)), int32(r.IntN(classes))
			[]*Table{table, part}[i%2].Add(y, old, now, 1)
			all++
			for is, n := range map[bool]*int64{old != now: &changed} {
				if is {
					*n++
				}
			}
			switch {
			case y == old && y == now:
				right++
			case y == old:
				worse++
			case y == now:
				better++
			default:
				wrong++
			}
		}
		table.Fields(fields.Merging(), part)
		c := table.Counts()
		require.Equal(t, []int64{all, changed, right, wrong, worse, better},
			[]int64{c.All.Rows(), c.Changed.Rows(), c.BothRight.Rows(), c.BothWrong.Rows(), c.Regressions.Rows(), c.Improvements.Rows()})
		if classes == 2 {
			require.Equal(t, changed, c.NegPos.Rows()+c.PosNeg.Rows())
			require.Equal(t, all, c.NegPos.Rows()+c.PosNeg.Rows()+c.NegNeg.Rows()+c.PosPos.Rows())
		}
	}
}

// TestMove: scores that are equally infinite have not changed.
func TestMove(t *testing.T) {
	table := NewTable(2)
	table.Move(math.Inf(1), math.Inf(1), 1)
	table.Move(0.25, 0.75, 2)
	table.Move(0, math.Inf(1), 0)
	require.Equal(t, 1.0, table.Moved())
	table.Move(0, math.Inf(-1), 1)
	require.True(t, math.IsInf(table.Moved(), 1) || math.IsNaN(table.Moved()))
}

func code(c *wire.Coder, t *Table) { t.Fields(fields.Coding(c), t) }

// FuzzDecode: whatever the bytes, a table that decodes can be merged and counted.
func FuzzDecode(f *testing.F) {
	for classes := 1; classes < 4; classes++ {
		table := NewTable(classes)
		for i := range int32(20) {
			table.Add(i%int32(classes), i/3%int32(classes), i/2%int32(classes), float64(i))
			table.Move(0.5, float64(i)/7, 1)
		}
		data, err := wire.Append(nil, table, code)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		table := new(Table)
		if err := wire.Decode(data, table, code); err != nil {
			return
		}
		merged := new(Table)
		merged.Fields(fields.Merging(), table)
		require.Equal(t, fmt.Sprint(table.Counts().All.Rows()), fmt.Sprint(merged.Counts().All.Rows()))
	})
}
