package plan_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/analysis/plan"
	plans "github.com/beameval/beameval/io/plan"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/power"
	"github.com/beameval/beameval/metrics/sequential"

	changes "github.com/beameval/beameval/io/comparison"
)

func in(country string) slice.Key {
	return slice.Key{{Column: "country", Value: slice.String(country)}}
}

// row returns a row of 1,000 examples in 20 groups. Without group i, it is off by (i mod 5) − 2 spreads.
func row(name string, key slice.Key, value, spread float64) report.Row {
	r := report.Row{Name: name, Slice: key, Value: value, Support: 1000}
	for i := range int32(20) {
		r.Replicates, r.Folds = append(r.Replicates, value+spread*float64(i%5-2)), append(r.Folds, i)
	}
	se, dof := confidence.Jackknife(r.Replicates)
	r.Confidence = &report.Confidence{Low: value - 0.1, High: value + 0.1, StdError: se, DOF: dof, Folds: 20, Method: confidence.MethodJackknife}
	if se == 0 {
		r.Confidence.Low, r.Confidence.High, r.Confidence.Method, r.Confidence.NoInterval = math.NaN(), math.NaN(), "", confidence.NoVariation
	}
	return r
}

// reported returns a report with rows.
func reported(rows ...report.Row) *report.Report {
	return &report.Report{
		Task: "binary", Examples: 1000, Metrics: rows, Config: json.RawMessage(`{"confidence": {"groups": 20}}`),
		Confidence: &report.Folding{Level: 0.95, Folds: 20, By: "id", Digests: []report.FoldDigest{{Rows: 1000, Digest: 7}}},
	}
}

// options plans a drop with the usual power.
func options(drop float64, metrics ...string) plan.Options {
	return plan.Options{Metrics: metrics, Drop: drop, Power: power.Usual, NightsToFalseAlarm: 365, BurnIn: 14}
}

func planned(t *testing.T, r, baseline *report.Report, nights []*report.Report, o plan.Options) *plans.Plan {
	t.Helper()
	p, err := plan.Make(r, baseline, nights, o)
	require.NoError(t, err)
	return p
}

// TestAlone: without a baseline, the other report is as uncertain as this one, and its degrees of freedom are
// Welch's.
func TestAlone(t *testing.T) {
	r := reported(row("roc_auc", nil, 0.8, 1e-3))
	p := planned(t, r, nil, nil, options(0.01, "roc_auc"))
	got, c := p.Rows[0], r.Metrics[0].Confidence
	want := confidence.Unpaired(0.8, 0.8, r.Metrics[0].Replicates, r.Metrics[0].Replicates, 0.95)
	require.InDelta(t, want.StdError, got.StdError, 1e-15)
	require.InDelta(t, math.Sqrt2*c.StdError, got.StdError, 1e-15)
	require.InDelta(t, want.DOF, got.DOF, 1e-9)
	test := power.Test{Level: 0.95, DOF: want.DOF}
	require.InDelta(t, test.Effect(want.StdError, 0.8), got.VisibleDrop, 1e-12)
	require.InDelta(t, test.Examples(1000, want.StdError, 0.01, 0.8), got.Needed, 1e-6)
	require.InDelta(t, test.Power(0.01, want.StdError), got.Power, 1e-12)
	require.Equal(t, differences.Drop, got.Direction)
	require.EqualValues(t, 1000, got.Examples)
	require.Equal(t, differences.Unpaired, p.Pairing)
	require.True(t, math.IsNaN(got.Clusters+got.ClustersNeeded+got.Nights+got.DesignEffect))
	require.Equal(t, fmt.Sprint(p.Rows), fmt.Sprint(planned(t, r, nil, nil, options(0.01)).Rows), "the report shows it first")

	r.Metrics = append(r.Metrics, row("log_loss", nil, 0.5, 1e-3), row("prevalence", nil, 0.5, 1e-3), row("mean_bias", nil, 0.5, 1e-3))
	directions := map[string]differences.Worsening{}
	for _, row := range planned(t, r, nil, nil, options(math.NaN(), "log_loss", "roc_auc", "prevalence", "mean_bias")).Rows {
		directions[row.Metric] = row.Direction
		require.Positive(t, row.VisibleDrop)
		require.True(t, math.IsNaN(row.Needed+row.Power))
	}
	require.Equal(t, map[string]differences.Worsening{"log_loss": differences.Rise, "roc_auc": differences.Drop, "prevalence": differences.Either, "mean_bias": differences.Either}, directions)
}

