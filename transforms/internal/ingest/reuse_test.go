package ingest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReusedConverter converts random batches, with bad rows among them, with
// one converter and with one made for each batch: nothing may be left over
// from the batch before.
func TestReusedConverter(t *testing.T) {
	for _, c := range randomCases(.02) {
		t.Run(c.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			reused := NewConverter(&c.spec, c.vocab, new(Findings))
			goodRows, badRows := 0, 0
			for range 60 {
				in := c.draw(r, r.IntN(40))
				require.NoError(t, reused.Check(&in))
				batch, rows, bad := reused.Convert(&in)
				freshBatch, freshRows, freshBad := NewConverter(&c.spec, c.vocab, new(Findings)).Convert(&in)
				// As text, where NaN equals NaN.
				require.Equal(t, fmt.Sprintf("%+v", freshBatch), fmt.Sprintf("%+v", batch))
				require.Equal(t, fmt.Sprint(freshRows), fmt.Sprint(rows))
				require.Equal(t, fmt.Sprint(freshBad), fmt.Sprint(bad))
				goodRows, badRows = goodRows+len(rows), badRows+len(bad)
			}
			require.NotZero(t, goodRows)
			require.NotZero(t, badRows)
		})
	}
}

// TestNoAllocations: once its buffers have grown, a converter allocates
// nothing for good rows.
func TestNoAllocations(t *testing.T) {
	for _, c := range randomCases(0) {
		t.Run(c.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			in := c.draw(r, 200)
			converter := NewConverter(&c.spec, c.vocab, new(Findings))
			_, _, bad := converter.Convert(&in)
			allocations := testing.AllocsPerRun(20, func() {
				require.NoError(t, converter.Check(&in))
				_, _, bad = converter.Convert(&in)
			})
			require.Empty(t, bad)
			require.Zero(t, allocations)
		})
	}
}
