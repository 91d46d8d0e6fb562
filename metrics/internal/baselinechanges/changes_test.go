package baselinechanges

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
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
		var flowed, mended, broken int64
		for _, f := range table.Flows() {
			flowed += f.All.Rows()
			if f.Old == f.Now {
				require.Zero(t, f.Right.Rows()+f.Wrong.Rows())
				continue
			}
			mended, broken = mended+f.Right.Rows(), broken+f.Wrong.Rows()
			changed -= f.All.Rows()
		}
		require.Equal(t, []int64{all, 0, worse, better}, []int64{flowed, changed, broken, mended})
		changed = c.Changed.Rows()
		if classes == 2 {
			require.Equal(t, changed, c.NegPos.Rows()+c.PosNeg.Rows())
			require.Equal(t, all, c.NegPos.Rows()+c.PosNeg.Rows()+c.NegNeg.Rows()+c.PosPos.Rows())
		}
	}
}

// TestMoves: scores that are equally infinite have not changed, and equal changes have no error.
func TestMoves(t *testing.T) {
	m := new(Moves)
	_, ok := m.Mean()
	require.False(t, ok)
	_, ok = m.Quantile(0.5)
	require.False(t, ok)
	m.Add(math.Inf(1), math.Inf(1), 1)
	m.Add(0.25, 0.75, 2)
	m.Add(0, math.Inf(1), 0)
	mean, ok := m.Mean()
	require.True(t, ok)
	require.Equal(t, 1.0/3, mean)
	for q, want := range map[float64]float64{0.01: 0, 0.33: 0, 0.34: 0.5, 0.99: 0.5} {
		got, _ := m.Quantile(q)
		require.Equal(t, want, got, "%v", q)
	}
	m.Add(0, math.Inf(-1), 1)
	mean, _ = m.Mean()
	require.True(t, math.IsInf(mean, 1))
	median, _ := m.Quantile(0.5)
	require.Equal(t, 0.5, median)
}

// TestQuantileOfMoves compares with quantiles of the sorted distances.
func TestQuantileOfMoves(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		m, part, all := new(Moves), new(Moves), []float64{}
		for i := range 1 + r.IntN(500) {
			old, now := r.Float64(), math.Exp(20*r.NormFloat64())
			[]*Moves{m, part}[i%2].Add(old, now, 1)
			all = append(all, math.Abs(now-old))
		}
		m.Fields(fields.Merging(), part)
		slices.Sort(all)
		for _, q := range []float64{0.01, 0.1, 0.5, 0.9, 0.99, 1} {
			want := all[int(math.Ceil(float64(q*float64(len(all)))))-1]
			got, ok := m.Quantile(q)
			require.True(t, ok)
			require.InDelta(t, want, got, want/64, "seed %d, %v", seed, q)
		}
	}
}

// TestLabels counts random sets of labels directly.
func TestLabels(t *testing.T) {
	const labels = 5
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 2))
		set := func() (list []int32) {
			for label := range int32(labels) {
				if r.IntN(3) == 0 {
					list = append(list, label)
				}
			}
			return list
		}
		table, part, all := new(Labels), new(Labels), new(exact.Tally)
		var counts [labels][8]int64
		var moved [labels]float64
		for i := range 60 {
			truth, old, now := set(), set(), set()
			to := []*Labels{table, part}[i%2]
			to.Add(truth, old, now, 1)
			all.Add(1)
			for label := range int32(labels) {
				what := 0
				for bit, in := range [][]int32{now, old, truth} {
					if slices.Contains(in, label) {
						what |= 1 << bit
					}
				}
				counts[label][what]++
				to.Move(int(label), 0.25*float64(i%4), 0.5, 2)
				moved[label] += 2 * math.Abs(0.5-0.25*float64(i%4))
			}
		}
		table.Fields(fields.Merging(), part)
		for label, n := range counts {
			c := table.Counts(label, all)
			require.Equal(t, []int64{60, n[1] + n[2] + n[5] + n[6], n[0] + n[7], n[3] + n[4], n[2] + n[5], n[1] + n[6], n[0] + n[4], n[1] + n[5], n[2] + n[6], n[3] + n[7]},
				[]int64{c.All.Rows(), c.Changed.Rows(), c.BothRight.Rows(), c.BothWrong.Rows(), c.Improvements.Rows(), c.Regressions.Rows(), c.NegNeg.Rows(), c.NegPos.Rows(), c.PosNeg.Rows(), c.PosPos.Rows()})
			var flows []int64
			for _, f := range table.Flows(label, all) {
				flows = append(flows, int64(f.Old), int64(f.Now), f.All.Rows(), f.Right.Rows(), f.Wrong.Rows())
			}
			require.Equal(t, []int64{0, 0, n[0] + n[4], 0, 0, 0, 1, n[1] + n[5], n[5], n[1], 1, 0, n[2] + n[6], n[2], n[6], 1, 1, n[3] + n[7], 0, 0}, flows)
			require.Equal(t, n[4]+n[5]+n[6]+n[7], table.Positives(label).Rows())
			require.Equal(t, moved[label], table.Moved(label))
		}
		unmet := table.Counts(math.MaxInt, all)
		require.Equal(t, []int64{60, 60, 0}, []int64{unmet.BothRight.Rows(), unmet.NegNeg.Rows(), unmet.Changed.Rows()})
	}
}

func code(c *wire.Coder, t *Table) { t.Fields(fields.Coding(c), t) }

// FuzzDecode: whatever the bytes, a table that decodes can be merged and counted.
func FuzzDecode(f *testing.F) {
	for classes := 1; classes < 4; classes++ {
		table := NewTable(classes)
		for i := range int32(20) {
			table.Add(i%int32(classes), i/3%int32(classes), i/2%int32(classes), float64(i))
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

// FuzzDecodeMoves: whatever the bytes, what decodes can be merged and evaluated.
func FuzzDecodeMoves(f *testing.F) {
	type both struct {
		labels Labels
		moves  Moves
	}
	code := func(c *wire.Coder, b *both) {
		v := fields.Coding(c)
		b.labels.Fields(v, &b.labels)
		b.moves.Fields(v, &b.moves)
	}
	b := new(both)
	for i := range int32(20) {
		b.labels.Add([]int32{i % 3}, []int32{i % 4, 9}, []int32{5, 1 << 20}, float64(i))
		b.labels.Move(int(i%3), 0.5, float64(i)/7, 1)
		b.moves.Add(float64(i), math.Inf(int(i%2)), float64(i%4))
		b.moves.Add(float64(i), float64(i)/7, float64(i%4))
	}
	data, err := wire.Append(nil, b, code)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		b := new(both)
		if err := wire.Decode(data, b, code); err != nil {
			return
		}
		merged, all := new(both), new(exact.Tally)
		merged.labels.Fields(fields.Merging(), &b.labels)
		merged.moves.Fields(fields.Merging(), &b.moves)
		merged.moves.Mean()
		merged.moves.Quantile(0.9)
		for label := range merged.labels.Met() {
			merged.labels.Counts(label, all)
			merged.labels.Moved(label)
		}
	})
}
