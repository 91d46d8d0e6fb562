package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// hostile is a report with names that some formats cannot represent.
func hostile() *report.Report {
	r := &report.Report{
		Task: "multilabel", Config: json.RawMessage(`{"report":{"title":"a \"title\"\nof \\ two lines"}}`),
		Rows: report.RowCounts{Read: 12, Evaluated: 9, Skipped: map[string]int64{"b": 1, `a "reason"`: 2}}, Examples: 9,
	}
	add := func(name string, label *string, value float64, columns ...any) {
		r.Metrics = append(r.Metrics, report.Row{Name: name, Label: label, Slice: reporttest.Key(columns...), Value: value})
	}
	add("ndcg@10", nil, 0.5)
	add("f0.5", nil, math.NaN())
	add("log_loss", nil, math.Inf(1))
	add("hamming_loss", nil, math.Copysign(0, -1))
	for i, label := range []string{"", "beach", "a/b", "a_b", "a=b", "..", "caf\xe9", "日本", strings.Repeat("日", 200), strings.Repeat("日", 201), `\"` + "\n"} {
		add("recall", reporttest.Ptr(label), float64(i)/16)
	}
	for _, v := range []slice.Value{slice.Null(), slice.String("null"), slice.String(""), slice.String("de"), slice.Int(-3), slice.Interval(18, 40), slice.Interval(math.Inf(-1), 18), slice.Interval(40, math.Inf(1))} {
		add("ndcg@10", nil, 0.25, "a.b", v)
		add("recall", reporttest.Ptr("beach"), 0.125, "a.b", v)
	}
	add("ndcg@10", nil, 0.5, "a_b", slice.String("de"))
	add("ndcg@10", nil, 0.5, "..", slice.Bool(true), "a.b", slice.String("de"))
	bound := 0.8
	for range 2 { // the same gate twice
		r.Gates = append(r.Gates, report.GateResult{Metric: "ndcg@10", Limits: report.Limits{Min: &bound}, Value: 0.5, Verdict: report.Fail})
	}
	r.Gates = append(r.Gates,
		report.GateResult{Metric: "ndcg@10", Limits: report.Limits{MaxDrop: reporttest.PercentOf(0.8), Sure: true}, Verdict: report.Unknown},
		report.GateResult{Metric: "recall", Label: reporttest.Ptr("beach"), Slice: reporttest.Key("a.b", slice.String("de")), Limits: report.Limits{Min: &bound}, Verdict: report.Pass})
	return r
}

// Prometheus' own parser reads the file, in which each series occurs once.
func TestPrometheus(t *testing.T) {
	all := map[string]func() *report.Report{"hostile": hostile}
	for name, build := range reporttest.Reports {
		all[name] = build
	}
	for name, build := range all {
		r := build()
		r.Metrics = slices.DeleteFunc(r.Metrics, func(row report.Row) bool { // a column of data has values of one type
			return len(row.Slice) == 1 && row.Slice[0].Value == slice.String("2026")
		})
		text := reporttest.Write(t, r).Bytes(report.MetricsPrometheus)
		parser := expfmt.NewTextParser(model.LegacyValidation)
		families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
		require.NoError(t, err, "%s:\n%s", name, text)
		seen := map[string]bool{}
		for _, family := range families {
			require.Equal(t, "GAUGE", family.GetType().String())
			require.NotEmpty(t, family.GetHelp())
			for _, m := range family.GetMetric() {
				require.Nil(t, m.TimestampMs)
				require.False(t, math.IsNaN(m.GetGauge().GetValue()) || math.IsInf(m.GetGauge().GetValue(), 0))
				id := family.GetName()
				labels := map[string]string{}
				for _, l := range m.GetLabel() {
					require.NotEmpty(t, l.GetValue(), "an empty label is none")
					require.NotContains(t, labels, l.GetName())
					labels[l.GetName()] = l.GetValue()
				}
				id += fmt.Sprint(labels)
				require.False(t, seen[id], id)
				seen[id] = true
			}
		}
		values := 0
		for _, row := range r.Metrics {
			if !math.IsNaN(row.Value) && !math.IsInf(row.Value, 0) {
				values++
			}
		}
		require.Len(t, families["beameval_metric"].GetMetric(), values, name)
		require.Equal(t, float64(r.Rows.Read), families["beameval_rows_read"].GetMetric()[0].GetGauge().GetValue())
		require.Len(t, families["beameval_rows_skipped"].GetMetric(), len(r.Rows.Skipped))
	}
	text := reporttest.Write(t, hostile()).Content[report.MetricsPrometheus].String()
	for _, line := range []string{
		`beameval_metric{metric="ndcg@10",report="a \"title\"\nof \\ two lines"} 0.5`,
		`beameval_metric{metric="hamming_loss",report="a \"title\"\nof \\ two lines"} 0`,
		`beameval_metric{metric="recall",label="beach",slice_a_b="null",report="a \"title\"\nof \\ two lines"} 0.125`,
		`beameval_metric{metric="recall",label="beach",slice_a_b="\"null\"",report="a \"title\"\nof \\ two lines"} 0.125`,
		`beameval_metric{metric="ndcg@10",slice_a_b_2="de",report="a \"title\"\nof \\ two lines"} 0.5`,
		`beameval_rows_skipped{reason="a \"reason\"",report="a \"title\"\nof \\ two lines"} 2`,
		`beameval_gate_failed{metric="ndcg@10",min="0.8",report="a \"title\"\nof \\ two lines"} 1`,
		`beameval_gate_failed{metric="ndcg@10",max_drop="0.8%",sure="true",report="a \"title\"\nof \\ two lines"} 0`,
		`beameval_gates{verdict="fail",report="a \"title\"\nof \\ two lines"} 2`,
	} {
		require.Contains(t, text, line+"\n")
	}
	require.Contains(t, reporttest.Write(t, reporttest.ConfidenceReport()).Content[report.MetricsPrometheus].String(), `beameval_metric_ci_low{metric="average_precision_macro"} 0.4`)
}