// TestBaseline: with a baseline, the standard error is that of the difference which a comparison tests. A true
// drop as large as the visible one is significant in the plan's share of cases.
func TestBaseline(t *testing.T) {
	a, b := reported(row("roc_auc", nil, 0.81, 1e-3)), reported(row("roc_auc", nil, 0.8, 1.5e-3))
	compared, err := comparison.Compare(a, b, changes.BenjaminiHochberg)
	require.NoError(t, err)
	d, p := compared.Changes[0], planned(t, b, a, nil, options(0.01))
	require.Equal(t, differences.Paired, p.Pairing)
	require.Equal(t, []float64{d.StdError, d.DOF}, []float64{p.Rows[0].StdError, p.Rows[0].DOF})
	require.Less(t, p.Rows[0].StdError, planned(t, b, nil, nil, options(0.01)).Rows[0].StdError, "pairs show more")

	a.Confidence.Digests[0].Digest++
	p = planned(t, b, a, nil, options(0.01))
	require.Equal(t, differences.Unpaired, p.Pairing)
	require.Contains(t, p.Warnings[0], "the baseline, a, and this report, b: the examples or their true labels differ in 1 of 20 groups")
	a.Metrics[0].Replicates = nil
	_, err = plan.Make(b, a, nil, options(0.01))
	require.ErrorContains(t, err, "a has no replicates.parquet, so no difference is tested")
}

// TestFamilies: the level is divided by as many slices and labels as a comparison tests together, also if the
// plan shows fewer.
func TestFamilies(t *testing.T) {
	labelled := row("recall", in("de"), 0.5, 1e-3)
	labelled.Label = new("x")
	device := slice.Key{{Column: "device", Value: slice.String("phone")}}
	r := reported(row("accuracy", nil, 0.8, 1e-3), row("accuracy", in("de"), 0.8, 1e-3), row("accuracy", in("fr"), 0.8, 1e-3), row("accuracy", in("nowhere"), math.NaN(), 1),
		row("recall", nil, 0.5, 1e-3), labelled, row("accuracy", device, 0.8, 1e-3), row("accuracy", in("constant"), 0.8, 0))
	r.Sort()
	o := options(0.01, "accuracy", "recall")
	levels := func(o plan.Options) map[string]float64 {
		found := map[string]float64{}
		for _, row := range planned(t, r, nil, nil, o).Rows {
			if !math.IsNaN(row.Level) {
				found[row.Metric+" "+row.Slice.String()] = row.Level
			}
		}
		return found
	}
	all := levels(o)
	require.InDelta(t, 0.95, all["accuracy overall"], 1e-15)
	require.InDelta(t, 0.95, all["recall country=de"], 1e-15)
	require.InDelta(t, 1-0.05/3, all["accuracy country=de"], 1e-15)
	require.Len(t, all, 6)
	o.Slice = []string{"device"}
	require.InDeltaMapValues(t, map[string]float64{"accuracy overall": 0.95, "recall overall": 0.95, "accuracy device=phone": 1 - 0.05/3}, levels(o), 1e-15)
	o.Slice, o.Level = nil, 0.99
	require.InDelta(t, 1-0.01/3, levels(o)["accuracy country=de"], 1e-15)
	o.Slice = []string{"browser"}
	_, err := plan.Make(r, nil, nil, o)
	require.EqualError(t, err, `the report has no slices by "browser": it has slices by "country", "device"`)
	r.Metrics = r.Metrics[:1]
	_, err = plan.Make(r, nil, nil, o)
	require.ErrorContains(t, err, "the report has no slices: evaluate it with slices: [[browser]]")
}

// TestClusters: rows and clusters are told apart.
func TestClusters(t *testing.T) {
	r := reported(row("accuracy", nil, 0.8, 1e-3))
	r.Confidence.Clustered, r.Confidence.By = true, "user"
	p := planned(t, r, nil, nil, options(0.01))
	require.True(t, math.IsNaN(p.Rows[0].Clusters), "20 groups of an unknown number of users")
	require.Contains(t, p.Warnings[0], `rows of the same "user" depend on each other`)
	se := r.Metrics[0].Confidence.StdError
	require.InDelta(t, 1000*se*se/(0.8*0.2), p.Rows[0].DesignEffect, 1e-9)

	r.Config = json.RawMessage(`{"confidence": {}}`)
	p = planned(t, r, nil, nil, options(0.01))
	require.Empty(t, p.Warnings)
	got := p.Rows[0]
	require.EqualValues(t, 20, got.Clusters)
	require.InDelta(t, got.Needed/50, got.ClustersNeeded, 1e-9, "50 rows in each")

	r.Confidence.Clustered = false
	r.Metrics[0].Confidence.Method = confidence.MethodWilson
	require.EqualValues(t, 1, planned(t, r, nil, nil, options(0.01)).Rows[0].DesignEffect)
}

