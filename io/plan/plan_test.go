package plan_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/plan"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/slice"
)

// example is a plan of rows with and without numbers.
func example() *plan.Plan {
	all, reason := plan.Unknown(), plan.Unknown()
	all.Metric, all.Value, all.Direction, all.Examples, all.Groups, all.Clusters, all.DesignEffect = "accuracy", 0.9, differences.Drop, 1000, 20, 20, 2.5
	all.StdError, all.DOF, all.Level, all.VisibleDrop, all.Power, all.Needed, all.ClustersNeeded, all.Nights = 0.01, 19, 0.95, 0.0295, 0.25, 8700.2, 174.004, math.Inf(1)
	some := all
	some.Metric, some.Slice, some.Direction, some.Level, some.Nights = "log_loss", slice.Key{{Column: "country", Value: slice.String("d\x1be")}}, differences.Rise, 0.975, 12
	reason.Metric, reason.Label, reason.Direction, reason.Value, reason.Reason = "ece", new("x"), differences.Either, math.Inf(1), "biased"
	return &plan.Plan{
		Task: "binary", Report: "a\nb", Baseline: "old", Nights: 9, Pairing: differences.Paired, Level: 0.95, Power: 0.8, Drop: 0.01, Rows: []plan.Row{all, some, reason},
		Warnings: []string{"watch out"},
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, example().WriteJSON(&b))
	var got map[string]any
	require.NoError(t, json.Unmarshal(b.Bytes(), &got))
	require.Equal(t, "beameval.plan/v1", got["schema"])
	require.Equal(t, 0.01, got["drop"])
	rows := got["metrics"].([]any)
	require.Len(t, rows, 3)
	require.Equal(t, map[string]any{
		"metric": "accuracy", "slice": map[string]any{}, "label": nil, "value": 0.9, "direction": "drop", "rows": 1000.0, "groups": 20.0, "clusters": 20.0, "design_effect": 2.5,
		"std_error": 0.01, "dof": 19.0, "level": 0.95, "visible_drop": 0.0295, "power": 0.25, "rows_needed": 8700.2, "clusters_needed": 174.004, "nights": nil,
	}, rows[0])
	require.Equal(t, map[string]any{
		"metric": "ece", "slice": map[string]any{}, "label": "x", "value": nil, "direction": "change", "rows": 0.0, "groups": 0.0, "clusters": nil, "design_effect": nil,
		"std_error": nil, "dof": nil, "level": nil, "visible_drop": nil, "power": nil, "rows_needed": nil, "clusters_needed": nil, "nights": nil, "reason": "biased",
	}, rows[2])

	p := example()
	p.Drop, p.Baseline, p.Nights = math.NaN(), "", 0
	b.Reset()
	require.NoError(t, p.WriteJSON(&b))
	got = nil
	require.NoError(t, json.Unmarshal(b.Bytes(), &got))
	for _, key := range []string{"drop", "baseline", "nights"} {
		require.NotContains(t, got, key)
	}
}

func TestPrint(t *testing.T) {
	print := func(p *plan.Plan) string {
		var b bytes.Buffer
		require.NoError(t, p.Print(&b, document.Screen{Width: 120}))
		return b.String()
	}
	require.Equal(t, `binary: what a b can show
 differences from old, paired: both are of the same examples

warning: watch out

 metric    slice             label   value   rows  clusters  design effect   visible  power  clusters for 0.01  nights
───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
 accuracy  overall                  0.9000  1,000        20           2.50  -0.02950   0.25                175   > 365
 log_loss  country="d\x1be"         0.9000  1,000        20           2.50  +0.02950   0.25                175      12
 ece       overall           x           –      0
 ece of label x: biased
 visible: the smallest change for the worse that is shown with a power of 80%, at a level of 95%, which is adjusted for
 all slices and labels of a metric (Bonferroni; Benjamini–Hochberg shows more). power: the probability with which a
 change of 0.01 is shown, which takes so many rows or clusters in each report. nights: until a monitor raises an alarm,
 in half of all cases, as values vary in 9 nights.
`, print(example()))

	p := example()
	p.Drop, p.Baseline, p.Nights, p.Pairing, p.Warnings, p.Rows = math.NaN(), "", 0, differences.Unpaired, nil, p.Rows[:1]
	p.Rows[0].Power, p.Rows[0].Needed, p.Rows[0].ClustersNeeded, p.Rows[0].Nights, p.Rows[0].Clusters, p.Rows[0].DesignEffect = math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), 1
	require.Equal(t, `binary: what a b can show
 differences from another, independent report of equal size; --baseline names one that is there

 metric     value   rows   visible
───────────────────────────────────
 accuracy  0.9000  1,000  -0.02950
 visible: the smallest change for the worse that is shown with a power of 80%, at a level of 95%.
`, print(p))

	for range 50 {
		p.Rows = append(p.Rows, p.Rows[0])
	}
	require.Contains(t, print(p), "The first 40 of 51; --json has all.")
}