// mlflowNames matches the names that MLflow accepts in all of its stores: mlflow.utils.validation.
var mlflowNames = regexp.MustCompile(`^[\pL\p{Nd}_./ -]{1,250}$`)

func TestMLflow(t *testing.T) {
	r := largeReport(1500)
	for i := range r.Metrics {
		r.Metrics[i].Slice = nil
		r.Metrics[i].Name = fmt.Sprintf("metric_%d", i)
	}
	many := func() *report.Report { return r }
	all := map[string]func() *report.Report{"hostile": hostile, "batches": many}
	for name, build := range reporttest.Reports {
		all[name] = build
	}
	for name, build := range all {
		r := build()
		text := reporttest.Write(t, r).Content[report.MetricsMLflow].String()
		seen := map[string]bool{}
		for line := range strings.Lines(text) {
			var values map[string]float64
			require.NoError(t, json.Unmarshal([]byte(line), &values))
			require.LessOrEqual(t, len(values), 1000)
			for key := range values {
				require.Regexp(t, mlflowNames, key)
				require.Equal(t, path.Clean(key), key, "the name is a path")
				require.False(t, strings.HasPrefix(key, "..") || strings.HasPrefix(key, "/"), key)
				require.False(t, seen[key], key)
				seen[key] = true
			}
		}
		values := 3
		if len(r.Gates) > 0 {
			values++
		}
		for _, row := range r.Metrics {
			if !math.IsNaN(row.Value) && !math.IsInf(row.Value, 0) {
				values++
			}
		}
		require.Len(t, seen, values, name)
	}
	text := reporttest.Write(t, hostile()).Content[report.MetricsMLflow].String()
	first, _, _ := strings.Cut(text, "\n")
	require.True(t, strings.HasPrefix(first, `{"rows_read":12,"rows_evaluated":9,"rows_skipped":3,"gates_failed":2,"hamming_loss":0,"ndcg_at_10":0.5,"label /recall":0,`), first)
	for _, entry := range []string{
		`"label beach/recall":0.0625`, `"label a_b/recall":0.125`, `"a.b is de/ndcg_at_10":0.25`, `"a.b is de/label beach/recall":0.125`, `"a.b is null/ndcg_at_10":0.25`,
		`"a.b below 18/ndcg_at_10":0.25`, `"a.b from 18 to 40/ndcg_at_10":0.25`, `"a.b from 40/ndcg_at_10":0.25`, `"_. is true and a.b is de/ndcg_at_10":0.5`,
	} {
		require.Contains(t, text, entry)
	}
}
