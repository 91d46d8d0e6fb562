package comparison_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/analysis/reports"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics/confidence"
)

// around returns replicates of a value: the replicate without group i is off by (i mod 5) − 2
// spreads.
func around(value, spread float64, groups int) (replicates []float64) {
	for i := range groups {
		replicates = append(replicates, value+spread*float64(i%5-2))
	}
	return replicates
}

func in(country string) slice.Key {
	return slice.Key{{Column: "country", Value: slice.String(country)}}
}

func upTo(n int32) (groups []int32) {
	for i := range n {
		groups = append(groups, i)
	}
	return groups
}

// report20 is a report whose rows all have replicates of 20 groups.
func report20(rows ...report.Row) *report.Report {
	r := binary()
	for _, row := range rows {
		row.Folds = upTo(int32(len(row.Replicates)))
		r.Metrics = append(r.Metrics, row)
	}
	return r
}

func compare(t *testing.T, a, b *report.Report, adjust changes.Adjustment) *changes.Comparison {
	t.Helper()
	c, err := comparison.Compare(a, b, adjust)
	require.NoError(t, err)
	return c
}

func TestVerdicts(t *testing.T) {
	row := func(name string, value, spread float64) report.Row {
		return report.Row{Name: name, Value: value, Replicates: around(value, spread, 20)}
	}
	biased := func(value float64) report.Row {
		r := row("ece", value, 1e-3)
		r.Confidence = &report.Confidence{NoInterval: confidence.HasBias}
		return r
	}
	undefined := report.Row{Name: "roc_auc", Value: math.NaN()}
	projected := row("ece_debiased", 0.5, 1e-3)
	projected.Confidence = &report.Confidence{Low: 0.49, High: 0.51, Method: confidence.MethodProjection}
	bare := report.Row{Name: "brier", Value: 0.25}
	a := report20(row("accuracy", 0.5, 0), row("f1", 0.5, 0), row("log_loss", 0.5, 0), row("mcc", 0.5, 0), row("recall", 0.5, 0),
		row("prevalence", 0.5, 0), biased(0.1), projected, undefined, bare, row("npv", 0.5, 0))
	b := report20(row("accuracy", 0.75, 1e-3), row("f1", 0.25, 1e-3), row("log_loss", 0.75, 1e-3), row("mcc", 0.51, 1), row("recall", 0.5, 0),
		row("prevalence", 0.75, 1e-3), biased(0.5), row("ece_debiased", 0.1, 1e-3), row("roc_auc", 0.5, 1), bare, row("precision", 0.5, 0))
	got := map[string][]any{}
	for _, d := range compare(t, a, b, changes.BenjaminiHochberg).Changes {
		got[d.Name] = []any{d.Verdict, d.Pairing, d.Reason}
	}
	require.Equal(t, map[string][]any{
		"accuracy":     {changes.Better, changes.Paired, ""},
		"f1":           {changes.Worse, changes.Paired, ""},
		"log_loss":     {changes.Worse, changes.Paired, ""},
		"mcc":          {changes.NoSignificantChange, changes.Paired, ""},
		"recall":       {changes.Unsure, changes.Paired, "no variation"},
		"prevalence":   {changes.Unsure, changes.Paired, "neither higher nor lower is better"},
		"ece":          {changes.Unsure, changes.Paired, "biased"},
		"ece_debiased": {changes.Unsure, changes.Paired, "biased"},
		"roc_auc":      {changes.Unsure, changes.Untested, "undefined in a"},
		"brier":        {changes.Unsure, changes.Untested, "no replicates"},
		"npv":          {changes.Unsure, changes.Untested, "only in a"},
		"precision":    {changes.Unsure, changes.Untested, "only in b"},
	}, got)
}

// TestDirectionOfOwnMetrics: reports say which values of metrics are better that this program has
// not.
func TestDirectionOfOwnMetrics(t *testing.T) {
	with := func(value, spread float64, better string) *report.Report {
		r := report20(report.Row{Name: "cost", Value: value, Replicates: around(value, spread, 20)})
		r.Meanings = map[string]report.Meaning{"cost": {Better: better, Own: true}}
		return r
	}
	for _, c := range []struct {
		a, b string
		want changes.Verdict
	}{{"lower", "lower", changes.Worse}, {"higher", "higher", changes.Better}, {"", "", changes.Unsure}, {"lower", "higher", changes.Unsure}, {"near 1", "near 1", changes.Better}} {
		changes := compare(t, with(0.5, 0, c.a), with(0.75, 1e-3, c.b), changes.BenjaminiHochberg).Changes
		require.Equal(t, c.want, changes[0].Verdict, "%+v", c)
	}
}

