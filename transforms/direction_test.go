package transforms

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
)

// Reports sort slices by metrics. They must know without the catalogue which values are better.
func TestDirections(t *testing.T) {
	for _, task := range []metrics.Task{metrics.Binary, metrics.Multiclass, metrics.Multilabel, metrics.Ranking, metrics.Regression} {
		p := metrics.Params{Task: task, Scores: true, Decisions: true, Curves: metrics.ExactCurves}
		names, err := p.Select(nil, metrics.DefaultArguments())
		require.NoError(t, err)
		known := 0
		for _, name := range names {
			want := map[metrics.Better]int{metrics.Higher: 1, metrics.Lower: -1}[metrics.Direction(name)]
			if got := report.Direction(name); got != 0 {
				require.Equal(t, want, got, name)
				known++
			}
		}
		require.Greater(t, known, 5, task)
	}
}
