package report_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
)

func TestThresholdsLeavesOutWhatCannotBeExpressed(t *testing.T) {
	for want, thresholds := range map[string]report.Thresholds{
		"{\n}\n":                   {Default: math.NaN()},
		"{\n  \"default\": 0\n}\n": {Default: math.Copysign(0, -1)},
		"{\n  \"b\": 0.25\n}\n": {
			Default: math.Inf(1),
			PerLabel: []report.LabelThreshold{
				{"default", 0.1}, {"", 0.1}, {"caf\xe9", 0.2}, {"c", math.NaN()}, {"d", math.Inf(-1)}, {"b", 0.5}, {"b", 0.25},
			},
		},
	} {
		got := reporttest.Write(t, &report.Report{Task: "multilabel", Thresholds: &thresholds}).Bytes(report.ThresholdsJSON)
		require.Equal(t, want, string(got))
		require.True(t, json.Valid(got))
	}
}

func TestThresholdsReadBack(t *testing.T) {
	r := &report.Report{Task: "multilabel", Thresholds: &report.Thresholds{Default: 1. / 3}}
	want := map[string]float64{"default": 1. / 3}
	for i := range 1000 {
		label, threshold := fmt.Sprintf("label %d \n\"%c", i, rune(i)), math.Exp(float64(i)-500)/3
		want[label] = threshold
		r.Thresholds.PerLabel = append(r.Thresholds.PerLabel, report.LabelThreshold{Label: label, Threshold: threshold})
	}
	f := reporttest.Write(t, r)
	var got map[string]float64
	require.NoError(t, json.Unmarshal(f.Bytes(report.ThresholdsJSON), &got))
	require.Equal(t, want, got)
	require.NotContains(t, f.Content[report.MetricsJSON].String(), "tuned", "no criterion, no warning")
}

func TestTunedThresholdsWarn(t *testing.T) {
	require.Contains(t, reporttest.CurvesReport().Thresholds.Warning(), "were tuned on this data, for max")
	require.Empty(t, new(report.Thresholds).Warning(), "no criterion, no warning")
	require.Empty(t, (*report.Thresholds)(nil).Warning())
}
