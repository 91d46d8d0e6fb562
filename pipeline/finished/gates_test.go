package finished

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/heap"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/pipeline/config"
)

// TestGatesAreLinear: many gates on many metrics take what they add up to, not what they multiply to.
func TestGatesAreLinear(t *testing.T) {
	took := func(n int) float64 {
		r, text := &report.Report{Task: "binary"}, "gates:\n"
		for i := range n {
			name := fmt.Sprintf("recall_at_fpr@0.%d1", i+1_000_000)
			r.Metrics = append(r.Metrics, report.Row{Name: name, Slice: slice.Key{{Column: "shop", Value: slice.Int(1)}}}, report.Row{Name: name, Value: 1})
			text += "- {metric: " + name + ", min: 0.5}\n"
		}
		cfg, err := config.ParseGates([]byte(text), "gates.yaml")
		require.NoError(t, err)
		return float64(heap.Allocated(func() {
			gates, err := gatesFor(r, cfg)
			require.NoError(t, err)
			require.Len(t, gates, n)
		}))
	}
	few, many := took(500), took(2000)
	require.Less(t, many, 8*few, "%.0f bytes, and %.0f for four times the gates and metrics", few, many)
}
