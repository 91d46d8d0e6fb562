package volume_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/volume"
	"github.com/beameval/beameval/io/slice"
)

func TestVolume(t *testing.T) {
	de := slice.Key{{Column: "country", Value: slice.String("de")}}
	r := &report.Report{
		Examples: 60,
		Rows:     report.RowCounts{Read: 100, Evaluated: 60, Skipped: map[string]int64{"null label": 5, "null score": 20, "no truth": 10}, Estimated: 5},
		Metrics: []report.Row{
			{Name: "f1_micro", Value: 1, Support: 59}, {Name: "f1", Label: new("a"), Support: 99},
			{Name: "f1", Slice: de, Label: new("a"), Support: 40}, {Name: "f1_micro", Slice: de, Support: 24}, {Name: "lrap", Slice: de, Support: 25},
		},
	}
	values := map[string]float64{}
	for _, row := range volume.Of(r, volume.Names) {
		values[row.Name+" "+row.Slice.String()] = row.Value
	}
	require.Equal(t, map[string]float64{"examples overall": 60, "rows overall": 100, "support overall": 60, "support country=de": 25,
		"skipped_share overall": 0.35, "missing_label_share overall": 0.2}, values)
	require.Len(t, volume.With(r, []string{volume.Rows}).Metrics, 6)
	require.Same(t, r, volume.With(r, nil))
	require.Equal(t, []string{volume.Rows}, volume.Asked([]report.Gate{{Metric: "f1"}, {Metric: volume.Rows}, {Metric: volume.Rows}}))
	require.Len(t, volume.Of(new(report.Report), volume.Names), 3, "shares of no rows are unknown")
}
