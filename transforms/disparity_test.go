package transforms

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/transforms/input"
)

// TestDisparities: groups are compared as Fairlearn compares them; see testdata/disparity.py.
func TestDisparities(t *testing.T) {
	data, err := os.ReadFile("testdata/disparity.json")
	require.NoError(t, err)
	var golden struct {
		Rows [][3]any
		Want map[string]float64
	}
	require.NoError(t, json.Unmarshal(data, &golden))
	type decided struct {
		Label int32  `parquet:"label"`
		Guess int32  `parquet:"guess"`
		Group string `parquet:"group"`
	}
	var rows []decided
	for _, r := range golden.Rows {
		rows = append(rows, decided{int32(r[0].(float64)), int32(r[1].(float64)), r[2].(string)})
	}
	g := Groups{By: []string{"group"}, Reference: map[string]string{"group": "a"}, Metrics: []string{"accuracy", "fnr", "fpr", "mcc", "predicted_positive_rate", "recall"}}
	spec := Spec{
		Params:  metrics.Params{Task: metrics.Binary, Decisions: true, Metrics: g.Metrics},
		Columns: input.Columns{Label: "label", Prediction: "guess"}, Slices: []Slice{by("group")},
	}
	texts, err := rowsOf(t, inFiles(spec, written(t, rows, 40)))
	require.NoError(t, err)
	var evaluated []report.Row
	for _, text := range texts[0] {
		row, err := rowOf(text)
		require.NoError(t, err)
		evaluated = append(evaluated, row)
	}
	list, warnings, err := disparities(&g, evaluated, nil)
	require.NoError(t, err)
	require.Len(t, warnings, 1, "c is small")
	got := map[string]float64{}
	for _, row := range list {
		name := row.Name
		if len(row.Slice) > 0 {
			name = row.Slice[0].Value.Text() + ": " + name
		}
		require.Nil(t, row.Confidence)
		got[name] = row.Value
	}
	require.Len(t, got, len(list))
	require.InDeltaMapValues(t, golden.Want, got, 1e-12)

	g.Reference["group"] = "A"
	_, _, err = disparities(&g, evaluated, nil)
	require.EqualError(t, err, `groups: no row is in the reference group group="A": the groups are "a", "b", "c"; did you mean "a"?`)
}

// What cannot be compared is said, however many groups there are.
func TestLittleToCompare(t *testing.T) {
	row := func(group string, value float64) report.Row {
		return report.Row{Name: "recall", Slice: slice.Key{{Column: "race", Value: slice.String(group)}}, Value: value, Support: 100}
	}
	g := &Groups{By: []string{"race"}, Metrics: []string{"recall"}}
	list, warnings, err := disparities(g, []report.Row{{Name: "recall"}, row("a", 0.5), row("b", math.NaN())}, nil)
	require.NoError(t, err)
	require.Empty(t, warnings)
	require.Equal(t, "recall is undefined in 1 of 2 groups", list[0].Undefined)
	_, warnings, err = disparities(g, []report.Row{{Name: "recall"}, row("a", 0.5)}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{`groups: column "race" has fewer than two groups: there is nothing to compare`}, warnings)
}