// TestNearness: a value that should be near a number is better if it is nearer, on either side.
func TestNearness(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b float64
		want changes.Verdict
	}{
		{"accuracy_difference_to_reference", -0.10, -0.05, changes.Better},
		{"accuracy_difference_to_reference", 0.05, 0.10, changes.Worse},
		{"accuracy_difference_to_reference", -0.10, 0.03, changes.Better},
		{"accuracy_difference_to_reference", -0.03, 0.10, changes.Worse},
		{"accuracy_difference_to_reference", -0.10, 0.1001, changes.NoSignificantChange}, // the difference is significant, but is as far from 0
		{"recall_ratio_to_reference", 0.8, 0.9, changes.Better},
		{"recall_ratio_to_reference", 0.9, 1.2, changes.Worse},
		{"mean_bias", -2, 0.5, changes.Better},
		{"accuracy_difference", 0.1, 0.05, changes.Better},
		{"accuracy_ratio", 0.9, 0.8, changes.Worse},
		{"fnr_group_max", 0.1, 0.2, changes.Worse},
		{"predicted_positive_rate_group_max", 0.1, 0.2, changes.Unsure},
	} {
		row := func(value, spread float64) report.Row {
			return report.Row{Name: c.name, Value: value, Replicates: around(value, spread, 20)}
		}
		d := compare(t, report20(row(c.a, 0)), report20(row(c.b, 1e-3)), changes.BenjaminiHochberg).Changes[0]
		require.Equal(t, c.want, d.Verdict, "%+v", c)
		require.Equal(t, c.b-c.a, d.Difference)
		require.True(t, d.Low > 0 || d.High < 0, "the values differ")
	}
}

// TestFewGroups: what has replicates without many groups may depend on few of them.
func TestFewGroups(t *testing.T) {
	few := report.Row{Name: "accuracy_difference_to_reference", Slice: in("de"), Value: 0.1, Replicates: around(0.1, 0.01, 20)}
	few.Confidence = &report.Confidence{NoInterval: confidence.FewFolds}
	d := compare(t, report20(few), report20(few), changes.BenjaminiHochberg).Changes[0]
	require.Equal(t, []any{changes.Unsure, "few groups"}, []any{d.Verdict, d.Reason})
}

// TestHeavyTails: pairs have the same errors, and cancel those that decide both values.
func TestHeavyTails(t *testing.T) {
	heavy := func(value, spread float64) *report.Report {
		row := report.Row{Name: "rmse", Value: value, Replicates: around(value, spread, 20)}
		row.Confidence = &report.Confidence{Warning: confidence.HeavyTails}
		return report20(row)
	}
	a, b := heavy(0.5, 0), heavy(0.75, 1e-3)
	require.Empty(t, compare(t, a, b, changes.BenjaminiHochberg).Warnings)
	b.Confidence.Seed = 7
	require.Contains(t, compare(t, a, b, changes.BenjaminiHochberg).Warnings,
		"heavy tails: a few errors decide rmse of all examples, and intervals of their unpaired differences are too narrow")
}

// TestAdjusted: the slices of a metric are adjusted together, the overall slice alone.
func TestAdjusted(t *testing.T) {
	one, other := binary(), binary()
	countries := []string{"at", "be", "ch", "de", "fr"}
	for i, r := range []*report.Report{one, other} {
		r.Metrics = []report.Row{{Name: "f1", Value: 0.5 + float64(i)/100, Replicates: around(0.5, float64(i)*0.003, 20), Folds: upTo(20)}}
		for j, country := range countries {
			value := 0.5 + float64(i)*float64(j)/100
			r.Metrics = append(r.Metrics, report.Row{Name: "f1", Slice: in(country), Value: value, Replicates: around(value, float64(i)*0.003, 20), Folds: upTo(20)})
		}
	}
	for adjust, by := range map[changes.Adjustment]func([]float64) []float64{
		changes.BenjaminiHochberg: confidence.BenjaminiHochberg,
		changes.Holm:              confidence.Holm,
		changes.Unadjusted:        func(p []float64) []float64 { return p },
	} {
		c := compare(t, one, other, adjust)
		var p, adjusted []float64
		for _, d := range c.Changes {
			if len(d.Slice) == 0 {
				require.Equal(t, d.PValue, d.PAdjusted)
				continue
			}
			p, adjusted = append(p, d.PValue), append(adjusted, d.PAdjusted)
		}
		require.Len(t, p, len(countries))
		require.Equal(t, by(p), adjusted)
	}
}

