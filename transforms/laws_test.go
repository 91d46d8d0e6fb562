package transforms_test

import (
	"testing"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/metricstest"
)

func TestLawsOfSpan(t *testing.T) {
	batch := &metrics.Batch{Rows: 4, Target: []float64{1, 5, 3, 3}, Estimate: []float64{0.1, 7, 3, 3}}
	metricstest.Laws(t, newSpan, &metrics.Params{Task: metrics.Regression}, batch)
}
