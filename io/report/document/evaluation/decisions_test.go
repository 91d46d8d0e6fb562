package evaluation_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
)

// decided is a report of ten examples: four positives, with the scores 0.9, 0.9, 0.6 and 0.2, and six
// negatives, with 0.6 and five times 0.2.
func decided(config string) *report.Report {
	r := &report.Report{Task: "binary", Labels: []string{"0", "1"}, Metrics: []report.Row{{Name: "roc_auc", Value: 0.85, Support: 10}}, Config: json.RawMessage(config)}
	for i, n := range []int64{5, 1, 1, 3} {
		r.Confusion = append(r.Confusion, report.ConfusionCell{True: r.Labels[i/2], Predicted: r.Labels[i%2], TrueIndex: i / 2, PredictedIndex: i % 2, Count: n, Weight: float64(n)})
	}
	r.Curves = []report.Curve{{Name: report.CurveROC, Points: []report.CurvePoint{
		{}, {Y: 0.5, Threshold: 0.9}, {X: 1. / 6, Y: 0.75, Threshold: 0.6}, {X: 1, Y: 1, Threshold: 0.2},
	}}}
	return r
}

// Above 0.9 nothing is predicted positive; from 0.6 on, 2 of 10 are; then 3 true and 1 false.
func TestDecisionCurve(t *testing.T) {
	root, page := reporttest.PageOf(t, decided(`{"input":{"score_type":"probability"}}`))
	charts := reporttest.TextOf(reporttest.ByID(root, "charts"))
	require.Contains(t, charts, "Decision curve")
	for _, row := range []string{"0.2000 0.2500 0.2500", "0.2500 0.2667 0.2000", "0.5000 0.2000 -0.2000", "0.6500 0.2000 -0.7143", "0.9500 0.0000 -11.000"} {
		require.Contains(t, charts, row)
	}
	require.Contains(t, string(page), "threshold 0.5000: net benefit 0.2000, if all are positive -0.2000")
	require.NotContains(t, charts, "Expected cost")
	for _, kind := range []string{"logit", "score"} {
		root, _ := reporttest.PageOf(t, decided(`{"input":{"score_type":"`+kind+`"}}`))
		require.NotContains(t, reporttest.TextOf(reporttest.ByID(root, "charts")), "Decision curve")
	}
}

func TestExpectedCostByThreshold(t *testing.T) {
	root, _ := reporttest.PageOf(t, decided(`{"decision":{"threshold":0.5},"costs":{"fp":1,"fn":10,"tp":2,"tn":0.5}}`))
	charts := reporttest.TextOf(reporttest.ByID(root, "charts"))
	for _, part := range []string{"Expected cost The vertical line is the threshold in use.", "0.9000 2.7000 0 2", "0.6000 1.9500 1 1", "0.2000 1.4000 6 0", "least: 1.4000 at 0.2000"} {
		require.Contains(t, charts, part)
	}
	r := decided(`{"decision":{"threshold":0.5}}`)
	r.Curves = append([]report.Curve{{Name: report.CurveCost, Points: []report.CurvePoint{
		{X: math.Inf(1), Y: 4, Threshold: math.Inf(1)}, {X: 0.9, Y: 2.5, Threshold: 0.9}, {X: 0.6, Y: 1.25, Threshold: 0.6}, {X: 0.2, Y: 3, Threshold: 0.2},
	}}}, r.Curves...)
	root, page := reporttest.PageOf(t, r)
	charts = reporttest.TextOf(reporttest.ByID(root, "charts"))
	for _, part := range []string{"Expected cost The vertical line is the threshold in use.", "0.9000 2.5000 0.6000 1.2500 0.2000 3.0000", "least: 1.2500 at 0.6000"} {
		require.Contains(t, charts, part)
	}
	require.Contains(t, string(page), "threshold 0.9000: expected cost 2.5000")
	for _, config := range []string{`{"costs":[[0,1],[10,0]]}`, `{"costs":{"fp":1}}`, `{"costs":{"fp":0,"fn":0,"tp":0,"tn":0}}`, `{"costs":{"fp":1e308,"fn":"x","tp":0,"tn":0}}`} {
		root, _ := reporttest.PageOf(t, decided(config))
		require.NotContains(t, reporttest.TextOf(reporttest.ByID(root, "charts")), "Expected cost", config)
	}
}

// TestDecisionCurvesOfLabels: a label has the curve of a binary task with its truth and scores. There is
// none of a label without positives, of all labels pooled, or of scores that are no probabilities.
func TestDecisionCurvesOfLabels(t *testing.T) {
	one := decided("")
	of := func(kind string, labels ...string) *report.Report {
		r := &report.Report{Task: "multilabel", Labels: append(labels, "absent"), Config: json.RawMessage(`{"input":{"score_type":"` + kind + `"}}`)}
		r.Curves = append(r.Curves, report.Curve{Name: report.CurveROC, Points: one.Curves[0].Points})
		for i := range r.Labels {
			label := &r.Labels[i]
			r.Metrics = append(r.Metrics, report.Row{Name: "roc_auc", Label: label, Value: 0.5 + float64(i)/10, Support: 4})
			r.Curves = append(r.Curves, report.Curve{Name: report.CurveROC, Label: label, Points: one.Curves[0].Points})
			for _, c := range one.Confusion {
				if c.TrueIndex == 0 || *label != "absent" {
					c.Label = label
					r.Confusion = append(r.Confusion, c)
				}
			}
		}
		r.Sort()
		return r
	}
	root, page := reporttest.PageOf(t, of("probability", "cat", "dog"))
	charts := reporttest.TextOf(reporttest.ByID(root, "charts"))
	_, charts, found := strings.Cut(charts, "Decision curve")
	require.True(t, found)
	for _, name := range []string{"cat", "dog"} {
		for _, row := range []string{"0.2000 0.2500 0.2500", "0.2500 0.2667 0.2000", "0.5000 0.2000 -0.2000", "0.6500 0.2000 -0.7143", "0.9500 0.0000 -11.000"} {
			require.Contains(t, charts, name+" "+row)
		}
	}
	require.NotContains(t, charts, "absent 0.05000")
	require.NotContains(t, charts, "pooled 0.05000")
	require.Contains(t, string(page), "dog: threshold 0.5000, net benefit 0.2000, if all are positive -0.2000")
	require.Regexp(t, `data-kind="benefit" data-area="[-0-9. ]+" data-min="-0.1" data-max="0.4"`, string(page))

	root, page = reporttest.PageOf(t, of("probability", "a", "b", "c", "d"))
	require.Contains(t, reporttest.TextOf(reporttest.ByID(root, "charts")), "with the lowest roc_auc; in grey, the others. Values below the axis are drawn at its end.")
	require.Contains(t, string(page), "c: threshold 0.5000, net benefit")
	require.NotContains(t, string(page), "d: threshold 0.5000, net benefit", "it is grey")
	root, _ = reporttest.PageOf(t, of("logit", "cat"))
	require.NotContains(t, reporttest.TextOf(reporttest.ByID(root, "charts")), "Decision curve")
}
