package evaluation_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/document/evaluation"
	"github.com/beameval/beameval/io/slice"
)

// groupsReport compares recall of groups of people.
func groupsReport(config string, groups ...report.Row) *report.Report {
	r := &report.Report{Task: "binary", Config: json.RawMessage(config)}
	for _, name := range []string{"recall", "recall_group_min", "recall_group_max", "precision"} {
		r.Metrics = append(r.Metrics, report.Row{Name: name, Value: 0.5, Support: 200})
	}
	r.Metrics = append(r.Metrics, groups...)
	r.Sort()
	return r
}

func ofRace(name, race string, value float64, support int64) report.Row {
	return report.Row{Name: name, Slice: slice.Key{{Column: "race", Value: slice.String(race)}}, Value: value, Support: support}
}

func TestGroups(t *testing.T) {
	small := ofRace("recall", "<other>", 0.75, 29)
	small.Confidence = &report.Confidence{Low: math.NaN(), High: math.NaN(), NoInterval: "few groups"}
	undefined := ofRace("recall", "asian", math.NaN(), 40)
	undefined.Undefined = "no positive examples"
	sure := ofRace("recall", "black", 0.25, 100)
	sure.Confidence = &report.Confidence{Low: 0.125, High: 0.5}
	null := report.Row{Name: "recall", Slice: slice.Key{{Column: "race", Value: slice.Null()}}, Value: 1, Support: 7}
	crossed := report.Row{Name: "recall", Slice: slice.Key{{Column: "race", Value: slice.String("x")}, {Column: "sex", Value: slice.String("y")}}, Value: 1, Support: 7}
	rows := []report.Row{
		small, undefined, sure, null, crossed, ofRace("recall", "white", 0.5, 30), ofRace("calibration_ratio", "white", 1.25, 30),
		ofRace("recall_difference_to_reference", "black", -0.25, 100), ofRace("precision", "white", 0.5, 30),
	}
	r := groupsReport(`{"groups":{"by":"race","reference":"white"}}`, rows...)
	root, _ := reporttest.PageOf(t, r)
	text := reporttest.TextOf(reporttest.ByID(root, "groups"))
	for _, part := range []string{
		"group support note recall calibration_ ratio race=white 30 reference 0.500 1.250 race=black 100 0.250 [0.125, 0.500] race=asian 40 – (no positive examples) race=<other> 29 small 0.750 (few groups)",
		"A small group has a support below 30.", "Of 7 examples, race is null: they are in no group of it.", "Groups: recall",
	} {
		require.Contains(t, text, part)
	}
	require.NotContains(t, text, "sex")
	apart := reporttest.TextOf(reporttest.ByID(root, "group-differences"))
	require.Contains(t, apart, "Each difference is the value of the group minus that of the reference. group support note recall race=black 100 -0.250")
	require.NotContains(t, apart, "race=white")
	require.NotContains(t, text, "minus")
	var markdown bytes.Buffer
	require.NoError(t, evaluation.Write(r, document.Markdown, &markdown))
	require.Contains(t, markdown.String(), "## Groups\n")
	require.Contains(t, markdown.String(), "| race=white | 30 | reference | 0.5000 |")

	root, _ = reporttest.PageOf(t, groupsReport(`{"groups":{"by":"race"}}`, rows[:3]...))
	text = reporttest.TextOf(reporttest.ByID(root, "groups"))
	require.NotContains(t, text, "reference")
	require.NotContains(t, text, "difference")
}

// Many groups are all in the table, as far as a page can hold them.
func TestManyGroups(t *testing.T) {
	var rows []report.Row
	for i := range 60 {
		rows = append(rows, ofRace("recall", fmt.Sprint(i), 0.5, int64(i+1)))
	}
	root, _ := reporttest.PageOf(t, groupsReport(`{"groups":{"by":"race"}}`, rows...))
	text := reporttest.TextOf(reporttest.ByID(root, "groups"))
	require.Contains(t, text, "Show all 60 rows")
	require.Contains(t, text, fmt.Sprintf("The %d largest of 60.", document.PageSlices))
	require.Contains(t, text, `race="0" 1 small`)
}

// TestNoGroups: without comparison, there is no section, nor a picture of a single group.
func TestNoGroups(t *testing.T) {
	root, _ := reporttest.PageOf(t, groupsReport(`{}`, ofRace("recall", "a", 0.5, 40), ofRace("recall", "b", 0.5, 40)))
	require.Nil(t, reporttest.ByID(root, "groups"))
	root, _ = reporttest.PageOf(t, groupsReport(`{"groups":{"by":"race"}}`, ofRace("recall", "a", 0.5, 40)))
	text := reporttest.TextOf(reporttest.ByID(root, "groups"))
	require.Contains(t, text, "race=a 40")
	require.NotContains(t, text, "Groups: recall")
}

