package metrics_test

import (
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/metricstest"
)

func init() { metrics.Bridge(metricstest.Take, metricstest.Laws[metrics.Statistic]) }