// TestIntervalsWithinRange: no interval has values that the number cannot have.
// Groups below MinSupport are compared with none but, if one of them is the reference, as the reference.
func TestLeastSupportOfGroups(t *testing.T) {
	row := func(group string, value float64, support int64) report.Row {
		return report.Row{Name: "recall", Slice: slice.Key{{Column: "race", Value: slice.String(group)}}, Value: value, Support: support}
	}
	rows := []report.Row{{Name: "recall", Support: 179}, row("a", 0.5, 40), row("b", 0.75, 100), row("c", 0.25, 39)}
	compared := func(g Groups) (map[string]float64, []string) {
		g.By, g.Metrics = []string{"race"}, []string{"recall"}
		list, warnings, err := disparities(&g, rows, nil)
		require.NoError(t, err)
		got := map[string]float64{}
		for _, r := range list {
			got[strings.TrimPrefix(r.Name, "recall_")+" "+r.Slice.String()] = r.Value
		}
		return got, warnings
	}
	got, warnings := compared(Groups{MinSupport: 40, Reference: map[string]string{"race": "a"}})
	require.Equal(t, []string{"groups: race=c has a support of 39, below min_support: 40: it is not compared"}, warnings)
	require.Equal(t, map[string]float64{
		"difference overall": 0.25, "ratio overall": 0.5 / 0.75, "group_min overall": 0.5, "group_max overall": 0.75,
		"difference_to_reference race=b": 0.25, "ratio_to_reference race=b": 1.5,
		"equal_opportunity_difference overall": 0.25, "equal_opportunity_ratio overall": 0.5 / 0.75,
	}, got)
	got, _ = compared(Groups{MinSupport: 40, Reference: map[string]string{"race": "c"}})
	require.Equal(t, 0.25, got["difference_to_reference race=a"])
	require.Equal(t, 0.25, got["difference overall"])
	require.NotContains(t, got, "difference_to_reference race=c")

	rows = rows[:2]
	list, _, err := disparities(&Groups{By: []string{"race"}, Metrics: []string{"recall"}, MinSupport: 50}, rows, nil)
	require.NoError(t, err)
	for _, r := range list {
		require.Equal(t, "no group in which recall is defined is large enough", r.Undefined, r.Name)
	}
}

func TestIntervalsWithinRange(t *testing.T) {
	row := func(name, group string, value, spread float64) report.Row {
		r := report.Row{Name: name, Slice: slice.Key{{Column: "race", Value: slice.String(group)}}, Value: value, Support: 100, Confidence: &report.Confidence{}}
		for i := range int32(20) {
			r.Folds, r.Replicates = append(r.Folds, i), append(r.Replicates, value+spread*(float64(i%5)-1.9))
		}
		return r
	}
	type interval struct{ low, high float64 }
	inf := math.Inf(1)
	for _, c := range []struct {
		metric           string
		a, b             float64 // of the groups, near the ends of the range, or far apart
		least, most      interval
		difference, to   interval
		ratio, toInRatio interval
	}{
		{"recall", 0.98, 0.03, interval{0, 0.2}, interval{0.8, 1}, interval{0.6, 1}, interval{-1, -0.6}, interval{0, 1}, interval{0, inf}},
		{"recall", 0.5, 0.501, interval{0.3, 0.7}, interval{0.3, 0.7}, interval{0, 0.4}, interval{-0.4, 0.4}, interval{0.2, 1}, interval{0.2, 3}},
		{"log_loss", 0.02, 2, interval{0, 0.3}, interval{1.8, 2.3}, interval{1.5, 2.4}, interval{1.5, 2.4}, interval{0, 1}, interval{0, inf}},
		{"mcc", 0.99, -0.99, interval{-1, -0.8}, interval{0.8, 1}, interval{1.5, 2}, interval{-2, -1.5}, interval{0, 1}, interval{0, inf}},
	} {
		g := &Groups{By: []string{"race"}, Reference: map[string]string{"race": "a"}, Metrics: []string{c.metric}}
		list, _, err := disparities(g, []report.Row{{Name: c.metric}, row(c.metric, "a", c.a, 0.01), row(c.metric, "b", c.b, -0.01)}, &report.Folding{Level: 0.95, Folds: 20})
		require.NoError(t, err)
		shown := 0
		for suffix, within := range map[string]interval{
			metrics.GroupMin: c.least, metrics.GroupMax: c.most, metrics.GroupDifference: c.difference, metrics.DifferenceToReference: c.to,
			metrics.GroupRatio: c.ratio, metrics.RatioToReference: c.toInRatio,
		} {
			i := slices.IndexFunc(list, func(r report.Row) bool { return r.Name == c.metric+suffix })
			found := list[i].Confidence
			if found.NoInterval != "" {
				continue // a ratio to or of a negative number
			}
			shown++
			require.True(t, within.low <= found.Low && found.Low <= list[i].Value && list[i].Value <= found.High && found.High <= within.high, "%s: %v is in %+v", list[i].Name, list[i].Value, found)
		}
		require.GreaterOrEqual(t, shown, 4)
	}
}

