package binned

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/bins"
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// TestTable compares with adding each number to its histogram at once, whether rows still wait when a
// table is merged, encoded or emptied, or not.
func TestTable(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		width := 1 + r.IntN(5)
		want, tables := make([]Histogram, width), make([]Table, 3)
		for range r.IntN(5 * mostWaiting) {
			row, w := make([]float64, width), 1.0
			if seed%2 == 0 {
				w = weights[r.IntN(len(weights))]
			}
			for label := range row {
				row[label] = r.Float64()
				want[label].Add(bins.Unit.Of(row[label]), w)
			}
			tables[r.IntN(3)].AddRow(bins.Unit, row, w)
		}
		var all Table
		for i := range tables {
			all.Fields(fields.Merging(), &tables[i])
		}
		encoded, err := wire.Encode(&all, func(c *wire.Coder, t *Table) { t.Fields(fields.Coding(c), t) })
		require.NoError(t, err)
		var again Table
		require.NoError(t, wire.Decode(encoded, &again, func(c *wire.Coder, t *Table) { t.Fields(fields.Coding(c), t) }))
		for label := range want {
			require.Equal(t, want[label].Append(nil), all.Of(label).Append(nil))
			require.Equal(t, want[label].Append(nil), again.Of(label).Append(nil))
		}
		all.AddRow(bins.Unit, make([]float64, width), 1)
		all.Fields(fields.Emptying(), &all)
		require.Zero(t, all.Histograms().Size())
	}
}