// TestGroupsOfEither: a slice may have examples in other groups in each report. Without a
// group that has none, its value stays what it is.
func TestGroupsOfEither(t *testing.T) {
	a, b := binary(), binary()
	x, y := around(0.5, 0.01, 11), around(0.7, 0.02, 11)
	a.Metrics = []report.Row{{Name: "f1", Slice: in("de"), Value: 0.5, Replicates: x, Folds: []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11}}}
	b.Metrics = []report.Row{{Name: "f1", Slice: in("de"), Value: 0.7, Replicates: y, Folds: []int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12}}}
	want := confidence.Paired(0.5, 0.7,
		[]float64{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], 0.5, x[10], 0.5},
		[]float64{0.7, y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7], y[8], y[9], 0.7, y[10]}, 0.95)
	got := compare(t, a, b, changes.Unadjusted).Changes[0]
	require.Equal(t, []float64{want.StdError, want.DOF, want.Low, want.High, want.PValue}, []float64{got.StdError, got.DOF, got.Low, got.High, got.PValue})
	require.Equal(t, 13, got.Groups)
}

// TestDoubts: what makes a comparison less than it could be is said.
func TestDoubts(t *testing.T) {
	row := report.Row{Name: "f1", Value: 0.5, Replicates: around(0.5, 0.01, 20)}
	for name, c := range map[string]struct {
		change  func(a, b *report.Report)
		pairing changes.Pairing
		want    []string
	}{
		"nothing": {func(a, b *report.Report) {}, changes.Paired, nil},
		"a seed": {func(a, b *report.Report) { b.Confidence.Seed = 7 }, changes.Unpaired,
			[]string{"the seed of the groups is 0 in a, 7 in b: differences are unpaired, which shows only large ones"}},
		"groups": {func(a, b *report.Report) { b.Confidence.Folds = 50 }, changes.Unpaired,
			[]string{"a has 20 groups, b has 50: differences are unpaired, which shows only large ones"}},
		"a column": {func(a, b *report.Report) {
			b.Confidence.By, b.Confidence.Digests = "user\n", []report.FoldDigest{{Rows: 60}}
		}, changes.Unpaired,
			[]string{`the groups are by "id" in a, by "user\n" in b: differences are unpaired, which shows only large ones`}},
		"a column of another name": {func(a, b *report.Report) { b.Confidence.By = "example_id" }, changes.Paired, nil},
		"examples": {func(a, b *report.Report) {
			b.Confidence.Digests = []report.FoldDigest{{Rows: 60, Digest: 7}, {Rows: 1}}
		}, changes.Unpaired,
			[]string{"the examples differ: a has 60, b has 61: differences are unpaired, which shows only large ones"}},
		"true labels": {func(a, b *report.Report) { b.Confidence.Digests = []report.FoldDigest{{Rows: 60, Digest: 8}} }, changes.Unpaired,
			[]string{"the examples or their true labels differ in 1 of 20 groups: differences are unpaired, which shows only large ones"}},
		"a level": {func(a, b *report.Report) { b.Confidence.Level = 0.9 }, changes.Paired,
			[]string{"the level of confidence is 0.95 in a, 0.9 in b: that of b is taken"}},
		"no confidence": {func(a, b *report.Report) { a.Confidence = nil }, changes.Untested,
			[]string{"a has no replicates, so no difference is tested: evaluate it with confidence in the configuration"}},
		"no replicates": {func(a, b *report.Report) { b.Metrics[0].Replicates = nil }, changes.Untested,
			[]string{"b has no replicates.parquet, so no difference is tested: evaluate it with parquet in output.formats"}},
		"neither has confidence": {func(a, b *report.Report) { a.Confidence, b.Confidence = nil, nil }, changes.Untested, nil},
		"labels": {func(a, b *report.Report) {
			a.Labels, b.Labels = []string{"cat", "dog"}, []string{"dog", "1", "2", "3", "4", "5", "6\n"}
		}, changes.Paired,
			[]string{`the labels differ, and with them what averages are of: only a has "cat"; only b has "1", "2", "3", "4", "5", 1 more`}},
		"the order of labels": {func(a, b *report.Report) { a.Labels, b.Labels = []string{"cat", "dog"}, []string{"dog", "cat"} }, changes.Paired,
			[]string{"the labels have another order in b than in a"}},
		"options": {func(a, b *report.Report) {
			a.Config = json.RawMessage(`{"metrics":[],"decision":{"threshold":0.5},"curves":{"mode":"exact","points":7},"slices":[["a"]]}`)
			b.Config = json.RawMessage(`{"metrics":["f1"],"decision":{"threshold":{"default":0.5,"x":0.2}},"curves":{"mode":"bounded","points":9,"bins":4096}}`)
		}, changes.Paired, []string{
			`curves.bins is not set in a, 4096 in b: metrics that depend on it differ for that reason, too`,
			`curves.mode is "exact" in a, "bounded" in b: metrics that depend on it differ for that reason, too`,
			`decision.threshold is 0.5 in a, not set in b: metrics that depend on it differ for that reason, too`,
			`decision.threshold.default is not set in a, 0.5 in b: metrics that depend on it differ for that reason, too`,
			`decision.threshold.x is not set in a, 0.2 in b: metrics that depend on it differ for that reason, too`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := report20(row), report20(row)
			c.change(a, b)
			got := compare(t, a, b, changes.BenjaminiHochberg)
			require.Equal(t, c.pairing, got.Pairing)
			require.Equal(t, c.want, got.Warnings)
			require.Equal(t, c.pairing, got.Changes[0].Pairing)
		})
	}
}