// A replicate of a comparison is made of the replicates without the same examples; a group of
// people without examples there is what it is.
func TestConfidenceOfDisparities(t *testing.T) {
	const groups = 20
	key := func(v string) slice.Key { return slice.Key{{Column: "race", Value: slice.String(v)}} }
	row := func(k slice.Key, value float64, of []int32) report.Row {
		r := report.Row{Name: "accuracy", Slice: k, Value: value, Support: 100, Confidence: &report.Confidence{}, Folds: of}
		for i := range of {
			r.Replicates = append(r.Replicates, value+float64(i%5-2)/100+0.001)
		}
		return r
	}
	var all, some []int32
	for i := range int32(groups) {
		if all = append(all, i); i >= 3 {
			some = append(some, i)
		}
	}
	rows := []report.Row{row(nil, 0.7, all), row(key("a"), 0.8, all), row(key("b"), 0.6, some)}
	c := &report.Folding{Level: 0.95, Folds: groups}
	g := &Groups{By: []string{"race"}, Reference: map[string]string{"race": "a"}, Metrics: []string{"accuracy"}}
	list, _, err := disparities(g, rows, c)
	require.NoError(t, err)
	var differences []float64
	for i := range groups {
		b := 0.6
		if i >= 3 {
			b = rows[2].Replicates[i-3]
		}
		differences = append(differences, rows[1].Replicates[i]-b)
	}
	se, dof := confidence.Jackknife(differences)
	seen := map[string]report.Row{}
	for _, r := range list {
		seen[r.Name] = r
	}
	between, to := seen["accuracy_difference"], seen["accuracy_difference_to_reference"]
	require.Equal(t, differences, between.Replicates)
	for i, x := range differences {
		differences[i] = -x
	}
	require.Equal(t, differences, to.Replicates)
	for _, r := range []report.Row{between, to} {
		require.Equal(t, all, r.Folds)
		require.InDelta(t, se, r.Confidence.StdError, 1e-15)
		require.InDelta(t, dof, r.Confidence.DOF, 1e-9)
		require.Equal(t, groups, r.Confidence.Folds)
		require.Equal(t, confidence.MethodJackknife, r.Confidence.Method)
	}
	require.InDelta(t, 0.2, between.Value, 1e-15)
	require.InDelta(t, -0.2, to.Value, 1e-15)

	rows[2].Replicates, rows[2].Folds = rows[2].Replicates[:5], some[:5]
	list, _, err = disparities(g, rows, c)
	require.NoError(t, err)
	for _, r := range list {
		require.Equal(t, confidence.FewFolds, r.Confidence.NoInterval, "b is of five groups only")
		require.Len(t, r.Replicates, groups)
	}
	for _, biased := range []report.Confidence{{NoInterval: confidence.HasBias}, {Method: confidence.MethodProjection}} {
		rows[0].Confidence, rows[1].Confidence = &biased, &biased
		list, _, err = disparities(g, rows, c)
		require.NoError(t, err)
		for _, r := range list {
			require.Equal(t, confidence.HasBias, r.Confidence.NoInterval, "no more is known of what is made of biased values")
			require.Empty(t, r.Confidence.Method)
			require.True(t, math.IsNaN(r.Confidence.Low) && !math.IsNaN(r.Confidence.StdError))
		}
	}
}

// Standard errors come from the two groups with the greatest and the least value of all examples.
// The greatest and the least of each replicate would not do: if two groups are about equal, they
// change places in half of the replicates, and no difference is below 0.
func TestStandardErrorsOfDisparities(t *testing.T) {
	const groups = 20
	a := report.Row{Name: "recall", Slice: slice.Key{{Column: "race", Value: slice.String("a")}}, Value: 0.5, Support: 100, Confidence: &report.Confidence{}}
	b := a
	b.Slice = slice.Key{{Column: "race", Value: slice.String("b")}}
	var difference, ratio []float64
	for i := range int32(groups) {
		by := float64(i-groups/2) / 1000
		a.Folds, a.Replicates = append(a.Folds, i), append(a.Replicates, 0.5+by)
		b.Folds, b.Replicates = append(b.Folds, i), append(b.Replicates, 0.5-by)
		difference = append(difference, a.Replicates[i]-b.Replicates[i])
		ratio = append(ratio, b.Replicates[i]/a.Replicates[i])
	}
	g := &Groups{By: []string{"race"}, Metrics: []string{"recall"}}
	list, _, err := disparities(g, []report.Row{{Name: "recall"}, a, b}, &report.Folding{Level: 0.95, Folds: groups})
	require.NoError(t, err)
	of := map[string][]float64{
		"recall_difference": difference, "recall_ratio": ratio, "recall_group_max": a.Replicates, "recall_group_min": b.Replicates,
		"equal_opportunity_difference": difference, "equal_opportunity_ratio": ratio,
	}
	for _, r := range list {
		se, dof := confidence.Jackknife(of[r.Name])
		require.Equal(t, se, r.Confidence.StdError, r.Name)
		require.Equal(t, dof, r.Confidence.DOF, r.Name)
	}
	require.Len(t, list, len(of))
}

