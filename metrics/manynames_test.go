package metrics

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkSelectOfManyNames: the time of a name does not grow with the number of names.
func BenchmarkSelectOfManyNames(b *testing.B) {
	for _, n := range []int{4_000, 64_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := &Params{Task: Binary, Labels: 1, Scores: true, Decisions: true, Curves: ExactCurves}
			names := make([]string, n)
			for i := range names {
				names[i] = fmt.Sprintf("recall_at_fpr@%g", float64(i+1)/1e6)
			}
			for b.Loop() {
				selected, err := p.Select(names, nil)
				require.NoError(b, err)
				require.Len(b, selected, n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/name")
		})
	}
}