func TestTasksMustBeEqual(t *testing.T) {
	_, err := comparison.Compare(&report.Report{Task: "binary"}, &report.Report{Task: "ranking"}, changes.BenjaminiHochberg)
	require.EqualError(t, err, "the reports are of different tasks: a is binary, b is ranking")
}

func TestReadFails(t *testing.T) {
	spoiled := func(name, text string) string {
		dir := write(t, report20(report.Row{Name: "f1", Value: 0.5, Replicates: around(0.5, 0.01, 20)}), report.Parquet)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		return dir
	}
	for dir, want := range map[string]string{
		filepath.Join(t.TempDir(), "none"):                             "there is no report in ",
		spoiled(report.MetricsJSON, `{"schema":"beameval.report/v0"}`): `the schema is "beameval.report/v0", not "beameval.report/v1"`,
		spoiled(report.MetricsJSON, `{"schema":`):                      "unexpected end of JSON input",
		spoiled(report.ReplicatesParquet, "PAR1"):                      "replicates.parquet: ",
	} {
		_, err := reports.Read(t.Context(), dir)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, dir)
	}
	dir := write(t, report20(report.Row{Name: "f1", Value: 0.5, Replicates: around(0.5, 0.01, 20)}))
	require.Empty(t, read(t, dir).Metrics[0].Replicates, "without parquet, there are no replicates")
}

// TestShow: what both reports have is shown, and what one of them lacks is said.
func TestShow(t *testing.T) {
	full := func(key string) *report.Report {
		r := binary()
		r.Metrics = []report.Row{{Name: "ndcg", Value: 0.5}}
		r.Config = json.RawMessage(`{"` + key + `": [1, 2], "same": 1, "input": {"files": ["` + key + `"]}}`)
		r.Curves = []report.Curve{{Name: report.CurveROC, Points: []report.CurvePoint{{X: 0, Y: 0}, {X: 1, Y: 1}}}}
		r.Queries = &report.Queries{Names: []string{"ndcg"}, List: []report.Query{{ID: slice.String("q"), Values: []float64{0.5}}}}
		return r
	}
	bare := full("z")
	bare.Curves, bare.Queries = nil, nil
	show := func(a, b *report.Report) *changes.Comparison {
		dirs := [2]string{write(t, a, report.Parquet), write(t, b, report.Parquet)}
		x, y := read(t, dirs[0]), read(t, dirs[1])
		c := compare(t, x, y, changes.Holm)
		c.Warnings = nil
		require.NoError(t, comparison.Show(t.Context(), c, x, y, dirs))
		return c
	}
	c := show(full("x"), full("y"))
	require.Empty(t, c.Warnings)
	require.Equal(t, full("x").Curves, c.A.Curves)
	require.Equal(t, full("x").Curves, c.B.Curves)
	require.Equal(t, &changes.QueryChanges{Names: []string{"ndcg"}, List: []changes.QueryChange{{ID: "q", A: []float64{0.5}, B: []float64{0.5}}}}, c.Queries)
	require.Equal(t, []changes.OptionChange{
		{Key: "input.files", A: json.RawMessage(`["x"]`), B: json.RawMessage(`["y"]`)},
		{Key: "x", A: json.RawMessage(`[1,2]`)},
		{Key: "y", B: json.RawMessage(`[1,2]`)},
	}, c.Options)

	require.Empty(t, show(bare, bare).Warnings)
	for side, c := range map[string]*changes.Comparison{"a": show(bare, full("x")), "b": show(full("x"), bare)} {
		require.Empty(t, c.A.Curves)
		require.Nil(t, c.Queries)
		require.Equal(t, []string{
			side + " has no curves.parquet, so no curves are drawn: evaluate it with parquet in output.formats and with curves",
			side + " has no per_query.parquet, so no queries are compared: evaluate it with output.per_query",
		}, c.Warnings)
	}
	dirs := [2]string{write(t, full("x"), report.Parquet), t.TempDir()}
	require.NoError(t, os.WriteFile(filepath.Join(dirs[1], report.CurvesParquet), []byte("PAR1"), 0o644))
	err := comparison.Show(t.Context(), new(changes.Comparison), full("x"), full("y"), dirs)
	require.ErrorContains(t, err, dirs[1]+": report: curves.parquet: ")
}
