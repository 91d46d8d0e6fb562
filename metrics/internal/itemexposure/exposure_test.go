package itemexposure

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// tableOf returns a table of items that are shown with the given weights, at one cut-off.
func tableOf(limit int, weights ...float64) *Table {
	t := NewTable(limit, 0)
	for i, w := range weights {
		if it := t.See(uint64(i)); it != nil && w > 0 {
			it.Show(0, w)
		}
	}
	return t
}

func TestGini(t *testing.T) {
	for n := 1; n < 30; n++ {
		equal, one := make([]float64, n), make([]float64, n)
		for i := range equal {
			equal[i] = 0.1
		}
		one[n/2] = 0.1
		require.Equal(t, 0.0, tableOf(100, equal...).Shown(0, false).Gini(n))
		require.InDelta(t, 1-1/float64(n), tableOf(100, one...).Shown(0, false).Gini(n), 1e-15)
		require.InDelta(t, 1-1/float64(2*n), tableOf(100, one...).Shown(0, false).Gini(2*n), 1e-15, "items that are not in the table count, too")
	}
}

func TestHeadAndTail(t *testing.T) {
	for _, c := range []struct {
		frequencies []float64
		want        float64 // the share of the tail, all items being shown equally
	}{
		{[]float64{8, 1, 1}, 2. / 3},
		{[]float64{7, 1, 1, 1}, 0}, // the ones are all necessary, or none
		{[]float64{50, 30, 10, 10}, 0.5},
		{[]float64{1, 1, 0, 0}, 0.5},
		{[]float64{5}, 0},
	} {
		table := tableOf(10, make([]float64, len(c.frequencies))...)
		for i, f := range c.frequencies {
			it := table.See(uint64(i))
			it.Show(0, 1)
			it.Given(f)
		}
		got, ok := table.Shown(0, false).TailShare(0)
		require.True(t, ok)
		require.Equal(t, c.want, got, "%v", c.frequencies)
	}
	_, ok := tableOf(10, 1, 1).Shown(0, false).TailShare(0)
	require.False(t, ok)
}

// TestLimit: a table gives up if there are too many items, in whatever parts they come.
func TestLimit(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		keys := make([]uint64, 1+r.IntN(100))
		distinct := make(map[uint64]bool)
		for i := range keys {
			keys[i] = uint64(r.IntN(60))
			distinct[keys[i]] = true
		}
		for _, limit := range []int{len(distinct) - 1, len(distinct)} {
			if limit == 0 {
				continue // no limit
			}
			merged := new(Table)
			for rest := keys; len(rest) > 0; {
				n := 1 + r.IntN(len(rest))
				part := NewTable(limit, 0)
				for _, key := range rest[:n] {
					part.See(key)
				}
				merged.Fields(fields.Merging(), part)
				rest = rest[n:]
			}
			require.Equal(t, limit < len(distinct), merged.Over())
			if !merged.Over() {
				require.Equal(t, len(distinct), merged.Items())
			}
		}
	}
}

func code(c *wire.Coder, t *Table) { t.Fields(fields.Coding(c), t) }

func FuzzDecode(f *testing.F) {
	table := NewTable(10, 1)
	for i := range uint64(4) {
		it := table.See(i << 40)
		it.Show(1, 0.5)
		it.Norm(0, 0.3)
		it.Relevant(2)
		it.Given(float64(i))
	}
	table.Compare(0, 2, []float64{0.3})
	for _, t := range []*Table{table, tableOf(1, 1, 1), new(Table)} {
		data, err := wire.Encode(t, code)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		table := new(Table)
		if wire.Decode(data, table, code) != nil {
			return
		}
		s := table.Shown(0, false)
		s.Gini(table.Items() + 1)
		s.Entropy()
		s.Novelty(3)
		s.TailShare(0)
		table.Personalization(0)
		again, err := wire.Encode(table, code)
		require.NoError(t, err)
		back := new(Table)
		require.NoError(t, wire.Decode(again, back, code))
	})
}