// TestNoneSeen: a rate at its bound varies in no sample, but it has the rule of three.
func TestNoneSeen(t *testing.T) {
	perfect := row("precision", nil, 1, 0)
	perfect.Confidence.Low, perfect.Confidence.High = confidence.Wilson(1, 300, 0.95)
	perfect.Confidence.Method, perfect.Confidence.NoInterval = confidence.MethodWilson, ""
	clean := row("fpr", nil, 0, 0)
	clean.Confidence.Low, clean.Confidence.High = confidence.Wilson(0, 700, 0.95)
	clean.Confidence.Method, clean.Confidence.NoInterval = confidence.MethodWilson, ""
	r := reported(clean, perfect, row("recall", nil, 0, 0), row("roc_auc", nil, 1, 0))
	rows := map[string]plans.Row{}
	for _, row := range planned(t, r, nil, nil, options(0.005, "precision", "fpr", "recall", "roc_auc")).Rows {
		rows[row.Metric] = row
	}
	require.InDelta(t, 3./300, rows["precision"].VisibleDrop, 1e-4)
	require.Equal(t, "none seen in 300: rule of three", rows["precision"].Reason)
	require.InDelta(t, 1000*(3/0.005)/300, rows["precision"].Needed, 10)
	require.InDelta(t, 3./700, rows["fpr"].VisibleDrop, 1e-4)
	require.Equal(t, differences.Rise, rows["fpr"].Direction)
	require.Equal(t, "no variation", rows["recall"].Reason, "it cannot become worse")
	require.Equal(t, "no variation", rows["roc_auc"].Reason, "it is no rate")

	r.Confidence.Clustered, r.Config = true, json.RawMessage(`{"confidence": {}}`)
	got := planned(t, r, r, nil, options(0.1, "precision")).Rows[0]
	require.Equal(t, "none seen in 20: rule of three", got.Reason, "20 clusters, also if both reports are alike")
	require.InDelta(t, 1-math.Pow(0.05, 1./20), got.VisibleDrop, 1e-12)
}

// TestReasons: what cannot be planned says why.
func TestReasons(t *testing.T) {
	with := func(name, reason string) report.Row {
		r := row(name, nil, 0.3, 1e-3)
		r.Confidence.Method, r.Confidence.NoInterval = "", reason
		return r
	}
	bare := row("mcc", nil, 0.3, 1e-3)
	bare.Confidence, bare.Replicates = nil, nil
	r := reported(with("ece", "biased"), with("tp", "a count"), with("max_f1_threshold", "not smooth"), with("f1", "few groups"), bare,
		row("roc_auc", nil, math.NaN(), 1), row("recall", nil, 0.004, 0.001), row("accuracy", nil, 0.03, 1e-4))
	reasons := map[string]string{}
	for _, row := range planned(t, r, nil, nil, options(0.02, "ece", "tp", "max_f1_threshold", "f1", "mcc", "roc_auc", "recall", "accuracy")).Rows {
		reasons[row.Metric] = row.Reason
		require.Equal(t, row.Reason == "", row.Needed > 0, row.Metric)
	}
	require.Equal(t, map[string]string{"ece": "biased", "tp": "a count, which grows with the rows", "max_f1_threshold": "not smooth", "f1": "few groups", "mcc": "no replicates",
		"roc_auc": "not a number", "recall": "it can become worse by 0.004 at most", "accuracy": ""}, reasons)
	small := planned(t, r, nil, nil, options(0.003, "recall")).Rows[0]
	require.Equal(t, "it can become worse by 0.004 at most, so nothing would show", small.Reason)
	require.Positive(t, small.Needed, "more rows would show it")

	_, err := plan.Make(&report.Report{Task: "binary"}, nil, nil, options(0.02))
	require.ErrorContains(t, err, "the report has no standard errors: evaluate it with confidence")
	_, err = plan.Make(r, &report.Report{Task: "ranking", Confidence: r.Confidence}, nil, options(0.02))
	require.ErrorContains(t, err, "the reports are of different tasks: a is ranking, b is binary")
	chance := options(0.02)
	chance.Power = 0.05
	_, err = plan.Make(r, nil, nil, chance)
	require.ErrorContains(t, err, "the power is 0.05: a test of level 0.95 shows a difference by chance with a probability of 0.05")
}

// TestNights: the nights until an alarm follow from how values vary between nights.
func TestNights(t *testing.T) {
	r := reported(row("accuracy", nil, 0.8, 1e-3), row("accuracy", in("de"), 0.8, 1e-3))
	var nights []*report.Report
	for i := range 20 {
		nights = append(nights, reported(row("accuracy", nil, 0.8+0.01*float64(i%2), 1e-3)))
	}
	p := planned(t, r, nil, nights, options(0.02))
	require.Equal(t, 20, p.Nights)
	gate := sequential.Gate{BurnIn: 14, Threshold: 2 * 365}
	spread := 0.005 * math.Sqrt(20./19)
	require.Equal(t, gate.Delay(20, 0.02/spread), p.Rows[0].Nights)
	require.True(t, math.IsNaN(p.Rows[1].Nights), "no night has it")
	for _, n := range []int{0, 1} {
		require.Empty(t, planned(t, r, nil, nights[:n], options(0.02)).Warnings)
	}
	few := planned(t, r, nil, nights[:4], options(0.02))
	require.True(t, math.IsNaN(few.Rows[0].Nights))
	require.True(t, slices.ContainsFunc(few.Warnings, func(w string) bool {
		return strings.HasPrefix(w, "the nights until a monitor raises an alarm follow from 5 or more earlier reports, and there are 4")
	}))
}
