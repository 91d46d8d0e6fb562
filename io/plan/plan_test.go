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