// TestCrossedGroups: all groups are in one table, each beside the reference of its columns.
func TestCrossedGroups(t *testing.T) {
	both := func(race, sex slice.Value) report.Row {
		return report.Row{Name: "recall", Slice: slice.Key{{Column: "race", Value: race}, {Column: "sex", Value: sex}}, Value: 0.5, Support: 40}
	}
	white, male := slice.String("white"), slice.String("male")
	r := groupsReport(`{"groups":{"by":["sex","race"],"reference":{"race":"white","sex":"male"}}}`,
		both(white, male), both(slice.String("black"), male), both(white, slice.Null()), ofRace("recall", "white", 0.5, 60), ofRace("recall", "black", 0.5, 60))
	for i := range r.Metrics {
		if row := &r.Metrics[i]; row.Name == "recall_group_min" || row.Name == "recall_group_max" {
			row.Name += "_by_race"
		}
	}
	r.Sort()
	root, _ := reporttest.PageOf(t, r)
	text := reporttest.TextOf(reporttest.ByID(root, "groups"))
	for _, part := range []string{"race=white 60 reference", "race=black 60 0.5", "race=white, sex=male 40 reference", "race=black, sex=male 40 0.5"} {
		require.Contains(t, text, part)
	}
	require.NotContains(t, text, "null")
}

// A gate on a difference of groups that fails names the two groups that differ most, and their sizes.
func TestExtremeGroups(t *testing.T) {
	r := groupsReport(`{"groups":{"by":"race"}}`, ofRace("recall", "asian", 0.9, 12), ofRace("recall", "black", 0.25, 100), ofRace("recall", "white", 0.5, 1300))
	gate := func(metric string, value float64, verdict report.Verdict) report.GateResult {
		nan := math.NaN()
		return report.GateResult{Metric: metric, Limits: report.Limits{Max: new(0.125)}, Value: value, Low: nan, High: nan, Difference: nan, PAdjusted: nan, Verdict: verdict}
	}
	const sentence = "recall is lowest in race=black (0.2500, 100 examples) and highest in race=asian (0.9000, 12 examples, small)."
	for metric, value := range map[string]float64{"recall_difference": 0.65, "recall_ratio": 0.25 / 0.9, "equal_opportunity_difference": 0.65} {
		r.Gates = []report.GateResult{gate(metric, value, report.Fail)}
		root, _ := reporttest.PageOf(t, r)
		require.Contains(t, reporttest.TextOf(reporttest.ByID(root, "gates")), metric+": "+sentence)
	}
	var markdown bytes.Buffer
	require.NoError(t, evaluation.Write(r, document.Markdown, &markdown))
	require.Contains(t, markdown.String(), sentence)
	r.Config = json.RawMessage(`{"groups":{"by":"race","min_support":13}}`) // gates compare no smaller group
	r.Gates = []report.GateResult{gate("recall_difference", 0.25, report.Fail)}
	root, _ := reporttest.PageOf(t, r)
	require.Contains(t, reporttest.TextOf(reporttest.ByID(root, "gates")), "recall is lowest in race=black (0.2500, 100 examples) and highest in race=white (0.5000, 1,300 examples).")
	text := reporttest.TextOf(reporttest.ByID(root, "groups"))
	require.Contains(t, text, "race=asian 12 small, not compared")
	require.Contains(t, text, "A group with a support below 13 is not compared.")
	for _, other := range []report.GateResult{gate("recall_difference", 0.65, report.Pass), gate("fpr_difference", 0.5, report.Fail), gate("recall", 0.5, report.Fail)} {
		r.Gates = []report.GateResult{other}
		root, _ := reporttest.PageOf(t, r)
		require.NotContains(t, reporttest.TextOf(root), "is lowest in")
	}
}

// Small groups are hollow, and the reference is a diamond; the legend says so.
func TestMarkedGroups(t *testing.T) {
	r := groupsReport(`{"groups":{"by":"race","reference":"white"}}`, ofRace("recall", "asian", 0.9, 12), ofRace("recall", "black", 0.25, 100), ofRace("recall", "white", 0.5, 1300))
	_, data := reporttest.PageOf(t, r)
	for _, name := range []string{"support below 30", "reference", "no interval"} {
		require.Regexp(t, `<text[^>]*>`+name+`</text>`, string(data))
	}
	r = groupsReport(`{"groups":{"by":"race"}}`, ofRace("recall", "black", 0.25, 100), ofRace("recall", "white", 0.5, 1300))
	_, data = reporttest.PageOf(t, r)
	require.NotRegexp(t, `<text[^>]*>(support below 30|reference)</text>`, string(data))
}
