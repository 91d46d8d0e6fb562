package metrics

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSelectOfManyNames: the time is that of the names, not of their square.
func TestSelectOfManyNames(t *testing.T) {
	p := &Params{Task: Binary, Labels: 1, Scores: true, Decisions: true, Curves: ExactCurves}
	took := func(n int) time.Duration {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("recall_at_fpr@%g", float64(i+1)/1e6))
		}
		start := time.Now()
		selected, err := p.Select(names, nil)
		require.NoError(t, err)
		require.Len(t, selected, n)
		return time.Since(start)
	}
	few := min(took(4000), took(4000), took(4000))
	require.Less(t, took(64_000), 60*few, "16 times the names")
}