// TestLabels: rows of prediction-powered means have what labels buy, and a table of its own.
func TestLabels(t *testing.T) {
	p := example()
	p.Rows, p.HalfWidth, p.LabelCost, p.JudgeCost = p.Rows[:2], 0.02, 2, 0.01
	powered, unknown := plan.Unknown(), plan.Unknown()
	powered.Metric, powered.Examples = "prediction_powered_mean", 101
	powered.Labels = &plan.Labels{Judged: 300, Correlation: 0.8, Low: 0.7, High: 0.9, HalfWidth: 0.03, Alone: 0.05, Needed: 250, Share: 0.0123, Others: []plan.HalfWidth{{Labels: 50, Half: 0.04}, {Labels: 202, Half: 0.021}}}
	unknown.Metric, unknown.Slice, unknown.Examples, unknown.Labels = "prediction_powered_mean", slice.Key{{Column: "country", Value: slice.String("de")}}, 7, plan.NoLabels()
	unknown.Labels.Reason = "few groups"
	p.Rows = append(p.Rows, powered, unknown)
	var b bytes.Buffer
	require.NoError(t, p.WriteJSON(&b))
	var got struct {
		HalfWidth float64 `json:"half_width"`
		LabelCost float64 `json:"label_cost"`
		JudgeCost float64 `json:"judge_cost"`
		Metrics   []map[string]any
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &got))
	require.Equal(t, []float64{0.02, 2, 0.01}, []float64{got.HalfWidth, got.LabelCost, got.JudgeCost})
	require.NotContains(t, got.Metrics[0], "half_width")
	row := got.Metrics[2]
	for _, key := range []string{"metric", "slice", "label", "value", "direction", "groups", "clusters", "design_effect", "std_error", "dof", "level", "visible_drop", "power", "rows_needed", "clusters_needed", "nights"} {
		delete(row, key)
	}
	require.Equal(t, map[string]any{
		"rows": 101.0, "judged_rows": 300.0, "correlation": 0.8, "correlation_low": 0.7, "correlation_high": 0.9, "half_width": 0.03, "half_width_of_labels_alone": 0.05,
		"half_widths":   []any{map[string]any{"labels": 50.0, "half_width": 0.04}, map[string]any{"labels": 202.0, "half_width": 0.021}},
		"labels_needed": 250.0, "label_share": 0.0123,
	}, row)
	require.Equal(t, "few groups", got.Metrics[3]["labels_reason"])
	require.Nil(t, got.Metrics[3]["half_width"])

	b.Reset()
	require.NoError(t, p.Print(&b, document.Screen{Width: 120}))
	require.Contains(t, b.String(), `
what labels buy beside a judge
 slice       judged  labels     ρ    alone        ±     half    twice  4 times  for ±0.02  cheapest
────────────────────────────────────────────────────────────────────────────────────────────────────
 overall        300     101  0.80  0.05000  0.03000  0.04000  0.02100                 250     1.23%
 country=de               7
 prediction_powered_mean of country=de: few groups
 ρ: correlation of labels and judgements. ±: half the width of the interval at a level of 95%; alone: without the judge;
`)
}