// TestCrossedGroups: each column and both together, as computed here from all pairs of groups.
func TestCrossedGroups(t *testing.T) {
	key := func(race, sex slice.Value) (k slice.Key) {
		if race != slice.Null() {
			k = append(k, slice.Pair{Column: "race", Value: race})
		}
		if sex != slice.Null() {
			k = append(k, slice.Pair{Column: "sex", Value: sex})
		}
		return k
	}
	a, b, one, two, none := slice.String("a"), slice.String("b"), slice.Int(1), slice.Int(2), slice.Null()
	row := func(k slice.Key, value float64) report.Row {
		return report.Row{Name: "recall", Slice: k, Value: value, Support: 100}
	}
	rows := []report.Row{
		row(nil, 0.5), row(key(a, none), 0.75), row(key(b, none), 0.5), row(key(none, one), 0.5), row(key(none, two), 0.625),
		row(key(a, one), 0.25), row(key(a, two), 1), row(key(b, one), 0.5), row(key(b, two), 0.375),
		row(slice.Key{{Column: "race", Value: a}, {Column: "sex", Value: none}}, 0), // null is no group
	}
	g := &Groups{By: []string{"sex", "race"}, Reference: map[string]string{"race": "a", "sex": "2"}, Metrics: []string{"recall"}}
	list, warnings, err := disparities(g, rows, nil)
	require.NoError(t, err)
	require.Empty(t, warnings)
	got := map[string]float64{}
	for _, r := range list {
		require.Contains(t, GroupMetrics(g), r.Name)
		require.NotContains(t, got, r.Name+r.Slice.String())
		got[r.Name+" "+r.Slice.String()] = r.Value
	}
	for name, want := range map[string]float64{
		"recall_difference_by_race overall": 0.25, "recall_difference_by_sex overall": 0.125, "recall_difference_by_sex+race overall": 0.75,
		"recall_ratio_by_race overall": 0.5 / 0.75, "equal_opportunity_ratio_by_sex+race overall": 0.25, "recall_group_min_by_sex+race overall": 0.25,
		"recall_difference_to_reference race=b": -0.25, "recall_difference_to_reference sex=1": -0.125,
		"recall_difference_to_reference race=a, sex=1": -0.75, "recall_ratio_to_reference race=b, sex=2": 0.375,
	} {
		require.Contains(t, got, name)
		require.InDelta(t, want, got[name], 1e-15, name)
	}
	require.Len(t, list, 3*6+2*(1+1+3))
	require.Equal(t, metrics.Lower, metrics.Direction("recall_difference_by_sex+race"))
	require.Equal(t, metrics.Definition(metrics.Binary, "equalized_odds_ratio"), metrics.Definition(metrics.Binary, "equalized_odds_ratio_by_a_difference"))

	delete(g.Reference, "sex") // then only races have a reference
	list, _, err = disparities(g, rows, nil)
	require.NoError(t, err)
	require.Len(t, list, 3*6+2)
	g.Reference["sex"] = "2"
	_, _, err = disparities(g, slices.DeleteFunc(rows, func(r report.Row) bool { return r.Slice.Compare(key(a, two)) == 0 }), nil)
	require.ErrorContains(t, err, "groups: no row is in the reference group race=a, sex=")
}
