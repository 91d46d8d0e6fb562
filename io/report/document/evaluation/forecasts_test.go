package evaluation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
)

// The coverage of quantiles is drawn by level, with the PIT histogram that follows from it.
func TestQuantiles(t *testing.T) {
	r := &report.Report{Task: "regression", Metrics: []report.Row{{Name: "mae", Value: 1, Support: 8}}}
	for _, at := range []struct {
		name     string
		coverage float64
	}{{"quantile_coverage@0.9", 0.75}, {"quantile_coverage@0.1", 0.25}, {"quantile_coverage@0.5", 0.5}} {
		r.Metrics = append(r.Metrics, report.Row{Name: at.name, Value: at.coverage, Support: 8})
	}
	r.Sort()
	root, page := reporttest.PageOf(t, r)
	require.Contains(t, string(page), "0.2500 of the labels between the quantiles 0 and 0.1")
	require.Contains(t, string(page), "0.2500 of the labels between the quantiles 0.9 and 1")
	require.Contains(t, reporttest.TextOf(root), "level share of labels at or below 0.1 0.2500 0.5 0.5000 0.9 0.7500")
}
