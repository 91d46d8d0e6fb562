package comparison_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// TestJudge: a value equal to a bound passes, and an undefined value fails.
func TestJudge(t *testing.T) {
	a, b := "a", "b"
	r := &report.Report{Metrics: []report.Row{
		{Name: "m", Value: 0.5},
		{Name: "m", Slice: reporttest.Key("c", slice.Int(2)), Value: 0.25},
		{Name: "m", Slice: reporttest.Key("c", slice.Int(1)), Value: math.NaN(), Undefined: "no examples"},
		{Name: "m", Slice: reporttest.Key("c", slice.Null()), Value: math.Inf(1)},
		{Name: "l", Label: &a, Value: 1},
		{Name: "l", Label: &b, Value: 0, Undefined: "no positives"},
	}}
	half, below := 0.5, math.Nextafter(0.5, 0)
	for _, c := range []struct {
		gate report.Gate
		want []report.Verdict
	}{
		{report.Gate{Metric: "m", Limits: report.Limits{Min: &half, Max: &half}}, []report.Verdict{report.Pass}},
		{report.Gate{Metric: "m", Limits: report.Limits{Max: &below}}, []report.Verdict{report.Fail}},
		{report.Gate{Metric: "m", Each: true, Limits: report.Limits{Max: &half}}, []report.Verdict{report.Fail, report.Fail, report.Pass}},
		{report.Gate{Metric: "m", Each: true, Limits: report.Limits{Max: &half}, AllowUndefined: true}, []report.Verdict{report.Fail, report.Unknown, report.Pass}},
		{report.Gate{Metric: "m", Slice: reporttest.Key("c", slice.String("2")), Limits: report.Limits{Min: &half}}, []report.Verdict{report.Fail}},
		{report.Gate{Metric: "m", Slice: reporttest.Key("c", slice.Null()), Limits: report.Limits{Min: &half}}, []report.Verdict{report.Fail}},
		{report.Gate{Metric: "m", Slice: reporttest.Key("d", slice.String("2")), Limits: report.Limits{Min: &half}}, []report.Verdict{report.Fail}},
		{report.Gate{Metric: "l", Limits: report.Limits{Min: &half}}, []report.Verdict{report.Fail}},
		{report.Gate{Metric: "l", Label: new("a"), Limits: report.Limits{Min: &half}}, []report.Verdict{report.Pass}},
		{report.Gate{Metric: "l", Label: &b, Limits: report.Limits{Max: &half}}, []report.Verdict{report.Pass}},
		{report.Gate{Metric: "none", Limits: report.Limits{Min: &half}, AllowUndefined: true}, []report.Verdict{report.Unknown}},
	} {
		comparison.Judge(r, []report.Gate{c.gate}, nil)
		var got []report.Verdict
		failed := 0
		for _, g := range r.Gates {
			got = append(got, g.Verdict)
			if g.Verdict == report.Fail {
				failed++
			}
		}
		require.Equal(t, c.want, got, "%+v", c.gate)
		require.Equal(t, failed, r.Failed())
	}
}

// TestGatesOfReports: metrics.json preserves gates, and hostile names remain distinct.
func TestGatesOfReports(t *testing.T) {
	r := reporttest.MultilabelReport()
	half := 0.5
	var gates []report.Gate
	for i := range r.Labels {
		gates = append(gates, report.Gate{Metric: "f1", Label: &r.Labels[i], Limits: report.Limits{Min: &half}})
	}
	comparison.Judge(r, append(gates, report.Gate{Metric: "hamming_loss", Each: true, Limits: report.Limits{Max: &half}}, report.Gate{Metric: "log_loss_macro", Limits: report.Limits{Max: &half}}), nil)
	files := reporttest.Write(t, r)
	read, err := report.Read(files.Content[report.MetricsJSON].Bytes())
	require.NoError(t, err)
	want, err := json.Marshal(reporttest.WithoutNaN(r.Gates))
	require.NoError(t, err)
	got, err := json.Marshal(reporttest.WithoutNaN(read.Gates))
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
	require.Contains(t, files.Content[report.ReportMarkdown].String(), "## Gates")
}
